"""Mate problems solved one after another, in threads or on a cluster: each problem is a job."""

from collections.abc import Callable
from dataclasses import dataclass

from shogi_engine.games.shogi.mate.solver import MateSolver
from shogi_engine.games.shogi.notation.sfen import parse_sfen
from shogi_engine.types.forced_win import ForcedWin

Found = tuple[ForcedWin[int], tuple[tuple[int, ...], ...]]  # a mate, and the lines of other first moves


@dataclass(frozen=True)
class Question:
    """A problem to solve.

    Attributes:
        number: its index
        shortest, every, tsume: see MateSolver.solve and `tsume`
    """

    number: int
    sfen: str
    shortest: bool = False
    every: bool = False
    tsume: bool = False


def answer(
    solver: MateSolver, question: Question, max_ms: float, progress: Callable[[int, float], None] | None = None
) -> Found:
    """Return the result within `max_ms`. Raises ValueError for an invalid position or one without a king to mate."""
    position = parse_sfen(question.sfen)
    if not question.tsume:
        found = solver.solve(
            position, max_ms=max_ms, shortest=question.shortest, every=question.every, progress=progress
        )
        return found, found.solutions[1:]
    found = solver.tsume(position, max_ms=max_ms, progress=progress)
    if not question.every or not found:
        return found, ()
    left = max(max_ms - 1000 * found.seconds, 1.0)
    others = solver.solve(position, max_ms=left, shortest=True, every=True, keep=True, progress=progress)
    return found, tuple(line for line in others.solutions if line[0] != found.moves[0])


@dataclass(frozen=True)
class MateMaker:
    """Makes workers with a solver each.

    Attributes:
        max_ms: the time limit for each problem
    """

    hash_mb: int
    max_ms: float

    def __call__(self) -> "MateWorker":
        """Return a worker."""
        return MateWorker(self)

    def warm_up(self) -> None:
        """Compile the search."""
        MateSolver(1).warmup(solutions=True)


class MateWorker:
    """Solves problems."""

    def __init__(self, plan: MateMaker) -> None:
        self._solver, self._max_ms = MateSolver(plan.hash_mb), plan.max_ms

    def do(self, question: Question) -> Found:
        """Return the result for a problem."""
        return answer(self._solver, question, self._max_ms)

    def close(self) -> None:
        """Stop the search."""
        self._solver.stop()
