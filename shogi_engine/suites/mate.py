"""Suites of mate problems, read and checked.

{"positions": [{"sfen": ..., "mate": N}]}, where N is the plies of the shortest mate by checks, counting every legal
defence including useless interpositions; 0 if there is no such mate; -1 for a mate of unknown length.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.suites.suite import Checked, Row, SuiteResult, check_all, read_suite
from shogi_engine.types.results import ForcedWin

# ---- Mate problems solved one after another, in threads or on a cluster: each problem is a job


Found = tuple[ForcedWin[int], tuple[tuple[int, ...], ...]]  # a mate, and the lines of other first moves


@dataclass(frozen=True)
class MateRequest:
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
    solver: MateSolver, question: MateRequest, max_ms: float, progress: Callable[[int, float], None] | None = None
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


class MateWorker:
    """Solves problems."""

    def __init__(self, plan: MateMaker) -> None:
        self._solver, self._max_ms = MateSolver(plan.hash_mb), plan.max_ms
        self._solver.warmup(solutions=True)

    def do(self, question: MateRequest) -> Found:
        """Return the result for a problem."""
        return answer(self._solver, question, self._max_ms)

    def close(self) -> None:
        """Stop the search."""
        self._solver.stop()


PREFIXES = ("sfen ", "position sfen ")


@dataclass(frozen=True)
class MateCase:
    """One problem with its published answer."""

    sfen: str
    mate: int


def read(path: str) -> list[MateCase]:
    """Return the problems of a file. Raises ValueError, OSError if it cannot be read as such a suite."""
    return read_suite(path, "mate problems", lambda number, row: MateCase(row["sfen"], int(row["mate"])))


def plain_sfen(text: str) -> str:
    """Return the SFEN in `text`, which may begin like USI's position command."""
    for prefix in PREFIXES:
        text = text.removeprefix(prefix)
    return text


def values(position: Any, found: ForcedWin[int]) -> Row:
    """Return a mate search's result for JSON: length is null if nothing is proven, 0 for no mate."""
    row: Row = {
        "result": found.result,
        "moves": line_texts(position, found.moves),
        "length": None if found.result == "timeout" else found.length,
        "nodes": found.nodes,
        "seconds": found.seconds,
    }
    if found.shortest is not None:
        row["shortest"] = found.shortest
    return row


def questions(problems: list[MateCase]) -> list[MateRequest]:
    """Return the problems as jobs; the shortest mate is requested if its length is known."""
    return [
        MateRequest(number, plain_sfen(problem.sfen), shortest=problem.mate > 0)
        for number, problem in enumerate(problems)
    ]


def check(
    problems: list[MateCase], found: Iterable[Found], progress: Callable[[int, int], None] | None = None
) -> SuiteResult:
    """Compare the results, each found with empty tables, with the file's answers.

    If the file gives a length, the mate must have that length; otherwise any mate passes.
    """
    results = iter(found)

    def check_one(problem: MateCase) -> Checked:
        found, _ = next(results)
        failure = None
        expected = "nomate" if problem.mate == 0 else "mate"
        if found.result != expected or (problem.mate > 0 and found.length != problem.mate):
            answer = f"{found.result} {found.length}" if found.result == "mate" else found.result
            failure = f"{problem.sfen}: {answer}, not {problem.mate}"
        row = {"sfen": problem.sfen, **values(parse_sfen(plain_sfen(problem.sfen)), found)}
        return Checked(found.nodes, found.seconds, row, failure)

    return check_all(problems, check_one, progress)
