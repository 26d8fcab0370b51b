"""Moves that give check: the squares checks come from, generation, and what the search asks about checks."""

import numpy as np

from shogi_engine.bits import ONE, ZERO, pop_lowest, split_table
from shogi_engine.bits import test as test_bit
from shogi_engine.game import do_move, generate_moves, provides, undo_move
from shogi_engine.games.shogi.attacks import attacks_from, discovered_check_candidates
from shogi_engine.games.shogi.bitboard import (
    BOARD_HI,
    BOARD_LO,
    DIRECTION,
    OPTIONAL_PROMOTION,
    RAYS,
    STEP_ATTACKS,
    ZONE,
    bishop_attacks,
    lance_attacks,
    rook_attacks,
)
from shogi_engine.games.shogi.movegen import king_targets, pawn_drops, write_drops, write_split_moves
from shogi_engine.games.shogi.queries import empty_squares, in_check, occupied, pinned
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
    POSITION,
    PROMOTED,
    ROOK,
    SILVER,
    SQUARES,
    arriving_kind,
    can_promote,
    hand_count,
    is_drop,
    move_from,
    move_to,
    piece_kind,
)
from shogi_engine.jit import njit

STEPPING_KINDS = (PAWN, KNIGHT, SILVER, GOLD_MOVERS)

# For each ply of the line: by kind, from where it attacks the enemy king; own pieces that may discover a check.
STATE_FIELDS = (("check_squares", np.uint64, (16, 2)), ("discoverers", np.uint64, (2,)))


def _has_square(bitboards):
    """Return bool[..., 81] of bitboards uint64[..., 2]: whether each square is set."""
    square = np.arange(SQUARES, dtype=np.uint64)
    halves = np.where(square > 63, bitboards[..., 1:], bitboards[..., :1])
    return halves >> (square & np.uint64(63)) & ONE == ONE


def _check_sources(colour, kind):
    """Return by square of the enemy king from where a piece of `kind` may be able to give check in one step."""
    steps, gold_steps = _has_square(STEP_ATTACKS[colour, kind]), _has_square(STEP_ATTACKS[colour, GOLD])
    zone = _has_square(ZONE[colour])
    promoting = steps & (zone[:, None] | zone)  # or a gold already
    checks = steps @ steps | promoting @ gold_steps  # bool[source, king]
    return split_table([sum(1 << int(source) for source in np.flatnonzero(column)) for column in checks.T])


# uint64[2, 4, 81, 2]: by colour, index in STEPPING_KINDS and square of the enemy king, from where a piece may be able
# to give check in one step, promoting or not.
CHECK_SOURCES = np.array([[_check_sources(colour, kind) for kind in STEPPING_KINDS] for colour in range(2)])


# ---- check squares -----------------------------------------------------------------------------------------------


@njit
def mark_check_squares(pos, king, squares):
    """Write the squares from which a piece of the side to move would give check, by its kind.

    king : square of the enemy king.   squares : uint64[16, 2], out, by kind on arrival.
    """
    us = int(pos.side)
    steps = STEP_ATTACKS[1 - us]
    occ_lo, occ_hi = occupied(pos)
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


# ---- generation --------------------------------------------------------------------------------------------------


