"""The ordering of Shogi's moves, and the indices of their histories."""

import numpy as np

from shogi_engine.games.shogi.types import (
    KINDS,
    POSITION,
    PROMOTED,
    SQUARES,
    is_promotion,
    move_captured,
    move_from,
    move_kind,
    move_to,
)
from shogi_engine.interface.game import provides

CONTINUATION_SLOTS = 2 * KINDS * SQUARES


@provides(POSITION)
def is_quiet(pos, move):
    """A promotion alone is quiet, as in YaneuraOu, where that was found to be stronger."""
    return move_captured(move) == 0


@provides(POSITION)
def capture_value(ctx, move):
    value = np.int64(ctx.params.values[move_captured(move)])
    if is_promotion(move):
        kind = move_kind(move)
        value += ctx.params.values[PROMOTED[kind]] - ctx.params.values[kind]
    return value


@provides(POSITION)
def history_slot(pos, move):
    """By source (the kind, of a drop), target and promotion."""
    promotion = (1 << 14) if is_promotion(move) else 0
    return np.int64(pos.side) << 15 | promotion | move_from(move) << 7 | move_to(move)


@provides(POSITION)
def capture_slot(pos, move):
    """By piece, target and captured kind."""
    return np.int64(pos.side) << 15 | move_kind(move) << 11 | move_to(move) << 4 | move_captured(move)


@provides(POSITION)
def continuation_slot(pos, move):
    """Drops and moves of a kind to a square are one."""
    return (np.int64(pos.side) * KINDS + move_kind(move)) * SQUARES + move_to(move)


@provides(POSITION)
def is_recapture(pos, move, last):
    return move_to(move) == move_to(last)
