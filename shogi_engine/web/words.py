"""The texts of the browser's page: words.json has them by the names in its scripts, the catalogue the translations."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from shogi_engine.games import NAMES
from shogi_engine.games.shogi.board.piece_shapes import SETS
from shogi_engine.games.shogi.records.handicaps import WESTERN
from shogi_engine.games.shogi.records.kakinoki import HANDICAP_SIDES
from shogi_engine.games.shogi.symbols import PIECE_NAMES, SYMBOLS
from shogi_engine.language import LANGUAGES, translate
from shogi_engine.play.strength import FIRST_LEVEL, STRONGEST
from shogi_engine.types.limit import SIDES
from shogi_engine.web.analyses import MULTIPV_MAX
from shogi_engine.web.files import FILE_MAX
from shogi_engine.web.messages import HEADER_MAX

CONTEXT = "page"  # in the catalogue
# Those offered for a new game.
HANDICAPS = ("lance", "bishop", "rook", "rook-lance", "2-piece", "4-piece", "6-piece", "8-piece", "10-piece")
CLOCKS = ("", "5m+10", "10m+30", "15m+60", "0+30", "5m+0+5")  # offered for a new game, '' for none
WORDS: dict[str, str] = json.loads(files("shogi_engine.web").joinpath("words.json").read_text(encoding="utf-8"))


def words(language: str) -> dict[str, str]:
    """Return the page's texts in a language, by name."""
    return {name: translate(text, language, CONTEXT) for name, text in WORDS.items()}


def _names(language: str) -> dict[str, str]:
    """Return the names of the pieces by their letters, 'P' and '+P'."""
    return {symbol: name for symbol, name in zip(SYMBOLS, PIECE_NAMES[language], strict=True) if symbol}


def _sides(language: str) -> dict[str, list[str]]:
    """Return the names of the sides in each game, and in a game with a handicap."""
    sides = {game: [translate(side, language, game).capitalize() for side in SIDES] for game in NAMES}
    return sides | {"handicap": list(HANDICAP_SIDES) if language == "ja" else sides["shogi"]}


def _handicaps(language: str) -> dict[str, str]:
    """Return the handicaps that are offered: their names in messages, and in a language."""
    return {name: WESTERN[name] if language == "ja" else name.replace("-", " ") for name in HANDICAPS}


def texts_module() -> str:
    """Return a JavaScript module with the texts, pieces and handicaps, by language and name."""
    tables: dict[str, Any] = {"WORDS": words, "PIECE_NAMES": _names, "SIDES": _sides, "HANDICAPS": _handicaps}
    made: dict[str, Any] = {name: {each: table(each) for each in LANGUAGES} for name, table in tables.items()}
    return _module(made)


def facts_module() -> str:
    """Return a JavaScript module with what the page must know of the server: limits and choices."""
    return _module(
        {
            "STRONGEST": STRONGEST,
            "FIRST_LEVEL": FIRST_LEVEL,
            "FILE_MAX": FILE_MAX,
            "HEADER_MAX": HEADER_MAX,
            "CLOCKS": CLOCKS,
            "LINES": MULTIPV_MAX,
            "SETS": SETS,
        }
    )


def _module(made: Mapping[str, Any]) -> str:
    """Return a JavaScript module that exports constants."""
    lines = [f"export const {name} = {json.dumps(table, ensure_ascii=False)};" for name, table in made.items()]
    return "\n".join(["// Made by the server: see words.py.", *lines, ""])
