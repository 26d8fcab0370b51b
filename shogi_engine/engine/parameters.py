"""A game's parameters by name. They can be set over USI (`param.<name>`) and tuned (tools/tuning/spsa.py).

Every signed integer field of `Game.params` and of the evaluation's parameters is a parameter. The elements of an array
are named `field.index`. Unsigned fields contain addresses and are not parameters. `evaluation` is set by name.
"""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.interface.game import Game
from shogi_engine.language import InputError
from shogi_engine.search.parameters import SEARCH_RANGES, params_for
from shogi_engine.search.root import Searcher

SEPARATOR = "."
# Not for tuning: these change the rules or the goal of the game, not the strength of the engine.
RULES = ("entering_king_rule", "max_moves", "draw_value")
EVALUATION = "evaluation"  # a setting of this name is one of Game.evaluations
WEIGHTS = "weights"  # a setting of this name is a file of weights for the evaluation

# Ranges and steps of parameters for which the defaults of `tunable` are unsuitable: field -> (minimum, maximum, step).
RANGES: dict[str, tuple[int, int, int]] = SEARCH_RANGES


@dataclass(frozen=True)
class Parameter:
    """A tunable number.

    Attributes:
        step: the first change in tuning, about the smallest one with a measurable effect
    """

    name: str
    default: int
    least: int
    most: int
    step: int


def names(params: Any) -> Iterator[str]:
    """Yield the names of all parameters in a params record."""
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
    """Return the field and the indices of a parameter name. Raises ValueError if there is no such parameter."""
    field, *indices = name.split(SEPARATOR)
    if field not in params.dtype.names or np.asarray(params[field]).dtype.kind != "i":
        raise InputError("there is no parameter {0!r}", name)
    shape = np.asarray(params[field]).shape
    numbers = [int(index) for index in indices if index.isascii() and index.isdecimal()]
    inside = all(number < size for number, size in zip(numbers, shape, strict=False))
    if len(numbers) != len(indices) or len(numbers) != len(shape) or not inside:
        raise InputError("there is no parameter {0!r}", name)
    return field, tuple(numbers)


def value(params: Any, name: str) -> int:
    """Return the value of the parameter `name`. Raises ValueError if there is no such parameter."""
    field, place = _place(params, name)
    return int(np.asarray(params[field])[place])


def set_value(params: Any, name: str, setting: int | str) -> None:
    """Set the parameter `name` to an integer. Raises ValueError if there is no such parameter or it cannot hold it."""
    field, place = _place(params, name)
    limits = np.iinfo(np.asarray(params[field]).dtype)
    try:
        number = int(setting) if isinstance(setting, str) else operator.index(setting)
    except (TypeError, ValueError):
        raise InputError("parameter {0} cannot be {1}", name, setting) from None
    if not limits.min <= number <= limits.max:
        raise InputError("parameter {0} cannot be {1}", name, number)
    if place:
        params[field][place] = number
    else:
        params[field] = number


def assign(searcher: Searcher, name: str, setting: Any) -> None:
    """Set a parameter of a search's game or evaluation, or the evaluation itself, for future searches.

    Raises ValueError if there is no such parameter or evaluation, or if the parameter cannot hold the number.
    """
    if name == EVALUATION:
        searcher.set_evaluation(str(setting))
    elif np.ndim(setting) == 0:
        set_value(_owner(name, searcher.params, searcher.evaluator.params), name, setting)
    elif name in searcher.params.dtype.names:
        searcher.params[name] = setting
    else:
        raise InputError("there is no parameter {0!r}", name)


def _owner(name: str, params: Any, evaluation_params: Any) -> Any:
    """Return the record that has the parameter `name`; the game's if neither has it."""
    return evaluation_params if name.split(SEPARATOR)[0] in evaluation_params.dtype.names else params


def check(game: Game, settings: Mapping[str, int | str]) -> None:
    """Raise ValueError, as `assign` would, if a search of `game` cannot have these `settings`."""
    evaluator = game.evaluation(str(settings.get(EVALUATION, ""))).load()
    params = game.default_params()
    for name, setting in settings.items():
        if name != EVALUATION:
            set_value(_owner(name, params, evaluator.params), name, setting)


def parse_settings(text: str) -> dict[str, int | str]:
    """Parse settings such as 'futility_margin=100,evaluation=material'.

    Values are integers, except those of EVALUATION and WEIGHTS. Raises ValueError for anything else.
    """
    settings: dict[str, int | str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, number = part.partition("=")
        if not equals:
            raise InputError("a parameter is set by name=integer, not {0!r}", part)
        name, number = name.strip(), number.strip()
        try:
            settings[name] = number if name in (EVALUATION, WEIGHTS) else int(number)
        except ValueError:
            raise InputError("a parameter is set by name=integer, not {0!r}", part) from None
    return settings


def defaults(game: Game) -> dict[str, int]:
    """Return the default values of all parameters of a game and its default evaluation, by name."""
    evaluator = game.evaluation().load()
    records = params_for(game, evaluator.evaluation), evaluator.params
    return {name: value(params, name) for params in records for name in names(params)}


def tunable(game: Game) -> dict[str, Parameter]:
    """Return the tunable parameters by name. Defaults come from the game, ranges and steps from RANGES.

    A parameter that is not in RANGES lies between 0 and twice its default, and its step is a tenth of the default, at
    least 1. A default of 0 means switched off; such a parameter is tuned only if it is in RANGES.
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
