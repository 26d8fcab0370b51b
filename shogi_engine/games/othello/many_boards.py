"""Operations on thousands of bitboards in numpy, for files of positions, without compiled kernels.

Boards are uint64[n]. The same operations for one position are in `bitboard.py`, `movegen.py` and `position.py`.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shogi_engine.games.othello.bitboard import SYMMETRIES

Boards = NDArray[np.uint64]

_INNER = np.uint64(0x7E7E7E7E7E7E7E7E)  # squares that runs along ranks and diagonals may contain
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_DIRECTIONS = ((1, _INNER), (7, _INNER), (8, _ALL), (9, _INNER))
_REVERSED = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8).reshape(-1, 1), axis=1)[:, ::-1], axis=1)[:, 0]
_TRANSPOSE = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))  # as bitboard.transpose


def many_images(boards: Boards, symmetry: int) -> Boards:
    """Apply `bitboard.transform` to many boards."""
    if symmetry & 4:
        for distance, mask in _TRANSPOSE:
            changed = (boards ^ boards >> np.uint64(distance)) & np.uint64(mask)
            boards = boards ^ changed ^ changed << np.uint64(distance)
    if symmetry & 1:
        boards = boards.byteswap()
    return _REVERSED[boards.view(np.uint8)].view(np.uint64) if symmetry & 2 else boards


def canonical_boards(own: Boards, opponent: Boards) -> tuple[Boards, Boards, NDArray[np.uint8]]:
    """Return the smallest image of each position (own discs compared first) and the symmetry that leads to it."""
    best_own, best_opponent, best = own.copy(), opponent.copy(), np.zeros(len(own), dtype=np.uint8)
    for symmetry in range(1, SYMMETRIES):
        other_own, other_opponent = many_images(own, symmetry), many_images(opponent, symmetry)
        smaller = (other_own < best_own) | ((other_own == best_own) & (other_opponent < best_opponent))
        best_own[smaller], best_opponent[smaller], best[smaller] = other_own[smaller], other_opponent[smaller], symmetry
    return best_own, best_opponent, best


def _rays(discs: Boards, opponent: Boards) -> Iterator[tuple[Boards, Boards]]:
    """Yield for each direction the opponent's runs that begin next to any of `discs`, and the squares behind them."""
    for distance, inner in _DIRECTIONS:
        crossable, step = opponent & inner, np.uint64(distance)
        for move in (np.left_shift, np.right_shift):
            line = move(discs, step) & crossable
            for _ in range(5):
                line |= move(line, step) & crossable
            yield line, move(line, step)


def many_places(own: Boards, opponent: Boards) -> Boards:
    """Return the squares where the side to move may place a disc, as `movegen.mobility` does for one position."""
    empty, found = ~(own | opponent), np.zeros_like(own)
    for _, ends in _rays(own, opponent):
        found |= ends & empty
    return found


def many_after(own: Boards, opponent: Boards, square: int) -> tuple[Boards, Boards]:
    """Return (own, opponent) of the next side to move after a disc on `square`, a legal move in each position."""
    disc, flips = np.full_like(own, 1 << square), np.zeros_like(own)
    for line, ends in _rays(disc, opponent):
        flips |= np.where(ends & own, line, np.uint64(0))
    return opponent & ~flips, own | disc | flips
