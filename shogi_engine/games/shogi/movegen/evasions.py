"""Counts evasions without generating them, to recognise mates and to estimate the distance to a mate.

`movegen.generate_moves` generates the evasions.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import NOTHING
from shogi_engine.games.shogi.movegen.generator import drop_squares, king_targets, target_masks
from shogi_engine.games.shogi.queries import occupied, pieces, pinned
from shogi_engine.games.shogi.types import KING, KNIGHT, LANCE, PAWN, SILVER, hand_count
from shogi_engine.jit import njit


@njit
def can_drop(pos, empty):
    """Return the `empty` squares on which the side to move can drop a piece."""
    hand = pos.hand[pos.side]
    if hand >> np.uint64(8 * SILVER) != ZERO:
        return empty
    drops = NOTHING
    if hand_count(hand, LANCE) > 0:
        drops = drop_squares(pos, LANCE, empty)
    elif hand_count(hand, PAWN) > 0:
        drops = drop_squares(pos, PAWN, empty)
    if hand_count(hand, KNIGHT) > 0:
        drops |= drop_squares(pos, KNIGHT, empty)
    return drops


@njit
def count_evasions(pos):
    """Return the number of evasions. The side to move must have a king and be in check.

    All drops on a square count as one evasion, and so do a move with and without promotion. The number is 0 if and
    only if it is mate.
    """
    us = int(pos.side)
    count = len(king_targets(pos))
    to, way = target_masks(pos)
    if not to:
        return count
    occ = occupied(pos)
    free = ~(pinned(pos) | pieces(pos, us, KING))  # a pinned piece cannot stop a check by another piece
    for square in to:
        count += len(attackers_to(pos, square, us, occ) & free)
    if way and pos.hand[us] != ZERO:
        count += len(can_drop(pos, way))
    return count
