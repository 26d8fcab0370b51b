"""Checks of what a program passes: a TypeError says what was expected, before anything fails elsewhere."""

import inspect
from collections.abc import Callable, Collection, Iterable
from numbers import Integral, Real
from typing import Any

from shogi_engine.language import InputError


def check_number(name: str, value: object, least: float, *, whole: bool) -> None:
    """Raise TypeError unless `value` is a number, whole if it must be, and ValueError if it is below `least`."""
    if not isinstance(value, Integral if whole else Real):
        raise TypeError(f"{name} must be a {'whole ' if whole else ''}number, not {value!r}")
    number: Any = value
    if not number >= least:
        raise InputError("{0} must be at least {1}, not {2}", name, least, number)


def check_names(owner: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError, which lists the `known` arguments of `owner`, if one of those `given` is none of them."""
    if unknown := [name for name in given if name not in known]:
        raise TypeError(f"{owner} has no argument {unknown[0]!r}; there are {', '.join(known)}")


def keyword_names(*functions: Callable[..., object]) -> list[str]:
    """Return the names of the arguments that functions or classes take by name only, each once."""
    given = (each for function in functions for each in inspect.signature(function).parameters.values())
    return list(dict.fromkeys(each.name for each in given if each.kind is each.KEYWORD_ONLY))


def check_board(board: Any, method: str) -> None:
    """Raise TypeError unless `board` is a Board that has `method`: not a text, a class or another game's Board."""
    if isinstance(board, type) or not hasattr(board, method):
        raise TypeError(f"expected a Board with the method {method}, not {board!r}")


def move_texts(moves: Any) -> list[str]:
    """Return moves, given as Moves or texts, as texts. Raises TypeError for a single move."""
    if isinstance(moves, str) or not isinstance(moves, Iterable):
        raise TypeError(f"expected a list of moves, not {moves!r}")
    return [str(move) for move in moves]
