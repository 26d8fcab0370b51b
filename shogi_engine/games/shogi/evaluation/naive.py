"""The naive evaluation, for beginner levels: material on the board and in hand, and how a move changes it."""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit


@njit
def material_gain(params, move):
    """Return the change of the mover's material by `move`, in centipawns."""
    value = np.int64(0)
    captured = t.move_captured(move)
    if captured != 0:
        value += params.values[captured] + params.values[t.UNPROMOTED[captured]]
    if t.is_promotion(move):
        kind = t.move_kind(move)
        value += params.values[t.PROMOTED[kind]] - params.values[kind]
    return value


@njit
def count_material(ctx):
    """Return black's material less white's in ctx.pos, in centipawns."""
    pos = ctx.pos
    value = np.int64(0)
    for square in range(t.SQUARES):
        piece = int(pos.board[square])
        if piece != 0:
            worth = ctx.params.values[t.piece_kind(piece)]
            value += -worth if t.piece_colour(piece) == t.WHITE else worth
    for kind in range(1, t.KING):
        value += ctx.params.values[kind] * (t.hand_count(pos.hand[0], kind) - t.hand_count(pos.hand[1], kind))
    return value


@provides(t.POSITION)
def naive_value(ctx):
    material = count_material(ctx)
    return -material if ctx.pos.side else material
