"""Mate problems: one solved and shown, or a file of them checked.

{"positions": [{"sfen": ..., "mate": N}]} with N the plies of the shortest mate by checks, every legal defence counted,
useless interpositions too; 0 for no such mate; -1 for a mate of unknown length.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.mate.solver import Mate, MateSolver, line_texts
from shogi_engine.games.shogi.notation import parse_sfen

HASH_MB = 256
PREFIXES = ("sfen ", "position sfen ")


@dataclass(frozen=True)
class Problem:
    """One problem with its published answer."""

    sfen: str
    mate: int


@dataclass
class Outcome:
    """What became of a file of problems. `results` has a dictionary for each, `failures` what was wrong."""

    passed: int = 0
    failed: int = 0
    nodes: int = 0
    seconds: float = 0.0
    results: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def ready_solver(hash_mb: int = HASH_MB) -> MateSolver:
    """Return a solver with its kernels compiled or loaded."""
    solver = MateSolver(hash_mb)
    solver.warmup()
    return solver


def read(path: str) -> list[Problem]:
    """Return the problems of a file. Raises ValueError, OSError if it can not be read as one."""
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8"))["positions"]
        return [Problem(row["sfen"], int(row["mate"])) for row in rows]
    except (KeyError, TypeError, ValueError) as fault:
        raise ValueError(f"{path} is no file of mate problems: {type(fault).__name__} {fault}") from None


def plain_sfen(text: str) -> str:
    """Return the SFEN in `text`, which may begin as USI's position command does."""
    for prefix in PREFIXES:
        text = text.removeprefix(prefix)
    return text


def values(position: Any, found: Mate) -> dict[str, Any]:
    """Return what is told of a problem as JSON: length is null if nothing is proven, 0 for no mate."""
    told: dict[str, Any] = {
        "result": found.result,
        "moves": line_texts(position, found.moves),
        "length": None if found.result == "timeout" else found.length,
        "nodes": found.nodes,
        "seconds": found.seconds,
    }
    if found.shortest is not None:
        told["shortest"] = found.shortest
    return told


def check(
    problems: list[Problem],
    *,
    max_ms: float | None = None,
    hash_mb: int = HASH_MB,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Solve all problems, each from nothing and each in `max_ms`, and compare the answers with the file's.

    Where it gives a length the shortest mate has to have it; where it gives none any mate passes.
    """
    outcome = Outcome()
    solver = ready_solver(hash_mb)
    for done, problem in enumerate(problems, 1):
        position = parse_sfen(plain_sfen(problem.sfen))
        found = solver.solve(position, max_ms=max_ms, shortest=problem.mate > 0)
        outcome.nodes += found.nodes
        outcome.seconds += found.seconds
        outcome.results.append({"sfen": problem.sfen, **values(position, found)})
        wanted = "nomate" if problem.mate == 0 else "mate"
        if found.result == wanted and (problem.mate <= 0 or found.length == problem.mate):
            outcome.passed += 1
        else:
            outcome.failed += 1
            answer = f"{found.result} {found.length}" if found.result == "mate" else found.result
            outcome.failures.append(f"{problem.sfen}: {answer}, not {problem.mate}")
        if progress:
            progress(done, len(problems))
    return outcome


def headline(found: Mate, tsume: bool) -> str:
    """Return in a few words what was found."""
    if found.result == "nomate":
        return "no mate by checks"
    if found.result != "mate":
        return "nothing proven within the limits"
    words = f"mate in {found.length}" + (" without useless interpositions" if tsume else "")
    return words + {None: "", True: ", the shortest", False: ", not proven shortest"}[found.shortest]


def picture(sfen: str, found: Mate, tsume: bool = False) -> str:
    """Return the problem, its answer and the position at the end as text."""
    board = Board(plain_sfen(sfen))
    speed = f"{found.nodes} nodes, {found.seconds:.2f} s"
    parts = [board.diagram(), f"{headline(found, tsume)}   ({speed})"]
    position = parse_sfen(plain_sfen(sfen))
    for number, moves in enumerate(found.solutions or [found.moves]):
        texts = line_texts(position, moves)
        if number:
            parts.append(f"also, in {len(texts)}: {' '.join(texts)}")
        elif texts:
            parts.append("\n".join(numbered(texts)))
            for text in texts:
                board.push_usi(text)
    if found.moves:
        parts.append(board.diagram())
    return "\n\n".join(parts)


def numbered(texts: list[str]) -> list[str]:
    """Return moves with their numbers, the attacker's and the answer in one row."""
    rows = []
    for index in range(0, len(texts), 2):
        rows.append(f"{index + 1:>3}. {'  '.join(f'{text:<5}' for text in texts[index : index + 2])}".rstrip())
    return rows


def progress_line() -> Callable[[int, float], None] | None:
    """Return a function that shows how far one search is, or None if stderr is no terminal."""
    if not sys.stderr.isatty():
        return None
    return lambda nodes, seconds: print(f"\r{nodes} nodes, {seconds:.0f} s", end="", file=sys.stderr, flush=True)
