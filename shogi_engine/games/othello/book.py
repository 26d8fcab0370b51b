"""Othello's opening book: positions and their good moves, in a text format of this engine.

A line is a position in OBF and its moves with their values for the side to move, in discs:
`<64 squares> X; c4:+0.3; c3:-0.1`. One line represents all eight images of the position. Lines that begin with `%` are
comments. A line that cannot be read is passed over, and noted. A file whose name ends in .gz is compressed with gzip.

Loading processes all lines at once with numpy; a line's moves are parsed when it is looked up.
"""

import functools
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine.common.text import text_of
from shogi_engine.games.othello.bitboard import INVERSE_SYMMETRY, SYMMETRIES, transform, transform_square
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.types import DISC_MOVE, PASS, move_square
from shogi_engine.interface.extras import NO_BOOK, BookError, BookMove
from shogi_engine.language import InputError, Message

# ---- Operations on thousands of bitboards in numpy, for files of positions, without compiled kernels
#
# Boards are uint64[n]. The same operations for one position are in `bitboard.py`, `movegen.py` and `position.py`.


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


SHIPPED = Path(__file__).resolve().parent / "book.txt.gz"

Key = tuple[int, int]

# A line as this program writes it; other forms are read more slowly.
_USUAL = re.compile(r"[XO-]{64} [XO](?:; [a-h][1-8]:[+-]?\d++(?:\.\d++)?)++")
_VALUE = re.compile(r"[+-]?[0-9]{1,4}(?:\.[0-9]{1,9})?")
_MOVES_AT = 66  # the index of the moves in such a line


def canonical_key(position: Any) -> tuple[Key, int]:
    """Return the discs of the smallest image of record[POSITION], own before opponent's, and the symmetry to it."""
    images = (
        ((int(transform(position.own, symmetry)), int(transform(position.opponent, symmetry))), symmetry)
        for symmetry in range(SYMMETRIES)
    )
    return min(images)


class Book:
    """A book: canonical discs -> the symmetry from a line's position to them (a digit), and the line's moves.

    What several lines say of a position stands one under the other.
    """

    margin = DISC // 2

    def __init__(self, lines: Mapping[Key, str] | None = None, notes: Sequence[str] = ()) -> None:
        self._lines, self.notes = dict(lines or {}), notes

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def entries(self) -> dict[Key, list[tuple[int, int]]]:
        """All positions: canonical discs -> (encoded move there, value in hundredths of a disc), best first."""
        return {key: self._at(key) for key in self._lines}

    def _at(self, key: Key) -> list[tuple[int, int]]:
        """Return the (encoded move, value) pairs of canonical discs, best first; [] if they are not in the book."""
        found: dict[int, int] = {}
        for line in self._lines.get(key, "").split("\n"):
            for move, value in _split_moves(line[1:]):
                found.setdefault(_turned(move, int(line[0])), value)
        return sorted(found.items(), key=lambda each: -each[1])

    def moves(self, position: Any) -> list[tuple[int, int]]:
        """Return the (encoded move, value) pairs of a record[POSITION], best first; [] if it is not in the book."""
        key, symmetry = canonical_key(position)
        back = INVERSE_SYMMETRY[symmetry]
        return [(_turned(move, back), value) for move, value in self._at(key)]

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of a position in OBF, best first; `flipped` and `any_ply` make no difference."""
        from shogi_engine.games.othello.notation import format_move, parse_obf

        record = parse_obf(position)
        return [BookMove(format_move(record, move), value=value) for move, value in self.moves(record)]


def _turned(move: int, symmetry: int) -> int:
    """Return the image of an encoded move under a symmetry."""
    return move if move == PASS else DISC_MOVE | transform_square(move_square(move), symmetry)


def _split_moves(fields: str) -> list[tuple[int, int]]:
    """Parse '; c4:+0.3; c3:-0.1' to (encoded move, value) pairs; only the form is checked. Raises ValueError."""
    from shogi_engine.games.othello.notation import split_move

    moves = []
    for field in filter(str.strip, fields.partition("%")[0].split(";")[1:]):
        name, _, value = field.strip().partition(":")
        if not _VALUE.fullmatch(value.strip()):
            raise InputError("expected a move such as c4:+0.3, not {0!r}", field.strip())
        square = split_move(name)
        moves.append((PASS if square is None else DISC_MOVE | square, round(float(value) * DISC)))
    return moves


def parse_line(line: str) -> tuple[Any, list[tuple[int, int]]]:
    """Return a line's record[POSITION] and (encoded move, value) pairs. Raises ValueError saying what is wrong."""
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
    """Return a file's text, decompressed. Raises ValueError, OSError."""
    data = path.read_bytes()
    try:
        return text_of(gzip.decompress(data) if path.suffix == ".gz" else data, foreign=True)
    except (EOFError, zlib.error, gzip.BadGzipFile) as fault:
        raise InputError("the compressed data are damaged: {0}", fault) from None


