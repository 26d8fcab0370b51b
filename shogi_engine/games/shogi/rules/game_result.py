"""`game_result`: how a whole game of Shogi ends, for programs that play games.

The search uses the other modules of this package, which end a game at an earlier repetition and may give a draw a
value.
"""

import numpy as np

from shogi_engine.games.shogi.names import TRY_RULE
from shogi_engine.games.shogi.rules.declaration import declaration, has_tried, reached_move_limit
from shogi_engine.games.shogi.rules.repetition import repetition
from shogi_engine.games.shogi.rules.results import DRAW, WIN
from shogi_engine.games.shogi.types import POSITION
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import (
    DECLARATION,
    MOVE_LIMIT,
    NO_LEGAL_MOVE,
    NOT_OVER,
    PERPETUAL_CHECK,
    REPETITION,
    TRY,
    VALUE_MATE,
    VALUE_NONE,
)


@rules.provides(POSITION)
def game_result(ctx, move_count):
    # In the order of `Board.outcome`; then a player's declaration, and a tournament's move limit.
    rule = ctx.params.entering_king_rule
    if rule == TRY_RULE and has_tried(ctx.pos):
        return np.int64(TRY), np.int64(-VALUE_MATE)
    if move_count == 0:
        return np.int64(NO_LEGAL_MOVE), np.int64(-VALUE_MATE)
    verdict = repetition(ctx.pos, ctx.undo, ctx.game_ply)
    if verdict == DRAW:
        return np.int64(REPETITION), np.int64(0)
    if verdict != 0:
        return np.int64(PERPETUAL_CHECK), np.int64(VALUE_MATE if verdict == WIN else -VALUE_MATE)
    if rule != TRY_RULE and declaration(ctx.pos, rule) == WIN:
        return np.int64(DECLARATION), np.int64(VALUE_MATE)
    if reached_move_limit(ctx):
        return np.int64(MOVE_LIMIT), np.int64(0)
    return np.int64(NOT_OVER), np.int64(VALUE_NONE)
