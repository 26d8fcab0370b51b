"""The engines that all sessions share: a few threads, each with one engine per game, and jobs that take turns.

Memory and load depend on the number of threads, not of sessions. Games come before problems, and problems before
analyses; among the jobs of a kind, the session comes first that has waited longest for an engine. A job is interrupted
for one that comes before it, and live analysis after SLICE seconds for another session's; it begins again later.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

from shogi_engine.common.threads import SearchHandle, lower_priority, start_thread
from shogi_engine.games import NAMES
from shogi_engine.web.tree import Tree

HASH_MB = 16  # of each engine
SLICE = 2.0  # seconds
NICE = 10  # of searches below the threads that answer browsers
log = logging.getLogger(__name__)


class Turn(IntEnum):
    """Who comes first, and is not interrupted by who comes later."""

    GAME = 0  # a player waits for the engine's move
    SEARCH = 1  # a mate, a defence in a problem
    ANALYSIS = 2  # it has no end of its own, or lasts minutes


@dataclass
class Seat:
    """A session's place in the round.

    Attributes:
        served: when a job of the session began last
        running: how many of them run now
    """

    served: float = 0.0
    running: int = 0


class Job(SearchHandle):
    """Work for an engine.

    Attributes:
        work: called with the engine and this job in an engine's thread; returns soon after `stop`
        failed: called with this job and the exception, in an engine's thread, if `work` raises one
        seat: the session's place in the round
        turn: the kind of job; if it is interrupted, `work` is called again later
        began: when the work began (time.monotonic)
    """

    def __init__(
        self,
        game: str,
        work: Callable[[Any, "Job"], None],
        failed: Callable[["Job", BaseException], None],
        seat: Seat,
        turn: Turn,
    ) -> None:
        super().__init__()
        self.game, self.work, self.failed, self.seat, self.turn = game, work, failed, seat, turn
        self.cancelled, self.began = False, 0.0


def _order(job: Job) -> tuple[Turn, bool, float]:
    """Return the key by which the next job is chosen."""
    return job.turn, job.seat.running > 0, job.seat.served


class EnginePool:
    """Threads with engines.

    Args:
        make: `make(game)` returns an Engine, or a stand-in
        warm: `warm(make)` yields each game when its engines are ready; called once, in the first thread, before its
            first job
    """

    def __init__(
        self,
        threads: int,
        make: Callable[[str], Any],
        warm: Callable[[Callable[[str], Any]], Iterator[str]] | None = None,
    ) -> None:
        self._make, self._warm = make, warm
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._changed = threading.Condition()
        self._closed = False
        self.ready: set[str] = set() if warm else set(NAMES)
        self.fault = ""  # why engines cannot be created
        self.threads = [start_thread(self._work, f"engine {number}", number) for number in range(threads)]

    # ---- jobs

    def submit(self, job: Job) -> Job:
        """Queue a job."""
        with self._changed:
            self._waiting.append(job)
            self._make_room(time.monotonic())
            self._changed.notify_all()
        return job

    def cancel(self, job: Job | None) -> None:
        """Cancel a job, running or queued. None and finished jobs are ignored."""
        if job is None:
            return
        with self._changed:
            job.cancelled = True
            with contextlib.suppress(ValueError):
                self._waiting.remove(job)
            job.stop()

    def tick(self, now: float | None = None) -> None:
        """Interrupt jobs if others are waiting. Call this regularly."""
        with self._changed:
            self._make_room(time.monotonic() if now is None else now)

    def _make_room(self, now: float) -> None:
        """Interrupt jobs for waiting ones that come before them, those that have run longest first."""
        waiting = sorted((job for job in self._waiting if job.game in self.ready), key=_order)
        leaving = sum(job.stopped for job in self._running)
        waiting = waiting[max(len(self.threads) - len(self._running) + leaving, 0) :]
        running = sorted((job for job in self._running if not job.stopped), key=lambda job: (-job.turn, job.began))
        for there, wanted in zip(running, waiting, strict=False):
            slice_over = there.turn == wanted.turn == Turn.ANALYSIS and now - there.began >= SLICE
            if wanted.turn < there.turn or slice_over:
                there.stop()

    @property
    def load(self) -> tuple[int, int]:
        """The numbers of running and waiting jobs."""
        with self._changed:
            return len(self._running), len(self._waiting)

    def close(self) -> None:
        """End all jobs and threads."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for job in self._running:
                job.cancelled = True
                job.stop()
            self._changed.notify_all()

    # ---- threads

    def _work(self, number: int) -> None:
        engines: dict[str, Any] = {}

        def engine(game: str) -> Any:
            if game not in engines:
                engines[game] = self._make(game)
            return engines[game]

        if number == 0 and self._warm is not None:
            try:
                for game in self._warm(engine):
                    self._are_ready([game])
            except Exception as raised:
                log.exception("no engine")
                self.fault = f"{type(raised).__name__}: {raised}"
            self._are_ready(NAMES)
        lower_priority(NICE)
        while (job := self._next()) is not None:
            fault: Exception | None = None
            try:
                self._do(job, engine)
            except Exception as raised:
                engines.pop(job.game, None)  # its state is unknown
                fault = raised
            self._done(job, fault)

    def _are_ready(self, games: Sequence[str]) -> None:
        with self._changed:
            self.ready |= set(games)
            self._changed.notify_all()

    def _next(self) -> Job | None:
        """Wait for the next job; return None when the pool is closed."""
        with self._changed:
            while not self._closed:
                job = min((job for job in self._waiting if job.game in self.ready), key=_order, default=None)
                if job is not None:
                    break
                self._changed.wait()
            if self._closed or job is None:
                return None
            self._waiting.remove(job)
            job.began = job.seat.served = time.monotonic()
            job.stopped = False
            job.seat.running += 1
            self._running.append(job)
            return job

    def _do(self, job: Job, engine: Callable[[str], Any]) -> None:
        made = engine(job.game)
        with job.searching(made, lambda: job.stopped) as stopped:
            if not stopped:
                job.work(made, job)

    def _done(self, job: Job, fault: Exception | None) -> None:
        with self._changed:
            self._running.remove(job)
            job.seat.running -= 1
            if fault is None and job.stopped and not job.cancelled and not self._closed:
                self._waiting.append(job)
            self._changed.notify_all()
        if fault is not None:
            log.error("a job failed", exc_info=fault)
            try:
                job.failed(job, fault)
            except Exception:
                log.exception("a failed job could not be reported")


