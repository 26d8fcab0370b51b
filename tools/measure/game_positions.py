"""Write tools/data/game_positions.txt: 200 positions, one SFEN on each line, of games between the engine's levels.

    python -m tools.measure.game_positions > tools/data/game_positions.txt

A game begins with six random moves; then two levels (10 to 14), drawn for it, play. Each game gives at most five
positions, one random ply from each of five stretches. No side is in check, and no position occurs twice. Everything is
seeded, but a different search plays different games, so regenerate the list only to get another kind of positions.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from shogi_engine import Engine
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.levels import plan
from shogi_engine.interface.extras.levels import drawn_limits

FILE = Path(__file__).parent.parent / "data" / "game_positions.txt"
LEVELS = range(10, 15)
RANDOM_PLIES, LONGEST = 6, 160
STRETCHES = ((10, 30), (30, 50), (50, 75), (75, 105), (105, 160))  # plies that positions are drawn from


def play(engine: Engine, rng: random.Random) -> Iterator[Board]:
    """Play one game; yield the board before each move."""
    board, levels = Board(), rng.choices(LEVELS, k=2)
    engine.new_game()
    while len(board.move_stack) < LONGEST and not board.is_game_over():
        yield board.copy()
        ply = len(board.move_stack)
        if ply < RANDOM_PLIES:
            board.push(rng.choice(list(board.legal_moves)))
            continue
        engine.set_position(board.sfen())
        limits = drawn_limits(plan(levels[ply % 2]), (), rng)  # like a player of that level, but seeded
        board.push_usi(engine.search(**limits).bestmove)


def positions(count: int, seed: int) -> Iterator[str]:
    """Yield `count` different positions as SFEN."""
    rng, found = random.Random(seed), set[str]()
    with Engine("shogi", hash_mb=16) as engine:
        while len(found) < count:
            game = list(play(engine, rng))
            for first, last in STRETCHES:
                quiet = [board.sfen() for board in game[first:last] if not board.is_check()]
                sfen = rng.choice(quiet) if quiet else None
                if sfen and sfen not in found and len(found) < count:
                    found.add(sfen)
                    yield sfen


def main(argv: list[str] | None = None) -> int:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    for sfen in positions(arguments.count, arguments.seed):
        print(sfen, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
