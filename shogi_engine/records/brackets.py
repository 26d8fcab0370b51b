"""Text with properties in brackets, as in SGF and GGF: '(;GM[Othello]B[F5]W[D6];)'."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from shogi_engine.language import InputError
from shogi_engine.records.tree import GameRecord, RecordError, clipped

GAME_MAX = 1 << 24  # characters of one game


@dataclass(frozen=True)
class GameText:
    """One game's text.

    Attributes:
        line: the number of its first line in the file, from 1
    """

    line: int
    text: str

    def line_of(self, place: int) -> int:
        """Return the line of a character."""
        return self.line + self.text.count("\n", 0, place)


class Token(NamedTuple):
    """A parenthesis, or a property with its values.

    Attributes:
        place: the index of its first character in the block
    """

    place: int
    kind: str  # one of ( ) or the name of a property, in capitals
    values: tuple[str, ...] = ()


_NAME = re.compile(r"([A-Za-z]++\s*+)(\[?)")
_OPEN = re.compile(r"\(\s*;")
_PARTS = re.compile(r"[()\[]")
# By `escapes`: a value's end, a value, the rest of a game without variations, a property.
_ENDS = {True: r"(?:[^\]\\]++|\\.)*+\]", False: r"[^\]]*+\]"}
_END = {key: re.compile(end, re.DOTALL) for key, end in _ENDS.items()}
_VALUE = {key: re.compile(rf"\[({end[:-2]})\]", re.DOTALL) for key, end in _ENDS.items()}
_REST = {key: re.compile(rf"[^()\[]*+(?:\[{end}[^()\[]*+)*+\)", re.DOTALL) for key, end in _ENDS.items()}
_PROPERTY = {key: re.compile(rf"([A-Za-z]++)\s*+((?:\[{end}\s*+)++)", re.DOTALL) for key, end in _ENDS.items()}
_BLANK = {True: re.compile(r"[\s;]++"), False: re.compile(r"[\s();]++")}  # between tokens, by `nested`


def split_games(lines: Iterable[str], escapes: bool) -> Iterator[GameText]:
    """Yield the text of each game, ignoring text between games. Raises RecordError if a game has no end.

    Every character is looked at twice at most.

    Args:
        escapes: whether a backslash escapes the next ]
    """
    parts: list[str] = []  # the earlier lines of the game
    size = depth = first = 0  # depth: the number of open parentheses, 0 between games
    value = False  # whether a value is open
    for number, line in enumerate(lines, 1):
        begin = place = 0
        while True:
            if not depth:
                opening = _OPEN.search(line, place)
                if not opening:
                    break
                if whole := _REST[escapes].match(line, opening.end()):
                    place = whole.end()
                    yield GameText(number, line[opening.start() : place])
                    continue
                first, depth, begin, place = number, 1, opening.start(), opening.start() + 1
            found = (_END[escapes].match if value else _PARTS.search)(line, place)
            if not found:
                break
            place, value = found.end(), found[0] == "["
            depth += {"(": 1, ")": -1}.get(found[0], 0)
            if not depth:
                yield GameText(first, "".join([*parts, line[begin:place]]))
                parts, size = [], 0
        if depth:
            parts.append(line[begin:])
            size += len(line) - begin
            if size > GAME_MAX:
                raise RecordError("the game has no end", line=first)
    if depth:
        yield GameText(first, "".join(parts))


def tokens(text: str, escapes: bool, nested: bool) -> Iterator[Token]:
    """Yield the tokens of a game. Raises ValueError naming the character.

    Args:
        nested: whether parentheses are tokens; otherwise they are passed over, as semicolons always are
    """
    blank, named, value = _BLANK[nested], _PROPERTY[escapes], _VALUE[escapes]
    place = 0
    while place < len(text):
        if nested and (letter := text[place]) in "()":
            yield Token(place, letter)
            place += 1
        elif skipped := blank.match(text, place):
            place = skipped.end()
        elif found := named.match(text, place):
            yield Token(place, _capitals(found[1]), tuple(value.findall(found[2])))
            place = found.end()
        else:
            name = _NAME.match(text, place)
            if not name:
                here = clipped(text[place : place + 100], 24)
                raise InputError("character {0}: expected a property, NAME[...], not {1}", place + 1, here)
            missing = "the ] is missing" if name[2] else "expected a value, [...]"
            raise InputError("character {0}: {1}: {2}", name.end(1) + 1, name[1].rstrip(), missing)


def _capitals(name: str) -> str:
    """Return a property's name; SGF before FF[4] may add small letters to it, as in PlayerBlack."""
    return name if name.isupper() else "".join(filter(str.isupper, name)) or name.upper()


class BlockReader(Protocol):
    """Reads the text of a game.

    Attributes:
        record: the game so far
        builder: builds it; None before the moves
        place: the index of the current character
    """

    record: GameRecord
    builder: Any
    place: int

    def take(self, text: str) -> None:
        """Read the text; raises ValueError."""


def read_block(reader: BlockReader, block: GameText, format_name: str) -> GameRecord:
    """Return the game of a block. Raises RecordError with the format's name, the line and the character."""
    try:
        reader.take(block.text)
    except ValueError as fault:
        place = "" if str(fault).startswith("character") else f"character {reader.place + 1}: "
        line = block.line_of(reader.place)
        raise RecordError("{0}: {1}{2}", format_name, place, fault, line=line, record=reader.record) from None
    finally:
        if reader.builder is not None:
            reader.builder.release()
    return reader.record
