"""Perft suites: files of positions with their published counts, read and checked.

Shogi:   {"positions": [{"sfen": ..., "nodes": {"1": 30, "2": 900, ...}}]}
Othello: {"positions": [{"id": ..., "board": 64 of X O -, "side": X or O, "mode1": [d1, d2, ...], "mode2": [...]}]}
In mode 1 a pass is a ply, in mode 2 it is free. The keys tell which game it is.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shogi_engine import games
from shogi_engine.game import Game
from shogi_engine.perft import perft


@dataclass(frozen=True)
class Count:
    """One published count."""

    depth: int
    nodes: int
    free_pass: bool = False


@dataclass(frozen=True)
class Case:
    """A position of a suite with its counts, the smallest first."""

    position: str
    counts: list[Count]


@dataclass
class Outcome:
    """What became of a suite. Positions pass if all their counts agree; `failures` says what did not."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    nodes: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


def read(path: str) -> tuple[Game, list[Case]]:
    """Return the game and the cases of a suite. Raises ValueError, OSError if it can not be read as one."""
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8"))["positions"]
        if rows and "board" in rows[0]:
            return games.load("othello"), [
                Case(f"{row['board']} {row['side']}", sorted(_modes(row), key=lambda count: count.nodes))
                for row in rows
            ]
        return games.load("shogi"), [
            Case(row["sfen"], [Count(int(depth), int(nodes)) for depth, nodes in row["nodes"].items()]) for row in rows
        ]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as fault:
        raise ValueError(f"{path} is no perft suite: {type(fault).__name__} {fault}") from None


def _modes(row: dict[str, Any]) -> Iterator[Count]:
    for mode, free_pass in (("mode1", False), ("mode2", True)):
        for depth, nodes in enumerate(row.get(mode, ()), 1):
            yield Count(depth, int(nodes), free_pass)


def check(
    game: Game,
    cases: list[Case],
    *,
    max_nodes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Outcome:
    """Count all `cases`; `options` are those of `perft.perft`.

    Counts above `max_nodes` are left out; a position with none left is skipped. A failure holds the divide.
    """
    outcome = Outcome()
    for done, case in enumerate(cases, 1):
        position = game.parse_position(case.position)
        counts = [count for count in case.counts if max_nodes is None or count.nodes <= max_nodes]
        wrong = None
        for count in counts:
            result = perft(game, position, count.depth, free_pass=count.free_pass, **options)
            outcome.nodes += result.nodes
            outcome.seconds += result.seconds
            if result.nodes != count.nodes:
                wrong = count, result
                break
        if wrong:
            count, result = wrong
            outcome.failed += 1
            divide = "".join(f"\n  {move}: {nodes}" for move, nodes in result.divide.items())
            what = f"depth {count.depth}{' (free pass)' if count.free_pass else ''}"
            outcome.failures.append(f"{case.position} {what}: {result.nodes}, not {count.nodes}{divide}")
        elif counts:
            outcome.passed += 1
        else:
            outcome.skipped += 1
        if progress:
            progress(done, len(cases))
    return outcome
