"""What kernels ask of a POSITION: its pieces, and the checks and pins that do_move keeps up to date.

Bitboards are returned as two uint64, (lo, hi).
"""

from shogi_engine.bits import ZERO
from shogi_engine.games.shogi.bitboard import BOARD_HI, BOARD_LO
from shogi_engine.games.shogi.types import BISHOP, DRAGON, HORSE, ROOK
from shogi_engine.jit import njit

# ---- pieces ------------------------------------------------------------------------------------------------------


@njit
def pieces(pos, colour):
    """Return all pieces of `colour`."""
    return pos.bb[colour, 0, 0], pos.bb[colour, 0, 1]


@njit
def occupied(pos):
    """Return the pieces of both colours."""
    return pos.bb[0, 0, 0] | pos.bb[1, 0, 0], pos.bb[0, 0, 1] | pos.bb[1, 0, 1]


@njit
def empty_squares(pos):
    """Return the squares without a piece."""
    lo, hi = occupied(pos)
    return ~lo & BOARD_LO, ~hi & BOARD_HI


@njit
def bishops_and_horses(pos, colour):
    """Return the pieces of `colour` that slide along diagonals."""
    return (
        pos.bb[colour, BISHOP, 0] | pos.bb[colour, HORSE, 0],
        pos.bb[colour, BISHOP, 1] | pos.bb[colour, HORSE, 1],
    )


@njit
def rooks_and_dragons(pos, colour):
    """Return the pieces of `colour` that slide along ranks and files."""
    return pos.bb[colour, ROOK, 0] | pos.bb[colour, DRAGON, 0], pos.bb[colour, ROOK, 1] | pos.bb[colour, DRAGON, 1]


# ---- checks and pins ---------------------------------------------------------------------------------------------


@njit
def in_check(state):
    """Tell whether the side to move is in check. state : record[POSITION], or the record[UNDO] of a position."""
    return state.checkers[0] | state.checkers[1] != ZERO


@njit
def pinned(pos):
    """Return the pieces of the side to move that are pinned to its king."""
    return pos.pinned[0], pos.pinned[1]
