"""Measure the moves per second of the vector environment, in random games.

    python -m tools.measure.vector_speed --games 64 256

Figures are moves per second of CPU time on one core, the best of the rounds, without the choice of the moves.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np

from shogi_engine.environments.vector import VectorGames

KINDS: dict[str, dict[str, Any]] = {
    "planes uint8, masks": {},
    "planes float32, masks": {"dtype": np.float32},
    "masks": {"planes": False},
    "neither": {"planes": False, "masks": False},
}


def rate(env: VectorGames, seconds: float) -> float:
    """Return the moves per second of `env`, measured over `seconds` of CPU time, at least one step."""
    spent, made = 0.0, 0
    while not made or spent < seconds:
        actions = env.random_actions()
        began = time.process_time()
        env.step(actions)
        spent += time.process_time() - began
        made += env.num_envs
    return made / max(spent, 1e-9)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, nargs="+", default=[64, 256], help="at once")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of CPU time for each figure and round")
    args = parser.parse_args(arguments)
    print("".join([f"{'':32}", *(f"{count:>14}" for count in args.games)]))
    for game in ("shogi", "othello"):
        for kind, options in KINDS.items():
            best = []
            for count in args.games:
                env = VectorGames(game, count, **options)
                env.reset(seed=1)
                rate(env, 0.0)  # compiles, or loads
                best.append(max(rate(env, args.seconds) for _ in range(args.rounds)))
            print("".join([f"{game}, {kind:24}".ljust(32), *(f"{each:14,.0f}" for each in best)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
