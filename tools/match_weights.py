"""Games between two sets of weights of Shogi's king-piece evaluation at equal nodes, in one process.

    python tools/match_weights.py NEW.npz OLD.npz --games 400 --nodes 5000 --seed 1

'material' stands for the evaluation by material. Openings are moves at random, each played twice with colours swapped.
Printed: wins, draws and losses of the first, and Elo with a 95 % interval from the scores of the pairs. Faster than a
match over USI, and blind to what an evaluation costs in time.
"""

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from selfplay import LONGEST, search_context
from selfplay_kernels import ABANDONED, play_game

from shogi_engine.games.shogi import GAME, king_piece
from shogi_engine.games.shogi.params import MATERIAL
from shogi_engine.search.context import forget
from shogi_engine.search.tt import Table


def player(name: str, table: Table) -> tuple[Any, king_piece.Weights]:
    """Return a context that plays with the weights of the file `name`, and the weights, which must outlive it."""
    weights = king_piece.shipped() if name == "material" else king_piece.load(Path(name))
    ctx = search_context(weights, table)
    if name == "material":
        ctx.params.evaluation = MATERIAL
    return ctx, weights


def elo(score: float) -> float:
    """Return the Elo difference of a score 0..1, kept finite."""
    score = min(max(score, 1e-3), 1 - 1e-3)
    return 400 * math.log10(score / (1 - score))


def summary(pairs: list[float]) -> str:
    """Return the Elo and its interval; pairs : the first player's score in each pair of games, 0..1."""
    mean, error = float(np.mean(pairs)), float(np.std(pairs, ddof=1)) / math.sqrt(len(pairs))
    low, high = elo(mean - 1.96 * error), elo(mean + 1.96 * error)
    return f"score {mean:.3f}, Elo {elo(mean):+.0f} (95 %: {low:+.0f} to {high:+.0f})"


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=5000, help="a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, nargs=2, default=(4, 10), help="fewest and most moves made at random")
    parser.add_argument("--balance", type=int, default=300, help="most centipawns either side is ahead after them")
    arguments = parser.parse_args()
    tables = Table(16), Table(16)
    (first, _first), (second, _second) = (
        player(name, table) for name, table in zip((arguments.first, arguments.second), tables, strict=True)
    )
    random = np.random.default_rng(arguments.seed)
    start = GAME.parse_position(GAME.start)
    moves, values = np.zeros(LONGEST, dtype=np.uint32), np.zeros(LONGEST, dtype=np.int16)
    pairs: list[float] = []
    counts = {1: 0, 0: 0, -1: 0}
    while 2 * len(pairs) < arguments.games:
        opening = random.integers(1, 1 << 63, size=1, dtype=np.uint64)
        plies = int(random.integers(arguments.random[0], arguments.random[1] + 1))
        score = 0.0
        for colour, balance in ((1, arguments.balance), (-1, 1 << 20)):
            for ctx, table in zip((first, second), tables, strict=True):
                ctx.pos = start
                forget(ctx)
                table.clear()
            black, white = (first, second) if colour == 1 else (second, first)
            result, _ = play_game(
                black, white, opening.copy(), arguments.nodes, plies, balance, 2500, LONGEST, moves, values
            )
            if result == ABANDONED:
                break
            counts[result * colour] += 1
            score += (result * colour + 1) / 4
        else:
            pairs.append(score)
            if len(pairs) % 50 == 0:
                print(f"{2 * len(pairs)} games: {counts[1]}-{counts[0]}-{counts[-1]}, {summary(pairs)}", flush=True)
    print(f"{arguments.first} against {arguments.second}: {counts[1]}-{counts[0]}-{counts[-1]}, {summary(pairs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
