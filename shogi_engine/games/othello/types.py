"""Othello's constants and records: squares, moves, POSITION and UNDO.

Squares are numbered as OBF and NBoard read a board: 0 is a1, 7 is h1, 8 is a2, 63 is h8; bit s of a bitboard is
square s. Black (X) begins.
"""

import numpy as np

from shogi_engine.jit import njit, record_dtype

BLACK, WHITE = 0, 1
SQUARES = 64

# An upper bound on the moves of any position that notation.parse_obf accepts: a disc move needs an empty square and a
# disc of each side on the board, so there are fewer than 64 (33 at most in a game). A multiple of 8, so that
# `movegen.count_replies` can fill its last row of eight.
MAX_MOVES = 64

# A position: the discs of the side to move and of the other side, and which colour is to move. No byte is padding.
POSITION = record_dtype([("own", np.uint64), ("opponent", np.uint64), ("side", np.uint64)])

# What a move changed: the discs it flipped, and the disc it placed (none for a pass).
UNDO = record_dtype([("flips", np.uint64), ("disc", np.uint64)])

# A move: bits 0-5 the square of a disc move, bit 6 set for a disc move, bit 7 for the pass.
DISC_MOVE = 1 << 6
PASS = 1 << 7


@njit(tiny=True)
def move_square(move):
    """Return the square of the disc move `move`, 0 for a pass."""
    return int(move) & 63


@njit
def placed_disc(move):
    """Return the bitboard (uint64) of the disc that `move` adds: one bit, or none for a pass."""
    return np.uint64(int(move) >> 6 & 1) << np.uint64(int(move) & 63)
