"""Rows of Othello positions: packed in 17 bytes, and as planes. `games.batch_rules` defines the formats."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.othello.texts import POSITION_BYTES, read_position, write_position
from shogi_engine.games.othello.types import BLACK, SQUARES
from shogi_engine.jit import njit

BYTE, LOW_BYTE = np.uint64(8), np.uint64(255)
WORD = 8  # bytes of a bitboard
END_OF_LINE = ord("\n")
TEXT_BYTES = POSITION_BYTES + 1


@njit
def read_word(row, start):
    """Return the uint64 in row[start : start + 8], uint8, the lowest byte first."""
    word = ZERO
    for index in range(WORD):
        word |= np.uint64(row[start + index]) << np.uint64(8 * index)
    return word


@njit
def write_word(row, start, word):
    """Write `word` as `read_word` reads it."""
    for index in range(WORD):
        row[start + index] = word & LOW_BYTE
        word >>= BYTE


@njit
def read_rows(packed, packing, nodes, count):
    """Read packed[:count], uint8[n, 17], into nodes; return the first row that is not a position, -1 if none."""
    for row in range(count):
        black, white, side = read_word(packed[row], 0), read_word(packed[row], WORD), np.uint64(packed[row, 2 * WORD])
        if black & white != ZERO or side > ONE:
            return row
        pos = nodes[row].pos
        pos.own, pos.opponent = (black, white) if side == BLACK else (white, black)
        pos.side = side
    return -1


@njit
def write_rows(nodes, count, packing, packed):
    """Write nodes[:count] to packed, uint8[>= count, 17]; return -1: every position can be written."""
    for row in range(count):
        pos = nodes[row].pos
        black, white = (pos.own, pos.opponent) if pos.side == BLACK else (pos.opponent, pos.own)
        write_word(packed[row], 0, black)
        write_word(packed[row], WORD, white)
        packed[row, 2 * WORD] = pos.side
    return -1


@njit
def read_texts(text, starts, nodes, count, taken):
    """Read `count` lines in the form of `format_obf` (64 of X, O or -, a blank, the side to move) into nodes.

    Args:
        text: uint8[], in, the lines
        starts: int64[count + 1], in, the start of each line
        taken: uint8[>= count], out, 1 for each line that was read, 0 if it has another form, which Python has to read
    """
    for row in range(count):
        start, stop = int(starts[row]), int(starts[row + 1]) - 1
        taken[row] = read_position(nodes[row].pos, text, start, stop)


@njit
def write_texts(nodes, count, text):
    """Write nodes[:count] to text, uint8[>= count * TEXT_BYTES], one line of `format_obf` each; return the end."""
    end = 0
    for row in range(count):
        end = write_position(nodes[row].pos, text, end)
        text[end] = END_OF_LINE
        end += 1
    return end


@njit
def write_planes(nodes, count, out):
    """Write three planes of 64 squares, a1 first: own discs, the opponent's, ones if white is to move.

    Args:
        out: uint8[>= count, 192], out
    """
    for row in range(count):
        pos = nodes[row].pos
        for square in range(SQUARES):
            out[row, square] = pos.own >> np.uint64(square) & ONE
            out[row, SQUARES + square] = pos.opponent >> np.uint64(square) & ONE
            out[row, 2 * SQUARES + square] = pos.side
