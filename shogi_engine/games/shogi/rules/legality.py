"""Kernels that tell whether the rules allow a position; validation.py says what is wrong with it if they do not."""

import numpy as np

from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import NOT_LAST, NOT_LAST_TWO
from shogi_engine.games.shogi.position import compute_checkers_and_pins, rebuild
from shogi_engine.games.shogi.queries import occupied, pieces
from shogi_engine.games.shogi.types import (
    HAND_GUARDS,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    SET_SIZE,
    UNPROMOTED,
    hand_covers,
)
from shogi_engine.jit import njit, popcount

RANK = np.uint64(511)
WHOLE_SET = np.uint64(sum(SET_SIZE[kind] << 8 * kind for kind in range(PAWN, KING)))

# By piece: 1 in the byte of its unpromoted kind; 0 for a king.
FULL_HAND = sum(255 << 8 * kind for kind in range(PAWN, KING))
ONE_OF = np.array([1 << 8 * int(UNPROMOTED[piece & 15]) & FULL_HAND for piece in range(32)], dtype=np.uint64)


@njit
def pawn_files(pawns):
    """Return the mask of the files, 0 to 8, with one of `pawns`."""
    files = pawns | pawns >> 36 | pawns >> 72  # folds rows 4 to 8 onto rows 0 to 4
    files |= files >> 18
    return (files | files >> 9).lo & RANK


@njit
def is_allowed(pos, counts):
    """Tell whether the rules allow `pos`; if so, set its checkers and pins. All other fields are set already.

    The rules are those of validation.validate_position, without reasons.

    Args:
        counts: uint64, the number of pieces of each kind, one byte each
    """
    if not hand_covers(WHOLE_SET, counts, HAND_GUARDS):
        return False
    for colour in range(2):
        stuck = (pieces(pos, colour, PAWN) | pieces(pos, colour, LANCE)) & ~NOT_LAST[colour]
        stuck |= pieces(pos, colour, KNIGHT) & ~NOT_LAST_TWO[colour]
        pawns = pieces(pos, colour, PAWN)
        if stuck or popcount(pawn_files(pawns)) != len(pawns):
            return False
    us = int(pos.side)
    king = int(pos.king[1 - us])
    if king != NO_SQUARE and attackers_to(pos, king, us, occupied(pos)):
        return False
    compute_checkers_and_pins(pos)
    return True


@njit
def is_possible(pos):
    """Tell whether the rules allow the board, hands and side of `pos`, and derive all its other fields."""
    rebuild(pos)
    counts = pos.hand[0] + pos.hand[1]
    for square in occupied(pos):
        counts += ONE_OF[pos.board[square]]
    if len(pieces(pos, 0, KING)) > 1 or len(pieces(pos, 1, KING)) > 1:
        return False
    return is_allowed(pos, counts)
