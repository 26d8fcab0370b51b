"""Perft suites: files of positions with published counts, read and checked.

Shogi:   {"positions": [{"sfen": ..., "nodes": {"1": 30, "2": 900, ...}}]}
Othello: {"positions": [{"id": ..., "board": 64 of X O -, "side": X or O, "mode1": [d1, d2, ...], "mode2": [...]}]}
In mode 1 a pass is a ply, in mode 2 it is free.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shogi_engine import games
from shogi_engine.interface.game import Game
from shogi_engine.perft import Perft, perft
from shogi_engine.suites.suite import Checked, Row, SuiteResult, check_all, read_suite


@dataclass(frozen=True)
class Count:
    """One published count."""

    depth: int
    nodes: int
    free_pass: bool = False


@dataclass(frozen=True)
class Case:
    """A position of a suite with its counts, smallest first."""

    game: str
    position: str
    counts: list[Count]


def read(path: str) -> tuple[Game, list[Case]]:
    """Return the game and the cases of a suite. Raises ValueError, OSError if the file is not a perft suite."""
    cases = read_suite(path, "perft counts", _case)
    names = {case.game for case in cases} or {"shogi"}
    if len(names) > 1:
        raise ValueError(f"{path} has positions of several games: {', '.join(sorted(names))}")
    return games.load(names.pop()), cases


def _case(number: int, row: Row) -> Case:
    if "board" in row:
        counts = sorted(_modes(row), key=lambda count: count.nodes)
        return Case("othello", f"{row['board']} {row['side']}", counts)
    return Case("shogi", row["sfen"], [Count(int(depth), int(nodes)) for depth, nodes in row["nodes"].items()])


def _modes(row: Row) -> Iterator[Count]:
    for mode, free_pass in (("mode1", False), ("mode2", True)):
        for depth, nodes in enumerate(row.get(mode, ()), 1):
            yield Count(depth, int(nodes), free_pass)


def check(
    game: Game,
    cases: list[Case],
    *,
    max_nodes: int | None = None,
    bulk: bool = True,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> SuiteResult:
    """Count all `cases`; `progress(done, all)` is called after each.

    Counts above `max_nodes` are skipped, and so is a position without other counts. A failure contains the divide.
    """

    def check_one(case: Case) -> Checked:
        counts = [count for count in case.counts if max_nodes is None or count.nodes <= max_nodes]
        position = game.parse_position(case.position)
        nodes, seconds, failure = 0, 0.0, None
        for count in counts:
            result = perft(game, position, count.depth, bulk=bulk, threads=threads, free_pass=count.free_pass)
            nodes += result.nodes
            seconds += result.seconds
            if result.nodes != count.nodes:
                failure = difference(case, count, result)
                break
        row = {"position": case.position, "passed": failure is None, "nodes": nodes, "seconds": seconds}
        return Checked(nodes, seconds, row, failure, skipped=not counts)

    return check_all(cases, check_one, progress)


def difference(case: Case, count: Count, result: Perft) -> str:
    """Return how `result` differs from the published `count`, with the divide."""
    divide = "".join(f"\n  {move}: {nodes}" for move, nodes in result.divide.items())
    what = f"depth {count.depth}{' (free pass)' if count.free_pass else ''}"
    return f"{case.position} {what}: {result.nodes}, not {count.nodes}{divide}"
