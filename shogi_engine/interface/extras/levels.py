"""How a player of a level searches, as the game defines it, and the limits that follow. Standard library only."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shogi_engine.language import InputError

FULL_STRENGTH_MS = 1000  # for a search at full strength without another limit
BOOK_LEVEL = 4  # the lowest level that plays from the book: a beginner would not know one


@dataclass(frozen=True)
class LevelPlan:
    """How a player of a level searches a position. With none of these limits it plays at full strength.

    Attributes:
        depth: the search depth in plies, None for no limit
        nodes: about how many positions are searched, None for no limit
        multi_probcut_margin: as in Limits
        moves: the number of legal moves, chosen at random, that are searched; 0 for all
        selectivity: how selectively the rest of the game is searched to its end (by the game's solver, if possible),
            on the solver's scale; 0 for an exact result, None if the game is not searched to its end
    """

    depth: int | None = None
    nodes: int | None = None
    multi_probcut_margin: int | None = None
    moves: int = 0
    selectivity: int | None = None

    @property
    def exact(self) -> bool:
        """Tell whether the result is exact."""
        return self.selectivity == 0

    def is_full_strength(self) -> bool:
        """Tell whether the level sets no limits, so that only the caller's apply."""
        return self == LevelPlan()


# For games without levels of their own: the beginner sees only some of his moves, the last level has no limits.
USUAL_LEVELS = (
    *(LevelPlan(depth=1, moves=2), LevelPlan(depth=1, moves=4), LevelPlan(depth=1), LevelPlan(depth=2)),
    *(LevelPlan(depth=3), LevelPlan(depth=4), LevelPlan(nodes=2000), LevelPlan(nodes=8000)),
    *(LevelPlan(nodes=30_000), LevelPlan(nodes=120_000), LevelPlan()),
)


def usual_level(number: int, position: Any = None, plans: Sequence[LevelPlan] = USUAL_LEVELS) -> LevelPlan:
    """Return one of `plans`, the same for any position. Raises ValueError if there is no such level."""
    if not 0 <= number < len(plans):
        raise InputError("the level must be 0 to {0}, not {1}", len(plans) - 1, number)
    return plans[number]


def lowest(*limits: int | None) -> int | None:
    """Return the limit that a search reaches first; None stands for no limit."""
    return min((limit for limit in limits if limit is not None), default=None)


def opens_from_book(level: int | None) -> bool:
    """Tell whether a player of a level (None for full strength) plays book moves."""
    return level is None or level >= BOOK_LEVEL


def drawn_limits(plan: LevelPlan, moves: Sequence[str], rng: random.Random) -> dict[str, Any]:
    """Return the limits of one search by `plan` among `moves`, as keyword arguments of Engine.search.

    The number of positions varies by a quarter, so that games differ.
    """
    limits: dict[str, Any] = {}
    if plan.depth is not None:
        limits["depth"] = plan.depth
    if plan.nodes is not None:
        limits["nodes"] = round(plan.nodes * rng.uniform(0.8, 1.25))
    if plan.multi_probcut_margin is not None:
        limits["multi_probcut_margin"] = plan.multi_probcut_margin
    if plan.moves:
        limits["searchmoves"] = rng.sample(list(moves), min(plan.moves, len(moves)))
    return limits
