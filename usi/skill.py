"""Playing weaker than possible: what SkillLevel means. Fewer nodes, and chance among the best moves.

FULL is the engine as it is. Each level below looks at about half as many more positions as the one before, and chooses
among its best moves by their values with an error added; the lowest levels make now and then any move at all.
"""

import random
from collections.abc import Sequence

FULL = 20
FEWEST_NODES = 40
LARGEST_ERROR = 900  # centipawns, the standard deviation at level 0


def node_limit(level: int) -> int:
    """Return how many positions a search at `level` (below FULL) looks at."""
    return round(FEWEST_NODES * 1.55**level)


def candidates(level: int) -> int:
    """Return how many of the best moves are chosen from."""
    return 2 + (FULL - level) // 2


def blunders(level: int, rng: random.Random) -> bool:
    """Tell whether any legal move will do this time: four times in five at level 0, never from level 5 on."""
    return rng.random() < 0.16 * (5 - level)


def choose(level: int, values: Sequence[int], rng: random.Random) -> int:
    """Return the index of the chosen one of `values` (centipawns, from the side to move)."""
    error = LARGEST_ERROR * ((FULL - level) / FULL) ** 2
    seen = [value + rng.gauss(0, error) for value in values]
    return seen.index(max(seen))
