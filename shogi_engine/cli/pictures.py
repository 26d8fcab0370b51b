"""Positions as pictures and pages, for `convert`, `study` and `tsume`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shogi_engine import language
from shogi_engine.games.svg import BOOK, COLOUR, png
from shogi_engine.language import InputError

if TYPE_CHECKING:
    from shogi_engine.records import GameRecord

PAGE = "html"
STYLES = {"book.svg": BOOK, "book.png": BOOK, "svg": COLOUR, "png": COLOUR}  # a name ends in the first that fits
DRAWN = (*STYLES, PAGE)


def drawn_by(name: str) -> str:
    """Return which of DRAWN a file's name ends in, '' if none."""
    return next((kind for kind in DRAWN if name.lower().endswith(f".{kind}")), "")


def draw(games: "Sequence[GameRecord]", kind: str, title: str) -> bytes:
    """Return a picture of a game, as `study.diagram` draws it, or a page of several games.

    Args:
        kind: one of DRAWN
        title: of a page

    Raises:
        ValueError: several games for one picture, or the package for PNG is not installed
    """
    from shogi_engine import study

    if kind == PAGE:
        return study.sheet(games, title, language.current()).encode("utf-8", "replace")
    if len(games) != 1:
        raise InputError("a picture shows one position, and there are {0}; .html is for several", len(games))
    picture = study.diagram(games[0], STYLES[kind])
    return png(picture) if kind.endswith("png") else picture.encode()
