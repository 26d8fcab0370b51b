"""Stubs: the functions of the game protocol. When numba compiles a call of a stub, it resolves it to a game's kernel.

The body of a stub is its default. A game registers rules for the dtype of its positions with `provides`; an evaluation
registers kernels for the dtype of its parameters with `provides_evaluation`. The type of the first argument, a position
or a search context, selects the function that is called.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from shogi_engine.jit import add_rule, new_record, njit, overload_stub, record_dtype

# ---- Evaluations of positions: their description, parameters and weights
#
# An evaluation is a module that defines an `EVALUATION` and registers kernels for it with `game.provides_evaluation`:
# `evaluate` and, if needed, `refresh_accumulator`, `update_accumulator`, `root_order_score` and `probcut`. Its name is
# in the registry `Game.evaluations` and nowhere else. A search context is made for one evaluation. When numba compiles
# the search, it resolves the kernels by the type of `ctx.evaluation`, so there is no dispatch at run time, and only the
# evaluation in use is compiled.


NOTHING = record_dtype([("unused", np.uint64)])


class Weights(Protocol):
    """The weights of an evaluation, in memory. They must outlive all searches that use their addresses."""

    def fill(self, params: Any) -> None:
        """Write the evaluation's parameters, including the addresses of tables, to `params`."""

    def describe(self) -> str:
        """Return a short description of the weights and their source."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation of positions of one game.

    Attributes:
        name: its name in the registry
        position: the dtype of the positions that it evaluates
        accumulator: the dtype of its record for each ply of the line, in ctx.accumulators
        cache: the dtype of its record for each thread, in ctx.evaluation_cache. It is kept between searches and zeroed
            only when the context is made, which happens when the weights change.
        fields: its parameters in ctx.evaluation, in the form that `jit.record_dtype` takes
        load_weights: `load_weights(file)` returns the Weights in `file`, or those of the package if it is None. Raises
            ValueError saying what was expected of the file and what was found. None if there are no weights; then any
            file is refused.
        shown: `shown(ctx)` returns the root's value for display, which may exceed the range of a search
        search_parameters: search parameters (fields of Game.params) that suit its values better than the game's
    """

    name: str
    position: np.dtype
    accumulator: np.dtype = NOTHING
    cache: np.dtype = NOTHING
    fields: tuple[tuple[Any, ...], ...] = ()
    load_weights: Callable[[Path | None], Weights] | None = None
    shown: Callable[[Any], int] | None = None
    search_parameters: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def params(self) -> np.dtype:
        """The dtype of ctx.evaluation: `fields`, and a field named after the evaluation to make the type unique."""
        return record_dtype([*self.fields, (f"is_{self.name.replace('-', '_')}", np.uint64)])

    def load(self, file: Path | None = None) -> "Evaluator":
        """Return the evaluation with the weights in `file` (None: those of the package). Raises ValueError."""
        if self.load_weights is not None:
            return Evaluator(self, self.load_weights(file))
        if file is not None:
            raise ValueError(f"evaluation {self.name} has no weights, so {file} cannot be used")
        return Evaluator(self)


class Evaluator:
    """An evaluation with its weights, as a search uses it.

    Attributes:
        params: record[evaluation.params], copied into each context when a search begins. Its addresses point into
            `weights`, so the evaluator must outlive the contexts.
    """

    def __init__(self, evaluation: Evaluation, weights: Weights | None = None) -> None:
        self.evaluation, self.weights = evaluation, weights
        self.params = new_record(evaluation.params)
        if weights is not None:
            weights.fill(self.params)

    def describe(self) -> str:
        """Return the evaluation's name and a description of its weights."""
        return self.evaluation.name if self.weights is None else f"{self.evaluation.name}: {self.weights.describe()}"


STUBS: dict[str, Callable] = {}  # the protocol: every stub by its name
_rules: dict[Any, dict[str, Any]] = {}  # the position's type -> stub name -> kernel
_evaluation_stubs: set[str] = set()  # the names of the stubs that an evaluation may provide
_evaluation_rules: dict[tuple[Any, Any], dict[str, Any]] = {}  # the same, by position and ctx.evaluation
_owners: dict[Any, str] = {}  # the position's type -> the package of its rules


