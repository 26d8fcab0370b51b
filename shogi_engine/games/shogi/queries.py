"""Queries of a POSITION for kernels: its pieces, and the checks and pins that do_move keeps up to date."""

from shogi_engine.games.shogi.bitboard import BOARD
from shogi_engine.games.shogi.types import BISHOP, DRAGON, HORSE, ROOK
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import field

pieces, put_pieces = field("bb")  # pieces(pos, colour): all pieces; pieces(pos, colour, kind): those of a kind
checkers, put_checkers = field("checkers")  # of a record[POSITION] or a record[UNDO]
pinned, put_pinned = field("pinned")


@njit
def occupied(pos):
    """Return the pieces of both colours."""
    return pieces(pos, 0) | pieces(pos, 1)


@njit
def empty_squares(pos):
    """Return the squares without a piece."""
    return ~occupied(pos) & BOARD


@njit
def bishops_and_horses(pos, colour):
    """Return the pieces of `colour` that slide along diagonals."""
    return pieces(pos, colour, BISHOP) | pieces(pos, colour, HORSE)


@njit
def rooks_and_dragons(pos, colour):
    """Return the pieces of `colour` that slide along ranks and files."""
    return pieces(pos, colour, ROOK) | pieces(pos, colour, DRAGON)


@njit
def in_check(state):
    """Tell whether the side to move is in check.

    Args:
        state: record[POSITION], or the record[UNDO] of a position
    """
    return bool(checkers(state))
