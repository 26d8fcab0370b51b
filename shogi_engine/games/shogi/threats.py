"""What the search asks about checks and mates: mates in one move, checks for quiescence, which moves are checks."""

import numpy as np

from shogi_engine.bits import ZERO, popcount2
from shogi_engine.bits import test as test_bit
from shogi_engine.game import do_move, provides, undo_move
from shogi_engine.games.shogi.attacks import king_danger
from shogi_engine.games.shogi.bitboard import NEAR_KING, STEP_ATTACKS
from shogi_engine.games.shogi.mate_moves import count_evasions, generate_checks, mark_check_squares
from shogi_engine.games.shogi.types import (
    KING,
    NO_SQUARE,
    POSITION,
    PROMOTED,
    is_promotion,
    move_captured,
    move_kind,
    move_to,
)
from shogi_engine.jit import njit

MOVE_NONE = np.uint32(0)


@njit
def may_be_mated(ctx, king, colour):
    """Tell whether it is worth looking for a mate in one of `colour`'s king on `king`.

    That is, whether an enemy is near it and it has no more than ctx.params.flights squares to flee to.
    """
    pos = ctx.pos
    enemy, own = pos.bb[1 - colour], pos.bb[colour]
    near_lo, near_hi = NEAR_KING[colour, king, 0], NEAR_KING[colour, king, 1]
    if enemy[0, 0] & near_lo | enemy[0, 1] & near_hi == ZERO:
        return False
    occ_lo, occ_hi = (enemy[0, 0] | own[0, 0]) ^ own[KING, 0], (enemy[0, 1] | own[0, 1]) ^ own[KING, 1]
    danger_lo, danger_hi = king_danger(pos, king, colour, occ_lo, occ_hi)
    lo = STEP_ATTACKS[colour, KING, king, 0] & ~(own[0, 0] | danger_lo)
    hi = STEP_ATTACKS[colour, KING, king, 1] & ~(own[0, 1] | danger_hi)
    return popcount2(lo, hi) <= ctx.params.flights


@provides(POSITION)
def winning_move(ctx, start):
    pos = ctx.pos
    them = 1 - int(pos.side)
    king = int(pos.king[them])
    if king == NO_SQUARE or not may_be_mated(ctx, king, them):
        return MOVE_NONE
    undo = ctx.undo[ctx.trail]
    count = generate_checks(ctx, start, ctx.accumulators[ctx.ply].check_squares, undo)
    for index in range(start, start + count):
        check = ctx.moves[index]
        do_move(pos, check, undo)
        ways = count_evasions(pos)
        undo_move(pos, check, undo)
        if ways == 0:
            return check
    return MOVE_NONE


@provides(POSITION)
def generate_threats(ctx, start):
    if ctx.pos.king[1 - ctx.pos.side] == NO_SQUARE:
        return 0
    count = generate_checks(ctx, start, ctx.accumulators[ctx.ply].check_squares, ctx.undo[ctx.trail])
    end = start
    for index in range(start, start + count):
        move = ctx.moves[index]
        if move_captured(move) == 0 and not is_promotion(move):
            ctx.moves[end] = move
            end += 1
    return end - start


@provides(POSITION)
def mark_threats(ctx):
    king = int(ctx.pos.king[1 - ctx.pos.side])
    if king == NO_SQUARE:
        ctx.accumulators[ctx.ply].check_squares[:] = ZERO
    else:
        mark_check_squares(ctx.pos, king, ctx.accumulators[ctx.ply].check_squares)


@provides(POSITION)
def threatens(ctx, move):
    kind = move_kind(move)
    arrived = int(PROMOTED[kind]) if is_promotion(move) else kind
    squares = ctx.accumulators[ctx.ply].check_squares
    return test_bit(squares[arrived, 0], squares[arrived, 1], move_to(move))
