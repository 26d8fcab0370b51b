"""Shogi's move generation and counting: legal moves only, including promotions that are pointless to decline.

Both proceed in the same order: king moves to squares that are not attacked; then, within the target masks, which in
check leave only the squares that answer it, the moves of free pieces, of pinned ones along their pins, and the drops
that are not nifu, dead pieces or drop-pawn mate.
"""

import numpy as np

from shogi_engine.bits import ZERO, lowest, pop_lowest, popcount2, shift_left, shift_right
from shogi_engine.bits import test as test_bit
from shogi_engine.game import provides
from shogi_engine.games.shogi.attacks import attacked_near_king, attacks_from, is_drop_pawn_mate
from shogi_engine.games.shogi.bitboard import (
    BOARD_HI,
    BOARD_LO,
    DIRECTION,
    KING_ZONE,
    NOT_LAST,
    NOT_LAST_TWO,
    OPTIONAL_PROMOTION,
    RAYS,
    SQUARE_BITS,
    STEP_ATTACKS,
    STEP_OPTIONAL_PROMOTION,
    ZONE,
    between,
    bishop_attacks,
    files_without,
    lance_attacks,
    rook_attacks,
)
from shogi_engine.games.shogi.queries import (
    bishops_and_horses,
    empty_squares,
    in_check,
    occupied,
    pieces,
    pinned,
    rooks_and_dragons,
)
from shogi_engine.games.shogi.types import (
    BLACK,
    GOLD_MOVERS,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    POSITION,
    SILVER,
    SQUARES,
    board_move,
    can_promote,
    drop_move,
    hand_count,
    is_drop,
    is_promotion,
    make_piece,
    move_captured,
    move_from,
    move_kind,
    move_to,
    piece_kind,
)
from shogi_engine.jit import njit

NINE = np.uint64(9)
# By colour and kind in hand: where one may be dropped, but for the rules on pawns of `pawn_drops`.
DROP_SQUARES = np.full((2, KING, 2), ~ZERO)
DROP_SQUARES[:, LANCE], DROP_SQUARES[:, KNIGHT] = NOT_LAST, NOT_LAST_TWO


@njit
def target_masks(pos):
    """Return (lo, hi) of the squares a piece may move to, and (lo, hi) of those one may be dropped on.

    In check these are the squares that capture the checker or interpose, in double check none. Not for the king.
    """
    us = int(pos.side)
    if not in_check(pos):
        own_lo, own_hi = pieces(pos, us)
        empty_lo, empty_hi = empty_squares(pos)
        return ~own_lo & BOARD_LO, ~own_hi & BOARD_HI, empty_lo, empty_hi
    check_lo, check_hi = pos.checkers[0], pos.checkers[1]
    if popcount2(check_lo, check_hi) > 1:
        return ZERO, ZERO, ZERO, ZERO
    way_lo, way_hi = between(int(pos.king[us]), lowest(check_lo, check_hi))
    return way_lo | check_lo, way_hi | check_hi, way_lo, way_hi


@njit
def king_targets(pos):
    """Return the squares that the king of the side to move may step to; none without a king."""
    us = int(pos.side)
    king = int(pos.king[us])
    if king == NO_SQUARE:
        return ZERO, ZERO
    occ_lo, occ_hi = occupied(pos)
    attacked_lo, attacked_hi = attacked_near_king(
        pos, king, us, occ_lo ^ pos.bb[us, KING, 0], occ_hi ^ pos.bb[us, KING, 1]
    )
    lo = STEP_ATTACKS[us, KING, king, 0] & ~(pos.bb[us, 0, 0] | attacked_lo)
    hi = STEP_ATTACKS[us, KING, king, 1] & ~(pos.bb[us, 0, 1] | attacked_hi)
    return lo, hi


@njit
def pawn_targets(pos, lo, hi):
    """Return the squares in front of the pawns (lo, hi) of the side to move."""
    if pos.side == BLACK:
        return shift_right(lo, hi, NINE)
    lo, hi = shift_left(lo, hi, NINE)
    return lo, hi & BOARD_HI


@njit
def pawn_drops(pos, lo, hi):
    """Return which of the empty squares (lo, hi) a pawn may be dropped on."""
    us = int(pos.side)
    files_lo, files_hi = files_without(pos.bb[us, PAWN, 0], pos.bb[us, PAWN, 1])
    lo &= files_lo & NOT_LAST[us, 0]
    hi &= files_hi & NOT_LAST[us, 1]
    king = int(pos.king[1 - us])
    if king != NO_SQUARE:
        square = king + 9 if us == BLACK else king - 9
        if 0 <= square < SQUARES and test_bit(lo, hi, square) and is_drop_pawn_mate(pos, square):
            lo &= ~SQUARE_BITS[square, 0]
            hi &= ~SQUARE_BITS[square, 1]
    return lo, hi


