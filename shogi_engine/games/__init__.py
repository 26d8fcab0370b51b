"""The games. Each is a package whose `GAME` the search plays; none is imported before it is asked for."""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shogi_engine.game import Game

NAMES = ("shogi", "othello")
_PUSH = {"shogi": "push_usi", "othello": "push_text"}  # what their Boards call the move given as text


def load(name: str) -> "Game":
    """Return the game called `name`. Raises ValueError, with the names there are, if there is no such game."""
    if name not in NAMES:
        raise ValueError(f"there is no game {name!r}; there are {', '.join(NAMES)}")
    game: Game = importlib.import_module(f"{__name__}.{name}").GAME
    return game


def board(game: "Game", position: Any, moves: Sequence[str] = ()) -> Any:
    """Return the game's Board with `position` (record[game.position]) and `moves` made from there.

    Raises ValueError for a game that is not listed here: it need not have one.
    """
    if game.name not in NAMES:
        raise ValueError(f"{game.name} has no board")
    board = importlib.import_module(f"{__name__}.{game.name}.board").Board(game.format_position(position))
    for move in moves:
        getattr(board, _PUSH[game.name])(move)
    return board


def board_entries(name: str) -> Any:
    """Return the kernels of a Board, a `jit.Entries`, of the game called `name`."""
    return importlib.import_module(f"{__name__}.{name}.board.entries").ENTRIES
