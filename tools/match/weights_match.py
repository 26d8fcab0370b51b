"""Games between two sets of weights of Shogi's king-piece evaluation at equal nodes, in one process.

    python -m tools.match.weights_match NEW.npz OLD.npz --games 400 --nodes 5000 --seed 1

'material' stands for the evaluation by material. Openings are moves at random, each played twice with colours swapped.
Printed: wins, draws and losses of the first, and Elo with a 95 % interval from the scores of the pairs. Faster than a
match over USI, and blind to what an evaluation costs in time.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from shogi_engine.games.shogi import GAME
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import LONGEST, Player, new_terms
from shogi_engine.training.game_kernels import ABANDONED, play_game
from tools.match.statistics import estimate, pentanomial

DECIDED = 2500  # centipawns: a value that ends a game when both see it
UNBALANCED = 1 << 20  # an opening's second game is played however it looks


def player(name: str) -> Player:
    """Return a player with the weights of the file `name`, or by material."""
    if name == "material":
        evaluator = GAME.evaluation("material").load()
    else:
        evaluator = GAME.evaluation("king-piece").load(Path(name))
    return Player(evaluator, TranspositionTable(16))


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
    first, second = player(arguments.first), player(arguments.second)
    terms = new_terms(arguments.nodes, DECIDED)
    terms.random = 1
    random = np.random.default_rng(arguments.seed)
    start = GAME.parse_position(GAME.start)
    moves, values = np.zeros(LONGEST, dtype=np.uint32), np.zeros(LONGEST, dtype=np.int16)
    scores: dict[int, float] = {}

    def result() -> str:
        wins, draws, losses = (list(scores.values()).count(score) for score in (1.0, 0.5, 0.0))
        return f"{wins}-{draws}-{losses}, {estimate(pentanomial(scores))}"

    while len(scores) < arguments.games:
        opening = random.integers(1, 1 << 63, size=1, dtype=np.uint64)
        terms.opening = int(random.integers(arguments.random[0], arguments.random[1] + 1))
        for first_side, balance in ((1, arguments.balance), (-1, UNBALANCED)):
            terms.balance = balance
            for each in (first, second):
                each.new_game()
                each.ctx.pos = start
            black, white = (first, second) if first_side == 1 else (second, first)
            winner, _ = play_game(black.ctx, white.ctx, opening.copy(), terms, moves, values)
            if winner == ABANDONED:
                break
            scores[len(scores)] = (winner * first_side + 1) / 2
        else:
            if len(scores) % 100 == 0:
                print(f"{len(scores)} games: {result()}", flush=True)
    print(f"{arguments.first} against {arguments.second}: {result()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
