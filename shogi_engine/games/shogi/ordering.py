"""The order of Shogi's moves, and their slots in the history tables."""

import numpy as np

from shogi_engine.games.shogi.types import (
    KINDS,
    KING,
    PAWN,
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

MOVABLE = KINDS - 1  # kinds of pieces, without the empty square's
CONTINUATION_SLOTS = 2 * MOVABLE * SQUARES


@provides(POSITION)
def is_quiet(pos, move):
    """Tell whether `move` captures nothing. Promotions are quiet, as in YaneuraOu, which found this stronger."""
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
    """Slots are by source (or dropped kind), target and promotion."""
    promotion = (1 << 14) if is_promotion(move) else 0
    return np.int64(pos.side) << 15 | promotion | move_from(move) << 7 | move_to(move)


@provides(POSITION)
def capture_slot(pos, move):
    """Slots are by piece, target and captured kind."""
    return np.int64(pos.side) << 15 | move_kind(move) << 11 | move_to(move) << 4 | move_captured(move)


@provides(POSITION)
def continuation_slot(pos, move):
    """Slots are by kind and target; drops and other moves share them."""
    return (np.int64(pos.side) * MOVABLE + move_kind(move) - 1) * SQUARES + move_to(move)


@provides(POSITION)
def usual_slots(pos):
    """Moves of pieces that are not promoted, and drops."""
    kinds = np.int64(pos.side) * MOVABLE - 1
    return (kinds + PAWN) * SQUARES, (kinds + KING + 1) * SQUARES


@provides(POSITION)
def is_recapture(pos, move, last):
    return move_to(move) == move_to(last)
