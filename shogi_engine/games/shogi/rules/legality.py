"""Finds violations of the rules in a position, in kernels; validation.py puts them into words."""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import NOT_LAST, NOT_LAST_TWO, files_without
from shogi_engine.games.shogi.position import compute_checkers_and_pins, rebuild
from shogi_engine.games.shogi.queries import occupied, pieces
from shogi_engine.jit import njit

# The faults of a position, one bit each.
TOO_MANY_KINGS, TOO_MANY_PIECES, DEAD_PIECE, TWO_PAWNS, OPPOSITE_CHECK = (1 << bit for bit in range(5))
WHOLE_SET = np.uint64(sum(t.SET_SIZE[kind] << 8 * kind for kind in range(t.PAWN, t.KING)))

# By piece: 1 in the byte of its unpromoted kind; 0 for a king.
FULL_HAND = sum(255 << 8 * kind for kind in range(t.PAWN, t.KING))
ONE_OF = np.array([1 << 8 * int(t.UNPROMOTED[piece & 15]) & FULL_HAND for piece in range(32)], dtype=np.uint64)


@njit
def faults_of(pos, counts):
    """Return the faults of `pos`, a sum of the bits above, 0 if it is valid; set checkers and pins.

    All other fields must be set already.

    Args:
        counts: uint64, the number of pieces of each kind, one byte each
    """
    faults = 0 if t.hand_covers(WHOLE_SET, counts, t.HAND_GUARDS) else TOO_MANY_PIECES
    for colour in range(2):
        if len(pieces(pos, colour, t.KING)) > 1:
            faults |= TOO_MANY_KINGS
        stuck = (pieces(pos, colour, t.PAWN) | pieces(pos, colour, t.LANCE)) & ~NOT_LAST[colour]
        stuck |= pieces(pos, colour, t.KNIGHT) & ~NOT_LAST_TWO[colour]
        pawns = pieces(pos, colour, t.PAWN)
        if stuck:
            faults |= DEAD_PIECE
        if len(files_without(pawns)) != t.SQUARES - 9 * len(pawns):
            faults |= TWO_PAWNS
    us = int(pos.side)
    king = int(pos.king[1 - us])
    if king != t.NO_SQUARE and attackers_to(pos, king, us, occupied(pos)):
        faults |= OPPOSITE_CHECK
    compute_checkers_and_pins(pos)
    return faults


@njit
def position_faults(pos):
    """Return the faults of the board, hands and side of `pos`, as `faults_of`, and derive all its other fields."""
    rebuild(pos)
    for hand in pos.hand:  # the counts below fit into their bytes only if no hand exceeds a set
        if hand & t.HAND_GUARDS or not t.hand_covers(WHOLE_SET, hand, t.HAND_GUARDS):
            return TOO_MANY_PIECES | faults_of(pos, ZERO)
    counts = pos.hand[0] + pos.hand[1]
    for square in occupied(pos):
        counts += ONE_OF[pos.board[square]]
    return faults_of(pos, counts)


@njit
def attackers_on_board(pos, square, colour):
    """Return the pieces of `colour` that attack `square`."""
    return attackers_to(pos, square, colour, occupied(pos))
