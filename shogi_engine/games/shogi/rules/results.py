"""Results of the rules for the side to move, and their values in the search."""

from shogi_engine.games.shogi.types import POSITION
from shogi_engine.interface.game import VALUE_MATE, VALUE_MAX, provides

DRAW, LOSS, WIN = 1, 2, 3  # the result by a rule for the side to move; 0: the game continues

# For a perpetual check in the searched line, before the fourth occurrence, and for a repeated board with more pieces in
# hand: both are almost certain wins, but the distance to the end is not proven.
VALUE_PERPETUAL = VALUE_MAX
VALUE_SUPERIOR = VALUE_MAX - 1000
VALUE_LIMIT = VALUE_SUPERIOR - 1000  # evaluations stay below the values of repetitions, which are more certain


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply  # a side without a legal move has lost, in check or not