@njit
def drop_squares(pos, kind, lo, hi):
    """Return which of the empty squares (lo, hi) a `kind` may be dropped on."""
    if kind == PAWN:
        return pawn_drops(pos, lo, hi)
    us = int(pos.side)
    return lo & DROP_SQUARES[us, kind, 0], hi & DROP_SQUARES[us, kind, 1]


# ---- counting ----------------------------------------------------------------------------------------------------


@njit
def moves_to(us, kind, square, lo, hi):
    """Return the number of moves of a piece on `square` to (lo, hi), two to a square where promotion is optional."""
    count = popcount2(lo, hi)
    if can_promote(kind):
        count += popcount2(lo & OPTIONAL_PROMOTION[us, kind, square, 0], hi & OPTIONAL_PROMOTION[us, kind, square, 1])
    return count


@njit
def count_drops(pos, lo, hi):
    """Return the number of drops on the empty squares (lo, hi)."""
    hand = pos.hand[pos.side]
    count = 0
    if hand == ZERO or lo | hi == ZERO:
        return count
    for kind in range(PAWN, KING):
        if hand_count(hand, kind) > 0:
            kind_lo, kind_hi = drop_squares(pos, kind, lo, hi)
            count += popcount2(kind_lo, kind_hi)
    return count


@provides(POSITION)
def count_moves(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    bb = pos.bb[us]
    king_lo, king_hi = king_targets(pos)
    count = popcount2(king_lo, king_hi)
    to_lo, to_hi, drop_lo, drop_hi = target_masks(pos)
    if to_lo | to_hi == ZERO:
        return count
    free_lo, free_hi = ~pos.pinned[0], ~pos.pinned[1]
    occ_lo, occ_hi = occupied(pos)

    lo, hi = pawn_targets(pos, bb[PAWN, 0] & free_lo, bb[PAWN, 1] & free_hi)
    count += moves_to(us, PAWN, 0, lo & to_lo, hi & to_hi)

    lo = (bb[KNIGHT, 0] | bb[SILVER, 0] | bb[GOLD_MOVERS, 0]) & free_lo
    hi = (bb[KNIGHT, 1] | bb[SILVER, 1] | bb[GOLD_MOVERS, 1]) & free_hi
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[square])
        count += popcount2(STEP_ATTACKS[us, kind, square, 0] & to_lo, STEP_ATTACKS[us, kind, square, 1] & to_hi)
        count += popcount2(
            STEP_OPTIONAL_PROMOTION[us, kind, square, 0] & to_lo, STEP_OPTIONAL_PROMOTION[us, kind, square, 1] & to_hi
        )

    # A loop for each slider: one loop for all, which asks each piece for its kind, was 9 % slower.
    lo, hi = bb[LANCE, 0] & free_lo, bb[LANCE, 1] & free_hi
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        ray_lo, ray_hi = lance_attacks(us, square, occ_lo, occ_hi)
        count += moves_to(us, LANCE, square, ray_lo & to_lo, ray_hi & to_hi)

    lo, hi = bishops_and_horses(pos, us)
    lo, hi = lo & free_lo, hi & free_hi
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[square])
        ray_lo, ray_hi = bishop_attacks(square, occ_lo, occ_hi)
        ray_lo |= STEP_ATTACKS[us, kind, square, 0]
        ray_hi |= STEP_ATTACKS[us, kind, square, 1]
        count += moves_to(us, kind, square, ray_lo & to_lo, ray_hi & to_hi)

    lo, hi = rooks_and_dragons(pos, us)
    lo, hi = lo & free_lo, hi & free_hi
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[square])
        ray_lo, ray_hi = rook_attacks(square, occ_lo, occ_hi)
        ray_lo |= STEP_ATTACKS[us, kind, square, 0]
        ray_hi |= STEP_ATTACKS[us, kind, square, 1]
        count += moves_to(us, kind, square, ray_lo & to_lo, ray_hi & to_hi)

    lo, hi = pinned(pos)
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[square])
        pin_lo, pin_hi = pinned_targets(pos, kind, square)
        count += moves_to(us, kind, square, pin_lo & to_lo, pin_hi & to_hi)

    return count + count_drops(pos, drop_lo, drop_hi)


