"""Moves per CPU second of the vector environment in random games, without the choice of the moves.

python -m tools.measure.speed vector --games 64 256
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from shogi_engine.environments.vector import VectorGames
from tools.measure.speed.harness import Measurement, Subjects

KINDS: dict[str, dict[str, Any]] = {
    "planes uint8, masks": {},
    "planes float32, masks": {"dtype": np.float32},
    "masks": {"planes": False},
    "neither": {"planes": False, "masks": False},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the numbers of games."""
    parser.add_argument("--games", type=int, nargs="+", default=[64, 256], help="at once")


def steps(env: VectorGames, seconds: float) -> Measurement:
    """Return the measurement of the moves per CPU second."""

    def measured() -> float:
        spent, made = 0.0, 0
        while not made or spent < seconds:
            actions = env.random_actions()
            began = time.process_time()
            env.step(actions)
            spent += time.process_time() - began
            made += env.num_envs
        return made / max(spent, 1e-9)

    return measured


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield the environments of each number of games."""
    found: Subjects = {f"{count} games": {} for count in args.games}
    for game in ("shogi", "othello"):
        for kind, options in KINDS.items():
            for count in args.games:
                env = VectorGames(game, count, **options)
                env.reset(seed=1)
                steps(env, 0.0)()  # compiles, or loads
                found[f"{count} games"][f"{game}, {kind}"] = steps(env, args.seconds)
    yield "moves/s", found
