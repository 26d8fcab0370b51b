"""The order in which Shogi's moves are tried, and where the search keeps what it learns of them."""

import numpy as np

from shogi_engine.game import provides
from shogi_engine.games.shogi.evaluation.naive import material_gain
from shogi_engine.games.shogi.types import (
    KINDS,
    POSITION,
    SQUARES,
    is_drop,
    is_promotion,
    move_captured,
    move_kind,
    move_to,
)

CONTINUATION_SLOTS = 2 * KINDS * SQUARES


@provides(POSITION)
def is_quiet(pos, move):
    return move_captured(move) == 0 and not is_promotion(move)


@provides(POSITION)
def score_moves(ctx, start, count):
    for index in range(start, start + count):
        move = ctx.moves[index]
        if is_quiet(ctx.pos, move):
            ctx.scores[index] = -64 if is_drop(move) else 0
            continue
        ctx.scores[index] = 16 * material_gain(ctx.params, move) - ctx.params.values[move_kind(move)]


@provides(POSITION)
def history_slot(pos, move):
    kind = move_kind(move) | (16 if is_drop(move) else 0)
    return np.int64(pos.side) << 12 | kind << 7 | move_to(move)


@provides(POSITION)
def continuation_slot(pos, move):
    """Drops and moves of a kind to a square are one."""
    return (np.int64(pos.side) * KINDS + move_kind(move)) * SQUARES + move_to(move)