# ---- A session's searches: one at a time for each purpose; what they find is used with the session's lock held


Found = TypeVar("Found")


@dataclass
class Engines:
    """What a session's searches need.

    Args:
        pool: the engines
        lock: the session's
        changed: called with the lock held after a search has ended
        failed: called with the lock held after a search has failed, with its purpose

    Attributes:
        seat: the session's place in the round
    """

    pool: EnginePool
    lock: AbstractContextManager[object]
    changed: Callable[[], None]
    failed: Callable[[str], None]
    seat: Seat = field(default_factory=Seat)


class SearchSlot:
    """The place of a session's search for one purpose. A new search ends the one before, whose result is not used.

    All methods are called with the session's lock held, but for `report`.

    Args:
        what: the purpose, as in `replies.Failed`
        failed: called with the session's lock held if a search fails, before the pages are told
    """

    def __init__(self, engines: Engines, what: str, turn: Turn, failed: Callable[[], None] = lambda: None) -> None:
        self._engines, self._what, self._turn, self._failed = engines, what, turn, failed
        self._job: Job | None = None

    @property
    def on(self) -> bool:
        """Whether a search is queued or runs."""
        return self._job is not None

    def begin(
        self, tree: Tree, work: Callable[[Any, Job], Found], done: Callable[[Found], None] | None, number: int = -1
    ) -> None:
        """Queue `work(engine, job)`; call `done` with what it returns, unless it was stopped, and tell the pages.

        Args:
            done: None for work that only reports
            number: of the move of the tree after which the engine's position is set; -1 for work that sets it itself
        """
        start, moves = tree.record.start, tree.moves(number)

        def do(engine: Any, job: Job) -> None:
            if number >= 0:
                engine.set_position(start, moves)
            found = work(engine, job)
            if done is not None and not job.stopped:
                self.report(job, lambda: self._end(done, found))

        self.cancel()
        self._job = self._engines.pool.submit(Job(tree.game, do, self._fail, self._engines.seat, self._turn))

    def report(self, job: Job, tell: Callable[[], object]) -> None:
        """Call `tell` with the session's lock held, unless the job is no longer the slot's. Called from `work`."""
        with self._engines.lock:
            if job is self._job:
                tell()

    def cancel(self) -> None:
        """End the search, if there is one."""
        self._engines.pool.cancel(self._job)
        self._job = None

    def _end(self, done: Callable[[Found], None], found: Found) -> None:
        self._job = None
        done(found)
        self._engines.changed()

    def _fail(self, job: Job, fault: BaseException) -> None:
        def tell() -> None:
            self._job = None
            self._failed()
            self._engines.failed(self._what)

        self.report(job, tell)
