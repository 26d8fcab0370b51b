"""Make Othello's opening book: `python -m tools.training.othello_book shogi_engine/games/othello/book.txt`.

From the start the moves that a search finds within a margin of the best are followed, a given number of plies deep;
what they are worth is then brought back from the last positions to the first. Moves that have become worse than the
margin are left out.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.engine import Engine
from shogi_engine.game import do_move
from shogi_engine.games.othello.book import Key, canonical_key, format_line
from shogi_engine.games.othello.notation import format_obf
from shogi_engine.games.othello.types import DISC, UNDO
from shogi_engine.jit import new_record

SELECTIVITY = 130
MULTIPV = 4


def candidates(engine: Engine, position: Any, depth: int, margin: int) -> list[tuple[int, int]]:
    """Return the (encoded move, value) within `margin` of the best, by a search."""
    engine.set_position(format_obf(position))
    found = engine.search(depth=depth, selectivity=SELECTIVITY, multipv=MULTIPV)
    best = found.lines[0].value
    near = [line for line in found.lines if line.value >= best - margin]
    return [(engine.game.parse_move(position, line.pv[0]), line.value) for line in near]


def after(position: Any, move: int) -> Any:
    """Return the position after a move."""
    child = position.copy()
    do_move(child, np.uint32(move), new_record(UNDO))
    child.side = 0
    return child


def main() -> int:
    """Make the book; return the exit status."""
    parser = argparse.ArgumentParser(description="Make Othello's opening book.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--plies", type=int, default=9, help="the last positions are so many moves from the start")
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--margin", type=float, default=1.0, help="discs")
    args = parser.parse_args()
    margin = round(args.margin * DISC)
    with Engine("othello", hash_mb=64) as engine:
        levels: list[dict[Key, Any]] = [{}]
        start = engine.game.parse_position(engine.game.start)
        levels[0][canonical_key(start)[0]] = start
        moves: dict[Key, list[tuple[int, int]]] = {}
        for ply in range(args.plies + 1):
            levels.append({})
            for key, position in levels[ply].items():
                moves[key] = candidates(engine, position, args.depth, margin)
                for move, _ in moves[key]:
                    child = after(position, move)
                    levels[ply + 1].setdefault(canonical_key(child)[0], child)
            print(f"{ply} plies: {len(levels[ply])} positions", file=sys.stderr, flush=True)
    for ply in range(args.plies - 1, -1, -1):
        for key, position in levels[ply].items():
            values = []
            for move, _ in moves[key]:
                answers = moves[canonical_key(after(position, move))[0]]
                values.append((move, -max(value for _, value in answers)))
            best = max(value for _, value in values)
            moves[key] = sorted((each for each in values if each[1] >= best - margin), key=lambda each: -each[1])
    lines = [format_line(position, moves[key]) for level in levels[:-1] for key, position in level.items()]
    head = f"% {len(lines)} positions; tools/training/othello_book.py --plies {args.plies} --depth {args.depth}"
    args.output.write_text("\n".join([f"{head} --margin {args.margin}", *lines]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
