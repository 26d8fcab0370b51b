"""A game's parameters by name: what may be set from outside (`param.<name>` over USI) and tuned (tools/tuning/spsa.py).

Generic over the dtype: every signed integer field of `Game.params` and of the evaluation's parameters is one, an
element of an array is `field.index`. Addresses (unsigned) are not parameters. `evaluation` is set by its name.
Plain Python over records.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.interface.game import Game
from shogi_engine.search.parameters import SEARCH_RANGES
from shogi_engine.search.root import Searcher

SEPARATOR = "."
# Not for tuning: they say what game is played or what is evaluated, not how well.
RULES = ("entering_king_rule", "max_moves", "draw_value")
EVALUATION = "evaluation"  # a setting of this name is one of Game.evaluations

# Ranges and steps that the rule of `tunable` does not fit: field -> (least, most, step).
RANGES: dict[str, tuple[int, int, int]] = SEARCH_RANGES


@dataclass(frozen=True)
class Parameter:
    """One number. step : how far tuning moves it at first, about what makes a measurable difference."""

    name: str
    default: int
    least: int
    most: int
    step: int


def names(params: Any) -> Iterator[str]:
    """Yield the names of all numbers of a params record that may be set."""
    for field in params.dtype.names:
        value = np.asarray(params[field])
        if value.dtype.kind != "i":
            continue
        if value.ndim == 0:
            yield field
        else:
            for place in np.ndindex(value.shape):
                yield SEPARATOR.join([field, *map(str, place)])


def _place(params: Any, name: str) -> tuple[str, tuple[int, ...]]:
    """Return a name's field and indices. Raises ValueError if there is no such number."""
    field, *indices = name.split(SEPARATOR)
    if field not in params.dtype.names or np.asarray(params[field]).dtype.kind != "i":
        raise ValueError(f"there is no parameter {name!r}")
    shape = np.asarray(params[field]).shape
    numbers = [int(index) for index in indices if index.isascii() and index.isdecimal()]
    inside = all(number < size for number, size in zip(numbers, shape, strict=False))
    if len(numbers) != len(indices) or len(numbers) != len(shape) or not inside:
        raise ValueError(f"there is no parameter {name!r}")
    return field, tuple(numbers)


def value(params: Any, name: str) -> int:
    """Return the number called `name`. Raises ValueError if there is no such number."""
    field, place = _place(params, name)
    return int(np.asarray(params[field])[place])


def set_value(params: Any, name: str, number: int) -> None:
    """Set the number called `name`. Raises ValueError if there is no such number, or if it can not hold `number`."""
    field, place = _place(params, name)
    limits = np.iinfo(np.asarray(params[field]).dtype)
    if not limits.min <= number <= limits.max:
        raise ValueError(f"parameter {name} can not be {number}")
    if place:
        params[field][place] = number
    else:
        params[field] = number


def assign(searcher: Searcher, name: str, setting: int | str) -> None:
    """Set the number called `name` of a search's game or evaluation, or its evaluation, for the searches to come.

    Raises ValueError if there is no such number or evaluation, or if the number can not be that.
    """
    if name == EVALUATION:
        searcher.set_evaluation(str(setting))
    else:
        set_value(_owner(name, searcher.params, searcher.evaluator.params), name, int(setting))


def _owner(name: str, params: Any, evaluation_params: Any) -> Any:
    """Return that of the two records which has the number called `name`, the game's if neither has."""
    return evaluation_params if name.split(SEPARATOR)[0] in evaluation_params.dtype.names else params


def check(game: Game, settings: Mapping[str, int | str]) -> None:
    """Raise ValueError, as `assign` would, if `settings` can not be those of a search of `game`."""
    evaluator = game.evaluation(str(settings.get(EVALUATION, ""))).load()
    params = game.default_params()
    for name, setting in settings.items():
        if name != EVALUATION:
            set_value(_owner(name, params, evaluator.params), name, int(setting))


def parse_settings(text: str) -> dict[str, int | str]:
    """Return the settings of 'futility_margin=100,evaluation=material'. Raises ValueError for what is no name=integer.

    The evaluation alone is set by a name.
    """
    settings: dict[str, int | str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, number = part.partition("=")
        if not equals:
            raise ValueError(f"a parameter is set by name=integer, not {part!r}")
        name, number = name.strip(), number.strip()
        settings[name] = number if name == EVALUATION else int(number)
    return settings


def defaults(game: Game) -> dict[str, int]:
    """Return all numbers of a game and of its default evaluation by name."""
    records = game.default_params(), game.evaluation().load().params
    return {name: value(params, name) for params in records for name in names(params)}


def tunable(game: Game) -> dict[str, Parameter]:
    """Return what tuning may change, by name: defaults from the game, ranges and steps from RANGES or by this rule.

    A number ranges from 0 (or twice itself, if negative) to twice its default, its step is a tenth of that, at least
    1; one whose default is 0 is switched off and needs an entry in RANGES.
    """
    found = {}
    for name, default in defaults(game).items():
        field = name.split(SEPARATOR)[0]
        if field in RANGES:
            found[name] = Parameter(name, default, *RANGES[field])
        elif default and field not in RULES:
            found[name] = Parameter(
                name, default, min(0, 2 * default), max(0, 2 * default), max(1, round(abs(default) / 10))
            )
    return found
