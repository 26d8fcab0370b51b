"""Opening books in the field's text format, `#YANEURAOU-DB2016 1.00`. Standard library only.

A line `sfen BOARD SIDE HANDS NUMBER` names a position; the lines after it, up to the next, are its moves:
`MOVE PONDER VALUE DEPTH COUNT`, what is missing at the end counting as 'none' and 0. Lines that begin with `#` or `//`
are comments. A position is looked up by board, side and hands, whatever its number, and also turned around with the
colours exchanged.
"""

import functools
import random
import re
from collections.abc import Collection
from pathlib import Path

from shogi_engine.book import NO_BOOK, BookError, BookMove, choose
from shogi_engine.games.shogi.sfen import flip_sfen
from shogi_engine.text import sanitize

SHIPPED = Path(__file__).parent / "book.db"
HEADER = "#YANEURAOU-DB2016 1.00"
HAND_ORDER = "RBGSNLPrbgsnlp"

_MOVE = re.compile(r"(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?")


def position_key(sfen: str) -> str:
    """Return what names a position in a book: board, side, hands in the usual order. Raises ValueError."""
    fields = sfen.split()
    if len(fields) not in (3, 4) or fields[1] not in ("b", "w") or fields[0].count("/") != 8:
        raise ValueError("no sfen")
    board, side, hands = fields[:3]
    pieces = [] if hands == "-" else re.findall(r"\d*[A-Za-z]", hands)
    pieces.sort(key=lambda piece: HAND_ORDER.find(piece[-1]))
    return f"{board} {side} {''.join(pieces) or '-'}"


def flipped_key(key: str) -> str:
    """Return the key of the position turned around, with the colours exchanged."""
    return position_key(flip_sfen(f"{key} 1"))


def flipped_move(move: str) -> str:
    """Return a move as it is when the board is turned around."""

    def square(text: str) -> str:
        return f"{10 - int(text[0])}{chr(ord('a') + ord('i') - ord(text[1]))}"

    start = move[:2] if move[1] == "*" else square(move[:2])
    return start + square(move[2:4]) + move[4:]


class Book:
    """The positions of one file."""

    def __init__(self, positions: dict[str, list[BookMove]] | None = None) -> None:
        self.positions = positions or {}
        self.numbers: dict[str, set[int]] = {}  # the move numbers with which a file names a position

    @classmethod
    def load(cls, path: Path) -> "Book":
        """Return the book of a file. Raises BookError, which names the line."""
        book, moves = cls(), None
        try:
            with path.open(encoding="utf-8-sig") as file:
                for number, line in enumerate(file, 1):
                    text = line.strip()
                    if not text or text.startswith(("#", "//")):
                        continue
                    try:
                        if text.startswith("sfen "):
                            sfen = text.removeprefix("sfen ")
                            key = position_key(sfen)
                            moves = book.positions.setdefault(key, [])
                            book.numbers.setdefault(key, set()).add(_move_number(sfen))
                        elif moves is None:
                            raise ValueError("a position expected")
                        else:
                            moves.append(_parse_move(text))
                    except ValueError as fault:
                        raise BookError(f"line {number}: {fault}: {sanitize(text)!r}") from None
        except UnicodeDecodeError:
            raise BookError("not a text file") from None
        except OSError as fault:
            raise BookError(fault.strerror or "can not be read") from None
        if not book.positions:
            raise BookError("there is no position in it")
        return book

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of an SFEN, the best first; [] if it is not in the book. Raises ValueError.

        flipped : use what is known of the position turned around too.
        any_ply : ignore the move number; else only a position that the file has with the same number is found.
        """
        key = position_key(position)
        number = None if any_ply else _move_number(position)
        found = self._at(key, number)
        if not found and flipped:
            found = [
                BookMove(flipped_move(each.move), each.ponder and flipped_move(each.ponder), *_numbers(each))
                for each in self._at(flipped_key(key), number)
            ]
        return sorted(found, key=lambda each: (-each.value, -each.count))

    def _at(self, key: str, number: int | None) -> list[BookMove]:
        """Return the moves under `key`; with a move number, only if the file has that one."""
        if number is not None and number not in self.numbers.get(key, ()):
            return []
        return self.positions.get(key, [])

    def moves(self, sfen: str, flipped: bool = True) -> list[BookMove]:
        """Return the moves of a position whatever its number: see `known`."""
        return self.known(sfen, flipped=flipped)

    def choose(
        self,
        sfen: str,
        legal: Collection[str],
        rng: random.Random,
        *,
        best: int = 16,
        margin: int = 30,
        flipped: bool = True,
    ) -> BookMove | None:
        """Return one of the `best` moves that are worth at most `margin` less than the first, or None."""
        return choose(self.known(sfen, flipped=flipped), legal, rng, best=best, margin=margin)

    def text(self) -> str:
        """Return the book as its file has it, sorted by position."""
        lines = [HEADER]
        for key in sorted(self.positions):
            lines.append(f"sfen {key} 1")
            for each in sorted(self.positions[key], key=lambda move: -move.value):
                lines.append(f"{each.move} {each.ponder or 'none'} {each.value} {each.depth} {each.count}")
        return "\n".join(lines) + "\n"


def _numbers(move: BookMove) -> tuple[int, int, int]:
    return move.value, move.depth, move.count


def _move_number(sfen: str) -> int:
    """Return an SFEN's move number, 1 if it has none."""
    fields = sfen.split()
    return int(fields[3]) if len(fields) > 3 and fields[3].isascii() and fields[3].isdecimal() else 1


def _parse_move(text: str) -> BookMove:
    """Return a move's line. Raises ValueError."""
    words = text.split()
    if not _MOVE.fullmatch(words[0]):
        raise ValueError("no move")
    ponder = words[1] if len(words) > 1 and _MOVE.fullmatch(words[1]) else ""
    numbers = [int(word) for word in words[2:5]]
    return BookMove(words[0], ponder, *numbers)


def located(name: str) -> Path:
    """Return the file a user means by `name`: that file, or the one of that name that comes with the engine."""
    path = Path(name)
    beside = SHIPPED.parent / name
    return beside if not path.exists() and beside.exists() else path


@functools.cache
def shipped() -> Book:
    """Return the book that comes with the engine."""
    return Book.load(SHIPPED)


def open_book(name: str | None) -> Book:
    """Return the book called `name`; None is the one that comes with the engine. Raises BookError."""
    if name is None:
        return shipped()
    return Book() if name in NO_BOOK else Book.load(located(name))
