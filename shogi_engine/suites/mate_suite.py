"""Suites of mate problems, read and checked.

{"positions": [{"sfen": ..., "mate": N}]}, where N is the plies of the shortest mate by checks, counting every legal
defence including useless interpositions; 0 if there is no such mate; -1 for a mate of unknown length.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from shogi_engine.games.shogi.mate.solver import line_texts
from shogi_engine.games.shogi.notation.sfen import parse_sfen
from shogi_engine.suites.mate_jobs import Found, Question
from shogi_engine.suites.suite import Checked, Outcome, Row, check_all, read_suite
from shogi_engine.types.forced_win import ForcedWin

PREFIXES = ("sfen ", "position sfen ")


@dataclass(frozen=True)
class Problem:
    """One problem with its published answer."""

    sfen: str
    mate: int


def read(path: str) -> list[Problem]:
    """Return the problems of a file. Raises ValueError, OSError if it cannot be read as such a suite."""
    return read_suite(path, "mate problems", lambda number, row: Problem(row["sfen"], int(row["mate"])))


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


def questions(problems: list[Problem]) -> list[Question]:
    """Return the problems as jobs; the shortest mate is requested if its length is known."""
    return [
        Question(number, plain_sfen(problem.sfen), shortest=problem.mate > 0) for number, problem in enumerate(problems)
    ]


def check(
    problems: list[Problem], found: Iterable[Found], progress: Callable[[int, int], None] | None = None
) -> Outcome:
    """Compare the results, each found with empty tables, with the file's answers.

    If the file gives a length, the mate must have that length; otherwise any mate passes.
    """
    results = iter(found)

    def check_one(problem: Problem) -> Checked:
        found, _ = next(results)
        failure = None
        expected = "nomate" if problem.mate == 0 else "mate"
        if found.result != expected or (problem.mate > 0 and found.length != problem.mate):
            answer = f"{found.result} {found.length}" if found.result == "mate" else found.result
            failure = f"{problem.sfen}: {answer}, not {problem.mate}"
        row = {"sfen": problem.sfen, **values(parse_sfen(plain_sfen(problem.sfen)), found)}
        return Checked(found.nodes, found.seconds, row, failure)

    return check_all(problems, check_one, progress)
