"""Opening books in YaneuraOu's text format, `#YANEURAOU-DB2016 1.00`. Standard library only.

A line `sfen BOARD SIDE HANDS NUMBER` names a position; the lines after it, up to the next, are its moves:
`MOVE PONDER VALUE DEPTH COUNT`. A field that is missing or not a whole number, such as 'none', gives nothing. `#` and
`//` begin a comment. A line that means nothing is passed over, and noted. A position is looked up by board, side and
hands, whatever its number, and also with the colours reversed.

A book may have millions of positions, of which a game looks up a few dozen. Loading therefore checks the file and keeps
the text of each position, which is parsed when the position is looked up.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from shogi_engine.common.text import encoding_of_text, errors_of_text, sanitize
from shogi_engine.games.shogi.names import flip_sfen
from shogi_engine.interface.extras import NO_BOOK, BookError, BookMove, distinct, whole_number
from shogi_engine.language import InputError, Message

SHIPPED = Path(__file__).parent / "book.db"
SBK = ".sbk"  # ShogiGUI's books
HEADER = "#YANEURAOU-DB2016 1.00"
HAND_ORDER = "RBGSNLPrbgsnlp"
BLOCK = 1 << 22  # characters read at a time

_MOVE_TEXT = r"(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?"
_MOVE = re.compile(_MOVE_TEXT)
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*")
_START = "\nsfen "
_POSITION = re.compile(r"(?:(?:position|sfen)\s+)+|(?=startpos\b|(?:[^\s/]*/){8})", re.IGNORECASE)  # of any form
# A position in its usual form: key, hands, and all of its moves. Other forms are read line by line.
_USUAL = re.compile(
    rf"([1-9A-Za-z+/]++ [bw] (-|[0-9A-Za-z]++))(?: \d++)?(?:\n{_MOVE_TEXT} (?:none|{_MOVE_TEXT})"
    r"(?: (?:none|-?\d++)){3})*+\n?"
)
_TWICE = "\0"  # separates the texts of a position that a file lists twice


def position_key(sfen: str) -> str:
    """Return a position's key in a book: board, side, hands in the usual order. Raises ValueError."""
    fields = sfen.split()
    if len(fields) not in (3, 4) or fields[1] not in ("b", "w") or fields[0].count("/") != 8:
        raise InputError("no sfen")
    return f"{fields[0]} {fields[1]} {_usual_hands(fields[2])}"


@functools.lru_cache(maxsize=1 << 16)
def _usual_hands(hands: str) -> str:
    """Return an SFEN's hands in the usual order."""
    pieces = [] if hands == "-" else re.findall(r"\d*[A-Za-z]", hands)
    pieces.sort(key=lambda piece: HAND_ORDER.find(piece[-1]))
    return "".join(pieces) or "-"


def flipped_key(key: str) -> str:
    """Return the key of the position with the colours reversed."""
    return position_key(flip_sfen(f"{key} 1"))


def flipped_move(move: str) -> str:
    """Return a move rotated by 180 degrees."""

    def square(text: str) -> str:
        return f"{10 - int(text[0])}{chr(ord('a') + ord('i') - ord(text[1]))}"

    start = move[:2] if move[1] == "*" else square(move[:2])
    return start + square(move[2:4]) + move[4:]


