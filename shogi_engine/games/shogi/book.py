"""Opening books in the field's text format, `#YANEURAOU-DB2016 1.00`. Standard library only.

A line `sfen BOARD SIDE HANDS NUMBER` names a position; the lines after it, up to the next, are its moves:
`MOVE PONDER VALUE DEPTH COUNT`, what is missing at the end counting as 'none' and 0. Lines that begin with `#` or `//`
are comments. A position is looked up by board, side and hands, whatever its number, and also turned around with the
colours exchanged.
"""

import random
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from shogi_engine.frontends.stdio import sanitize
from shogi_engine.games.shogi.sfen import turned

SHIPPED = Path(__file__).parent / "book.db"
NONE = ("", "no_book")  # names that mean: without a book
HEADER = "#YANEURAOU-DB2016 1.00"
HAND_ORDER = "RBGSNLPrbgsnlp"

_MOVE = re.compile(r"(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?")


@dataclass(frozen=True)
class BookMove:
    """One move of a position. ponder : the answer expected, '' if none.   value : centipawns for who moves."""

    move: str
    ponder: str = ""
    value: int = 0
    depth: int = 0
    count: int = 0


class BookError(ValueError):
    """What is wrong with a book, in one line."""


def position_key(sfen: str) -> str:
    """Return what names a position in a book: board, side, hands in the usual order. Raises ValueError."""
    fields = sfen.split()
    if len(fields) not in (3, 4) or fields[1] not in ("b", "w") or fields[0].count("/") != 8:
        raise ValueError("no sfen")
    board, side, hands = fields[:3]
    pieces = [] if hands == "-" else re.findall(r"\d*[A-Za-z]", hands)
    pieces.sort(key=lambda piece: HAND_ORDER.find(piece[-1]))
    return f"{board} {side} {''.join(pieces) or '-'}"


def turned_key(key: str) -> str:
    """Return the key of the position turned around, with the colours exchanged."""
    return position_key(turned(f"{key} 1"))


def turned_move(move: str) -> str:
    """Return a move as it is when the board is turned around."""

    def square(text: str) -> str:
        return f"{10 - int(text[0])}{chr(ord('a') + ord('i') - ord(text[1]))}"

    start = move[:2] if move[1] == "*" else square(move[:2])
    return start + square(move[2:4]) + move[4:]


class Book:
    """The positions of one file."""

    def __init__(self, positions: dict[str, list[BookMove]] | None = None) -> None:
        self.positions = positions or {}

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
                            moves = book.positions.setdefault(position_key(text.removeprefix("sfen ")), [])
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

    def moves(self, sfen: str, flipped: bool = True) -> list[BookMove]:
        """Return the moves of a position, the best first; [] if it is not in the book. Raises ValueError.

        flipped : use what is known of the position turned around too.
        """
        key = position_key(sfen)
        found = self.positions.get(key, [])
        if not found and flipped:
            found = [
                BookMove(turned_move(each.move), each.ponder and turned_move(each.ponder), *_numbers(each))
                for each in self.positions.get(turned_key(key), [])
            ]
        return sorted(found, key=lambda each: (-each.value, -each.count))

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
        """Return one of the `best` moves that are worth at most `margin` less than the first, or None.

        The oftener a move was played (count), the likelier it is taken; moves that are not legal are left out.
        """
        known = [each for each in self.moves(sfen, flipped) if each.move in legal][: max(best, 1)]
        if not known:
            return None
        good = [each for each in known if each.value >= known[0].value - margin]
        return rng.choices(good, [max(each.count, 1) for each in good])[0]

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
