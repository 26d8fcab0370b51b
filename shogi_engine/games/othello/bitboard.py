"""Othello's bitboards: the rays from each square, neighbours, and the eight symmetries of the board."""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.jit import bswap, njit

FILE_A = np.uint64(0x0101010101010101)
FILE_H = np.uint64(0x8080808080808080)
RANK_1 = np.uint64(0x00000000000000FF)
RANK_8 = np.uint64(0xFF00000000000000)
INNER_FILES = np.uint64(0x7E7E7E7E7E7E7E7E)  # b to g: a disc there may be flanked along ranks and diagonals
CORNERS = np.uint64(0x8100000000000081)
X_SQUARES = np.uint64(0x0042000000004200)  # b2, g2, b7 and g7, diagonally next to a corner
C_SQUARES = np.uint64(0x4281000000008142)  # b1, a2 ... h7, next to a corner on the edge
QUADRANT = np.uint64(0x000000000F0F0F0F)  # a1 to d4
QUADRANT_CORNERS = np.uint64(0x0000001100000011)  # a1, e1, a5 and e5: the first square of each quadrant
NOT_A = ~FILE_A
NOT_H = ~FILE_H

SYMMETRIES = 8
ONE_ROW = np.uint64(8)
ONE_STEP = np.uint64(1)


def _ray(square: int, files: int, ranks: int) -> int:
    """Return the squares beyond `square` in one direction, up to the edge."""
    file, rank, ray = square % 8 + files, square // 8 + ranks, 0
    while 0 <= file < 8 and 0 <= rank < 8:
        ray |= 1 << (8 * rank + file)
        file, rank = file + files, rank + ranks
    return ray


# By square and direction: the rays towards higher squares (east, south-west, south, south-east; a1 is at the
# north-west), and the four opposite rays.
_DIRECTIONS = ((1, 0), (-1, 1), (0, 1), (1, 1))
UP_RAYS = np.array([[_ray(s, f, r) for f, r in _DIRECTIONS] for s in range(SQUARES)], dtype=np.uint64)
DOWN_RAYS = np.array([[_ray(s, -f, -r) for f, r in _DIRECTIONS] for s in range(SQUARES)], dtype=np.uint64)


@njit(tiny=True)
def neighbours(discs):
    """Return the squares next to any of `discs` (uint64) in the eight directions; some may be in `discs` themselves."""
    across = discs | (discs & NOT_H) << ONE_STEP | (discs & NOT_A) >> ONE_STEP
    sides = across ^ discs
    return sides | across << ONE_ROW | across >> ONE_ROW


@njit
def odd_quadrant_marks(empty):
    """Return the first square of each quadrant with an odd number of `empty` squares (uint64)."""
    odd = empty ^ empty >> np.uint64(1)
    odd ^= odd >> np.uint64(2)
    odd ^= odd >> np.uint64(8)
    odd ^= odd >> np.uint64(16)
    return odd & QUADRANT_CORNERS


@njit
def odd_quadrants(empty):
    """Return the squares of the quadrants with an odd number of `empty` squares (uint64)."""
    return odd_quadrant_marks(empty) * QUADRANT


@njit
def swap_bits(board, mask, distance):
    """Return `board` with the bits in `mask` and those `distance` (uint64) above them exchanged."""
    changed = (board ^ board >> distance) & mask
    return board ^ changed ^ changed << distance


@njit
def mirror_files(board):
    """Return `board` with the files in reverse order: a1 becomes h1."""
    board = swap_bits(board, np.uint64(0x5555555555555555), np.uint64(1))
    board = swap_bits(board, np.uint64(0x3333333333333333), np.uint64(2))
    return swap_bits(board, np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(4))


@njit
def transpose(board):
    """Return `board` with files and ranks exchanged: b1 becomes a2."""
    board = swap_bits(board, np.uint64(0x00AA00AA00AA00AA), np.uint64(7))
    board = swap_bits(board, np.uint64(0x0000CCCC0000CCCC), np.uint64(14))
    return swap_bits(board, np.uint64(0x00000000F0F0F0F0), np.uint64(28))


@njit
def transform(board, symmetry):
    """Return the image of `board` (uint64) under a symmetry, 0..7 (0 changes nothing).

    Bit 2 exchanges files and ranks, then bit 0 reverses the ranks, then bit 1 the files.
    """
    if symmetry & 4:
        board = transpose(board)
    if symmetry & 1:
        board = bswap(board)
    if symmetry & 2:
        board = mirror_files(board)
    return board