class Book:
    """The positions of one file: key -> its move number in the file and the lines of its moves, as text."""

    margin = 30

    def __init__(self, positions: Mapping[str, Iterable[BookMove]] | None = None) -> None:
        self.notes: list[str] = []
        self._entries: dict[str, str] = {}
        for key, moves in (positions or {}).items():
            self._entries[key] = "\n".join(["1", *map(_move_line, moves)])

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def positions(self) -> dict[str, list[BookMove]]:
        """All positions, by key, with their moves in the order of the file. It takes much longer than `load`."""
        return {key: self._at(key, None) for key in self._entries}

    @classmethod
    def load(cls, path: Path) -> "Book":
        """Return the book of a file. Raises BookError if there is no position in it."""
        if path.suffix.lower() == SBK:
            raise BookError("a book of ShogiGUI; `shogi-engine book shogi import` converts it")
        book = cls()
        line, rest, done = 0, "\n", False
        try:
            with path.open("rb") as file:
                encoding = encoding_of_text(file.read(4))
            with path.open(encoding=encoding, errors=errors_of_text(encoding)) as file:  # all but comments is ASCII
                while not done:
                    piece = file.read(BLOCK)
                    done = not piece
                    text = rest + piece
                    cut = len(text) if done else text.rfind(_START, max(len(rest) - len(_START), 0))
                    if cut <= 0:
                        rest = text
                        continue
                    book._read(text[:cut], line)
                    line += text.count("\n", 0, cut)
                    rest = text[cut:]
        except UnicodeDecodeError:
            raise BookError("not a text file in UTF-8 or UTF-16") from None
        except OSError as fault:
            raise BookError(fault.strerror or "cannot be read") from None
        if not book._entries:
            raise BookError(book.notes[0] if book.notes else "the file contains no position")
        return book

    def _read(self, text: str, line: int) -> None:
        """Store the positions in whole lines; a line end precedes the first, whose number is `line`."""
        chunks = text.split(_START)
        if chunks[0]:
            self._read_lines(chunks[0], line)
        entries, usual, counted = self._entries, _USUAL.fullmatch, 0
        for index in range(1, len(chunks)):
            chunk = chunks[index]
            found = usual(chunk)
            if found is None or chunk.count("/") != 8:
                line += sum(each.count("\n") + 1 for each in chunks[counted:index])
                counted = index
                self._read_lines(f"sfen {chunk}", line)
                continue
            key, hands = found.groups()
            if hands != "-" and (known := _usual_hands(hands)) != hands:
                key = key[: -len(hands)] + known
            if key in entries:
                self._note(key, chunk[found.end(1) :])
            else:
                entries[key] = chunk[found.end(1) :]

    def _note(self, key: str, text: str) -> None:
        """Store a position's text, after any earlier text for it."""
        before = self._entries.get(key)
        self._entries[key] = text if before is None else before + _TWICE + text

    def _read_lines(self, text: str, line: int) -> None:
        """Store the positions of some lines, the first of which is number `line`."""
        key, number, passed = "", 1, False  # whether the moves are those of a position that is passed over
        moves: list[str] = []
        for place, raw in enumerate(text.split("\n"), line):
            words = _COMMENT.sub("", raw).strip()
            if not words:
                continue
            try:
                if found := _POSITION.match(words):
                    if key:
                        self._note(key, "\n".join([str(number), *moves]))
                    key, passed, sfen = "", True, words[found.end() :]
                    key, number, moves = position_key(sfen), _move_number(sfen), []
                elif passed and not key:
                    continue
                elif not key:
                    raise InputError("expected a position")
                else:
                    moves.append(_move_line(_parse_move(words)))
            except ValueError as fault:
                self.notes.append(Message("line {0}: {1}: {2!r}", place, fault, sanitize(words)))
        if key:
            self._note(key, "\n".join([str(number), *moves]))

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of an SFEN, best first; [] if it is not in the book. Raises ValueError.

        Args:
            flipped: look up the position with colours reversed too
            any_ply: ignore the move number; otherwise it must equal the file's
        """
        key = position_key(position)
        number = None if any_ply else _move_number(position)
        found = self._at(key, number)
        if not found and flipped:
            found = [
                BookMove(flipped_move(each.move), each.ponder and flipped_move(each.ponder), *_numbers(each))
                for each in self._at(flipped_key(key), number)
            ]
        return distinct(found)

    def _at(self, key: str, number: int | None) -> list[BookMove]:
        """Return the moves under `key`; with a move number, only those that the file has for it."""
        texts = [text.split("\n") for text in self._entries.get(key, "").split(_TWICE) if text]
        wanted = [lines for lines in texts if number in (None, whole_number(lines[0].strip()) or 1)]
        return [_parse_move(line) for lines in wanted for line in lines[1:] if line]

    def text(self) -> str:
        """Return the book in its file format, sorted by position."""
        lines = [HEADER]
        for key in sorted(self._entries):
            lines.append(f"sfen {key} 1")
            lines += map(_move_line, sorted(self._at(key, None), key=lambda move: -move.worth))
        return "\n".join(lines) + "\n"


def _numbers(move: BookMove) -> tuple[int | None, int, int]:
    return move.value, move.depth, move.count


def _move_number(sfen: str) -> int:
    """Return an SFEN's move number, 1 if it has none."""
    fields = sfen.split()
    return (len(fields) > 3 and whole_number(fields[3])) or 1


def _move_line(move: BookMove) -> str:
    """Return the line of a move, the inverse of `_parse_move`."""
    value = "none" if move.value is None else move.value
    return f"{move.move} {move.ponder or 'none'} {value} {move.depth} {move.count}"


def _parse_move(text: str) -> BookMove:
    """Return a move's line. Raises ValueError."""
    words = text.split()
    if not _MOVE.fullmatch(words[0]):
        raise InputError("no move")
    ponder = words[1] if len(words) > 1 and _MOVE.fullmatch(words[1]) else ""
    value, depth, count = [*map(whole_number, words[2:5]), None, None, None][:3]
    return BookMove(words[0], ponder, value, max(depth or 0, 0), max(count or 0, 0))


def located(name: str) -> Path:
    """Return the file that a user means by `name`: that file, or the shipped file of that name.

    `book.db` is always the shipped book, not a file that happens to be in the folder where a GUI was started; for that
    one write `./book.db`.
    """
    return SHIPPED if name == SHIPPED.name else Path(name)


@functools.cache
def shipped() -> Book:
    """Return the book that comes with the engine."""
    return Book.load(SHIPPED)


def open_book(name: str | None) -> Book:
    """Return the book called `name`, or for None the book that comes with the engine. Raises BookError."""
    if name in NO_BOOK:
        return Book()
    path = SHIPPED if name is None else located(name)
    return shipped() if path == SHIPPED else Book.load(path)
