"""The engines that all sessions share: a few threads, each with one engine per game, and searches that take turns.

Memory and load depend on the number of threads, not of sessions. Games come before problems, and problems before
analyses; among the searches of a kind, the session comes first that has waited longest for an engine. A search is
interrupted for one that comes before it, and live analysis after SLICE seconds for another session's; it begins again
later.
"""

import contextlib
import functools
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

from shogi_engine.common.threads import Search, lower_priority, start_thread
from shogi_engine.games import NAMES
from shogi_engine.web.tree import Tree

HASH_MB = 16  # of each engine
SLICE = 2.0  # seconds
NICE = 10  # of searches below the threads that answer browsers
log = logging.getLogger(__name__)


class Priority(IntEnum):
    """Who comes first, and is not interrupted by who comes later."""

    GAME = 0  # a player waits for the engine's move
    SEARCH = 1  # a mate, a defence in a problem
    ANALYSIS = 2  # it has no end of its own, or lasts minutes


@dataclass
class PoolClient:
    """A session's place in the round.

    Attributes:
        served: when a search of the session began last
        running: how many of them run now
    """

    served: float = 0.0
    running: int = 0


Found = TypeVar("Found")


class PoolSearch(Search[Found]):
    """A search that waits for an engine of the pool; if it is interrupted, its work is done again later.

    Attributes:
        client: the session's place in the round
        priority: the kind of search
        cancelled: whether its result is no longer wanted
        began: when the work began (time.monotonic)
        board: the position, None for work that has its own
    """

    def __init__(
        self,
        game: str,
        work: Callable[[Any, "PoolSearch[Found]"], Found],
        done: Callable[["PoolSearch[Found]"], object],
        client: PoolClient,
        priority: Priority,
        board: Any = None,
    ) -> None:
        def announced(engines: Callable[[str], Any], search: PoolSearch[Found]) -> Found | None:
            engine = engines(game)
            with search.searching(engine) as stopped:
                return None if stopped else work(engine, search)

        super().__init__(announced, done=done)  # type: ignore[arg-type]  # None only if it was stopped
        self.game, self.client, self.priority, self.board = game, client, priority, board
        self.cancelled, self.began = False, 0.0


def _order(search: PoolSearch[Any]) -> tuple[Priority, bool, float]:
    """Return the key by which the next search is chosen."""
    return search.priority, search.client.running > 0, search.client.served