def read(path: Path) -> Book:
    """Read a book. Raises ValueError if there is no position in it, OSError if the file cannot be read."""
    found: dict[Key, str] = {}
    notes: list[str] = []
    numbers, usual = [], []
    for number, line in enumerate(_text_of(path).splitlines(), 1):
        if _USUAL.fullmatch(line):
            numbers.append(number)
            usual.append(line)
        elif line.strip() and not line.startswith("%"):
            try:
                position, moves = parse_line(line)
            except ValueError as fault:
                notes.append(Message("line {0}: {1}", number, fault))
                continue
            key, symmetry = canonical_key(position)
            _add(found, key, f"{symmetry}{format_line(position, moves)[_MOVES_AT:]}")
    if usual:
        _read_usual(numbers, usual, found, notes)
    if not found:
        raise InputError(notes[0] if notes else "the file contains no position")
    return Book(found, notes)


def _add(found: dict[Key, str], key: Key, said: str) -> None:
    found[key] = f"{found[key]}\n{said}" if key in found else said


def _read_usual(numbers: list[int], lines: list[str], found: dict[Key, str], notes: list[str]) -> None:
    """Add to the contents of a `Book` the lines of the usual form, numbered by `numbers`; note the illegal ones."""
    cells = np.frombuffer("".join([line[:_MOVES_AT] for line in lines]).encode(), dtype=np.uint8)
    cells = cells.reshape(-1, _MOVES_AT)
    own, opponent = _discs(cells[:, :64], cells[:, -1:])
    passed = set()
    for place in _illegal([line[_MOVES_AT:] for line in lines], many_places(own, opponent)):
        try:
            parse_line(lines[place])
        except ValueError as fault:
            notes.append(Message("line {0}: {1}", numbers[place], fault))
            passed.add(place)
    owns, opponents, symmetries = canonical_boards(own, opponent)
    keys = zip(owns.tolist(), opponents.tolist(), strict=True)
    for place, (key, symmetry, line) in enumerate(zip(keys, symmetries.tolist(), lines, strict=True)):
        if place not in passed:
            _add(found, key, f"{symmetry}{line[_MOVES_AT:]}")


def _discs(squares: NDArray[np.uint8], sides: NDArray[np.uint8]) -> tuple[Boards, Boards]:
    """Return the own and the opponent's discs of positions given as text, uint8[n, 64] and uint8[n, 1]."""
    own, both = squares == sides, squares != ord("-")
    boards = [np.packbits(cells, axis=1, bitorder="little").view("<u8")[:, 0] for cells in (own, both)]
    return boards[0].astype(np.uint64), (boards[0] ^ boards[1]).astype(np.uint64)


def _illegal(moves: list[str], places: Boards) -> list[int]:
    """Return the indices of those of `moves` with a square that is not in their `places`."""
    text = np.frombuffer("\n".join(moves).encode(), dtype=np.uint8)
    at = np.flatnonzero(text >= ord("a"))
    squares = 8 * (text[at + 1] - ord("1")) + text[at] - ord("a")
    line = np.cumsum(text == ord("\n"))[at]
    wrong = np.flatnonzero(places[line] >> squares.astype(np.uint64) & np.uint64(1) == 0)
    indices: list[int] = np.unique(line[wrong]).tolist()
    return indices


@functools.cache
def shipped() -> Book:
    """Return the book that the package ships."""
    return read(SHIPPED)


def open_book(name: str | None) -> Book:
    """Return the book in the file `name`, the shipped one for None. Raises BookError."""
    if name is None:
        return shipped()
    if name in NO_BOOK:
        return Book()
    try:
        return read(Path(name))
    except ValueError as fault:
        raise BookError(str(fault)) from None
    except OSError as fault:
        raise BookError(fault.strerror or "cannot be read") from None
