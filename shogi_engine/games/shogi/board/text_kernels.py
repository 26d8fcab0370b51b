"""Positions read and written by one call of a kernel: SFEN, and the two packings in 32 bytes.

These know only what is usual. What they decline (they return 0) is for Python, which reads all that can be read and
says what is wrong with the rest: notation.parse_sfen, packed.unpack, validation.validate_position.
"""

import numpy as np

from shogi_engine.bits import ONE, ZERO
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.board.kernels import POSITION_BYTES, board_at
from shogi_engine.games.shogi.notation import MAX_MOVE_NUMBER
from shogi_engine.games.shogi.packed_kernels import WHOLE_SET, read_packed, write_packed
from shogi_engine.games.shogi.position import rebuild
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.symbols import SYMBOLS
from shogi_engine.games.shogi.types import (
    BLACK,
    HAND_GUARDS,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    PROM_PAWN,
    PROMOTED,
    SQUARES,
    UNPROMOTED,
    hand_count,
    hand_covers,
    make_piece,
    piece_colour,
    piece_kind,
)
from shogi_engine.jit import load_u64, njit, store_u64

BLANK, SLASH, PLUS, DASH, ZERO_DIGIT, NINE_DIGIT = (ord(letter) for letter in " /+-09")
WRITE_SFEN, READ_SFEN, PACK_POSITION, UNPACK_POSITION = range(4)  # what `convert` does
LOWER = 32  # what makes a small letter of a capital
COLOUR_LETTERS = np.frombuffer(b"bw", dtype=np.uint8)

LETTERS = np.array([ord(symbol[-1]) if symbol else 0 for symbol in SYMBOLS], dtype=np.uint8)  # by kind, a capital
KIND_OF_LETTER = np.zeros(256, dtype=np.uint8)
KIND_OF_LETTER[LETTERS[PAWN : KING + 1]] = range(PAWN, KING + 1)


# ---- what has been read ------------------------------------------------------------------------------------------


@njit
def is_possible(pos):
    """Tell whether board, hands and side of `pos` are those of a position that is accepted; if so, derive the rest.

    As validation.validate_position, without reasons.
    """
    counts = pos.hand[0] + pos.hand[1]
    kings = files = 0
    for square in range(SQUARES):
        piece = int(pos.board[square])
        if piece == 0:
            continue
        colour, kind = piece_colour(piece), piece_kind(piece)
        if kind == KING:
            if kings & 1 << colour:
                return False
            kings |= 1 << colour
            continue
        counts += ONE << np.uint64(8 * int(UNPROMOTED[kind]))
        ahead = square // 9 if colour == BLACK else 8 - square // 9
        if ahead < 2 and (kind == KNIGHT or ahead == 0 and kind in (PAWN, LANCE)):
            return False
        if kind == PAWN:
            file = 1 << (square % 9 + 9 * colour)
            if files & file:
                return False
            files |= file
    if not hand_covers(WHOLE_SET, counts, HAND_GUARDS):
        return False
    rebuild(pos)
    us = int(pos.side)
    king = int(pos.king[1 - us])
    if king == NO_SQUARE:
        return True
    occ_lo, occ_hi = occupied(pos)
    lo, hi = attackers_to(pos, king, us, occ_lo, occ_hi)
    return lo | hi == ZERO


@njit
def take_draft(address):
    """Make board.draft, which is possible, the position, at the beginning of a game; return 1."""
    for offset in range(0, POSITION_BYTES, 8):
        word = load_u64(np.uint64(address + POSITION_BYTES + offset))
        store_u64(np.uint64(address + offset), word)
    board_at(address).count = 0
    return 1


# ---- SFEN --------------------------------------------------------------------------------------------------------


@njit
def write_number(text, end, number):
    """Write `number` (0..99999) to text[end:] in digits; return the end."""
    unit = 10000
    while unit > number and unit > 1:
        unit //= 10
    while unit > 0:
        text[end] = ZERO_DIGIT + number // unit % 10
        end += 1
        unit //= 10
    return end


@njit
def write_piece(text, end, piece):
    """Write the symbol of `piece` to text[end:]; return the end."""
    kind = piece_kind(piece)
    if kind >= PROM_PAWN:
        text[end] = PLUS
        end += 1
    text[end] = int(LETTERS[kind]) + LOWER * piece_colour(piece)
    return end + 1


