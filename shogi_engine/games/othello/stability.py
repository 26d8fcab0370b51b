"""Stable discs: those that no further play can flip."""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello.bitboard import FILE_A, FILE_H, NOT_A, NOT_H, RANK_1, RANK_8
from shogi_engine.jit import njit

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
