"""Shogi's evaluation by material, kept up to date ply by ply from the moves of the line, and the order of moves."""

import numpy as np

from shogi_engine.game import provides
from shogi_engine.games.shogi.see import exchange_ge
from shogi_engine.games.shogi.types import (
    KING,
    POSITION,
    PROMOTED,
    UNPROMOTED,
    hand_count,
    is_drop,
    is_promotion,
    move_captured,
    move_kind,
    move_to,
)
from shogi_engine.jit import njit, record_dtype

ACCUMULATOR = record_dtype([("material", np.int64)])  # centipawns, black's less white's


@njit
def gain(params, move):
    """Return what `move` changes in the mover's material, in centipawns."""
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
    for square in range(81):
        piece = int(pos.board[square])
        if piece != 0:
            worth = ctx.params.values[piece & 15]
            value += -worth if piece >> 4 else worth
    for kind in range(1, KING):
        value += ctx.params.values[kind] * (hand_count(pos.hand[0], kind) - hand_count(pos.hand[1], kind))
    return value


@provides(POSITION)
def prepare(ctx):
    ctx.accumulators[0].material = count_material(ctx)
    ctx.computed = 0


@njit
def bring_up_to_date(ctx):
    """Make ctx.accumulators[ctx.ply] right: replay the gains of the moves since the last ply that is."""
    pos = ctx.pos
    while ctx.computed < ctx.ply:
        done = ctx.computed
        move = ctx.undo[ctx.trail - ctx.ply + done].move
        value = gain(ctx.params, move)
        black_moved = (int(pos.side) + ctx.ply - done) & 1 == 0
        ctx.accumulators[done + 1].material = ctx.accumulators[done].material + (value if black_moved else -value)
        ctx.computed = done + 1


@provides(POSITION)
def evaluate(ctx):
    bring_up_to_date(ctx)
    material = ctx.accumulators[ctx.ply].material
    return -material if ctx.pos.side else material


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
        value = 16 * gain(ctx.params, move) - ctx.params.values[move_kind(move)]
        if move_captured(move) != 0 and not exchange_ge(ctx.pos, move, 0):
            value = min(value, 0) - (1 << 19)
        ctx.scores[index] = value


@provides(POSITION)
def history_slot(pos, move):
    kind = move_kind(move) | (16 if is_drop(move) else 0)
    return np.int64(pos.side) << 12 | kind << 7 | move_to(move)
