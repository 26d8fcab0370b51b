"""The naive evaluation, for beginner levels: material on the board and in hand, and how a move changes it."""

import numpy as np

from shogi_engine.games.shogi.types import (
    KING,
    POSITION,
    PROMOTED,
    SQUARES,
    UNPROMOTED,
    WHITE,
    hand_count,
    is_promotion,
    move_captured,
    move_kind,
    piece_colour,
    piece_kind,
)
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit


@njit
def material_gain(params, move):
    """Return the change of the mover's material by `move`, in centipawns."""
    value = np.int64(0)
    captured = move_captured(move)
    if captured != 0:
        value += params.values[captured] + params.values[UNPROMOTED[captured]]
    if is_promotion(move):
        kind = move_kind(move)
        value += params.values[PROMOTED[kind]] - params.values[kind]
    return value


@njit
def count_material(ctx):
    """Return black's material less white's in ctx.pos, in centipawns."""
    pos = ctx.pos
    value = np.int64(0)
    for square in range(SQUARES):
        piece = int(pos.board[square])
        if piece != 0:
            worth = ctx.params.values[piece_kind(piece)]
            value += -worth if piece_colour(piece) == WHITE else worth
    for kind in range(1, KING):
        value += ctx.params.values[kind] * (hand_count(pos.hand[0], kind) - hand_count(pos.hand[1], kind))
    return value


@provides(POSITION)
def naive_value(ctx):
    material = count_material(ctx)
    return -material if ctx.pos.side else material
