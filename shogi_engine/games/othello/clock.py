"""How a game of Othello shares its clock among its moves. Standard library only."""

from shogi_engine.search.timeman import TimeOptions, plan
from shogi_engine.types.clock import Clock, TimeBudget

SOLVED_PLY = 44  # the main time is shared among the moves before it: what follows is solved at once
FEWEST_MOVES = 4  # own moves that near it, and later, are left to think about


def budget(clock: Clock, ply: int, options: TimeOptions) -> TimeBudget:
    """Return the budget of one move, as `plan`.   ply : discs placed since the start of a usual game."""
    return plan(clock, min(ply, SOLVED_PLY - 2 * FEWEST_MOVES), options, SOLVED_PLY)
