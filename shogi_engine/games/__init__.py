"""The games by name. Each is a module that defines `GAME`; none is imported before it is first used."""

import functools
import importlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from shogi_engine.common.registry import Registry
from shogi_engine.language import InputError

if TYPE_CHECKING:
    from shogi_engine.interface.game import Game
    from shogi_engine.records import GameRecord
    from shogi_engine.types.outcomes import GameNames


NAMES = ("shogi", "othello")  # the games of this package
REQUIRED = ("generate_moves", "do_move", "undo_move", "key", "terminal_value")  # rules without a default

_registry = Registry(
    "game", "GAME", {name: f"{__name__}.{name}" for name in NAMES}, default=NAMES[0], group="shogi_engine.games"
)


def register(name: str, module: str) -> None:
    """Add the game called `name`, defined as `GAME` in `module` (a full name, as `import` takes it).

    If `module` is a package, its modules `board`, `batch` and `recipe` are the game's optional parts; without them,
    `board` and `batch` are made from the rules. An installed package can add a game without this call, by an entry
    point of the group `shogi_engine.games`. Raises ValueError if the name is taken.
    """
    _registry.register(name, module)


def names() -> tuple[str, ...]:
    """Return the names of all games, with the games of other packages last."""
    return tuple(_registry)


def check(name: str) -> None:
    """Raise ValueError listing the names if there is no game called `name`, without loading it."""
    _registry.module(name)


def load(name: str) -> "Game":
    """Return the game called `name`. Raises ValueError listing the names if there is no such game."""
    module = _registry.module(name)
    try:
        game: Game = importlib.import_module(module).GAME
    except (ImportError, AttributeError) as fault:
        raise InputError("the game {0!r} cannot be loaded: {1}", name, fault) from fault
    if game.name != name:
        raise InputError("the game of {0} is called {1!r}, not {2!r}", module, game.name, name)
    if name not in NAMES:
        from shogi_engine.interface.stubs import is_provided

        required = [*REQUIRED, *(["evaluate"] if game.evaluations is None else [])]
        if lacking := [rule for rule in required if not is_provided(game.position, rule)]:
            raise InputError("the game {0!r} does not provide {1}", name, ", ".join(lacking))
    return game


def start(name: str) -> str:
    """Return the starting position of the game called `name`, of this package's without loading numba."""
    if name in NAMES:
        return str(importlib.import_module(f"{_registry.module(name)}.names").START)
    return load(name).start


@functools.cache
def game_module(name: str, part: str) -> Any:
    """Return the module `part` of the game called `name`, or what is made from the rules instead.

    Raises ValueError if the game has no such part.
    """
    missing = InputError("the game {0!r} has no {1}", name, part)
    if name not in _registry:  # an unregistered Game can be passed to Engine
        raise missing
    module = f"{_registry.module(name)}.{part}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as fault:
        if fault.name is None or not module.startswith(fault.name):  # a module imported by the part is missing
            raise
    if part == "board":
        from shogi_engine.games.game_board import board_of

        return SimpleNamespace(Board=board_of(load(name)))
    if part == "batch":
        from shogi_engine.games.batch import rules_of

        return SimpleNamespace(RULES=rules_of(load(name)))
    raise missing


def has(name: str, part_name: str) -> bool:
    """Tell whether the game called `name` has the module `part_name`."""
    try:
        game_module(name, part_name)
    except ValueError:
        return False
    return True


def board(game: "Game", position: Any, moves: Sequence[str] = ()) -> Any:
    """Return the game's Board with `position` (record[game.position]) after `moves`."""
    board = board_class(game)(game.format_position(position))
    for move in moves:
        board.push_text(move)
    return board


def board_class(game: "Game") -> Any:
    """Return the class of the game's Boards, whose argument is a position in the game's notation, or None."""
    if game.name in _registry:
        return game_module(game.name, "board").Board
    from shogi_engine.games.game_board import board_of

    return board_of(game)


def moves_of(name: str, texts: Sequence[str]) -> list[Any]:
    """Convert moves of the game called `name` to its Board's Moves, or return the texts, which any Board reads."""
    move = getattr(game_module(name, "board"), "Move", None) if name in _registry else None
    if move is None:
        return list(texts)
    read = move.from_usi if hasattr(move, "from_usi") else move.from_text
    return [read(text) for text in texts]


def board_entries(name: str) -> Any:
    """Return the Board's kernels, a `jit.Entries`, for the game called `name`."""
    return game_module(name, "board").ENTRIES


def warm_board(name: str) -> None:
    """Compile what games on the Board of the game called `name` need, or load it from the cache, before clocks run."""
    module = game_module(name, "board")
    if hasattr(module, "ENTRIES"):
        module.ENTRIES.warmup()
    made = module.Board(load(name).start)
    move = next(iter(made.legal_moves))
    made.parse_text(str(made.text(move) if hasattr(made, "text") else move))
    made.outcome()


def typed_moves(game: "Game", position: str, moves: Sequence[str]) -> list[str]:
    """Convert moves typed by a person, in any notation that the game's Board reads, to the game's own texts.

    Args:
        position: the position before the moves, '' for the game's start
        moves: the texts, each with one move or with several separated by blanks; Othello's need no blanks ('f5d6c3')

    Raises:
        ValueError: a move is invalid; the message names it
    """
    if not moves:
        return []
    start = board(game, game.parse_position(position or game.start))
    push = getattr(start, "push_typed", lambda text: [start.push_text(text)])
    split = getattr(start, "split_moves", str.split)
    texts: list[str] = []
    for number, move in enumerate((move for text in moves for move in split(text)), 1):
        try:
            texts += map(str, push(move))
        except ValueError as fault:
            raise InputError("move {0}: {1}", number, fault) from None
    return texts


# ---- Castles and openings of games, by name, for every game that has them


def opening_names(record: "GameRecord") -> "GameNames | None":
    """Return the castles and openings of a game's main line, None if its players have no such names.

    Raises ValueError for an illegal move.
    """
    if not has(record.game, "openings"):
        return None
    names: GameNames = game_module(record.game, "openings").names_of_record(record)
    return names
