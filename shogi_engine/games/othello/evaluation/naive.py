"""The naive evaluation, for beginner levels: the difference in discs."""

from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.types import POSITION
from shogi_engine.interface.game import provides
from shogi_engine.jit import popcount


@provides(POSITION)
def naive_value(ctx):
    return DISC * (popcount(ctx.pos.own) - popcount(ctx.pos.opponent))
