"""A Board's kernels: list, count, check, make and take back moves.

A Board's memory is a BOARD record, which Python passes by its address. Python's moves are the 15 lowest bits of the
kernels' moves (target, source, promotion); the pieces are looked up here.
"""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import STEP_ATTACKS, in_check, pieces, pinned
from shogi_engine.games.shogi.movegen import CODES, complete_move, pawn_targets
from shogi_engine.games.shogi.names import TRY_RULE
from shogi_engine.games.shogi.packed_kernels import read_packed, write_packed
from shogi_engine.games.shogi.position import key
from shogi_engine.games.shogi.rules import has_tried, repetition
from shogi_engine.games.shogi.texts import BLANK, read_sfen, write_sfen
from shogi_engine.interface.game import count_moves, do_move, generate_moves, undo_move
from shogi_engine.jit import array_reader, load_u64, njit, record_dtype, record_reader, store_u64

TEXT_BYTES = 256  # at least the length of any SFEN that `write_sfen` writes

# Results of `ending`: 0 while the game continues, or how it has ended. DRAW, LOSS and WIN are results of repetitions.
TRIED, NO_LEGAL_MOVE, UNDECIDED = 4, 5, -1

# A Board's memory. `pos` comes first, so that its address is the board's. `key` and `in_check` are the fields that
# Python reads most often; `key` is 0 after a change by Python. `draft` is a position that is being read, `spare` the
# undo record of a move that is made and taken back. `undo` is the address of `capacity` records, of which `count` are
# in use; `text` is an SFEN or a packed position; `generate_moves` writes to `moves`. Threads may list the moves of an
# unchanged board at the same time, as all write the same values.
BOARD = record_dtype(
    [
        ("pos", t.POSITION),
        ("key", np.uint64),
        ("in_check", np.bool_),
        ("draft", t.POSITION),
        ("spare", t.UNDO),
        ("undo", np.int64),
        ("count", np.int64),
        ("capacity", np.int64),
        ("text", np.uint8, (TEXT_BYTES,)),
        ("moves", np.uint32, (t.MAX_MOVES,)),
    ]
)
UNDO_BYTES = t.UNDO.itemsize
POSITION_BYTES = t.POSITION.itemsize

board_at = record_reader(BOARD)
undo_at = record_reader(t.UNDO)
undos_at = array_reader(t.UNDO)


@njit
def note_position(board):
    """Set board.key and board.in_check after a change of the position."""
    board.key = key(board.pos)
    board.in_check = in_check(board.pos)


@njit(brief=True)
def push(address, code):
    """Make the move `code`; return 1, or 0 if it is illegal or the undo records are full."""
    board = board_at(address)
    if board.count == board.capacity:  # also of a position that was edited and may be impossible
        return 0
    move = complete_move(board.pos, code)
    if move == 0:
        return 0
    do_move(board.pos, move, undo_at(board.undo + board.count * UNDO_BYTES))
    board.count += 1
    note_position(board)
    return 1


@njit(brief=True)
def pop(address):
    """Take the last move back and return its code; -1 if there is none, or for a null move, which stays."""
    board = board_at(address)
    if board.count == 0:
        return -1
    undo = undo_at(board.undo + (board.count - 1) * UNDO_BYTES)
    move = undo.move
    if move == 0:
        return -1
    undo_move(board.pos, move, undo)
    board.count -= 1
    note_position(board)
    return int(move) & CODES


@njit(brief=True)
def list_moves(address):
    """Write the codes of the legal moves to board.moves and return how many there are."""
    board = board_at(address)
    count = generate_moves(board, 0)
    for index in range(count):
        board.moves[index] &= np.uint32(CODES)
    return count


@njit(brief=True)
def count_legal_moves(address):
    """Return the number of legal moves."""
    return count_moves(board_at(address), 0)


@njit(brief=True)
def is_legal_code(address, code):
    """Return 1 if the move `code` is legal, else 0."""
    return int(complete_move(board_at(address).pos, code) != 0)


@njit(brief=True)
def check_given(address, code):
    """Return 1 if the move `code` gives check, 0 if it does not, -1 if it is illegal."""
    board = board_at(address)
    move = complete_move(board.pos, code)
    if move == 0:
        return -1
    do_move(board.pos, move, board.spare)
    check = in_check(board.pos)
    undo_move(board.pos, move, board.spare)
    return int(check)


@njit(brief=True)
def position_key(address):
    """Return the position's key, a uint64."""
    return key(board_at(address).pos)


@njit
def has_easy_move(pos):
    """Tell whether a pawn or another one-step piece can move, if there is no check; other pieces are not tried."""
    us = int(pos.side)
    if in_check(pos):
        return False
    free, own = ~pinned(pos), pieces(pos, us)
    if pawn_targets(pos, pieces(pos, us, t.PAWN) & free) & ~own:
        return True
    for square in (pieces(pos, us, t.KNIGHT) | pieces(pos, us, t.SILVER) | pieces(pos, us, t.GOLD_MOVERS)) & free:
        if STEP_ATTACKS[us, t.piece_kind(pos.board[square]), square] & ~own:
            return True
    return False


@njit(brief=True)
def ending(address, rule, movable):
    """Return how the game has ended (see NO_LEGAL_MOVE), 0 if it continues, UNDECIDED if that depends on the move list.

    Args:
        rule: an index into names.ENTERING_KING_RULES
        movable: 1 if a legal move is known to exist, else 0
    """
    board = board_at(address)
    if rule == TRY_RULE and has_tried(board.pos):
        return TRIED
    if movable == 0 and not has_easy_move(board.pos):
        return UNDECIDED
    return repetition(board.pos, undos_at(board.undo, board.count), board.count)


# ---- Kernels that read and write a Board's position: SFEN, and the two packings in 32 bytes
#
# Input that they decline (they return 0) is left to Python, which reads every valid form and explains what is wrong:
# notation.parse_sfen, packed.unpack, validation.validate_position.


DRAFT = int(BOARD.fields["draft"][1])  # type: ignore[index]


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


@njit(brief=True)
def put_sfen(address):
    """Write the position's SFEN to board.text; return its length."""
    board = board_at(address)
    return write_sfen(board.pos, board.text, 0)


@njit(brief=True)
def take_sfen(address, length):
    """Set the position of the SFEN in board.text[:length]; return 1, or 0 to decline."""
    board = board_at(address)
    board.text[length] = BLANK  # stops every loop
    return take_draft(address) if read_sfen(board.text, 0, length, board.draft) else 0


@njit(brief=True)
def pack_position(address, packing):
    """Write the position in the 32-byte form packed.PACKINGS[packing] to board.text; return 1, or 0 to decline."""
    board = board_at(address)
    return write_packed(board.pos, packing, board.text)


@njit(brief=True)
def unpack_position(address, packing):
    """Set the position from the 32 bytes in board.text, in the form packed.PACKINGS[packing]; return 0 to decline."""
    board = board_at(address)
    return take_draft(address) if read_packed(board.text, packing, board.draft) else 0
