"""Kernels that read and write a Board's position: SFEN, and the two packings in 32 bytes.

Input that they decline (they return 0) is left to Python, which reads every valid form and explains what is wrong:
notation.parse_sfen, packed.unpack, validation.validate_position.
"""

import numpy as np

from shogi_engine.games.board_memory import BoardMemory
from shogi_engine.games.shogi.board.kernels import BOARD, POSITION_BYTES, board_at, note_position
from shogi_engine.games.shogi.notation.sfen_kernels import BLANK, read_sfen, write_sfen
from shogi_engine.games.shogi.packed.kernels import read_packed, write_packed
from shogi_engine.jit import load_u64, njit, store_u64

WRITE_SFEN, READ_SFEN, PACK_POSITION, UNPACK_POSITION = range(4)  # the tasks of `convert`
DRAFT = BoardMemory.offset_in(BOARD, "draft")


@njit
def take_draft(address):
    """Start a game from board.draft, a possible position; return 1."""
    for offset in range(0, POSITION_BYTES, 8):
        word = load_u64(np.uint64(address + DRAFT + offset))
        store_u64(np.uint64(address + offset), word)
    board = board_at(address)
    board.count = 0
    note_position(board)
    return 1


@njit
def take_sfen(address, length):
    """Set the position of the SFEN in board.text[:length]; return 1, or 0 to decline."""
    board = board_at(address)
    board.text[length] = BLANK  # stops every loop
    return take_draft(address) if read_sfen(board.text, 0, length, board.draft) else 0


@njit
def pack_position(address, packing):
    """Write the position in the 32-byte form packed.PACKINGS[packing] to board.text; return 1, or 0 to decline."""
    board = board_at(address)
    return write_packed(board.pos, packing, board.text)


@njit
def unpack_position(address, packing):
    """Set the position from the 32 bytes in board.text, in the form packed.PACKINGS[packing]; return 0 to decline."""
    board = board_at(address)
    return take_draft(address) if read_packed(board.text, packing, board.draft) else 0


@njit(brief=True)
def convert(address, task, argument):
    """Do `task`, a constant above, with its argument if it has one. The tasks share code, hence one kernel."""
    if task == WRITE_SFEN:
        board = board_at(address)
        return write_sfen(board.pos, board.text, 0)
    if task == READ_SFEN:
        return take_sfen(address, argument)
    if task == PACK_POSITION:
        return pack_position(address, argument)
    return unpack_position(address, argument)
