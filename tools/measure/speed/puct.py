"""PUCT's simulations per second of CPU time, with a network that takes no time and one that reads planes.

python -m tools.measure.speed puct --trees 256 --simulations 400
"""

import argparse
from collections.abc import Iterator

import numpy as np

from shogi_engine.batch import Batch, LiveGames, Puct
from tools.measure.speed.harness import Subjects, rate

GAMES = {"othello": ("squares+pass", ("planes",)), "shogi": ("dlshogi", ("dlshogi1", "dlshogi2"))}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the size of the searches."""
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--simulations", type=int, default=400)


def subjects(args: argparse.Namespace) -> Iterator[tuple[str, Subjects]]:
    """Yield both networks."""
    found: Subjects = {"no network": {}, "planes": {}}
    for game, (layout, features) in GAMES.items():
        for name, read in (("no network", ()), ("planes", features)):

            def network(leaves: LiveGames, read: tuple[str, ...] = read) -> tuple[None, np.ndarray]:
                if read:
                    leaves.features(*read)
                return None, np.zeros(len(leaves))

            def searched(game: str = game, layout: str = layout, network=network) -> None:
                Puct(Batch(game), args.trees, network, layout=layout).run(args.simulations)

            Puct(Batch(game), args.trees, network, layout=layout).run(10)  # compiles, or loads
            found[name][game] = rate(searched, args.trees * args.simulations, 0)
    yield "simulations/s", found
