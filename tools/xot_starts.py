"""Make the even starts of Othello, shogi_engine/games/othello/xot.txt.

    python -m tools.xot_starts [--count 512]

As in XOT, they are eight random moves after which neither side is ahead. Those that the small search of a match finds
balanced (`match.plan`) are kept if a deeper search says that too, and no other start leads to the same position.
"""

import argparse
from pathlib import Path

from shogi_engine.engine import Engine
from shogi_engine.games.othello.openings import XOT
from shogi_engine.match.plan import OpeningFile, OpeningPlan
from shogi_engine.types.limits import Limit

MARGIN, NODES = 2.0, 100_000
HEAD = f"# Eight random moves that leave the game even, within {MARGIN:g} discs at {NODES} nodes: tools/xot_starts.py"


def starts(count: int) -> list[str]:
    """Return a number of starts as transcripts, sorted."""
    openings = OpeningFile(OpeningPlan.of("othello"))
    known: dict[str, str] = {}
    with Engine("othello", hash_mb=16) as engine:
        for number in range(100 * count):
            board = engine.board(moves=openings[number].split())
            engine.new_game()
            if abs(engine.analyse(board, Limit(nodes=NODES))["score"].value) <= MARGIN:
                known.setdefault(board.canonical().obf(), "".join(map(str, board.move_stack)))
            if len(known) == count:
                break
    return sorted(known.values())


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Make the even starts of Othello.")
    parser.add_argument("--count", type=int, default=512)
    parser.add_argument("--out", type=Path, default=XOT)
    args = parser.parse_args()
    args.out.write_text("\n".join([HEAD, *starts(args.count), ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
