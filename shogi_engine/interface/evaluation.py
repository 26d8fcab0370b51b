"""Evaluations: kernels, the record they keep for each ply, their parameters, and the weights these point to.

An evaluation is a module with an `EVALUATION` and kernels registered for it by `game.provides_evaluation`: `evaluate`
and, as needed, `refresh_accumulator`, `update_accumulator`, `root_order_score` and `probcut`. The registry
`Game.evaluations` holds its name; no other place needs it. A search context is made for one evaluation. Numba resolves
the kernels by the type of `ctx.evaluation` while compiling. So nothing is dispatched at run time, and only the
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
    """An evaluation's learnt weights, in memory. They must outlive every search that holds their addresses."""

    def fill(self, params: Any) -> None:
        """Write the evaluation's parameters, the addresses of tables among them, to `params`."""

    def describe(self) -> str:
        """Return a short description of the weights and their source."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation of positions of one game.

    Attributes:
        name: its name in the registry
        position: the dtype of the positions it evaluates
        accumulator: the dtype of its record for each ply of the line, in ctx.accumulators
        cache: the dtype of its record for each thread, kept between searches in ctx.evaluation_cache; zeroed only when
            the context is made, which is when the weights change
        fields: its parameters, as `jit.record_dtype` takes them, in ctx.evaluation
        load_weights: `load_weights(file)` returns Weights, for None those of the package; raises ValueError saying
            what was expected of the file and what was found. If this is None, there are no weights, and any file is
            refused.
        shown: `shown(ctx)` returns the root's value as shown to users; it may exceed the range of a search
        search_parameters: numbers of the search (fields of Game.params) that suit its values better than the game's own
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
        """Return the evaluation with the weights of `file`, or for None those of the package. Raises ValueError."""
        if self.load_weights is not None:
            return Evaluator(self, self.load_weights(file))
        if file is not None:
            raise ValueError(f"evaluation {self.name}: it has no weights, so {file} cannot be used")
        return Evaluator(self)


class Evaluator:
    """An evaluation with its weights, as a search uses it.

    Attributes:
        params: record[evaluation.params], copied into every context when a search begins; its addresses point into
            `weights`, so keep the evaluator alive as long as the contexts
    """

    def __init__(self, evaluation: Evaluation, weights: Weights | None = None) -> None:
        self.evaluation, self.weights = evaluation, weights
        self.params = new_record(evaluation.params)
        if weights is not None:
            weights.fill(self.params)

    def describe(self) -> str:
        """Return the evaluation's name and a description of its weights."""
        return self.evaluation.name if self.weights is None else f"{self.evaluation.name}: {self.weights.describe()}"
