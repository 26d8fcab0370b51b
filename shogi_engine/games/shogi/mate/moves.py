"""What a mate search needs of the rules: all checks, how many ways out of one there are, and hands that compare.

The attacker's moves are the checks, of pieces that move, uncover or are dropped; the defender's are all legal moves,
which `generate_moves` writes. `ctx` is a mate search's record: pos, moves, undo and ply as in every context.
"""

import numpy as np

from shogi_engine.bits import ZERO, clear_lowest, lowest, popcount2, split_table
from shogi_engine.bits import test as test_bit
from shogi_engine.game import do_move, generate_moves, undo_move
from shogi_engine.games.shogi.attacks import attackers_to, attacks_from, snipers
from shogi_engine.games.shogi.bitboard import (
    BOARD_HI,
    BOARD_LO,
    DIRECTION,
    OPTIONAL,
    RAYS,
    STEP_ATTACKS,
    ZONE,
    between,
    bishop_attacks,
    lance_attacks,
    rook_attacks,
)
from shogi_engine.games.shogi.movegen import drop_squares, king_targets, pawn_drops, targets, write_drops
from shogi_engine.games.shogi.types import (
    BISHOP,
    DRAGON,
    GOLD,
    GOLD_MOVERS,
    HORSE,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    PROMOTED,
    ROOK,
    SILVER,
    SQUARES,
    board_move,
    hand_count,
)
from shogi_engine.jit import njit

NEAR_KINDS = (PAWN, KNIGHT, SILVER, GOLD_MOVERS)


def _squares(lo, hi):
    """Return the squares of a bitboard, in Python."""
    return [square for square in range(SQUARES) if int(hi if square > 63 else lo) >> (square & 63) & 1]


def _check_sources(colour, kind):
    """Return for each square of the enemy king where a piece may stand that can give check with one step."""
    sources = [0] * SQUARES
    zone = set(_squares(*ZONE[colour]))
    for source in range(SQUARES):
        for target in _squares(*STEP_ATTACKS[colour, kind, source]):
            kings = set(_squares(*STEP_ATTACKS[colour, kind, target]))
            if source in zone or target in zone:
                kings |= set(_squares(*STEP_ATTACKS[colour, GOLD, target]))  # promoted, or a gold as it was
            for king in kings:
                sources[king] |= 1 << source
    return split_table(sources)


# uint64[2, 4, 81, 2]: by colour, place in NEAR_KINDS and the enemy king's square, where a piece may stand that can give
# check with one step, promoting or not.
CHECK_SOURCES = np.array([[_check_sources(colour, kind) for kind in NEAR_KINDS] for colour in range(2)])

# A hand as one number: six bits a kind, the pawn lowest, the sixth of them always 0: it takes the borrow of a
# subtraction, which tells at once which counts are larger.
HAND_WIDTH = 6
HAND_UNITS = np.array([0] + [1 << HAND_WIDTH * kind for kind in range(7)] + [0], dtype=np.int64)
HAND_FIELDS = np.array([0] + [31 << HAND_WIDTH * kind for kind in range(7)] + [0], dtype=np.int64)
HAND_GUARDS = sum(32 << HAND_WIDTH * kind for kind in range(7))


# ---- hands -------------------------------------------------------------------------------------------------------


@njit
def packed_hand(hand):
    """Return a position's hand (uint64) as a packed one (int64)."""
    packed = 0
    for kind in range(PAWN, ROOK + 1):
        packed |= hand_count(hand, kind) << HAND_WIDTH * (kind - 1)
    return packed


@njit
def hand_covers(hand, other):
    """Tell whether a packed hand has at least as many of each kind as another."""
    return ((hand | HAND_GUARDS) - other) & HAND_GUARDS == HAND_GUARDS


@njit
def hand_union(hand, other):
    """Return the larger count of each kind of two packed hands."""
    larger = ((hand | HAND_GUARDS) - other) & HAND_GUARDS
    larger -= larger >> HAND_WIDTH - 1
    return hand & larger | other & ~larger


