"""Counting evasions without generating them: enough to recognize a mate, and a first guess of how far one is.

`movegen.generate_moves` writes the evasions themselves.
"""

import numpy as np

from shogi_engine.bits import ZERO, pop_lowest, popcount2
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.movegen import drop_squares, king_targets, target_masks
from shogi_engine.games.shogi.queries import occupied, pinned
from shogi_engine.games.shogi.types import KING, KNIGHT, LANCE, PAWN, SILVER, hand_count
from shogi_engine.jit import njit


@njit
def can_drop(pos, lo, hi):
    """Return the empty squares of (lo, hi) on which the side to move can drop something."""
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
    """Return the number of evasions, counting all drops on a square as one, and a promotion and its refusal as one.

    It is 0 if and only if it is mate. The side to move has a king and is in check.
    """
    us = int(pos.side)
    lo, hi = king_targets(pos)
    count = popcount2(lo, hi)
    to_lo, to_hi, way_lo, way_hi = target_masks(pos)
    if to_lo | to_hi == ZERO:
        return count
    occ_lo, occ_hi = occupied(pos)
    pinned_lo, pinned_hi = pinned(pos)
    free_lo = ~(pinned_lo | pos.bb[us, KING, 0])  # a pinned piece can not answer a check by another piece
    free_hi = ~(pinned_hi | pos.bb[us, KING, 1])
    while to_lo | to_hi != ZERO:
        square, to_lo, to_hi = pop_lowest(to_lo, to_hi)
        lo, hi = attackers_to(pos, square, us, occ_lo, occ_hi)
        count += popcount2(lo & free_lo, hi & free_hi)
    if way_lo | way_hi != ZERO and pos.hand[us] != ZERO:
        lo, hi = can_drop(pos, way_lo, way_hi)
        count += popcount2(lo, hi)
    return count
