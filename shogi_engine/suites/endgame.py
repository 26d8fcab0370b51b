"""Suites of endgames with exact scores, read and checked.

Othello: {"positions": [{"id": ..., "board": 64 of X O -, "side": X or O, "score": discs, "best": [moves]}]}
A position passes if the score is equal and the move found is one of the best.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.notation import format_move, parse_move, parse_obf
from shogi_engine.suites.suite import Checked, Row, SuiteResult, check_all, read_suite


@dataclass(frozen=True)
class Endgame:
    """A position with its exact score and the moves (encoded) that reach it."""

    id: str
    position: Any
    score: int
    best: tuple[int, ...]


def read(path: str) -> list[Endgame]:
    """Return the endgames of a file. Raises ValueError, OSError if it cannot be read as such a suite."""
    return read_suite(path, "Othello endings", _ending)


def _ending(number: int, row: Row) -> Endgame:
    position = parse_obf(f"{row['board']} {row['side']}")
    best = tuple(parse_move(position, move) for move in row["best"])
    return Endgame(str(row.get("id", number)), position, int(row["score"]), best)


def check(endings: list[Endgame], solver: Solver, progress: Callable[[int, int], None] | None = None) -> SuiteResult:
    """Solve all `endings`, each with an empty table; progress(done, all) is called after each."""

    def check_one(ending: Endgame) -> Checked:
        solver.clear()
        solved = solver.solve(ending.position)
        move = format_move(ending.position, solved.move) if solved.move else None
        row = {"id": ending.id, "score": solved.score, "move": move, "nodes": solved.nodes, "seconds": solved.seconds}
        failure = None
        if solved.score != ending.score or (ending.best and solved.move not in ending.best):
            best = ", ".join(format_move(ending.position, each) for each in ending.best)
            failure = f"{ending.id}: {solved.score} {move}, not {ending.score} {best}"
        return Checked(solved.nodes, solved.seconds, row, failure)

    return check_all(endings, check_one, progress)