@njit
def hand_intersection(hand, other):
    """Return the smaller count of each kind of two packed hands."""
    larger = ((hand | HAND_GUARDS) - other) & HAND_GUARDS
    larger -= larger >> HAND_WIDTH - 1
    return other & larger | hand & ~larger


@njit
def hand_without(hand, kind):
    """Return a packed hand with one less of `kind`, if there is one."""
    return hand - HAND_UNITS[kind] if hand & HAND_FIELDS[kind] != 0 else hand


@njit
def kinds_held(hand):
    """Return all ones for the kinds that a packed hand holds."""
    fields = 0
    for kind in range(PAWN, ROOK + 1):
        if hand & HAND_FIELDS[kind] != 0:
            fields |= HAND_FIELDS[kind]
    return fields


# ---- checks ------------------------------------------------------------------------------------------------------


@njit
def uncoverers(pos, king, colour):
    """Return the pieces of `colour` that stand alone between its sliders and the enemy king on `king`."""
    occ_lo = pos.bb[0, 0, 0] | pos.bb[1, 0, 0]
    occ_hi = pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    lo = hi = ZERO
    far_lo, far_hi = snipers(pos, king, colour)
    while far_lo | far_hi != ZERO:
        way_lo, way_hi = between(king, lowest(far_lo, far_hi))
        far_lo, far_hi = clear_lowest(far_lo, far_hi)
        way_lo &= occ_lo
        way_hi &= occ_hi
        if popcount2(way_lo, way_hi) == 1:
            lo |= way_lo
            hi |= way_hi
    return lo & pos.bb[colour, 0, 0], hi & pos.bb[colour, 0, 1]


@njit
def mark_check_squares(pos, king, squares):
    """Write to squares[kind], uint64[16, 2], from where pieces of the side to move attack the enemy king on `king`."""
    us = int(pos.side)
    steps = STEP_ATTACKS[1 - us]
    occ_lo = pos.bb[0, 0, 0] | pos.bb[1, 0, 0]
    occ_hi = pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    for kind in range(PAWN, DRAGON + 1):
        squares[kind, 0], squares[kind, 1] = steps[kind, king, 0], steps[kind, king, 1]
    squares[KING, 0] = squares[KING, 1] = ZERO
    lo, hi = lance_attacks(1 - us, king, occ_lo, occ_hi)
    squares[LANCE, 0], squares[LANCE, 1] = lo, hi
    lo, hi = bishop_attacks(king, occ_lo, occ_hi)
    squares[BISHOP, 0], squares[BISHOP, 1] = lo, hi
    squares[HORSE, 0] |= lo
    squares[HORSE, 1] |= hi
    lo, hi = rook_attacks(king, occ_lo, occ_hi)
    squares[ROOK, 0], squares[ROOK, 1] = lo, hi
    squares[DRAGON, 0] |= lo
    squares[DRAGON, 1] |= hi


@njit
def write_both(ctx, end, kind, source, promote_lo, promote_hi, stay_lo, stay_hi):
    """Write the moves of a piece to the squares where it promotes, then to those where it does not; return the end."""
    board = ctx.pos.board
    while promote_lo | promote_hi != ZERO:
        target = lowest(promote_lo, promote_hi)
        promote_lo, promote_hi = clear_lowest(promote_lo, promote_hi)
        ctx.moves[end] = board_move(source, target, kind, int(board[target]) & 15, 1)
        end += 1
    while stay_lo | stay_hi != ZERO:
        target = lowest(stay_lo, stay_hi)
        stay_lo, stay_hi = clear_lowest(stay_lo, stay_hi)
        ctx.moves[end] = board_move(source, target, kind, int(board[target]) & 15, 0)
        end += 1
    return end


