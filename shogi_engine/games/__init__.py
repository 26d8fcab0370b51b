"""The games. Each is a package whose `GAME` the search plays; none is imported before it is asked for."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shogi_engine.game import Game

NAMES = ("shogi", "othello")


def load(name: str) -> "Game":
    """Return the game called `name`. Raises ValueError, with the names there are, if there is no such game."""
    if name not in NAMES:
        raise ValueError(f"there is no game {name!r}; there are {', '.join(NAMES)}")
    return importlib.import_module(f"{__name__}.{name}").GAME


def diagram(game: "Game", position: Any) -> str:
    """Return `position` (record[game.position]) as a board to look at; of a game not listed here, its notation."""
    text = game.format_position(position)
    if game.name not in NAMES:
        return text
    return str(importlib.import_module(f"{__name__}.{game.name}.board").Board(text))