@njit
def write_board_checks(ctx, end, king, squares):
    """Write the checks by moves on the board; return the end. squares : as mark_check_squares writes them."""
    pos = ctx.pos
    us = int(pos.side)
    bb = pos.bb[us]
    sources = CHECK_SOURCES[us]
    occ_lo, occ_hi = occupied(pos)
    candidates_lo, candidates_hi = discovered_check_candidates(pos, king, us)
    sliders_lo = bb[LANCE, 0] | bb[BISHOP, 0] | bb[ROOK, 0] | bb[HORSE, 0] | bb[DRAGON, 0]
    sliders_hi = bb[LANCE, 1] | bb[BISHOP, 1] | bb[ROOK, 1] | bb[HORSE, 1] | bb[DRAGON, 1]
    lo = (
        bb[PAWN, 0] & sources[0, king, 0]
        | bb[KNIGHT, 0] & sources[1, king, 0]
        | bb[SILVER, 0] & sources[2, king, 0]
        | bb[GOLD_MOVERS, 0] & sources[3, king, 0]
        | (sliders_lo | candidates_lo) & ~bb[KING, 0]
    )
    hi = (
        bb[PAWN, 1] & sources[0, king, 1]
        | bb[KNIGHT, 1] & sources[1, king, 1]
        | bb[SILVER, 1] & sources[2, king, 1]
        | bb[GOLD_MOVERS, 1] & sources[3, king, 1]
        | (sliders_hi | candidates_hi) & ~bb[KING, 1]
    )
    own_king = int(pos.king[us])
    pinned_lo, pinned_hi = pinned(pos)
    while lo | hi != ZERO:
        source, lo, hi = pop_lowest(lo, hi)
        kind = piece_kind(pos.board[source])
        to_lo, to_hi = attacks_from(kind, us, source, occ_lo, occ_hi)
        to_lo &= ~bb[0, 0]
        to_hi &= ~bb[0, 1]
        if test_bit(pinned_lo, pinned_hi, source):
            line = int(DIRECTION[own_king, source])
            to_lo &= RAYS[own_king, line, 0]
            to_hi &= RAYS[own_king, line, 1]
        stay_lo, stay_hi = to_lo & squares[kind, 0], to_hi & squares[kind, 1]
        promote_lo = promote_hi = zone_lo = zone_hi = ZERO
        promotes = can_promote(kind)
        if promotes:
            zone_lo, zone_hi = ZONE[us, 0], ZONE[us, 1]
            if test_bit(zone_lo, zone_hi, source):
                zone_lo, zone_hi = BOARD_LO, BOARD_HI
            promoted = int(PROMOTED[kind])
            promote_lo = to_lo & zone_lo & squares[promoted, 0]
            promote_hi = to_hi & zone_hi & squares[promoted, 1]
        if test_bit(candidates_lo, candidates_hi, source):
            line = int(DIRECTION[king, source])
            off_lo, off_hi = to_lo & ~RAYS[king, line, 0], to_hi & ~RAYS[king, line, 1]
            stay_lo |= off_lo
            stay_hi |= off_hi
            promote_lo |= off_lo & zone_lo
            promote_hi |= off_hi & zone_hi
        if promotes:
            stay_lo &= ~zone_lo | OPTIONAL_PROMOTION[us, kind, source, 0]
            stay_hi &= ~zone_hi | OPTIONAL_PROMOTION[us, kind, source, 1]
        end = write_split_moves(ctx, end, kind, source, promote_lo, promote_hi, stay_lo, stay_hi)
    if own_king != NO_SQUARE and test_bit(candidates_lo, candidates_hi, own_king):
        line = int(DIRECTION[king, own_king])
        to_lo, to_hi = king_targets(pos)
        to_lo &= ~RAYS[king, line, 0]
        to_hi &= ~RAYS[king, line, 1]
        end = write_split_moves(ctx, end, KING, own_king, ZERO, ZERO, to_lo, to_hi)
    return end


@njit
def write_drop_checks(ctx, end, squares):
    """Write the drops that give check; return the end. squares : as mark_check_squares writes them."""
    pos = ctx.pos
    us = int(pos.side)
    hand = pos.hand[us]
    if hand == ZERO:
        return end
    empty_lo, empty_hi = empty_squares(pos)
    for kind in range(ROOK, PAWN, -1):  # a piece that gives check is not dead
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

    The other side has a king, not in check.
    squares : uint64[16, 2], out, as mark_check_squares writes them, if the side to move is not in check.
    undo : record[UNDO], scratch, if it is; all its evasions are then written to ctx.moves first.
    """
    pos = ctx.pos
    if in_check(pos):
        end = start
        for index in range(start, start + generate_moves(ctx, start)):
            move = ctx.moves[index]
            do_move(pos, move, undo)
            gives = in_check(pos)
            undo_move(pos, move, undo)
            if gives:
                ctx.moves[end] = move
                end += 1
        return end - start
    king = int(pos.king[1 - pos.side])
    mark_check_squares(pos, king, squares)
    return write_board_checks(ctx, write_drop_checks(ctx, start, squares), king, squares) - start


# ---- the search's rules ------------------------------------------------------------------------------------------


@provides(POSITION)
def set_check_info(ctx):
    pos, state = ctx.pos, ctx.states[ctx.ply]
    king = int(pos.king[1 - pos.side])
    if king == NO_SQUARE:
        state.check_squares[:] = ZERO
        state.discoverers[:] = ZERO
    else:
        mark_check_squares(pos, king, state.check_squares)
        state.discoverers[0], state.discoverers[1] = discovered_check_candidates(pos, king, int(pos.side))


@provides(POSITION)
def gives_check(ctx, move):
    state, kind = ctx.states[ctx.ply], arriving_kind(move)
    if test_bit(state.check_squares[kind, 0], state.check_squares[kind, 1], move_to(move)):
        return True
    if state.discoverers[0] | state.discoverers[1] == ZERO or is_drop(move):
        return False
    source, target = move_from(move), move_to(move)
    if not test_bit(state.discoverers[0], state.discoverers[1], source):
        return False
    king = int(ctx.pos.king[1 - ctx.pos.side])
    return DIRECTION[king, source] != DIRECTION[king, target]
