"""SFEN read and written by kernels.

They read only the usual forms and decline all other input (they return 0). Python then reads any valid form, and
explains what is wrong with invalid input: notation.parse_sfen, validation.validate_position.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.rules import position_faults
from shogi_engine.games.shogi.sfen import MAX_MOVE_NUMBER
from shogi_engine.games.shogi.types import SYMBOLS
from shogi_engine.jit import njit

SFEN_BYTES = 192  # above the length of any SFEN: 81 squares of two symbols, 8 slashes, two hands of 14 kinds, a number
BLANK, SLASH, PLUS, DASH, ZERO_DIGIT, NINE_DIGIT = (ord(letter) for letter in " /+-09")
LOWER = 32  # the difference between a small letter and its capital
COLOUR_LETTERS = np.frombuffer(b"bw", dtype=np.uint8)

LETTERS = np.array([ord(symbol[-1]) if symbol else 0 for symbol in SYMBOLS], dtype=np.uint8)  # by kind, a capital
KIND_OF_LETTER = np.zeros(256, dtype=np.uint8)
KIND_OF_LETTER[LETTERS[t.PAWN : t.KING + 1]] = range(t.PAWN, t.KING + 1)


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
    kind = t.piece_kind(piece)
    if kind >= t.PROM_PAWN:
        text[end] = PLUS
        end += 1
    text[end] = int(LETTERS[kind]) + LOWER * t.piece_colour(piece)
    return end + 1


@njit
def write_sfen(pos, text, start):
    """Write the SFEN of `pos` to text[start:], uint8[], at most SFEN_BYTES; return the end."""
    end, empty = start, 0
    for square in range(t.SQUARES):
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
            text[end] = SLASH if square < t.SQUARES - 1 else BLANK
            end += 1
    text[end] = COLOUR_LETTERS[pos.side]
    text[end + 1] = BLANK
    end += 2
    if pos.hand[0] | pos.hand[1] == ZERO:
        text[end] = DASH
        end += 1
    for colour in range(2):
        for kind in range(t.KING - 1, 0, -1):
            count = t.hand_count(pos.hand[colour], kind)
            if count > 1:
                end = write_number(text, end, count)
            if count > 0:
                end = write_piece(text, end, t.make_piece(colour, kind))
    text[end] = BLANK
    return write_number(text, end + 1, int(pos.ply) + 1)


@njit
def read_rows(text, start, pos):
    """Read an SFEN's nine rows at text[start:] into `pos`; return where they end, 0 to decline."""
    end, square, promoted = start, 0, 0
    while square < t.SQUARES:
        letter = int(text[end])
        end += 1
        kind = int(KIND_OF_LETTER[letter & ~LOWER])
        if kind != 0:
            kind = int(t.PROMOTED[kind]) if promoted else kind
            if kind == 0:
                return 0
            pos.board[square] = t.make_piece(letter >> 5 & 1, kind)
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
                pos.board[square] = 0
                square += 1
        else:
            return 0
        if square % 9 == 0 and square < t.SQUARES:
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
def read_hands(text, end, pos):
    """Read an SFEN's hands at text[end:] into `pos`; return where they end, 0 to decline."""
    hand = pos.hand
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
        if kind == 0 or kind == t.KING or not 0 < count <= 18 or text[digits] == ZERO_DIGIT:
            return 0
        if t.hand_count(hand[colour], kind) != 0:
            return 0
        hand[colour] += np.uint64(count << 8 * kind)
        end += 1
    return end if end > start else 0


@njit
def read_sfen(text, start, stop, pos):
    """Read the SFEN in text[start:stop], four fields with a blank between them, into `pos`; return 1, 0 to decline.

    Args:
        text: uint8[], in; text[stop] is a blank or the end of a line, and there are two bytes more
    """
    end = read_rows(text, start, pos)
    if end == 0 or text[end] != BLANK or text[end + 2] != BLANK:
        return 0
    if text[end + 1] == COLOUR_LETTERS[0]:
        pos.side = 0
    elif text[end + 1] == COLOUR_LETTERS[1]:
        pos.side = 1
    else:
        return 0
    end = read_hands(text, end + 3, pos)
    if end == 0 or text[end] != BLANK or end >= stop:
        return 0
    number, end = read_number(text, end + 1)
    if end != stop or not 0 < number <= MAX_MOVE_NUMBER:
        return 0
    pos.ply = number - 1
    return int(position_faults(pos) == 0)