@njit
def pinned_targets(pos, kind, square):
    """Return the squares that a pinned piece of the side to move attacks along its pin."""
    us = int(pos.side)
    king = int(pos.king[us])
    line = int(DIRECTION[king, square])
    occ_lo, occ_hi = occupied(pos)
    lo, hi = attacks_from(kind, us, square, occ_lo, occ_hi)
    return lo & RAYS[king, line, 0], hi & RAYS[king, line, 1]


# ---- generation --------------------------------------------------------------------------------------------------


@njit
def promotions(us, kind, source, lo, hi):
    """Return the squares of (lo, hi) where a piece from `source` may promote, then those where it may decline to."""
    if not can_promote(kind):
        return ZERO, ZERO, lo, hi
    zone_lo, zone_hi = ZONE[us, 0], ZONE[us, 1]
    if test_bit(zone_lo, zone_hi, source):
        zone_lo, zone_hi = BOARD_LO, BOARD_HI
    stay_lo = lo & (~zone_lo | OPTIONAL_PROMOTION[us, kind, source, 0])
    stay_hi = hi & (~zone_hi | OPTIONAL_PROMOTION[us, kind, source, 1])
    return lo & zone_lo, hi & zone_hi, stay_lo, stay_hi


@njit
def write_moves(ctx, end, kind, source, lo, hi):
    """Write the moves of a piece of the side to move from `source` to (lo, hi), promotions first; return the end."""
    promote_lo, promote_hi, stay_lo, stay_hi = promotions(int(ctx.pos.side), kind, source, lo, hi)
    return write_split_moves(ctx, end, kind, source, promote_lo, promote_hi, stay_lo, stay_hi)


@njit
def write_split_moves(ctx, end, kind, source, promote_lo, promote_hi, stay_lo, stay_hi):
    """Write the promotions of a piece, then its other moves, each to their own squares; return the end."""
    pos = ctx.pos
    while promote_lo | promote_hi != ZERO:
        target, promote_lo, promote_hi = pop_lowest(promote_lo, promote_hi)
        ctx.moves[end] = board_move(source, target, kind, piece_kind(pos.board[target]), 1)
        end += 1
    while stay_lo | stay_hi != ZERO:
        target, stay_lo, stay_hi = pop_lowest(stay_lo, stay_hi)
        ctx.moves[end] = board_move(source, target, kind, piece_kind(pos.board[target]), 0)
        end += 1
    return end


@njit
def write_pawn_moves(ctx, end, lo, hi, to_lo, to_hi):
    """Write the moves to (to_lo, to_hi) of the pawns (lo, hi) of the side to move; return the end."""
    pos = ctx.pos
    us = int(pos.side)
    back = 9 if us == BLACK else -9
    lo, hi = pawn_targets(pos, lo, hi)
    lo &= to_lo
    hi &= to_hi
    while lo | hi != ZERO:
        target, lo, hi = pop_lowest(lo, hi)
        captured = piece_kind(pos.board[target])
        stays = True
        if test_bit(ZONE[us, 0], ZONE[us, 1], target):
            ctx.moves[end] = board_move(target + back, target, PAWN, captured, 1)
            end += 1
            stays = test_bit(NOT_LAST[us, 0], NOT_LAST[us, 1], target)
        if stays:
            ctx.moves[end] = board_move(target + back, target, PAWN, captured, 0)
            end += 1
    return end


@njit
def write_drops(ctx, end, kind, lo, hi):
    """Write the drops of `kind` on (lo, hi); return the end."""
    while lo | hi != ZERO:
        target, lo, hi = pop_lowest(lo, hi)
        ctx.moves[end] = drop_move(kind, target)
        end += 1
    return end


@njit
def write_board_moves(ctx, end, to_lo, to_hi):
    """Write the legal moves to (to_lo, to_hi) of all pieces on the board but the king; return the end."""
    pos = ctx.pos
    us = int(pos.side)
    bb = pos.bb[us]
    free_lo, free_hi = ~pos.pinned[0], ~pos.pinned[1]
    occ_lo, occ_hi = occupied(pos)
    end = write_pawn_moves(ctx, end, bb[PAWN, 0] & free_lo, bb[PAWN, 1] & free_hi, to_lo, to_hi)
    lo = bb[0, 0] & free_lo & ~(bb[PAWN, 0] | bb[KING, 0])
    hi = bb[0, 1] & free_hi & ~(bb[PAWN, 1] | bb[KING, 1])
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[square])
        a_lo, a_hi = attacks_from(kind, us, square, occ_lo, occ_hi)
        end = write_moves(ctx, end, kind, square, a_lo & to_lo, a_hi & to_hi)
    lo, hi = pinned(pos)
    while lo | hi != ZERO:
        square, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[square])
        a_lo, a_hi = pinned_targets(pos, kind, square)
        end = write_moves(ctx, end, kind, square, a_lo & to_lo, a_hi & to_hi)
    return end