def provides(dtype: np.dtype) -> Callable[[Callable], Any]:
    """Compile and register a rule for positions of `dtype`. The function must have the name of its stub.

    Raises:
        TypeError: there is no such stub, the parameters differ from the stub's, or the rule is already registered; a
            game in another package has an equal dtype, so that numba could not distinguish the games; or `dtype` has a
            field `pos`, as a context has
    """
    if "pos" in (dtype.names or ()):
        raise TypeError("a position's dtype cannot have a field 'pos': that is what makes a record a search context")

    def register(function: Callable) -> Any:
        name = _checked_name(function, STUBS, "rule")
        owner = _game_package(function.__module__)
        if _owners.setdefault(dtype, owner) != owner:
            raise TypeError(f"{owner}: a position dtype equal to this one belongs to {_owners[dtype]} already")
        return _add(_rules.setdefault(dtype, {}), function, name, dtype, owner)

    return register


def provides_evaluation(evaluation: Evaluation) -> Callable[[Callable], Any]:
    """Compile and register a kernel of `evaluation`. It must have the name of its stub. It overrides the game's rule.

    Two evaluations of a game must not have the same name and fields.

    Raises:
        TypeError: evaluations have no such kernel, the parameters differ from the stub's, or the kernel is already
            registered
    """
    kind = evaluation.position, evaluation.params

    def register(function: Callable) -> Any:
        name = _checked_name(function, _evaluation_stubs, "kernel of an evaluation")
        owner = f"evaluation {evaluation.name} in {function.__module__}"
        return _add(_evaluation_rules.setdefault(kind, {}), function, name, evaluation.params, owner)

    return register


def _checked_name(function: Callable, known: Iterable[str], what: str) -> str:
    """Return the name of a kernel to register. Raises TypeError if no stub has its name and parameters."""
    name = function.__name__
    if name not in known:
        raise TypeError(f"there is no {what} {name!r} in the game protocol; there are {', '.join(sorted(known))}")
    expected, given = inspect.signature(STUBS[name]), inspect.signature(function)
    if list(expected.parameters) != list(given.parameters):
        raise TypeError(f"{name}{given} should have the parameters {expected}")
    return name


def _add(rules: dict[str, Any], function: Callable, name: str, dtype: np.dtype, owner: str) -> Any:
    """Compile a kernel for records with `dtype`, add it to `rules` and return it. Raises TypeError if there is one."""
    if name in rules:
        raise TypeError(f"{owner}: {name} is provided twice")
    rules[name] = njit(function)
    add_rule(dtype, function)
    return rules[name]


def _game_package(module: str) -> str:
    """Return the package of a game's module: the game's folder in this package, or the module's parent package."""
    here = module.split(".")
    return ".".join(here[:3]) if here[:2] == ["shogi_engine", "games"] else module.rpartition(".")[0] or module


def is_provided(dtype: np.dtype, name: str) -> bool:
    """Tell whether the rule `name` is registered for positions of `dtype`."""
    return name in _rules.get(dtype, {})


def _find_rule(name: str, first: np.dtype) -> Any:
    """Return the rule `name` for a stub's first argument of this dtype, a position's or a context's, or None."""
    names: Any = first.names
    if "pos" not in names:
        return _rules.get(first, {}).get(name)
    position = first["pos"]
    if name in _evaluation_stubs and "evaluation" in names:
        found = _evaluation_rules.get((position, first["evaluation"]), {}).get(name)
        if found is not None:
            return found
    return _rules.get(position, {}).get(name)


def stub(default: Callable) -> Callable:
    """Turn a function into a stub. A call runs the rule registered for the position's dtype, or else the body."""
    name = default.__name__
    neutral = njit(default)

    def rule_for(first: np.dtype) -> Any:
        return _find_rule(name, first) or neutral

    def call(*arguments):
        return rule_for(arguments[0].dtype)(*arguments)

    call.__name__, call.__qualname__, call.__doc__ = name, name, default.__doc__
    call.__signature__ = inspect.signature(default)  # type: ignore[attr-defined]
    STUBS[name] = call

    overload_stub(call, rule_for)
    return call


def evaluation_stub(default: Callable) -> Callable:
    """Turn a function into a stub of evaluations. A call runs the evaluation's kernel, else the rule, else the body."""
    _evaluation_stubs.add(default.__name__)
    return stub(default)
