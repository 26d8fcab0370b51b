"""Text with properties in brackets, as in SGF and GGF: '(;GM[Othello]B[F5]W[D6];)'."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from shogi_engine.records.errors import RecordError
from shogi_engine.records.tree import GameRecord

GAME_MAX = 1 << 24  # characters of one game
_NAME = re.compile(r"[A-Za-z]+")
_BLANK = re.compile(r"\s*")


@dataclass(frozen=True)
class Block:
    """One game's text.

    Attributes:
        line: the number of its first line in the file, from 1
    """

    line: int
    text: str

    def line_of(self, place: int) -> int:
        """Return the line of a character."""
        return self.line + self.text.count("\n", 0, place)


@dataclass(frozen=True)
class Token:
    """A parenthesis, a semicolon, or a property with its values.

    Attributes:
        place: the index of its first character in the block
    """

    place: int
    kind: str  # one of ( ) ; or the name of a property, in capitals
    values: tuple[str, ...] = ()


def value_pattern(escapes: bool) -> str:
    """Return the pattern of a value with its brackets.

    Args:
        escapes: whether a backslash escapes the next ]
    """
    return r"\[(?:[^\]\\]|\\.)*\]" if escapes else r"\[[^\]]*\]"


def split_games(lines: Iterable[str], escapes: bool) -> Iterator[Block]:
    """Yield the text of each game, ignoring text between games. Raises RecordError if a game has no end."""
    parts = re.compile(rf"{value_pattern(escapes)}|[()]", re.DOTALL)
    text, first = "", 1
    for number, line in enumerate(lines, 1):
        if not text:
            if "(;" not in line.replace(" ", ""):
                continue
            first, line = number, line[line.index("(") :]
        text += line
        if len(text) > GAME_MAX:
            raise RecordError("the game has no end", line=first)
        while ")" in line and (end := _end(text, parts)):
            yield Block(first, text[:end])
            first += text.count("\n", 0, end)
            rest = re.search(r"\(\s*;", text[end:])
            text = text[end + rest.start() :] if rest else ""
    if text:
        yield Block(first, text)


def _end(text: str, parts: re.Pattern[str]) -> int:
    """Return the end of the game at the beginning of `text`, 0 if `text` is incomplete."""
    depth = 0
    for found in parts.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth <= 0 and found[0] == ")":
            return found.end()
    return 0


def tokens(text: str, escapes: bool) -> Iterator[Token]:
    """Yield the tokens of a game. Raises ValueError naming the character."""
    value = re.compile(value_pattern(escapes), re.DOTALL)
    place = _BLANK.match(text).end()  # type: ignore[union-attr]
    while place < len(text):
        if text[place] in "();":
            yield Token(place, text[place])
            place += 1
        else:
            start, name = place, _NAME.match(text, place)
            if not name:
                raise ValueError(f"character {place + 1}: expected a property, NAME[...], not {_clip(text[place:])}")
            place = _BLANK.match(text, name.end()).end()  # type: ignore[union-attr]
            values = []
            while found := value.match(text, place):
                values.append(found[0][1:-1])
                place = _BLANK.match(text, found.end()).end()  # type: ignore[union-attr]
            if not values:
                missing = "the ] is missing" if text[place : place + 1] == "[" else "expected a value, [...]"
                raise ValueError(f"character {place + 1}: {name[0]}: {missing}")
            yield Token(start, name[0].upper(), tuple(values))
        place = _BLANK.match(text, place).end()  # type: ignore[union-attr]


def _clip(text: str) -> str:
    """Return `text` quoted and shortened, for error messages."""
    return repr(text if len(text) <= 24 else text[:21] + "...")


class BlockReader(Protocol):
    """Reads the text of a game.

    Attributes:
        record: the game so far
        place: the index of the current character
    """

    record: GameRecord
    place: int

    def take(self, text: str) -> None:
        """Read the text; raises ValueError."""


def read_block(reader: BlockReader, block: Block, format_name: str) -> GameRecord:
    """Return the game of a block. Raises RecordError with the format's name, the line and the character."""
    try:
        reader.take(block.text)
    except ValueError as fault:
        place = "" if str(fault).startswith("character") else f"character {reader.place + 1}: "
        line = block.line_of(reader.place)
        raise RecordError(f"{format_name}: {place}{fault}", line=line, record=reader.record) from None
    return reader.record
