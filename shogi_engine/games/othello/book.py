"""Othello's opening book: positions with the moves worth playing there, in a small text file of our own making.

A line is a position as OBF writes it and its moves with what they are worth to the side to move, in discs:
`<64 squares> X; c4:+0.3; c3:-0.1`. One line stands for all eight images of the position; lines that begin with `%` are
comments. A file whose name ends in .gz is packed by gzip.
Loading works on all lines at once with numpy; moves are made of a line when it is looked up.
"""

import functools
import gzip
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine.games.othello.bitboard import INVERSE_SYMMETRY, SYMMETRIES, transform, transform_square
from shogi_engine.games.othello.many_boards import Boards, canonical_boards, many_places
from shogi_engine.games.othello.types import DISC, DISC_MOVE, PASS, move_square
from shogi_engine.interface.extras.book import NO_BOOK, BookError, BookMove

SHIPPED = Path(__file__).resolve().parent / "book.txt.gz"

Key = tuple[int, int]

# A line as this program writes it; others are read with more patience.
_USUAL = re.compile(r"[XO-]{64} [XO](?:; [a-h][1-8]:[+-]?\d++(?:\.\d++)?)++")
_MOVES_AT = 66  # where its moves begin


def canonical_key(position: Any) -> tuple[Key, int]:
    """Return the discs of the smallest image of record[POSITION], own before opponent's, and the symmetry to it."""
    images = (
        ((int(transform(position.own, symmetry)), int(transform(position.opponent, symmetry))), symmetry)
        for symmetry in range(SYMMETRIES)
    )
    return min(images)


class Book:
    """What the book knows: by canonical discs, the symmetry to them of a line's position (a digit), and its moves."""

    def __init__(self, lines: Mapping[Key, str] | None = None) -> None:
        self._lines = dict(lines or {})

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def entries(self) -> dict[Key, list[tuple[int, int]]]:
        """All positions: by canonical discs, (encoded move there, value in hundredths of a disc), the best first."""
        return {key: self._at(key) for key in self._lines}

    def _at(self, key: Key) -> list[tuple[int, int]]:
        """Return the (encoded move, value) of canonical discs, the best first; [] if they are not there."""
        line = self._lines.get(key)
        if line is None:
            return []
        moves = [(_turned(move, int(line[0])), value) for move, value in _split_moves(line[1:])]
        return sorted(moves, key=lambda each: -each[1])

    def moves(self, position: Any) -> list[tuple[int, int]]:
        """Return the (encoded move, value) of the book at record[POSITION], the best first; [] if it is not there."""
        key, symmetry = canonical_key(position)
        back = INVERSE_SYMMETRY[symmetry]
        return [(_turned(move, back), value) for move, value in self._at(key)]

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of a position in OBF, the best first; its images and its number make no difference."""
        from shogi_engine.games.othello.notation import format_move, parse_obf

        record = parse_obf(position)
        return [BookMove(format_move(record, move), value=value) for move, value in self.moves(record)]


def _turned(move: int, symmetry: int) -> int:
    """Return an encoded move as it is after a symmetry."""
    return move if move == PASS else DISC_MOVE | transform_square(move_square(move), symmetry)


def _split_moves(fields: str) -> list[tuple[int, int]]:
    """Return the (encoded move, value) of '; c4:+0.3; c3:-0.1', unchecked but for their form. Raises ValueError."""
    from shogi_engine.games.othello.notation import split_move

    moves = []
    for field in fields.split(";")[1:]:
        name, colon, value = field.strip().partition(":")
        if not colon:
            raise ValueError(f"a move is written as c4:+0.3, not {field.strip()!r}")
        square = split_move(name)
        moves.append((PASS if square is None else DISC_MOVE | square, round(float(value) * DISC)))
    return moves


def parse_line(line: str) -> tuple[Any, list[tuple[int, int]]]:
    """Return the record[POSITION] of a line and its (encoded move, value). Raises ValueError saying what is wrong."""
    from shogi_engine.games.othello.notation import legal_move, parse_obf

    position = parse_obf(line)
    moves = _split_moves(line)
    for move, _ in moves:
        legal_move(position, None if move == PASS else move_square(move))
    return position, moves


def format_line(position: Any, moves: Iterable[tuple[int, int]]) -> str:
    """Return the line of a position and its moves, the inverse of `parse_line`."""
    from shogi_engine.games.othello.notation import format_move, format_obf

    fields = [f"; {format_move(position, move)}:{value / DISC:+.1f}" for move, value in moves]
    return format_obf(position) + "".join(fields)


def _text_of(path: Path) -> str:
    """Return a file's text, unpacked. Raises ValueError, OSError."""
    if path.suffix != ".gz":
        return path.read_text(encoding="utf-8")
    try:
        return gzip.decompress(path.read_bytes()).decode()
    except (EOFError, zlib.error, gzip.BadGzipFile) as fault:
        raise ValueError(f"the packing is damaged: {fault}") from None


