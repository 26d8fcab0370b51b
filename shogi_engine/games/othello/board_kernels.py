"""A Board's kernels: list, count, check, make and take back moves.

A Board's memory is a BOARD record, which Python passes by its address.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.position import key
from shogi_engine.games.othello.types import DISC_MOVE, MAX_MOVES, PASS, POSITION, UNDO, move_square, placed_disc
from shogi_engine.interface.game import count_moves, do_move, generate_moves, undo_move
from shogi_engine.jit import ctz, njit, record_dtype, record_reader

# A Board's memory. `pos` comes first, so that its address is the board's. `undo` is the address of `capacity` records,
# of which `count` are in use; `generate_moves` writes to `moves`. Threads may list the moves of an unchanged board at
# the same time, as all write the same values.
BOARD = record_dtype(
    [
        ("pos", POSITION),
        ("undo", np.int64),
        ("count", np.int64),
        ("capacity", np.int64),
        ("moves", np.uint32, (MAX_MOVES,)),
    ]
)
UNDO_BYTES = UNDO.itemsize

board_at = record_reader(BOARD)
undo_at = record_reader(UNDO)


@njit
def is_legal(pos, code):
    """Tell whether `code` (any int64) is a legal move of `pos`."""
    if code == PASS:
        return mobility(pos.own, pos.opponent) == ZERO and mobility(pos.opponent, pos.own) != ZERO
    if code & ~63 != DISC_MOVE or (pos.own | pos.opponent) & placed_disc(code) != ZERO:
        return False
    return flips(pos.own, pos.opponent, move_square(code)) != ZERO


@njit(brief=True)
def push(address, code):
    """Make the move `code`; return 1, or 0 if it is illegal or the undo records are full."""
    board = board_at(address)
    if board.count == board.capacity or not is_legal(board.pos, code):
        return 0
    do_move(board.pos, np.uint32(code), undo_at(board.undo + board.count * UNDO_BYTES))
    board.count += 1
    return 1


@njit(brief=True)
def pop(address):
    """Take the last move back and return its code; -1 if there is none."""
    board = board_at(address)
    if board.count == 0:
        return -1
    board.count -= 1
    undo = undo_at(board.undo + board.count * UNDO_BYTES)
    code = PASS if undo.disc == ZERO else DISC_MOVE | ctz(undo.disc)
    undo_move(board.pos, np.uint32(code), undo)
    return code


@njit(brief=True)
def list_moves(address):
    """Write the legal moves to board.moves and return how many there are."""
    return generate_moves(board_at(address), 0)


@njit(brief=True)
def count_legal_moves(address):
    """Return the number of legal moves."""
    return count_moves(board_at(address), 0)


@njit(brief=True)
def is_legal_code(address, code):
    """Return 1 if the move `code` is legal, else 0."""
    return int(is_legal(board_at(address).pos, code))


@njit(brief=True)
def position_key(address):
    """Return the position's key, a uint64."""
    return key(board_at(address).pos)