@njit
def write_sfen(address):
    """Write the SFEN to board.text and return its length."""
    board = board_at(address)
    pos, text = board.pos, board.text
    end = empty = 0
    for square in range(SQUARES):
        piece = int(pos.board[square])
        if piece == 0:
            empty += 1
        if empty != 0 and (piece != 0 or square % 9 == 8):
            text[end] = ZERO_DIGIT + empty
            end += 1
            empty = 0
        if piece != 0:
            end = write_piece(text, end, piece)
        if square % 9 == 8:
            text[end] = SLASH if square < SQUARES - 1 else BLANK
            end += 1
    text[end] = COLOUR_LETTERS[pos.side]
    text[end + 1] = BLANK
    end += 2
    if pos.hand[0] | pos.hand[1] == ZERO:
        text[end] = DASH
        end += 1
    for colour in range(2):
        for kind in range(KING - 1, 0, -1):
            count = hand_count(pos.hand[colour], kind)
            if count > 1:
                end = write_number(text, end, count)
            if count > 0:
                end = write_piece(text, end, make_piece(colour, kind))
    text[end] = BLANK
    return write_number(text, end + 1, int(pos.ply) + 1)


@njit
def read_rows(board):
    """Read an SFEN's nine rows in board.text into board.draft; return where they end, 0 to decline."""
    text = board.text
    end = square = promoted = 0
    while square < SQUARES:
        letter = int(text[end])
        end += 1
        kind = int(KIND_OF_LETTER[letter & ~LOWER])
        if kind != 0:
            kind = int(PROMOTED[kind]) if promoted else kind
            if kind == 0:
                return 0
            board.draft.board[square] = make_piece(letter >> 5 & 1, kind)
            square += 1
            promoted = 0
        elif promoted != 0:
            return 0
        elif letter == PLUS:
            promoted = 1
            continue
        elif ZERO_DIGIT < letter <= NINE_DIGIT:
            if square % 9 + letter - ZERO_DIGIT > 9:
                return 0
            for _ in range(letter - ZERO_DIGIT):
                board.draft.board[square] = 0
                square += 1
        else:
            return 0
        if square % 9 == 0 and square < SQUARES:
            if text[end] != SLASH:
                return 0
            end += 1
    return end


@njit
def read_number(text, end):
    """Return (number, end) of the digits at text[end:], at most five; 0 if there is none."""
    number, start = 0, end
    while ZERO_DIGIT <= text[end] <= NINE_DIGIT and end < start + 5:
        number = 10 * number + int(text[end]) - ZERO_DIGIT
        end += 1
    return number, end


@njit
def read_hands(board, end):
    """Read an SFEN's hands at board.text[end:] into board.draft; return where they end, 0 to decline."""
    text, hand = board.text, board.draft.hand
    hand[0] = hand[1] = ZERO
    if text[end] == DASH:
        return end + 1
    start = end
    while text[end] != BLANK:
        digits = end
        count, end = read_number(text, end)
        if end == digits:
            count = 1
        letter = int(text[end])
        kind, colour = int(KIND_OF_LETTER[letter & ~LOWER]), letter >> 5 & 1
        if kind == 0 or kind == KING or not 0 < count <= 18 or text[digits] == ZERO_DIGIT:
            return 0
        if hand_count(hand[colour], kind) != 0:
            return 0
        hand[colour] += np.uint64(count << 8 * kind)
        end += 1
    return end if end > start else 0


@njit
def read_sfen(address, length):
    """Take the position of the SFEN in board.text[:length], four fields with a blank between them; 0 to decline."""
    board = board_at(address)
    text = board.text
    text[length] = BLANK  # where every loop stops
    end = read_rows(board)
    if end == 0 or text[end] != BLANK or text[end + 2] != BLANK:
        return 0
    if text[end + 1] == COLOUR_LETTERS[0]:
        board.draft.side = 0
    elif text[end + 1] == COLOUR_LETTERS[1]:
        board.draft.side = 1
    else:
        return 0
    end = read_hands(board, end + 3)
    if end == 0 or text[end] != BLANK or end >= length:
        return 0
    number, end = read_number(text, end + 1)
    if end != length or not 0 < number <= MAX_MOVE_NUMBER:
        return 0
    board.draft.ply = number - 1
    return take_draft(address) if is_possible(board.draft) else 0


# ---- 32 bytes ----------------------------------------------------------------------------------------------------


@njit
def pack_position(address, packing):
    """Write the position in 32 bytes, as packed.PACKINGS[packing] has them, to board.text; return 1, 0 to decline."""
    board = board_at(address)
    return write_packed(board.pos, packing, board.text)


@njit
def unpack_position(address, packing):
    """Take the position of the 32 bytes in board.text, as packed.PACKINGS[packing] has them; 0 to decline."""
    board = board_at(address)
    return take_draft(address) if read_packed(board.text, packing, board.draft) else 0


# ---- all of them -------------------------------------------------------------------------------------------------


@njit(brief=True)
def convert(address, task, argument):
    """Do `task`, a name above, with its argument, if it has one. They share code, and so one kernel."""
    if task == WRITE_SFEN:
        return write_sfen(address)
    if task == READ_SFEN:
        return read_sfen(address, argument)
    if task == PACK_POSITION:
        return pack_position(address, argument)
    return unpack_position(address, argument)
