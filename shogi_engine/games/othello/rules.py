"""How a game of Othello ends, and what a pass costs."""

import numpy as np

from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.types import PASS, POSITION
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit, popcount


@njit
def final_score(own, opponent):
    """Return the discs by which `own`'s side has won a finished game, with empty squares counted for the winner."""
    mine, theirs = popcount(own), popcount(opponent)
    if mine > theirs:
        return 64 - 2 * theirs
    return 2 * mine - 64 if mine < theirs else 0


@provides(POSITION)
def terminal_value(ctx):
    return DISC * final_score(ctx.pos.own, ctx.pos.opponent)


@provides(POSITION)
def finished_leaves(pos):
    return 1


@provides(POSITION)
def move_cost(pos, move):
    return np.int64(move != PASS)
