"""How a game of Othello divides its clock among its moves. Standard library only."""

from shogi_engine.search.timeman import TimeOptions, plan
from shogi_engine.types.clock import Clock, TimeBudget

SOLVED_PLY = 44  # the main time is divided among the moves before this ply; later positions are solved quickly
FEWEST_MOVES = 4  # near that ply and later, the remaining time is divided among at least this many moves


def budget(clock: Clock, ply: int, options: TimeOptions) -> TimeBudget:
    """Return the budget of one move, as `plan` does.

    Args:
        ply: discs placed since the start of a usual game
    """
    return plan(clock, min(ply, SOLVED_PLY - 2 * FEWEST_MOVES), options, SOLVED_PLY)
