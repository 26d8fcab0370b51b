"""Measure PUCT's simulations per second in 256 trees, with a network that takes no time and one that reads planes.

python -m tools.measure.puct_speed [--trees 256] [--simulations 400]
"""

import argparse
import time

import numpy as np

from shogi_engine.batch import Batch, LiveGames, Puct

GAMES = {"othello": ("squares+pass", ("planes",)), "shogi": ("dlshogi", ("dlshogi1", "dlshogi2"))}


def main() -> None:
    """Print a line for each game and network."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=256)
    parser.add_argument("--simulations", type=int, default=400)
    options = parser.parse_args()
    for game, (layout, features) in GAMES.items():
        for name, read in (("no network", ()), ("planes", features)):

            def network(leaves: LiveGames, read: tuple[str, ...] = read) -> tuple[None, np.ndarray]:
                if read:
                    leaves.features(*read)
                return None, np.zeros(len(leaves))

            search = Puct(Batch(game), options.trees, network, layout=layout)
            search.run(10)
            begin = time.process_time()
            search.run(options.simulations)
            rate = options.trees * options.simulations / (time.process_time() - begin)
            print(f"{game:8} {name:10} {rate:12,.0f} simulations a second")


if __name__ == "__main__":
    main()
