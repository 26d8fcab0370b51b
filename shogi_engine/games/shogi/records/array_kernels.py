"""Shared by the kernels that read records: the layout of a game's facts; lines, numbers and words of a text.

A text is an array of its bytes, or of its characters' codes.
"""

import numpy as np

from shogi_engine.games.shogi.types import POSITION
from shogi_engine.jit import address_of, load_u64, njit, store_u64

# The indices in a row of facts, int64[FACTS], of a game's length, its ending (an index into records.ENDINGS), the side
# that begins, the length of its SFEN (0: the usual start), and the start and end of the names in the text.
LENGTH, ENDING, BEGAN, SFEN_LENGTH, BLACK_NAME = range(5)
WHITE_NAME = BLACK_NAME + 2
FACTS = WHITE_NAME + 6  # up to four more are for the format's kernel
NO_ENDING = -1
VALUE_LIMIT = 32000
NO_MOVE = -1
POSITION_BYTES = POSITION.itemsize

NEW_LINE, RETURN, DOT, ZERO_DIGIT, NINE_DIGIT = 10, 13, 46, 48, 57
HASH_START, HASH_FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a's, for 64 bits


def hash_of(word: str) -> int:
    """Return the `word_hash` of a whole text, in Python."""
    value = int(HASH_START)
    for letter in word:
        value = (value ^ ord(letter)) * int(HASH_FACTOR) & (1 << 64) - 1
    return value


@njit
def word_hash(text, start, end):
    """Return a hash (uint64) of text[start:end]."""
    value = HASH_START
    for place in range(start, end):
        value = (value ^ np.uint64(text[place])) * HASH_FACTOR
    return value


@njit
def line_end(text, place, stop):
    """Return the end of the line at text[place:stop]: a line feed, a carriage return, or `stop`."""
    while place < stop and text[place] != NEW_LINE and text[place] != RETURN:
        place += 1
    return place


@njit
def read_decimal(text, place, end):
    """Return (number, end) of the digits, possibly with a decimal point, at text[place:end]; 0.0 if there are none."""
    number, unit = 0.0, 0.0
    while place < end:
        letter = int(text[place])
        if ZERO_DIGIT <= letter <= NINE_DIGIT:
            if unit == 0.0:
                number = 10.0 * number + (letter - ZERO_DIGIT)
            else:
                number += unit * (letter - ZERO_DIGIT)
                unit /= 10.0
        elif letter == DOT and unit == 0.0:
            unit = 0.1
        else:
            break
        place += 1
    return number, place


@njit
def copy_position(source, target):
    """Copy a position.

    Args:
        source, target: record[POSITION][1]
    """
    origin, goal = address_of(source), address_of(target)
    for offset in range(0, POSITION_BYTES, 8):
        store_u64(goal + np.uint64(offset), load_u64(origin + np.uint64(offset)))
