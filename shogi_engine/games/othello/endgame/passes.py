"""The passes of the solver over a position: the time they may take, and what they have found."""

from dataclasses import dataclass

from shogi_engine.common.stop import FOREVER, end_of
from shogi_engine.games.othello.endgame.deep_search import MARGINS
from shogi_engine.types.clock import TimeBudget

NO_PASS = len(MARGINS)  # in place of the selectivity of the last pass if no pass was completed
# With this many empty squares, nine of ten first passes take less time than this. The factor is for one more square.
FIRST_PASS_EMPTIES, FIRST_PASS_MS, FIRST_PASS_GROWTH = 20, 35, 1.65
SOLVED_EMPTIES = 13  # with fewer empty squares a search finds the score as quickly
MOST_OF_TIME = 0.6  # the share of a player's time in which the first pass must end


@dataclass(frozen=True)
class PassLimits:
    """The time limits of a search, as values of time.perf_counter, and how exact it is.

    Attributes:
        first: the first pass must end by then
        soft: no further pass begins after it
        hard: the search ends
        selectivity: the selectivity of the last pass, 0 for an exact score
    """

    first: float = FOREVER
    soft: float = FOREVER
    hard: float = FOREVER
    selectivity: int = 0


@dataclass(frozen=True)
class Found:
    """The passes' results so far: proven bounds, the likely score, and the last pass's selectivity and move."""

    lower: int
    upper: int
    guess: int
    selectivity: int = NO_PASS
    move: int = 0


def pass_limits(budget: TimeBudget | None, empties: int, began: float, selectivity: int) -> PassLimits | None:
    """Return the limits of a player's passes, or None if the position is left to a search.

    Args:
        budget: None for no time limit: every position is solved, except those that a search solves as quickly
        empties: the number of empty squares
        began: when the time began, a value of time.perf_counter
        selectivity: the selectivity that is good enough, even if time remains
    """
    if budget is None:
        return PassLimits(selectivity=selectivity) if empties >= SOLVED_EMPTIES else None
    first_ms = MOST_OF_TIME * budget.soft_ms
    if FIRST_PASS_MS * FIRST_PASS_GROWTH ** (empties - FIRST_PASS_EMPTIES) > first_ms:
        return None
    return PassLimits(
        end_of(first_ms, began), end_of(budget.soft_ms, began), end_of(budget.hard_ms, began), selectivity
    )
