"""Perft suites: files of positions with published counts, read and checked.

Shogi:   {"positions": [{"sfen": ..., "nodes": {"1": 30, "2": 900, ...}}]}
Othello: {"positions": [{"id": ..., "board": 64 of X O -, "side": X or O, "mode1": [d1, d2, ...], "mode2": [...]}]}
In mode 1 a pass is a ply, in mode 2 it is free.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.common.stop import StopToken
from shogi_engine.interface.game import Game, do_move, move_cost
from shogi_engine.jobs import Pool
from shogi_engine.perft import Perft, legal_moves, perft, perft_context
from shogi_engine.suites.suite import Checked, Outcome, Row, check_all, read_suite

# ---- Perft on a cluster: a job counts below one or two moves of a position, or makes one count of a suite


SPLIT_DEPTH = 4  # below this depth, a position is one job

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Piece:
    """A job: count the leaves `depth` plies below a position in the game's notation.

    Attributes:
        number: its index
    """

    number: int
    position: str
    depth: int
    free_pass: bool = False


@dataclass(frozen=True)
class PerftMaker:
    """Makes workers that count.

    Attributes:
        game: the name of the game
        bulk: see `perft`
    """

    game: str
    bulk: bool = True

    def __call__(self) -> "PerftWorker":
        """Return a worker."""
        return PerftWorker(self)


class PerftWorker:
    """Counts in one thread."""

    def __init__(self, plan: PerftMaker) -> None:
        self._game, self._bulk, self._stop = games.load(plan.game), plan.bulk, StopToken()

    def do(self, piece: Piece) -> Perft:
        """Return the leaves of a job."""
        position = self._game.parse_position(piece.position)
        options: dict[str, Any] = {"bulk": self._bulk, "stop_token": self._stop}
        return perft(self._game, position, piece.depth, free_pass=piece.free_pass, **options)

    def close(self) -> None:
        """Stop the count."""
        self._stop.stop()


def count_all(
    game: Game, pieces: Sequence[Piece], workers: int, cluster: str, bulk: bool = True, progress: Progress | None = None
) -> list[Perft]:
    """Return the counts of jobs numbered from 0.

    Args:
        workers, cluster: see `jobs.Pool`
    """
    found: dict[int, Perft] = {}
    with Pool(PerftMaker(game.name, bulk), workers, cluster, name="perft") as pool:
        for piece, result in pool.results(pieces):
            found[piece.number] = result
            if progress:
                progress(len(found), len(pieces))
    return [found[piece.number] for piece in pieces]


def below(game: Game, text: str, depth: int, free_pass: bool) -> Iterator[tuple[str, str, int]]:
    """Yield each legal move of a position, the position after it (both as text), and the remaining depth."""
    position, ctx = game.parse_position(text), perft_context(game)
    ctx.pos = position
    for move in legal_moves(ctx):
        ctx.pos = position
        cost = int(move_cost(ctx.pos, np.uint32(move))) if free_pass else 1
        do_move(ctx.pos, np.uint32(move), ctx.undo[0])
        yield game.format_move(position, move), game.format_position(ctx.pos), depth - cost


def perft_on_cluster(
    game: Game,
    position: Any,
    depth: int,
    *,
    bulk: bool = True,
    free_pass: bool = False,
    workers: int = 1,
    cluster: str = "local",
    progress: Progress | None = None,
) -> Perft:
    """Return the result of `perft`, counted on a cluster; the seconds include connecting to it.

    Raises ValueError as `perft` and `jobs.Pool` do.
    """
    began = time.perf_counter()
    if depth < SPLIT_DEPTH:
        return perft(game, position, depth, bulk=bulk, free_pass=free_pass, progress=progress)
    divide: dict[str, int] = {}
    owners: list[str] = []
    pieces: list[Piece] = []
    for move, text, left in below(game, game.format_position(position), depth, free_pass):
        divide[move] = 0
        parts = [*below(game, text, left, free_pass)] if left > SPLIT_DEPTH else []
        for _, part, rest in parts or [("", text, left)]:  # a position without a legal move is counted too
            owners.append(move)
            pieces.append(Piece(len(pieces), part, rest, free_pass))
    if not pieces:
        return perft(game, position, depth)
    for move, found in zip(owners, count_all(game, pieces, workers, cluster, bulk, progress), strict=True):
        divide[move] += found.nodes
    return Perft(sum(divide.values()), time.perf_counter() - began, divide)


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
    cluster: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Count all `cases`, in order in `threads` threads, or in any order on a cluster (see `jobs.Pool`).

    Counts above `max_nodes` are skipped, and so is a position without other counts. A failure contains the divide.

    Args:
        progress: called after each position, on a cluster after each count
    """
    wanted = [[count for count in case.counts if max_nodes is None or count.nodes <= max_nodes] for case in cases]
    asked = [(case, count) for case, counts in zip(cases, wanted, strict=True) for count in counts]
    known: Iterator[Perft] | None = None
    if cluster:
        pieces = [
            Piece(number, case.position, count.depth, count.free_pass) for number, (case, count) in enumerate(asked)
        ]
        known = iter(count_all(game, pieces, threads, cluster, bulk, progress))
        progress = None

    def found(case: Case, counts: list[Count]) -> Iterator[tuple[Count, Perft]]:
        """Yield the counts of a case with the results found here."""
        position = game.parse_position(case.position)
        for count in counts:
            options: dict[str, Any] = {"bulk": bulk, "threads": threads, "free_pass": count.free_pass}
            yield count, next(known) if known else perft(game, position, count.depth, **options)

    def check_one(case_and_counts: tuple[Case, list[Count]]) -> Checked:
        case, counts = case_and_counts
        nodes, seconds, failure = 0, 0.0, None
        for count, result in found(case, counts):
            nodes += result.nodes
            seconds += result.seconds
            if failure is None and result.nodes != count.nodes:
                failure = difference(case, count, result)
                if known is None:
                    break
        row = {"position": case.position, "passed": failure is None, "nodes": nodes, "seconds": seconds}
        return Checked(nodes, seconds, row, failure, skipped=not counts)

    return check_all(list(zip(cases, wanted, strict=True)), check_one, progress)


def difference(case: Case, count: Count, result: Perft) -> str:
    """Return how `result` differs from the published `count`, with the divide."""
    divide = "".join(f"\n  {move}: {nodes}" for move, nodes in result.divide.items())
    what = f"depth {count.depth}{' (free pass)' if count.free_pass else ''}"
    return f"{case.position} {what}: {result.nodes}, not {count.nodes}{divide}"