@njit
def write_board_checks(ctx, end, king, squares):
    """Write the checks that pieces on the board can give; return the end. squares : of mark_check_squares."""
    pos = ctx.pos
    us = int(pos.side)
    bb = pos.bb[us]
    sources = CHECK_SOURCES[us]
    occ_lo = pos.bb[0, 0, 0] | pos.bb[1, 0, 0]
    occ_hi = pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    uncover_lo, uncover_hi = uncoverers(pos, king, us)
    lo = (
        bb[PAWN, 0] & sources[0, king, 0]
        | bb[KNIGHT, 0] & sources[1, king, 0]
        | bb[SILVER, 0] & sources[2, king, 0]
        | bb[GOLD_MOVERS, 0] & sources[3, king, 0]
        | (bb[LANCE, 0] | bb[BISHOP, 0] | bb[ROOK, 0] | bb[HORSE, 0] | bb[DRAGON, 0] | uncover_lo) & ~bb[KING, 0]
    )
    hi = (
        bb[PAWN, 1] & sources[0, king, 1]
        | bb[KNIGHT, 1] & sources[1, king, 1]
        | bb[SILVER, 1] & sources[2, king, 1]
        | bb[GOLD_MOVERS, 1] & sources[3, king, 1]
        | (bb[LANCE, 1] | bb[BISHOP, 1] | bb[ROOK, 1] | bb[HORSE, 1] | bb[DRAGON, 1] | uncover_hi) & ~bb[KING, 1]
    )
    own_king = int(pos.king[us])
    while lo | hi != ZERO:
        source = lowest(lo, hi)
        lo, hi = clear_lowest(lo, hi)
        kind = int(pos.board[source]) & 15
        to_lo, to_hi = attacks_from(kind, us, source, occ_lo, occ_hi)
        to_lo &= ~bb[0, 0]
        to_hi &= ~bb[0, 1]
        if test_bit(pos.pinned[0], pos.pinned[1], source):
            line = int(DIRECTION[own_king, source])
            to_lo &= RAYS[own_king, line, 0]
            to_hi &= RAYS[own_king, line, 1]
        stay_lo, stay_hi = to_lo & squares[kind, 0], to_hi & squares[kind, 1]
        promote_lo = promote_hi = zone_lo = zone_hi = ZERO
        promotes = kind < 8 and kind != GOLD
        if promotes:
            zone_lo, zone_hi = ZONE[us, 0], ZONE[us, 1]
            if test_bit(zone_lo, zone_hi, source):
                zone_lo, zone_hi = BOARD_LO, BOARD_HI
            promoted = int(PROMOTED[kind])
            promote_lo = to_lo & zone_lo & squares[promoted, 0]
            promote_hi = to_hi & zone_hi & squares[promoted, 1]
        if test_bit(uncover_lo, uncover_hi, source):
            line = int(DIRECTION[king, source])
            off_lo, off_hi = to_lo & ~RAYS[king, line, 0], to_hi & ~RAYS[king, line, 1]
            stay_lo |= off_lo
            stay_hi |= off_hi
            promote_lo |= off_lo & zone_lo
            promote_hi |= off_hi & zone_hi
        if promotes:
            stay_lo &= ~zone_lo | OPTIONAL[us, kind, source, 0]
            stay_hi &= ~zone_hi | OPTIONAL[us, kind, source, 1]
        end = write_both(ctx, end, kind, source, promote_lo, promote_hi, stay_lo, stay_hi)
    if own_king != NO_SQUARE and test_bit(uncover_lo, uncover_hi, own_king):
        line = int(DIRECTION[king, own_king])
        to_lo, to_hi = king_targets(pos)
        to_lo &= ~RAYS[king, line, 0]
        to_hi &= ~RAYS[king, line, 1]
        end = write_both(ctx, end, KING, own_king, ZERO, ZERO, to_lo, to_hi)
    return end


@njit
def write_drop_checks(ctx, end, squares):
    """Write the drops that give check; return the end. squares : of mark_check_squares."""
    pos = ctx.pos
    us = int(pos.side)
    hand = pos.hand[us]
    if hand == ZERO:
        return end
    empty_lo = ~(pos.bb[0, 0, 0] | pos.bb[1, 0, 0])
    empty_hi = ~(pos.bb[0, 0, 1] | pos.bb[1, 0, 1])
    for kind in range(ROOK, PAWN, -1):  # nothing is off the board here, and a piece that gives check is not dead
        if hand_count(hand, kind) > 0:
            end = write_drops(ctx, end, kind, squares[kind, 0] & empty_lo, squares[kind, 1] & empty_hi)
    if hand_count(hand, PAWN) > 0:
        lo, hi = squares[PAWN, 0] & empty_lo, squares[PAWN, 1] & empty_hi
        if lo | hi != ZERO:
            lo, hi = pawn_drops(pos, lo, hi)
            end = write_drops(ctx, end, PAWN, lo, hi)
    return end