def read(path: Path) -> Book:
    """Return the book of a file. Raises ValueError naming the line that is wrong, OSError if it can not be read."""
    lines: dict[Key, str] = {}
    numbers, usual = [], []
    for number, line in enumerate(_text_of(path).splitlines(), 1):
        if _USUAL.fullmatch(line):
            numbers.append(number)
            usual.append(line)
        elif line.strip() and not line.startswith("%"):
            try:
                position, moves = parse_line(line)
            except ValueError as fault:
                raise ValueError(f"line {number}: {fault}") from None
            key, symmetry = canonical_key(position)
            lines[key] = f"{symmetry}{format_line(position, moves)[_MOVES_AT:]}"
    if usual:
        lines |= _read_usual(numbers, usual)
    return Book(lines)


def _read_usual(numbers: list[int], lines: list[str]) -> dict[Key, str]:
    """Return what `Book` holds of lines of the usual form; `numbers` are theirs. Raises ValueError."""
    cells = np.frombuffer("".join([line[:_MOVES_AT] for line in lines]).encode(), dtype=np.uint8)
    cells = cells.reshape(-1, _MOVES_AT)
    own, opponent = _discs(cells[:, :64], cells[:, -1:])
    illegal = _first_illegal([line[_MOVES_AT:] for line in lines], many_places(own, opponent))
    if illegal is not None:
        try:
            parse_line(lines[illegal])
        except ValueError as fault:
            raise ValueError(f"line {numbers[illegal]}: {fault}") from None
    owns, opponents, symmetries = canonical_boards(own, opponent)
    keys = zip(owns.tolist(), opponents.tolist(), strict=True)
    return {
        key: f"{symmetry}{line[_MOVES_AT:]}"
        for key, symmetry, line in zip(keys, symmetries.tolist(), lines, strict=True)
    }


def _discs(squares: NDArray[np.uint8], sides: NDArray[np.uint8]) -> tuple[Boards, Boards]:
    """Return own and opponent's discs of positions as text, uint8[n, 64] and uint8[n, 1]."""
    own, both = squares == sides, squares != ord("-")
    boards = [np.packbits(cells, axis=1, bitorder="little").view("<u8")[:, 0] for cells in (own, both)]
    return boards[0].astype(np.uint64), (boards[0] ^ boards[1]).astype(np.uint64)


def _first_illegal(moves: list[str], places: Boards) -> int | None:
    """Return the first line of `moves` with a square that is not among its `places`, None if there is none."""
    text = np.frombuffer("\n".join(moves).encode(), dtype=np.uint8)
    at = np.flatnonzero(text >= ord("a"))
    squares = 8 * (text[at + 1] - ord("1")) + text[at] - ord("a")
    line = np.cumsum(text == ord("\n"))[at]
    wrong = np.flatnonzero(places[line] >> squares.astype(np.uint64) & np.uint64(1) == 0)
    return int(line[wrong[0]]) if len(wrong) else None


@functools.cache
def shipped() -> Book:
    """Return the book that the package ships."""
    return read(SHIPPED)


def open_book(name: str | None) -> Book:
    """Return the book of the file `name`; None is the one that the package ships. Raises BookError."""
    if name is None:
        return shipped()
    if name in NO_BOOK:
        return Book()
    try:
        return read(Path(name))
    except ValueError as fault:
        raise BookError(str(fault)) from None
    except OSError as fault:
        raise BookError(fault.strerror or "can not be read") from None
