"""Results of the rules: how one settles the game for the side to move, and what that is worth to the search."""

from shogi_engine.games.shogi.types import POSITION
from shogi_engine.interface.game import VALUE_MATE, VALUE_MAX, provides

DRAW, LOSS, WIN = 1, 2, 3  # how a rule settles the game for the side to move; 0: it does not

# For a perpetual check in the line searched, before the fourth occurrence, and for a repeated board with more pieces in
# hand: both are almost certain wins, but without a proven distance to the end.
VALUE_PERPETUAL = VALUE_MAX
VALUE_SUPERIOR = VALUE_MAX - 1000
VALUE_LIMIT = VALUE_SUPERIOR - 1000  # evaluations stay below the values of repetitions, which are more certain


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply  # no legal move loses, in check or not
