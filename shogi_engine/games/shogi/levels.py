"""Playing weaker than possible: what SkillLevel means.

The lowest levels look one move ahead, captures and recaptures included, but at no more than so many of their legal
moves, which chance selects: the lowest of all plays any move. The levels above see all moves and search so many
positions. None depends on the clock, so a level is as strong on a slow machine as on a fast one. tools/levels.py
measures the steps.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Level:
    """moves : so many moves it looks at, one ply deep, 0 for all    nodes : about so many positions, 0 for one ply."""

    moves: int = 0
    nodes: int = 0


LEVELS = (
    *(Level(moves=moves) for moves in (1, 2, 4, 6, 10, 16, 25, 40, 70, 0)),
    *(Level(nodes=nodes) for nodes in (600, 1200, 2400, 4200, 7000, 11_000, 18_000, 32_000, 60_000, 110_000)),
)
FULL = len(LEVELS)  # the engine as it is


def limits(level: int, moves: Sequence[str], rng: random.Random) -> dict[str, Any]:
    """Return the limits of a search at `level` (below FULL) among `moves`, as keywords of Engine.search.

    The number of positions varies by a quarter, so that no two games need be the same.
    """
    kind = LEVELS[level]
    if kind.nodes:
        return {"nodes": round(kind.nodes * rng.uniform(0.8, 1.25)), "searchmoves": moves}
    seen = rng.sample(list(moves), min(kind.moves, len(moves))) if kind.moves else moves
    return {"depth": 1, "searchmoves": seen}
