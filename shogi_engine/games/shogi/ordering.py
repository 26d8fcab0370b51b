"""The order of Shogi's moves, and their slots in the history tables."""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.interface.game import provides

MOVABLE = t.KINDS - 1  # kinds of pieces, without the empty square's
CONTINUATION_SLOTS = 2 * MOVABLE * t.SQUARES


@provides(t.POSITION)
def is_quiet(pos, move):
    """Tell whether `move` captures nothing. Promotions are quiet, as in YaneuraOu, which found this stronger."""
    return t.move_captured(move) == 0


@provides(t.POSITION)
def capture_value(ctx, move):
    value = np.int64(ctx.params.values[t.move_captured(move)])
    if t.is_promotion(move):
        kind = t.move_kind(move)
        value += ctx.params.values[t.PROMOTED[kind]] - ctx.params.values[kind]
    return value


@provides(t.POSITION)
def history_slot(pos, move):
    """Slots are by source (or dropped kind), target and promotion."""
    promotion = (1 << 14) if t.is_promotion(move) else 0
    return np.int64(pos.side) << 15 | promotion | t.move_from(move) << 7 | t.move_to(move)


@provides(t.POSITION)
def capture_slot(pos, move):
    """Slots are by piece, target and captured kind."""
    return np.int64(pos.side) << 15 | t.move_kind(move) << 11 | t.move_to(move) << 4 | t.move_captured(move)


@provides(t.POSITION)
def continuation_slot(pos, move):
    """Slots are by kind and target; drops and other moves share them."""
    return (np.int64(pos.side) * MOVABLE + t.move_kind(move) - 1) * t.SQUARES + t.move_to(move)


@provides(t.POSITION)
def usual_slots(pos):
    """Moves of pieces that are not promoted, and drops."""
    kinds = np.int64(pos.side) * MOVABLE - 1
    return (kinds + t.PAWN) * t.SQUARES, (kinds + t.KING + 1) * t.SQUARES


@provides(t.POSITION)
def is_recapture(pos, move, last):
    return t.move_to(move) == t.move_to(last)
