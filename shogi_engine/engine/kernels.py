"""Kernels: what an engine compiles, or loads from the cache, before its searches."""

import contextlib
from collections.abc import Callable
from typing import Any

from shogi_engine.jit import Progress, shared_task
from shogi_engine.search.forced_win import RootSolver
from shogi_engine.search.root import Searcher


class Kernels:
    """The kernels of a game's search with one evaluation.

    Args:
        evaluation: '' for the game's default
        on_progress: called with a jit.Progress for each kernel compiled
    """

    def __init__(self, game: str, evaluation: str, on_progress: Callable[[Progress], None] | None) -> None:
        self._game, self._on_progress = game, on_progress
        self._warm: Any = None  # the evaluator that the search is compiled for
        self.use(evaluation)

    def use(self, evaluation: str) -> None:
        """Report kernels as those of another evaluation from now on."""
        self.task = shared_task(f"{self._game} {evaluation}".strip())

    def compiling(
        self, on_progress: Callable[[Progress], None] | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Report the kernels that are compiled inside the `with` block."""
        return self.task.running(on_progress or self._on_progress)

    def warmup(self, searcher: Searcher, root_solver: RootSolver, *, timed: bool) -> None:
        """Compile the kernels that a search needs, or load them, before its clock starts.

        Args:
            timed: whether the search has a time limit
        """
        if self._warm is not searcher.evaluator:
            searcher.warmup()
            self._warm = searcher.evaluator
        if timed:
            root_solver.warmup()