class EnginePool:
    """Threads with engines.

    Args:
        make: `make(game)` returns an Engine, or a stand-in
        warm: `warm(make)` yields each game when its engines are ready; called once, in the first thread, before its
            first search
    """

    def __init__(
        self,
        threads: int,
        make: Callable[[str], Any],
        warm: Callable[[Callable[[str], Any]], Iterator[str]] | None = None,
    ) -> None:
        self._make, self._warm = make, warm
        self._waiting: list[PoolSearch[Any]] = []
        self._running: list[PoolSearch[Any]] = []
        self._changed = threading.Condition()
        self._closed = False
        self.ready: set[str] = set() if warm else set(NAMES)
        self.fault = ""  # why engines cannot be created
        self.threads = [start_thread(self._work, f"engine {number}", number) for number in range(threads)]

    # ---- searches

    def submit(self, search: PoolSearch[Found]) -> PoolSearch[Found]:
        """Queue a search."""
        with self._changed:
            self._waiting.append(search)
            self._make_room(time.monotonic())
            self._changed.notify_all()
        return search

    def cancel(self, search: PoolSearch[Any] | None) -> None:
        """Cancel a search, running or queued. None and finished searches are ignored."""
        if search is None:
            return
        with self._changed:
            search.cancelled = True
            with contextlib.suppress(ValueError):
                self._waiting.remove(search)
            search.stop()

    def tick(self, now: float | None = None) -> None:
        """Interrupt searches if others are waiting. Call this regularly."""
        with self._changed:
            self._make_room(time.monotonic() if now is None else now)

    def _make_room(self, now: float) -> None:
        """Interrupt searches for waiting ones that come before them, those that have run longest first."""
        waiting = sorted((search for search in self._waiting if search.game in self.ready), key=_order)
        leaving = sum(search.stopped for search in self._running)
        waiting = waiting[max(len(self.threads) - len(self._running) + leaving, 0) :]
        running = sorted(
            (each for each in self._running if not each.stopped), key=lambda each: (-each.priority, each.began)
        )
        for there, wanted in zip(running, waiting, strict=False):
            slice_over = there.priority == wanted.priority == Priority.ANALYSIS and now - there.began >= SLICE
            if wanted.priority < there.priority or slice_over:
                there.stop()

    @property
    def load(self) -> tuple[int, int]:
        """The numbers of running and waiting searches."""
        with self._changed:
            return len(self._running), len(self._waiting)

    def close(self) -> None:
        """End all searches and threads."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for search in self._running:
                search.cancelled = True
                search.stop()
            self._changed.notify_all()

    # ---- threads

    def _work(self, number: int) -> None:
        made: dict[str, Any] = {}

        def engines(game: str) -> Any:
            if game not in made:
                made[game] = self._make(game)
            return made[game]

        if number == 0 and self._warm is not None:
            try:
                for game in self._warm(engines):
                    self._are_ready([game])
            except Exception as raised:
                log.exception("no engine")
                self.fault = f"{type(raised).__name__}: {raised}"
            self._are_ready(NAMES)
        lower_priority(NICE)
        while (search := self._next()) is not None:
            try:
                search.run(engines, functools.partial(self._takes_back, search))
            except Exception:
                log.exception("the end of a search could not be reported")
            if search.fault is not None:
                log.error("a search failed", exc_info=search.fault)
                made.pop(search.game, None)  # its state is unknown
            else:
                self.fault = ""  # there was not enough memory, say, and now there is

    def _are_ready(self, games: Sequence[str]) -> None:
        with self._changed:
            self.ready |= set(games)
            self._changed.notify_all()

    def _next(self) -> PoolSearch[Any] | None:
        """Wait for the next search; return None when the pool is closed."""
        with self._changed:
            while not self._closed:
                search = min((each for each in self._waiting if each.game in self.ready), key=_order, default=None)
                if search is not None:
                    break
                self._changed.wait()
            if self._closed or search is None:
                return None
            self._waiting.remove(search)
            search.began = search.client.served = time.monotonic()
            search.stopped = False
            search.client.running += 1
            self._running.append(search)
            return search

    def _takes_back(self, search: PoolSearch[Any]) -> bool:
        """Note that a search has left its engine; queue it again, and tell so, if it was interrupted."""
        with self._changed:
            self._running.remove(search)
            search.client.running -= 1
            interrupted = search.fault is None and search.stopped and not (search.cancelled or self._closed)
            if interrupted:
                self._waiting.append(search)
            self._changed.notify_all()
            return interrupted


# ---- A session's searches: one at a time for each purpose; what they find is used with the session's lock held


@dataclass
class Engines:
    """What a session's searches need.

    Args:
        pool: the engines
        lock: the session's
        changed: called with the lock held after a search has ended
        failed: called with the lock held after a search has failed, with its purpose

    Attributes:
        client: the session's place in the round
    """

    pool: EnginePool
    lock: AbstractContextManager[object]
    changed: Callable[[], None]
    failed: Callable[[str], None]
    client: PoolClient = field(default_factory=PoolClient)


class SearchSlot:
    """The place of a session's search for one purpose. A new search ends the one before, whose result is not used.

    All methods are called with the session's lock held, but for `report`.

    Args:
        what: the purpose, as in `replies.Failed`
        failed: called with the session's lock held if a search fails, before the pages are told
    """

    def __init__(
        self, engines: Engines, what: str, priority: Priority, failed: Callable[[], None] = lambda: None
    ) -> None:
        self._engines, self._what, self._priority, self._failed = engines, what, priority, failed
        self._search: PoolSearch[Any] | None = None

    @property
    def on(self) -> bool:
        """Whether a search is queued or runs."""
        return self._search is not None

    def begin(
        self,
        tree: Tree,
        work: Callable[[Any, PoolSearch[Found]], Found],
        done: Callable[[Found], None] | None,
        number: int = -1,
    ) -> None:
        """Queue `work(engine, search)`; call `done` with what it returns, unless it was stopped, and tell the pages.

        Args:
            done: None for work that only reports
            number: of the move of the tree after which `search.board` is; -1 for work that has its own positions
        """

        def ended(search: PoolSearch[Found]) -> None:
            self.report(search, lambda: self._ended(search, done))

        self.cancel()
        board = tree.board_at(number) if number >= 0 else None
        search = PoolSearch(tree.game, work, ended, self._engines.client, self._priority, board)
        self._search = self._engines.pool.submit(search)

    def report(self, search: PoolSearch[Any], tell: Callable[[], object]) -> None:
        """Call `tell` with the session's lock held, unless the search is no longer the slot's. Called from `work`."""
        with self._engines.lock:
            if search is self._search:
                tell()

    def cancel(self) -> None:
        """End the search, if there is one."""
        self._engines.pool.cancel(self._search)
        self._search = None

    def _ended(self, search: PoolSearch[Found], done: Callable[[Found], None] | None) -> None:
        """Use what the search has found, or tell that it failed; the first also if `done` fails."""
        if search.fault is None and (done is None or search.stopped):
            return
        self._search = None
        try:
            found = search.result()
            assert done is not None
            done(found)
            self._engines.changed()
        except Exception as fault:
            search.fault = fault
            self._failed()
            self._engines.failed(self._what)