@njit
def write_all_drops(ctx, end, lo, hi):
    """Write every legal drop on the empty squares (lo, hi); return the end."""
    pos = ctx.pos
    hand = pos.hand[pos.side]
    if hand == ZERO or lo | hi == ZERO:
        return end
    for kind in range(PAWN, KING):
        if hand_count(hand, kind) > 0:
            kind_lo, kind_hi = drop_squares(pos, kind, lo, hi)
            end = write_drops(ctx, end, kind, kind_lo, kind_hi)
    return end


@provides(POSITION)
def generate_moves(ctx, start):
    pos = ctx.pos
    end = start
    king_lo, king_hi = king_targets(pos)
    if king_lo | king_hi != ZERO:
        end = write_moves(ctx, end, KING, int(pos.king[pos.side]), king_lo, king_hi)
    to_lo, to_hi, drop_lo, drop_hi = target_masks(pos)
    if to_lo | to_hi == ZERO:
        return end - start
    end = write_board_moves(ctx, end, to_lo, to_hi)
    return write_all_drops(ctx, end, drop_lo, drop_hi) - start


@provides(POSITION)
def generate_captures(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    enemy_lo, enemy_hi = pieces(pos, 1 - us)
    end = start
    king = int(pos.king[us])
    if king != NO_SQUARE and KING_ZONE[king, 0] & enemy_lo | KING_ZONE[king, 1] & enemy_hi != ZERO:
        king_lo, king_hi = king_targets(pos)
        end = write_moves(ctx, end, KING, king, king_lo & enemy_lo, king_hi & enemy_hi)
    to_lo, to_hi, _, _ = target_masks(pos)
    return write_board_moves(ctx, end, to_lo & enemy_lo, to_hi & enemy_hi) - start


@provides(POSITION)
def generate_quiets(ctx, start):
    pos = ctx.pos
    us = int(pos.side)
    enemy_lo, enemy_hi = pieces(pos, 1 - us)
    quiet_lo, quiet_hi = ~enemy_lo, ~enemy_hi
    end = start
    king_lo, king_hi = king_targets(pos)
    if king_lo & quiet_lo | king_hi & quiet_hi != ZERO:
        end = write_moves(ctx, end, KING, int(pos.king[us]), king_lo & quiet_lo, king_hi & quiet_hi)
    to_lo, to_hi, drop_lo, drop_hi = target_masks(pos)
    to_lo, to_hi = to_lo & quiet_lo, to_hi & quiet_hi
    end = write_board_moves(ctx, end, to_lo, to_hi)
    return write_all_drops(ctx, end, drop_lo, drop_hi) - start


@provides(POSITION)
def is_legal_tt_move(pos, move):
    us = int(pos.side)
    kind, target = move_kind(move), move_to(move)
    bit_lo, bit_hi = SQUARE_BITS[target, 0], SQUARE_BITS[target, 1]
    to_lo, to_hi, drop_lo, drop_hi = target_masks(pos)
    if is_drop(move):
        lo, hi = drop_lo & bit_lo, drop_hi & bit_hi
        if hand_count(pos.hand[us], kind) == 0 or lo | hi == ZERO:
            return False
        lo, hi = drop_squares(pos, kind, lo, hi)
        return lo | hi != ZERO
    source = move_from(move)
    if int(pos.board[source]) != make_piece(us, kind) or piece_kind(pos.board[target]) != move_captured(move):
        return False
    if kind == KING:
        lo, hi = king_targets(pos)
        return lo & bit_lo | hi & bit_hi != ZERO
    pinned_lo, pinned_hi = pinned(pos)
    if test_bit(pinned_lo, pinned_hi, source):
        lo, hi = pinned_targets(pos, kind, source)
    else:
        occ_lo, occ_hi = occupied(pos)
        lo, hi = attacks_from(kind, us, source, occ_lo, occ_hi)
    promote_lo, promote_hi, lo, hi = promotions(us, kind, source, lo & to_lo & bit_lo, hi & to_hi & bit_hi)
    if is_promotion(move):
        lo, hi = promote_lo, promote_hi
    return lo | hi != ZERO
