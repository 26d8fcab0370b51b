"""Mate in one, found without generating the checks: a quick look that misses some mates but reports no wrong one."""

from shogi_engine.bits import ZERO, pop_lowest, popcount2
from shogi_engine.bits import test as test_bit
from shogi_engine.game import MOVE_NONE, do_move, provides, undo_move
from shogi_engine.games.shogi.attacks import attacked_near_king, attackers_to
from shogi_engine.games.shogi.bitboard import DIRECTION, NEAR_KING, RAYS, STEP_ATTACKS, ZONE
from shogi_engine.games.shogi.evasions import count_evasions
from shogi_engine.games.shogi.queries import occupied, pinned
from shogi_engine.games.shogi.types import (
    BISHOP,
    DRAGON,
    HORSE,
    KING,
    LANCE,
    NO_SQUARE,
    PAWN,
    POSITION,
    PROMOTED,
    ROOK,
    board_move,
    can_promote,
    drop_move,
    hand_count,
    piece_kind,
)
from shogi_engine.jit import njit

# uint64[2, 16, 81, 2]: by colour, kind and square of the enemy king, the squares next to it that it is attacked from.
CONTACT = STEP_ATTACKS[::-1].copy()
CONTACT[:, LANCE] = CONTACT[:, PAWN]
CONTACT[:, BISHOP], CONTACT[:, ROOK] = CONTACT[:, DRAGON], CONTACT[:, HORSE]
CONTACT[:, HORSE] = CONTACT[:, DRAGON] = CONTACT[:, KING]


@njit
def mates(ctx, move):
    """Tell whether `move`, a legal check, mates."""
    undo = ctx.undo[ctx.game_ply]
    do_move(ctx.pos, move, undo)
    evasions = count_evasions(ctx.pos)
    undo_move(ctx.pos, move, undo)
    return evasions == 0


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
    pinned_lo, pinned_hi = pinned(pos)
    if test_bit(pinned_lo, pinned_hi, source):
        line = int(DIRECTION[pos.king[us], source])
        if not test_bit(RAYS[pos.king[us], line, 0], RAYS[pos.king[us], line, 1], target):
            return MOVE_NONE
    kind, captured = piece_kind(pos.board[source]), piece_kind(pos.board[target])
    zone_lo, zone_hi = ZONE[us, 0], ZONE[us, 1]
    promotes = can_promote(kind) and (test_bit(zone_lo, zone_hi, source) or test_bit(zone_lo, zone_hi, target))
    for promotion in range(int(promotes), -1, -1):
        arrived = int(PROMOTED[kind]) if promotion else kind
        if test_bit(CONTACT[us, arrived, king, 0], CONTACT[us, arrived, king, 1], target):
            move = board_move(source, target, kind, captured, promotion)
            if mates(ctx, move):
                return move
    return MOVE_NONE


@provides(POSITION)
def mate_in_one(ctx, start):
    """Look for a mate by a piece next to the king, protected by another one, if the king has few escapes."""
    pos = ctx.pos
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    if king == NO_SQUARE:
        return MOVE_NONE
    own, enemy = pos.bb[us], pos.bb[them]
    if own[0, 0] & NEAR_KING[them, king, 0] | own[0, 1] & NEAR_KING[them, king, 1] == ZERO:
        return MOVE_NONE
    occ_lo, occ_hi = occupied(pos)
    attacked_lo, attacked_hi = attacked_near_king(pos, king, them, occ_lo ^ enemy[KING, 0], occ_hi ^ enemy[KING, 1])
    lo, hi = STEP_ATTACKS[them, KING, king, 0], STEP_ATTACKS[them, KING, king, 1]
    escapes = popcount2(lo & ~(enemy[0, 0] | attacked_lo), hi & ~(enemy[0, 1] | attacked_hi))
    if escapes > ctx.params.mate_in_one_max_escapes:
        return MOVE_NONE
    lo, hi = lo & attacked_lo & ~own[0, 0], hi & attacked_hi & ~own[0, 1]
    while lo | hi != ZERO:
        target, lo, hi = pop_lowest(lo, hi)
        if not test_bit(enemy[0, 0], enemy[0, 1], target):
            move = mating_drop(ctx, target, king)
            if move != MOVE_NONE:
                return move
        from_lo, from_hi = attackers_to(pos, target, us, occ_lo, occ_hi)
        if popcount2(from_lo, from_hi) > 1:
            from_lo, from_hi = from_lo & ~own[KING, 0], from_hi & ~own[KING, 1]
            while from_lo | from_hi != ZERO:
                source, from_lo, from_hi = pop_lowest(from_lo, from_hi)
                move = mating_step(ctx, source, target, king)
                if move != MOVE_NONE:
                    return move
    return MOVE_NONE
