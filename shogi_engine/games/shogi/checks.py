"""What the search asks about checks and mates: mates in one move, checks for quiescence, which moves are checks."""

from shogi_engine.bits import ZERO, clear_lowest, lowest, popcount2
from shogi_engine.bits import test as test_bit
from shogi_engine.game import MOVE_NONE, do_move, is_quiet, provides, undo_move
from shogi_engine.games.shogi.attacks import attackers_to, king_danger
from shogi_engine.games.shogi.bitboard import DIRECTION, NEAR_KING, RAYS, STEP_ATTACKS, ZONE
from shogi_engine.games.shogi.mate.moves import count_evasions, generate_checks, mark_check_squares
from shogi_engine.games.shogi.types import (
    BISHOP,
    DRAGON,
    GOLD,
    HORSE,
    KING,
    LANCE,
    NO_SQUARE,
    PAWN,
    POSITION,
    PROMOTED,
    ROOK,
    board_move,
    drop_move,
    hand_count,
    is_promotion,
    move_kind,
    move_to,
)
from shogi_engine.jit import njit

# uint64[2, 16, 81, 2]: by colour, kind and the enemy king's square, from where next to it the kind attacks it.
CONTACT = STEP_ATTACKS[::-1].copy()
CONTACT[:, LANCE] = CONTACT[:, PAWN]
CONTACT[:, BISHOP], CONTACT[:, ROOK] = CONTACT[:, DRAGON], CONTACT[:, HORSE]
CONTACT[:, HORSE] = CONTACT[:, DRAGON] = CONTACT[:, KING]


@njit
def mates(ctx, move):
    """Tell whether `move`, a legal check, mates."""
    undo = ctx.undo[ctx.game_ply]
    do_move(ctx.pos, move, undo)
    ways = count_evasions(ctx.pos)
    undo_move(ctx.pos, move, undo)
    return ways == 0


@njit
def mating_drop(ctx, target, king):
    """Return a drop on the empty square `target` that mates the enemy king on `king`, next to it, or MOVE_NONE."""
    us = int(ctx.pos.side)
    hand = ctx.pos.hand[us]
    for kind in range(ROOK, PAWN, -1):
        if hand_count(hand, kind) > 0 and test_bit(CONTACT[us, kind, king, 0], CONTACT[us, kind, king, 1], target):
            move = drop_move(kind, target)
            if mates(ctx, move):
                return move
    return MOVE_NONE


@njit
def mating_step(ctx, source, target, king):
    """Return a move from `source` to `target`, next to the enemy king on `king`, that mates it, or MOVE_NONE."""
    pos = ctx.pos
    us = int(pos.side)
    if test_bit(pos.pinned[0], pos.pinned[1], source):
        line = int(DIRECTION[pos.king[us], source])
        if not test_bit(RAYS[pos.king[us], line, 0], RAYS[pos.king[us], line, 1], target):
            return MOVE_NONE
    kind, captured = int(pos.board[source]) & 15, int(pos.board[target]) & 15
    zone_lo, zone_hi = ZONE[us, 0], ZONE[us, 1]
    promotes = kind < 8 and kind != GOLD and (test_bit(zone_lo, zone_hi, source) or test_bit(zone_lo, zone_hi, target))
    for promotion in range(int(promotes), -1, -1):
        arrived = int(PROMOTED[kind]) if promotion else kind
        if test_bit(CONTACT[us, arrived, king, 0], CONTACT[us, arrived, king, 1], target):
            move = board_move(source, target, kind, captured, promotion)
            if mates(ctx, move):
                return move
    return MOVE_NONE


@provides(POSITION)
def mate_in_one(ctx, start):
    """Look for mates by a piece next to a king that has few squares to flee to, where another piece guards it."""
    pos = ctx.pos
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    if king == NO_SQUARE:
        return MOVE_NONE
    own, enemy = pos.bb[us], pos.bb[them]
    if own[0, 0] & NEAR_KING[them, king, 0] | own[0, 1] & NEAR_KING[them, king, 1] == ZERO:
        return MOVE_NONE
    occ_lo, occ_hi = own[0, 0] | enemy[0, 0], own[0, 1] | enemy[0, 1]
    danger_lo, danger_hi = king_danger(pos, king, them, occ_lo ^ enemy[KING, 0], occ_hi ^ enemy[KING, 1])
    lo, hi = STEP_ATTACKS[them, KING, king, 0], STEP_ATTACKS[them, KING, king, 1]
    if popcount2(lo & ~(enemy[0, 0] | danger_lo), hi & ~(enemy[0, 1] | danger_hi)) > ctx.params.flights:
        return MOVE_NONE
    lo, hi = lo & danger_lo & ~own[0, 0], hi & danger_hi & ~own[0, 1]
    while lo | hi != ZERO:
        target = lowest(lo, hi)
        lo, hi = clear_lowest(lo, hi)
        if not test_bit(enemy[0, 0], enemy[0, 1], target):
            move = mating_drop(ctx, target, king)
            if move != MOVE_NONE:
                return move
        from_lo, from_hi = attackers_to(pos, target, us, occ_lo, occ_hi)
        if popcount2(from_lo, from_hi) > 1:
            from_lo, from_hi = from_lo & ~own[KING, 0], from_hi & ~own[KING, 1]
            while from_lo | from_hi != ZERO:
                source = lowest(from_lo, from_hi)
                from_lo, from_hi = clear_lowest(from_lo, from_hi)
                move = mating_step(ctx, source, target, king)
                if move != MOVE_NONE:
                    return move
    return MOVE_NONE


@provides(POSITION)
def generate_quiet_checks(ctx, start):
    if ctx.pos.king[1 - ctx.pos.side] == NO_SQUARE:
        return 0
    count = generate_checks(ctx, start, ctx.accumulators[ctx.ply].check_squares, ctx.undo[ctx.game_ply])
    end = start
    for index in range(start, start + count):
        move = ctx.moves[index]
        if is_quiet(ctx.pos, move):
            ctx.moves[end] = move
            end += 1
    return end - start


@provides(POSITION)
def set_check_info(ctx):
    king = int(ctx.pos.king[1 - ctx.pos.side])
    if king == NO_SQUARE:
        ctx.accumulators[ctx.ply].check_squares[:] = ZERO
    else:
        mark_check_squares(ctx.pos, king, ctx.accumulators[ctx.ply].check_squares)


@provides(POSITION)
def gives_check(ctx, move):
    kind = move_kind(move)
    arrived = int(PROMOTED[kind]) if is_promotion(move) else kind
    squares = ctx.accumulators[ctx.ply].check_squares
    return test_bit(squares[arrived, 0], squares[arrived, 1], move_to(move))
