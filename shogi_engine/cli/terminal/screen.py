"""Boards in a terminal: lines of parts with styles; a pipe gets plain text."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TextIO

from shogi_engine.common.streams import can_show
from shogi_engine.common.text import printable_lines

KANJI, WESTERN = PIECES = ("kanji", "western")
KANJI_SAMPLE = "歩▲●・"
IN_KANJI = ("japanese", "kif")  # notations

Part = tuple[str, str]  # text, and its style as rich names it, '' for none
Line = list[Part]


@dataclass(frozen=True)
class Look:
    """How a board is drawn.

    Attributes:
        pieces: one of PIECES
        flipped: seen from white's side
        clocks: the clocks of black and white as text, '' for none
        colours: use styles; otherwise a character marks the last move
    """

    pieces: str = WESTERN
    flipped: bool = False
    clocks: tuple[str, str] = ("", "")
    colours: bool = False


def draw(game: str, board: Any, look: Look) -> list[Line]:
    """Return the lines of a game's Board, drawn by the game's module here, or as text if there is none."""
    name = f"shogi_engine.cli.terminal.{game}_screen"
    if importlib.util.find_spec(name) is None:
        return [[(line, "")] for line in str(board).splitlines()]
    lines: list[Line] = importlib.import_module(name).draw(board, look)
    return lines


def plain(lines: Iterable[Line]) -> str:
    """Return lines without their styles."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def is_terminal() -> bool:
    """Tell whether both stdin and stdout are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def default_pieces(output: TextIO) -> str:
    """Return KANJI for a terminal that can show them, else WESTERN: programs that read a pipe expect letters."""
    return pieces_for(output) if output.isatty() else WESTERN


def pieces_for(output: TextIO, wanted: str = KANJI) -> str:
    """Return the `wanted` pieces, or WESTERN if the output has no kanji."""
    return wanted if can_show(KANJI_SAMPLE, output) else WESTERN


def notation_for(output: TextIO, wanted: str) -> str:
    """Return the `wanted` notation of Shogi moves, or 'western' if the output has no kanji."""
    return "western" if wanted in IN_KANJI and not can_show(KANJI_SAMPLE, output) else wanted


def console() -> tuple[Callable[[str], None], Callable[[list[Line]], None]]:
    """Return two functions that show a text and a board's lines on the terminal, in colours if it has any."""
    from rich.console import Console
    from rich.text import Text

    screen = Console(highlight=False, soft_wrap=True)

    def show(text: str) -> None:
        screen.print(Text(printable_lines(text)))

    def show_lines(lines: list[Line]) -> None:
        for line in lines:
            screen.print(Text.assemble(*line))

    return show, show_lines
