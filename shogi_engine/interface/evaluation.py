"""Evaluations of positions: their description, parameters and weights.

An evaluation is a module that defines an `EVALUATION` and registers kernels for it with `game.provides_evaluation`:
`evaluate` and, if needed, `refresh_accumulator`, `update_accumulator`, `root_order_score` and `probcut`. Its name is in
the registry `Game.evaluations` and nowhere else. A search context is made for one evaluation. When numba compiles the
search, it resolves the kernels by the type of `ctx.evaluation`, so there is no dispatch at run time, and only the
evaluation in use is compiled.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from shogi_engine.jit import new_record, record_dtype

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
