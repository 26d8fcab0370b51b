"""Positions that count as the same: Othello's images by the eight symmetries of the board.

A position of Shogi and the rotated one with the colours exchanged are two: who has won matters.
"""

import functools
from collections.abc import Callable
from typing import Any

from shogi_engine.games.othello.bitboard import SYMMETRIES, transform_square

SQUARES = 64
Image = tuple[str, Callable[[Any], int]]  # a position, and a function that turns a Board's move like it


def images(game: str, position: str) -> list[Image]:
    """Return the images of a position, the position itself first; those of a symmetric position repeat."""
    if game != "othello":
        return [(position, int)]
    return [(_image(position, symmetry), functools.partial(_turned, symmetry)) for symmetry in range(SYMMETRIES)]


def _image(position: str, symmetry: int) -> str:
    cells = list(position)
    for square in range(SQUARES):
        cells[transform_square(square, symmetry)] = position[square]
    return "".join(cells)


def _turned(symmetry: int, move: Any) -> int:
    return int(move) if move.square is None else int(type(move)(transform_square(move.square, symmetry)))
