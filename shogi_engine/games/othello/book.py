"""Othello's opening book: positions with the moves worth playing there, in a small text file of our own making.

A line is a position as OBF writes it and its moves with what they are worth to the side to move, in discs:
`<64 squares> X; c4:+0.3; c3:-0.1`. One line stands for all eight images of the position. Made by
tools/training/othello_book.py.
"""

import functools
from pathlib import Path
from typing import Any

from shogi_engine.book import NO_BOOK, BookError, BookMove
from shogi_engine.games.othello.bitboard import INVERSE_SYMMETRY, SYMMETRIES, transform, transform_square
from shogi_engine.games.othello.types import DISC, DISC_MOVE, move_square

SHIPPED = Path(__file__).resolve().parent / "book.txt"

Key = tuple[int, int]


def canonical_key(position: Any) -> tuple[Key, int]:
    """Return the discs of the smallest image of record[POSITION], own before opponent's, and the symmetry to it."""
    images = (
        ((int(transform(position.own, symmetry)), int(transform(position.opponent, symmetry))), symmetry)
        for symmetry in range(SYMMETRIES)
    )
    return min(images)


class Book:
    """What the book knows: by canonical discs a list of (square, value in hundredths of a disc), the best first."""

    def __init__(self, entries: dict[Key, list[tuple[int, int]]]) -> None:
        self.entries = entries

    def moves(self, position: Any) -> list[tuple[int, int]]:
        """Return the (encoded move, value) of the book at record[POSITION], the best first; [] if it is not there."""
        key, symmetry = canonical_key(position)
        back = INVERSE_SYMMETRY[symmetry]
        return [(DISC_MOVE | transform_square(square, back), value) for square, value in self.entries.get(key, ())]

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of a position in OBF, the best first; its images and its number make no difference."""
        from shogi_engine.games.othello.notation import format_move, parse_obf

        record = parse_obf(position)
        return [BookMove(format_move(record, move), value=value) for move, value in self.moves(record)]


def parse_line(line: str) -> tuple[Any, list[tuple[int, int]]]:
    """Return the record[POSITION] of a line and its (encoded move, value). Raises ValueError saying what is wrong."""
    from shogi_engine.games.othello.notation import legal_move, parse_obf, split_move

    position = parse_obf(line)
    moves = []
    for field in line.split(";")[1:]:
        name, colon, value = field.strip().partition(":")
        if not colon:
            raise ValueError(f"a move is written as c4:+0.3, not {field.strip()!r}")
        moves.append((legal_move(position, split_move(name)), round(float(value) * DISC)))
    return position, moves


def format_line(position: Any, moves: list[tuple[int, int]]) -> str:
    """Return the line of a position and its moves, the inverse of `parse_line`."""
    from shogi_engine.games.othello.notation import SQUARE_NAMES, format_obf

    fields = [f"; {SQUARE_NAMES[move_square(move)]}:{value / DISC:+.1f}" for move, value in moves]
    return format_obf(position) + "".join(fields)


def read(path: Path) -> Book:
    """Return the book of a file. Raises ValueError naming the line that is wrong, OSError if it can not be read."""
    entries = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("%"):
            continue
        try:
            position, moves = parse_line(line)
        except ValueError as fault:
            raise ValueError(f"{path}, line {number}: {fault}") from None
        key, symmetry = canonical_key(position)
        squares = [(transform_square(move_square(move), symmetry), value) for move, value in moves]
        entries[key] = sorted(squares, key=lambda each: -each[1])
    return Book(entries)


@functools.cache
def shipped() -> Book:
    """Return the book that the package ships."""
    return read(SHIPPED)


def open_book(name: str | None) -> Book:
    """Return the book of the file `name`; None is the one that the package ships. Raises BookError."""
    if name is None:
        return shipped()
    if name in NO_BOOK:
        return Book({})
    try:
        return read(Path(name))
    except ValueError as fault:
        raise BookError(str(fault)) from None
    except OSError as fault:
        raise BookError(fault.strerror or "can not be read") from None
