"""A game's texts as kernels read and write them, for hosts without Python (shogi_engine/embedded): more stubs.

`text` is uint8[], UTF-8. What writes returns the end of what it has written.
"""

import numpy as np

from shogi_engine.interface.game import MOVE_NONE
from shogi_engine.interface.stubs import stub
from shogi_engine.jit import njit

MINUS, DIGIT = ord("-"), ord("0")


def words(*given: str) -> np.ndarray:
    """Return words as uint8[n, m] in UTF-8, the length of each first, for `put`."""
    data = [word.encode() for word in given]
    table = np.zeros((len(data), 1 + max(map(len, data))), dtype=np.uint8)
    for row, word in zip(table, data, strict=True):
        row[0], row[1 : 1 + len(word)] = len(word), list(word)
    return table


@njit
def put(text, end, table, row):
    """Write a word of `words`."""
    for index in range(int(table[row, 0])):
        text[end + index] = table[row, index + 1]
    return end + int(table[row, 0])


@njit
def write_number(text, end, number):
    """Write an integer."""
    if number < 0:
        text[end] = MINUS
        end, number = end + 1, -number
    unit = 1
    while number // unit >= 10:
        unit *= 10
    while unit > 0:
        text[end] = DIGIT + number // unit % 10
        end += 1
        unit //= 10
    return end


# ---- the stubs ---------------------------------------------------------------------------------------------------


@stub
def read_position(pos, text, start, stop):
    """Read the position in text[start:stop], in its usual form, into `pos`; return 1, 0 if it is not one.

    There are two bytes more, and text[stop] is a blank or the end of a line.
    """
    raise NotImplementedError


@stub
def write_position(pos, text, end):
    """Write `pos` to text[end:]."""
    raise NotImplementedError


@stub
def read_move(pos, text, start, stop):
    """Return the legal move in text[start:stop], MOVE_NONE if there is none."""
    return MOVE_NONE


@stub
def write_move(pos, move, text, end):
    """Write `move` to text[end:], as `read_move` reads it."""
    raise NotImplementedError


@stub
def plies_left(pos):
    """Return an upper bound of the remaining plies, as Game.plies_left; 0 if there is none."""
    return 0
