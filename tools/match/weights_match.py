"""Games between two evaluations of a game at equal nodes, in one process.

    python -m tools.match.weights_match NEW OLD --games 400 --nodes 5000 --seed 1

NEW and OLD are names of evaluations or files of weights (Shogi's .npz: king-piece, else the network). Each opening is
played twice with colours swapped. Printed: wins, draws and losses of the first, and Elo with a 95 % interval from the
scores of the pairs. It is faster than a match over USI, but ignores the time that an evaluation takes.
"""

import argparse
import sys

from shogi_engine.training.gate import play_match
from shogi_engine.training.recipe import NAMES, load


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--game", choices=NAMES, default=NAMES[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=5000, help="a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    recipe = load(arguments.game)
    first, second = recipe.named_evaluator(arguments.first), recipe.named_evaluator(arguments.second)
    numbers = {name: getattr(arguments, name) for name in ("nodes", "seed", "threads")}
    outcome = play_match(recipe, first, second, arguments.games, **numbers)
    print(f"{arguments.first} against {arguments.second}: {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
