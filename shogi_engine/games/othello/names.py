"""Othello's names and numbers for front ends that need them before numba is loaded. Standard library only."""

from shogi_engine.common.registry import Registry
from shogi_engine.search.timeman import TimeOptions, plan
from shogi_engine.types.limits import Clock, TimeBudget
from shogi_engine.types.results import DISC as DISC

# ---- How a game of Othello divides its clock among its moves. Standard library only


SOLVED_PLY = 44  # the main time is divided among the moves before this ply; later positions are solved quickly
FEWEST_MOVES = 4  # near that ply and later, the remaining time is divided among at least this many moves


def budget(clock: Clock, ply: int, options: TimeOptions) -> TimeBudget:
    """Return the budget of one move, as `plan` does.

    Args:
        ply: discs placed since the start of a usual game
    """
    return plan(clock, min(ply, SOLVED_PLY - 2 * FEWEST_MOVES), options, SOLVED_PLY)


MAX_LEVEL = 30
QUICK_LEVEL = 21  # higher levels may take minutes for a move

START = "---------------------------OX------XO--------------------------- X"  # the starting position
CORNERS = ("a1", "h1", "a8", "h8")

EVALUATIONS = Registry(
    "evaluation",
    "EVALUATION",
    {
        "features": "shogi_engine.games.othello.evaluation.features",
        "patterns": "shogi_engine.games.othello.evaluation.patterns",
        "network": "shogi_engine.games.othello.evaluation.network",
    },
    default="network",
    group="shogi_engine.evaluations.othello",
)
