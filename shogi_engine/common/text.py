"""Text: whole numbers from other programs, foreign text in messages, tables, speeds. Standard library only."""

import codecs
import os
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from shogi_engine.language import InputError

# ---- Lines of moves checked against a board


Move = TypeVar("Move")


def legal_line(texts: Iterable[str], board: Any, parse: Callable[[str], Move]) -> tuple[Move, ...]:
    """Return the moves of a line from the position on `board`, up to the first illegal move.

    Args:
        board: is unchanged on return
        parse: returns the board's move of a text; raises ValueError
    """
    moves: list[Move] = []
    for text in texts:
        try:
            move = parse(text)
            board.push(move)
        except ValueError:
            break
        moves.append(move)
    for _ in moves:
        board.pop()
    return tuple(moves)


_WIDE = {0xFF01 + n: 0x21 + n for n in range(94)} | {0x3000: 0x20}  # full-width forms of ASCII
_WIDE |= {ord(dash): ord("-") for dash in "−–—"} | {ord("×"): ord("x")}
SHOWN_MAX = 160  # the most characters of a foreign text that a message quotes
SHOWN_WITH_PATH = 1000  # the most characters of a message that names a file and its fault
NUMBER_MAX = 1 << 53  # larger numbers are clamped to this: a program may send anything


def wide_to_ascii(text: str) -> str:
    """Return `text` with full-width letters, digits and signs made ASCII; every character keeps its place."""
    return text if text.isascii() else text.translate(_WIDE)


def sanitize(text: str, most: int = SHOWN_MAX) -> str:
    """Return `text` as one line of at most `most` printable ASCII characters, for quoting in a message."""
    plain = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    plain = "".join(character if character.isprintable() else "?" for character in plain)
    return plain if len(plain) <= most else plain[: most - 3] + "..."


def printable(text: str) -> str:
    r"""Return `text` with escapes, such as \x1b, for characters that a terminal would obey or not show."""
    hidden = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    shown = (ascii(letter)[1:-1] if unicodedata.category(letter) in hidden else letter for letter in text)
    return text if text.isascii() and text.isprintable() else "".join(shown)


def printable_lines(text: str) -> str:
    """Return `text` with the same escapes, and its line feeds as they are."""
    return "\n".join(map(printable, text.split("\n")))


def clamped_number(text: str, least: int = -NUMBER_MAX, most: int = NUMBER_MAX) -> int:
    """Return the integer in `text`, clamped to the range from `least` to `most`. Raises ValueError if it is not one."""
    sign, digits = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if not (digits.isascii() and digits.isdecimal()):
        raise InputError("{0!r} is not a whole number", sanitize(text))
    number = sign * (min(int(digits), NUMBER_MAX) if len(digits) < 17 else NUMBER_MAX)
    return max(least, min(number, most))


def whole_number(text: str, least: int, most: int) -> int:
    """Return the integer in `text`. Raises ValueError unless it is one from `least` to `most`."""
    fault = InputError("expected a number from {0} to {1}, not {2!r}", least, most, sanitize(text))
    try:
        number = clamped_number(text)
    except ValueError:
        raise fault from None
    if text.startswith("+") or not least <= number <= most:
        raise fault
    return number


def columns(text: str) -> int:
    """Return the width of a text in terminal columns: a kanji takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def table(rows: Sequence[Sequence[str]], sides: str = "") -> list[str]:
    """Return the lines of a table.

    Args:
        sides: the alignment of each column, '<' (left) or '>' (right); by default left for the first, right for the
            others
    """
    widths = [max(map(columns, cells)) for cells in zip(*rows, strict=True)]
    sides = sides or "<" + ">" * len(widths)

    def padded(cell: str, width: int, side: str) -> str:
        blanks = " " * (width - columns(cell))
        return blanks + cell if side == ">" else cell + blanks

    return ["  ".join(map(padded, row, widths, sides)).rstrip() for row in rows]


def nodes_per_second(nodes: int, seconds: float) -> int:
    """Return the speed of a search, 0 if no time was measured."""
    return int(nodes / seconds) if seconds > 0 else 0


# ---- Text files as people and other programs write them. Standard library only


UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of_text(head: bytes) -> str:
    """Return the encoding of a text that begins with `head`: that of its byte order mark, UTF-8 if it has none.

    Editors and shells of Windows write UTF-8 and UTF-16 with a mark.
    """
    return "utf-16" if head.startswith(UTF_16) else "utf-8-sig"


def errors_of_text(encoding: str) -> str:
    """Return how to decode a file whose comments may be Shift JIS: U+FFFD replaces what is not UTF-8; for `open`."""
    return "strict" if encoding == "utf-16" else "replace"


def text_of(data: bytes, foreign: bool = False) -> str:
    """Return the text of a file's bytes, with line feeds only. Raises ValueError if it is not UTF-8 or UTF-16.

    Args:
        foreign: whether the text is read as `errors_of_text` says
    """
    encoding = encoding_of_text(data)
    try:
        text = data.decode(encoding, errors_of_text(encoding) if foreign else "strict")
    except UnicodeDecodeError:
        raise InputError("not a text file in UTF-8 or UTF-16") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file. Raises OSError, and ValueError that names the file if it is not UTF-8 or UTF-16."""
    try:
        return text_of(Path(path).read_bytes())
    except InputError as fault:
        raise InputError("{0}: {1}", path, *fault.args) from None