@njit
def canonical(own, opponent):
    """Return the smallest (own, opponent) among the eight images of two bitboards, `own` compared first."""
    best_own, best_opponent = own, opponent
    for symmetry in range(1, SYMMETRIES):
        other_own, other_opponent = transform(own, symmetry), transform(opponent, symmetry)
        if other_own < best_own or (other_own == best_own and other_opponent < best_opponent):
            best_own, best_opponent = other_own, other_opponent
    return best_own, best_opponent


def transform_square(square: int, symmetry: int) -> int:
    """Return the square (0..63) that `square` becomes under a symmetry, as `transform` moves it."""
    file, rank = square % 8, square // 8
    if symmetry & 4:
        file, rank = rank, file
    if symmetry & 1:
        rank = 7 - rank
    if symmetry & 2:
        file = 7 - file
    return 8 * rank + file


# The inverse of each symmetry.
INVERSE_SYMMETRY = (0, 1, 2, 3, 4, 6, 5, 7)


# ---- Stable discs: those that no further play can flip


BORDER = FILE_A | FILE_H | RANK_1 | RANK_8
# Squares with fewer than 1, 2 and 4 further squares to the south-east, and to the south-west.
EAST_2, EAST_4 = np.uint64(0xC0C0C0C0C0C0C0C0), np.uint64(0xF0F0F0F0F0F0F0F0)
WEST_2, WEST_4 = np.uint64(0x0303030303030303), np.uint64(0x0F0F0F0F0F0F0F0F)
SOUTH_2, SOUTH_4 = np.uint64(0xFFFF000000000000), np.uint64(0xFFFFFFFF00000000)
NORTH_2, NORTH_4 = np.uint64(0x000000000000FFFF), np.uint64(0x00000000FFFFFFFF)
S1, S2, S4, S7, S8, S9 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(7), np.uint64(8), np.uint64(9)
S14, S16, S18, S28, S32, S36, S56 = (np.uint64(n) for n in (14, 16, 18, 28, 32, 36, 56))


@njit
def full_ranks(occupied):
    """Return the squares of all ranks without an empty square."""
    full = occupied & occupied >> S4
    full &= full >> S2
    full &= full >> S1
    return (full & FILE_A) * RANK_1


@njit
def full_files(occupied):
    """Return the squares of all files without an empty square."""
    full = occupied & (occupied >> S32 | occupied << S32)
    full &= full >> S16 | full << (S56 - S8)
    return full & (full >> S8 | full << S56)


@njit
def full_diagonals(occupied):
    """Return the squares of all full diagonals parallel to a1-h8, and of all parallel to h1-a8."""
    down = occupied & (occupied >> S9 | FILE_H | RANK_8)
    down &= down >> S18 | EAST_2 | SOUTH_2
    down &= down >> S36 | EAST_4 | SOUTH_4
    up = occupied & (occupied << S9 | FILE_A | RANK_1)
    up &= up << S18 | WEST_2 | NORTH_2
    up &= up << S36 | WEST_4 | NORTH_4
    falling = down & up
    down = occupied & (occupied >> S7 | FILE_A | RANK_8)
    down &= down >> S14 | WEST_2 | SOUTH_2
    down &= down >> S28 | WEST_4 | SOUTH_4
    up = occupied & (occupied << S7 | FILE_H | RANK_1)
    up &= up << S14 | EAST_2 | NORTH_2
    up &= up << S28 | EAST_4 | NORTH_4
    return falling, down & up


@njit
def stable_discs(own, opponent):
    """Return discs of `own` (uint64) that no further play can flip; there may be more.

    A disc is stable if each of its four lines is full, or ends at the disc, or has a stable neighbour of the disc's
    colour.
    """
    occupied = own | opponent
    ranks = full_ranks(occupied) | FILE_A | FILE_H
    files = full_files(occupied) | RANK_1 | RANK_8
    falling, rising = full_diagonals(occupied)
    falling |= BORDER
    rising |= BORDER
    stable = own & ranks & files & falling & rising
    before = ZERO
    while stable != before:
        before = stable
        right, left = (stable & NOT_H) << S1, (stable & NOT_A) >> S1
        stable |= (
            own
            & (ranks | right | left)
            & (files | stable << S8 | stable >> S8)
            & (falling | right << S8 | left >> S8)
            & (rising | left << S8 | right >> S8)
        )
    return stable