@njit
def generate_checks(ctx, start, squares, undo):
    """Write all legal moves of the side to move that give check to ctx.moves[start:] and return how many.

    The other side has a king, not in check. squares : uint64[16, 2], out, of mark_check_squares, unless the side to
    move is itself in check; then `undo` (record[UNDO]) is used, and room behind the moves.
    """
    pos = ctx.pos
    if pos.checkers[0] | pos.checkers[1] != ZERO:
        end = start
        for index in range(start, start + generate_moves(ctx, start)):
            move = ctx.moves[index]
            do_move(pos, move, undo)
            check = pos.checkers[0] | pos.checkers[1] != ZERO
            undo_move(pos, move, undo)
            if check:
                ctx.moves[end] = move
                end += 1
        return end - start
    king = int(pos.king[1 - pos.side])
    mark_check_squares(pos, king, squares)
    return write_board_checks(ctx, write_drop_checks(ctx, start, squares), king, squares) - start


# ---- ways out of a check -----------------------------------------------------------------------------------------


@njit
def can_drop(pos, lo, hi):
    """Return on which of the empty squares (lo, hi) the side to move may drop a piece of any kind."""
    hand = pos.hand[pos.side]
    if hand >> np.uint64(8 * SILVER) != ZERO:
        return lo, hi
    drop_lo = drop_hi = ZERO
    if hand_count(hand, LANCE) > 0:
        drop_lo, drop_hi = drop_squares(pos, LANCE, lo, hi)
    elif hand_count(hand, PAWN) > 0:
        drop_lo, drop_hi = drop_squares(pos, PAWN, lo, hi)
    if hand_count(hand, KNIGHT) > 0:
        knight_lo, knight_hi = drop_squares(pos, KNIGHT, lo, hi)
        drop_lo |= knight_lo
        drop_hi |= knight_hi
    return drop_lo, drop_hi


@njit
def count_evasions(pos):
    """Return how many ways out of check the side to move has; drops on one square, and promotions, count once.

    It is 0 exactly if there is no legal move. The side to move has a king, and is in check.
    """
    us = int(pos.side)
    lo, hi = king_targets(pos)
    count = popcount2(lo, hi)
    to_lo, to_hi, way_lo, way_hi = targets(pos)
    if to_lo | to_hi == ZERO:
        return count
    occ_lo = pos.bb[0, 0, 0] | pos.bb[1, 0, 0]
    occ_hi = pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    free_lo = ~(pos.pinned[0] | pos.bb[us, KING, 0])  # a pinned piece never answers a check from elsewhere
    free_hi = ~(pos.pinned[1] | pos.bb[us, KING, 1])
    while to_lo | to_hi != ZERO:
        square = lowest(to_lo, to_hi)
        to_lo, to_hi = clear_lowest(to_lo, to_hi)
        lo, hi = attackers_to(pos, square, us, occ_lo, occ_hi)
        count += popcount2(lo & free_lo, hi & free_hi)
    if way_lo | way_hi != ZERO and pos.hand[us] != ZERO:
        lo, hi = can_drop(pos, way_lo, way_hi)
        count += popcount2(lo, hi)
    return count


@njit
def may_interpose(pos):
    """Tell whether the only check comes from afar, so that a drop could be put in between."""
    if popcount2(pos.checkers[0], pos.checkers[1]) != 1:
        return False
    lo, hi = between(int(pos.king[pos.side]), lowest(pos.checkers[0], pos.checkers[1]))
    return lo | hi != ZERO


@njit
def withheld(pos):
    """Return the packed hand of what the attacker holds of kinds that the side to move, in check, has none to drop of.

    0 if no drop could answer the check. What is mate only because of it needs the attacker to keep these pieces.
    """
    if not may_interpose(pos):
        return 0
    hand = packed_hand(pos.hand[1 - pos.side])
    return hand & ~kinds_held(packed_hand(pos.hand[pos.side]))
