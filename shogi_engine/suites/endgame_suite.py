"""Suites of endings with their exact scores, read and checked.

Othello: {"positions": [{"id": ..., "board": 64 of X O -, "side": X or O, "score": discs, "best": [moves]}]}
A position passes if the score is equal and the move found is among the best.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.notation import format_move, parse_move, parse_obf


@dataclass(frozen=True)
class Ending:
    """A position with its exact score, and the moves (encoded) that reach it."""

    id: str
    position: Any
    score: int
    best: tuple[int, ...]


@dataclass
class Outcome:
    """What became of a suite; `results` has a row for each position, `failures` a line for each that failed."""

    passed: int = 0
    failed: int = 0
    nodes: int = 0
    seconds: float = 0.0
    results: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def read(path: str) -> list[Ending]:
    """Return the endings of a file. Raises ValueError, OSError if it can not be read as a suite of them."""
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8"))["positions"]
        found = []
        for number, row in enumerate(rows, 1):
            position = parse_obf(f"{row['board']} {row['side']}")
            best = tuple(parse_move(position, move) for move in row["best"])
            found.append(Ending(str(row.get("id", number)), position, int(row["score"]), best))
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{path} is no suite of Othello endings: {type(fault).__name__} {fault}") from None
    except ValueError as fault:
        raise ValueError(f"{path}: position {number}: {fault}") from None
    return found


def check(endings: list[Ending], solver: Solver, progress: Callable[[int, int], None] | None = None) -> Outcome:
    """Solve all `endings`, each with an empty table; progress(done, all) is called after each."""
    outcome = Outcome()
    for done, ending in enumerate(endings, 1):
        solver.clear()
        solved = solver.solve(ending.position)
        move = format_move(ending.position, solved.move) if solved.move else None
        right = solved.score == ending.score and (solved.move in ending.best or not ending.best)
        outcome.passed += right
        outcome.failed += not right
        outcome.nodes += solved.nodes
        outcome.seconds += solved.seconds
        row = {"id": ending.id, "score": solved.score, "move": move, "nodes": solved.nodes, "seconds": solved.seconds}
        outcome.results.append(row)
        if not right:
            best = ", ".join(format_move(ending.position, each) for each in ending.best)
            outcome.failures.append(f"{ending.id}: {solved.score} {move}, not {ending.score} {best}")
        if progress:
            progress(done, len(endings))
    return outcome


def ready_solver(hash_mb: int, threads: int) -> Solver:
    """Return a solver for which everything is compiled."""
    solver = Solver(hash_mb=hash_mb, threads=threads)
    solver.warmup()
    return solver


def solve(
    text: str, hash_mb: int, threads: int, wld: bool, progress: Callable[[int, int], None] | None
) -> dict[str, Any]:
    """Return what `shogi-engine solve` tells of the position `text`: see `solver.Solved`."""
    position = parse_obf(text)
    solved = ready_solver(hash_mb, threads).solve(position, wld=wld, pv=not wld, progress=progress)
    values = {
        "score": solved.score,
        "move": format_move(position, solved.move) if solved.move else None,
        "nodes": solved.nodes,
        "seconds": solved.seconds,
    }
    if wld:
        return values | {"result": ("loss", "draw", "win")[solved.score + 1]}
    return values | {"pv": [format_move(position, move) for move in solved.pv]}
