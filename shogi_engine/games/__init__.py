"""The games. Each is a package whose `GAME` the search plays; none is imported before it is asked for."""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shogi_engine.game import Game

NAMES = ("shogi", "othello")
MOVE_READERS = {"shogi": "from_usi", "othello": "from_text"}


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
        board.push_text(move)
    return board


def moves_of(name: str, texts: Sequence[str]) -> list[Any]:
    """Return moves of the game called `name` as those of its Board; the texts themselves if it has none."""
    if name not in NAMES:
        return list(texts)
    move = importlib.import_module(f"{__name__}.{name}.board").Move
    return [getattr(move, MOVE_READERS[name])(text) for text in texts]


def board_entries(name: str) -> Any:
    """Return the kernels of a Board, a `jit.Entries`, of the game called `name`."""
    return importlib.import_module(f"{__name__}.{name}.board.entries").ENTRIES


def typed_moves(game: "Game", position: str, moves: Sequence[str]) -> list[str]:
    """Return moves that a person typed, in any notation the game's Board reads, as the game's own texts.

    position : where they begin, '' for the game's start. Raises ValueError naming the move that is wrong.
    """
    if game.name not in NAMES or not moves:
        return list(moves)
    start = board(game, game.parse_position(position or game.start))
    texts = []
    for number, move in enumerate(moves, 1):
        try:
            texts.append(str(start.push_text(move)))
        except ValueError as fault:
            raise ValueError(f"move {number}: {fault}") from None
    return texts
