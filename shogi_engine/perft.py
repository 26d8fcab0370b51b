"""Perft and divide for any game: counts the leaves of the legal move tree, the usual test of move generation.

A finished game counts as the game's `finished_leaves` at every greater depth. With `free_pass` a move that costs no
ply (`move_cost`) uses no depth.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.common.stop import StopToken
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import Game
from shogi_engine.jit import load_u64, new_record, njit, record_dtype

MAX_DEPTH = 60
KERNEL_DEPTH = 5  # maximum depth that the kernel counts at once, in a fraction of a second even in the widest games
SPLIT_PLIES = 3  # maximum number of plies from the root that Python walks
STOP_DEPTH = 3  # the kernel checks for a stop at least this many plies above the leaves


@dataclass(frozen=True)
class Perft:
    """The result of `perft`: leaves, seconds of counting, and the leaves under each root move."""

    nodes: int
    seconds: float
    divide: dict[str, int]


class PerftStopped(Exception):  # noqa: N818
    """The count was stopped. `done` of `all` root moves had been counted."""

    def __init__(self, done: int, whole: int) -> None:
        super().__init__(f"stopped after {done} of {whole} moves")
        self.done, self.all = done, whole


@njit
def _count(ctx: Any, depth: int, level: int, start: int, bulk: bool, free_pass: bool) -> int:
    """Return the leaves `depth` (> 0) plies below ctx.pos.

    Returns soon, with a meaningless result, once the word at ctx.stop_address (0: none) is nonzero.

    Args:
        level: plies below the root, the index into ctx.undo
        start: the first free index of ctx.moves
        bulk: count the last ply without making its moves
        free_pass: moves of cost 0 use no depth
    """
    if depth >= STOP_DEPTH and ctx.stop_address != ZERO and load_u64(ctx.stop_address) != ZERO:
        return 0
    if depth == 1 and bulk and not free_pass:
        count = rules.count_moves(ctx, start)
        return count if count > 0 else rules.finished_leaves(ctx.pos)
    if depth == 2 and bulk:
        count = rules.count_replies(ctx, start, free_pass)
        if count >= 0:
            return count
    end = start + rules.generate_moves(ctx, start)
    nodes = 0
    for index in range(start, end):
        move = ctx.moves[index]
        if not rules.is_legal(ctx.pos, move):
            continue
        cost = rules.move_cost(ctx.pos, move) if free_pass else 1
        if bulk and depth == 1 and cost == 1:
            nodes += 1
            continue
        rules.do_move(ctx.pos, move, ctx.undo[level])
        nodes += _count(ctx, depth - cost, level + 1, end, bulk, free_pass) if depth > cost else 1
        rules.undo_move(ctx.pos, move, ctx.undo[level])
    return nodes if nodes > 0 or end > start else rules.finished_leaves(ctx.pos)


@njit
def count_or_list(ctx: Any, depth: int, level: int, start: int, bulk: bool, free_pass: bool) -> int:
    """Return `_count`, or at depth 0 list the legal moves: one kernel for Python, as both contain move generation."""
    if depth > 0:
        return _count(ctx, depth, level, start, bulk, free_pass)
    return rules.list_legal(ctx, start, rules.generate_moves(ctx, start))


@njit
def count_leaves(ctx: Any, depth: int) -> int:
    """Return the leaves `depth` (> 0) plies below ctx.pos, each move a ply; ctx as `perft_context` returns it."""
    return _count(ctx, depth, 0, 0, True, False)


def perft_context(game: Game) -> Any:
    """Return a context for counting to any depth; passes may make a line twice as long."""
    return new_record(record_dtype([*rules.context_fields(game, 2 * MAX_DEPTH + 1), ("stop_address", np.uint64)]))


def legal_moves(ctx: Any) -> list[int]:
    """Return the legal moves of ctx.pos; ctx as `perft_context` returns it."""
    return [int(move) for move in ctx.moves[: count_or_list(ctx, 0, 0, 0, True, False)]]


@dataclass
class _Count:
    """A count below `position`; threads take its legal `moves` one by one.

    Attributes:
        counts: the leaves below each move
        done: moves counted
        failures: exceptions of the threads, or of waiting for them
    """

    game: Game
    position: Any
    moves: list[int]
    depth: int
    bulk: bool
    free_pass: bool
    progress: Callable[[int, int], None] | None
    stop: StopToken

    def __post_init__(self) -> None:
        self.counts = [0] * len(self.moves)
        self.done = 0
        self.failures: list[BaseException] = []
        self._waiting = iter(range(len(self.moves)))
        self._lock = threading.Lock()

    def run(self, threads: int) -> None:
        """Count in `threads` threads until they are done."""
        count = min(threads, len(self.moves))
        workers = [threading.Thread(target=self._work, name=f"perft-{n}", daemon=True) for n in range(count)]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        except BaseException as failure:  # Ctrl-C: works here because kernels run in other threads
            self.failures.append(failure)
            self.stop.stop()

    def _work(self) -> None:
        """Count below one move after another, in a thread."""
        ctx = perft_context(self.game)
        ctx.stop_address = self.stop.address
        try:
            while True:
                with self._lock:
                    index = next(self._waiting, None)
                if index is None or self.failures or self.stop.stopped:
                    return
                ctx.pos = self.position
                left = self.depth - self._make_move(ctx, np.uint32(self.moves[index]), 0)
                self.counts[index] = self._count(ctx, left, 1, 0) if left > 0 else 1
                self._report(0 if self.stop.stopped else 1)
        except BaseException as failure:
            self.failures.append(failure)

    def _count(self, ctx: Any, left: int, level: int, start: int) -> int:
        """Count as the kernel does, but split deep counts into parts, to report progress and to stop."""
        if level >= SPLIT_PLIES or left <= KERNEL_DEPTH:
            return int(count_or_list(ctx, left, level, start, self.bulk, self.free_pass))
        end = start + int(count_or_list(ctx, 0, level, start, self.bulk, self.free_pass))
        here = np.asarray(ctx.pos).copy()
        nodes = 0
        for index in range(start, end):
            if self.stop.stopped:
                break
            cost = self._make_move(ctx, ctx.moves[index], level)
            nodes += self._count(ctx, left - cost, level + 1, end)
            ctx.pos = here
            self._report(0)
        return nodes if end > start else int(rules.finished_leaves(ctx.pos))

    def _make_move(self, ctx: Any, move: Any, level: int) -> int:
        """Make the legal `move` (uint32), `level` plies below the root; return the plies it costs."""
        cost = int(rules.move_cost(ctx.pos, move)) if self.free_pass else 1
        rules.do_move(ctx.pos, move, ctx.undo[level])
        return cost

    def _report(self, more: int) -> None:
        """Report that `more` moves are done."""
        with self._lock:
            self.done += more
            if self.progress:
                self.progress(self.done, len(self.moves))


def perft(
    game: Game,
    position: Any,
    depth: int,
    *,
    bulk: bool = True,
    free_pass: bool = False,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
    stop_token: StopToken | None = None,
) -> Perft:
    """Count the leaves `depth` plies below `position` (record[game.position], unchanged).

    Args:
        bulk: count the last ply without making its moves
        free_pass: moves of cost 0, such as passes, use no depth
        threads: the number of threads
        progress: called as `progress(done, all)`, in the counting thread, after each root move, and in deep counts
            also between parts of one; its exceptions are raised here
        stop_token: when another thread sets it, PerftStopped is raised within milliseconds

    Raises:
        ValueError: the depth is outside 0..MAX_DEPTH, or `threads` is below 1
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"perft depth {depth} is not between 0 and {MAX_DEPTH}")
    if threads < 1:
        raise ValueError(f"perft needs at least one thread, not {threads}")
    context = perft_context(game)
    context.pos = position
    if depth == 0:
        return Perft(1, 0.0, {})
    moves = legal_moves(context)
    if not moves:
        return Perft(int(rules.finished_leaves(context.pos)), 0.0, {})
    count = _Count(game, position, moves, depth, bulk, free_pass, progress, stop_token or StopToken())
    began = time.perf_counter()
    count.run(threads)
    seconds = time.perf_counter() - began
    if count.failures:
        raise count.failures[0]
    if count.stop.stopped:
        raise PerftStopped(count.done, len(moves))
    divide = {game.format_move(position, move): nodes for move, nodes in zip(moves, count.counts, strict=True)}
    return Perft(sum(count.counts), seconds, divide)
