"""The games. Each is a package whose `GAME` the search plays; none is imported before it is asked for."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shogi_engine.game import Game

NAMES = ("shogi", "othello")


def load(name: str) -> "Game":
    """Return the game called `name`. Raises ValueError, with the names there are, if there is no such game."""
    if name not in NAMES:
        raise ValueError(f"there is no game {name!r}; there are {', '.join(NAMES)}")
    return importlib.import_module(f"{__name__}.{name}.game").GAME
