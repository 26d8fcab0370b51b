"""Compose tsume problems, or take them from self-play games.

    nice -n 19 python -m tools.tsume.compose problems.jsonl --seconds 600
    nice -n 19 python -m tools.tsume.compose problems.jsonl --games 200

A sound problem (`games.shogi.mate.soundness`) is changed at random: two plies are put in front of it, or a piece is
moved, added or removed. The result is kept if it is sound, needs all its pieces, and is unlike the others. Pieces are
removed from a game position with a mate until it is sound. The output has a row for each problem; a second run
continues it.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from shogi_engine.engine import Engine
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.mate.soundness import is_sound
from shogi_engine.games.shogi.notation.sfen import format_sfen, parse_sfen
from shogi_engine.games.shogi.types import BLACK, KING, WHITE, piece_kind
from tools.tsume.sketch import Sketch, changed, random_sketch, sketch_of, take_from_hand

LONGEST = 11
FIRST_NODES = 30_000  # to find the mate of a candidate
PROOF_NODES = 60_000  # for each check that must fail
MOST_PIECES = 13  # on the board and in black's hand
UNLIKE = 0.5  # the largest share of pieces in common of two problems with the king on the same square
ENOUGH = {1: 60, 3: 180, 5: 300}  # problems of these lengths; longer ones have no limit
RANDOM_MOVES = 14
RANDOM_SHARE = 0.12  # of the later moves, so that players make mistakes and are mated
LONGEST_GAME = 250


class Collection:
    """The problems found so far, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        self.sketches: dict[int, list[Sketch]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._add(json.loads(line))

    def _add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        self.sketches.setdefault(row["length"], []).append(sketch_of(parse_sfen(row["sfen"])))

    def is_new(self, sketch: Sketch, length: int) -> bool:
        """Tell whether the problem is unlike all others of its length."""
        mine, king = sketch.pieces(), sketch.king
        for other in self.sketches.get(length, []):
            if other.king == king:
                theirs = other.pieces()
                if len(mine & theirs) > UNLIKE * len(mine | theirs) + 1:
                    return False
        return True

    def is_full(self, length: int) -> bool:
        """Tell whether there are enough problems of a length."""
        return len(self.sketches.get(length, [])) >= ENOUGH.get(length, 1 << 30)

    def keep(self, sketch: Sketch, found: Any, source: str) -> None:
        """Add a problem to the file."""
        pos = sketch.position()
        row = {
            "sfen": format_sfen(pos), "length": found.length, "moves": " ".join(line_texts(pos, found.moves)),
            "nodes": found.nodes, "source": source,
        }  # fmt: skip
        self._add(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def choose(self, rng: random.Random) -> Sketch | None:
        """Return a random problem to change, preferring longer ones."""
        lengths = sorted(self.sketches)
        if not lengths or rng.random() < 0.03:
            return None
        chosen = rng.choices(lengths, [1 + length for length in lengths])[0]
        return rng.choice(self.sketches[chosen])

    def __str__(self) -> str:
        lengths = Counter((row["length"], row["source"]) for row in self.rows)
        return f"{len(self.rows)}: " + ", ".join(f"{n} {s} {c}" for (n, s), c in sorted(lengths.items()))


def mate_of(solver: MateSolver, sketch: Sketch) -> Any:
    """Return the shortest mate of a sketch if it is a candidate, else None."""
    if len(sketch.board) + sum(sketch.hand.values()) > MOST_PIECES:
        return None
    try:
        pos = sketch.position()
    except ValueError:
        return None
    found = solver.solve(pos, nodes=FIRST_NODES, limit=LONGEST, shortest=True)
    return found if found and found.shortest else None


def is_sound_sketch(solver: MateSolver, sketch: Sketch, length: int) -> bool:
    """Tell whether a sketch is a sound problem."""
    return is_sound(solver, sketch.position(), length, PROOF_NODES)


def pruned(solver: MateSolver, sketch: Sketch, found: Any) -> Sketch:
    """Return a sound problem without the pieces on the board that it does not need."""
    for square in list(sketch.board):
        if piece_kind(sketch.board[square]) == KING:
            continue
        without = sketch.copy()
        del without.board[square]
        shorter = mate_of(solver, without)
        if shorter and shorter.moves == found.moves and is_sound_sketch(solver, without, found.length):
            sketch = without
    return sketch


def compose(collection: Collection, solver: MateSolver, rng: random.Random, until: float) -> None:
    """Search for problems until a time of time.monotonic."""
    told = time.monotonic()
    while time.monotonic() < until:
        parent = collection.choose(rng)
        try:
            sketch = changed(rng, parent) if parent else random_sketch(rng)
        except ValueError:
            continue
        found = mate_of(solver, sketch)
        if not found or collection.is_full(found.length) or not collection.is_new(sketch, found.length):
            continue
        if is_sound_sketch(solver, sketch, found.length):
            sketch = pruned(solver, sketch, found)
            if collection.is_new(sketch, found.length):
                collection.keep(sketch, mate_of(solver, sketch), "composed")
        if time.monotonic() > told + 60:
            told = time.monotonic()
            print(collection, flush=True)


def stripped(solver: MateSolver, sketch: Sketch, rng: random.Random) -> tuple[Sketch, Any] | None:
    """Remove pieces from a position until it is sound; return the rest and its mate, None if it never is."""
    found = solver.solve(sketch.position(), nodes=FIRST_NODES, limit=LONGEST, shortest=True)
    if not found or not found.shortest:
        return None
    squares = [square for square, piece in sketch.board.items() if piece_kind(piece) != KING]
    rng.shuffle(squares)
    squares.sort(key=lambda square: -distance(square, sketch.king))
    for square in squares:
        without = sketch.copy()
        del without.board[square]
        try:
            left = solver.solve(without.position(), nodes=FIRST_NODES, limit=LONGEST, shortest=True)
        except ValueError:  # the piece shielded the king from a check
            continue
        if left and left.shortest and left.length >= found.length:
            sketch, found = without, left
    for kind in [kind for kind, count in sketch.hand.items() for _ in range(count)]:
        without = sketch.copy()
        take_from_hand(without, kind)
        left = mate_of(solver, without)
        if left and left.length >= found.length:
            sketch, found = without, left
    if not (found := mate_of(solver, sketch)) or not is_sound_sketch(solver, sketch, found.length):
        return None
    return sketch, found


def distance(first: int, second: int) -> int:
    """Return the distance of two squares in king moves."""
    return max(abs(first // 9 - second // 9), abs(first % 9 - second % 9))


def turned(board: Board) -> Sketch:
    """Return the sketch of a board, turned if white is to move."""
    pos = board._pos
    sketch = sketch_of(pos)
    if board.turn == BLACK:
        return sketch
    own = int(pos.king[WHITE])
    there = {80 - square: piece ^ 16 for square, piece in enumerate(pos.board.tolist()) if piece and square != own}
    hand = {kind: int(pos.hand[WHITE]) >> 8 * kind & 255 for kind in range(1, 8)}
    return Sketch(there, {kind: count for kind, count in hand.items() if count})


def from_games(collection: Collection, solver: MateSolver, rng: random.Random, count: int, nodes: int) -> None:
    """Play games and take problems from them."""
    with Engine("shogi", hash_mb=16) as engine:
        for number in range(1, count + 1):
            engine.new_game()
            engine.set_position()
            board = Board()
            while (moves := engine.legal_moves()) and len(engine.moves) < LONGEST_GAME:
                blind = len(engine.moves) < RANDOM_MOVES or rng.random() < RANDOM_SHARE
                move = rng.choice(moves) if blind else engine.search(nodes=nodes).bestmove
                engine.push(move)
                board.push_usi(move)
                found = solver.solve(board._pos, nodes=3000, limit=LONGEST) if len(engine.moves) > 30 else None
                if not found:
                    continue
                for _ in range(3):
                    problem = stripped(solver, turned(board), rng)
                    if problem and collection.is_new(problem[0], problem[1].length):
                        collection.keep(*problem, "game")
                if found.length <= 3:
                    break
            print(f"game {number}; {collection}", flush=True)


def main() -> int:
    """Continue a collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--seconds", type=float, default=0, help="how long to compose")
    parser.add_argument("--games", type=int, default=0, help="games to play first, as a source of problems")
    parser.add_argument("--nodes", type=int, default=500, help="nodes per move of the games")
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    collection, solver, rng = Collection(args.output), MateSolver(32), random.Random(args.seed)
    if args.games:
        from_games(collection, solver, rng, args.games, args.nodes)
    compose(collection, solver, rng, time.monotonic() + args.seconds)
    print(collection)
    return 0


if __name__ == "__main__":
    sys.exit(main())
