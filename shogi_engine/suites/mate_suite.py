"""Suites of mate problems, read and checked.

{"positions": [{"sfen": ..., "mate": N}]} with N the plies of the shortest mate by checks, every legal defence counted,
useless interpositions too; 0 for no such mate; -1 for a mate of unknown length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shogi_engine.forced_win import ForcedWin
from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.notation import parse_sfen
from shogi_engine.suites.suite import Answer, Outcome, Row, check_all, read_suite

PREFIXES = ("sfen ", "position sfen ")


@dataclass(frozen=True)
class Problem:
    """One problem with its published answer."""

    sfen: str
    mate: int


def read(path: str) -> list[Problem]:
    """Return the problems of a file. Raises ValueError, OSError if it can not be read as one."""
    return read_suite(path, "mate problems", lambda number, row: Problem(row["sfen"], int(row["mate"])))


def plain_sfen(text: str) -> str:
    """Return the SFEN in `text`, which may begin as USI's position command does."""
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


def check(
    problems: list[Problem],
    solver: MateSolver,
    *,
    max_ms: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Solve all problems, each from nothing and each in `max_ms`, and compare the answers with the file's.

    Where it gives a length the shortest mate has to have it; where it gives none any mate passes.
    """

    def check_one(problem: Problem) -> Answer:
        position = parse_sfen(plain_sfen(problem.sfen))
        found = solver.solve(position, max_ms=max_ms, shortest=problem.mate > 0)
        failure = None
        expected = "nomate" if problem.mate == 0 else "mate"
        if found.result != expected or (problem.mate > 0 and found.length != problem.mate):
            answer = f"{found.result} {found.length}" if found.result == "mate" else found.result
            failure = f"{problem.sfen}: {answer}, not {problem.mate}"
        return Answer(found.nodes, found.seconds, {"sfen": problem.sfen, **values(position, found)}, failure)

    return check_all(problems, check_one, progress)
