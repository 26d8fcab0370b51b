"""SearchHandle: the handle of one search, which any thread may stop. Standard library only."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

Planned = TypeVar("Planned")


class Stoppable(Protocol):
    """A search that runs."""

    def stop(self) -> object:
        """End it; it still has a result."""


class Searcher(Stoppable, Protocol):
    """An engine, or a stand-in."""

    def prepare(self) -> object:
        """Announce a search, so that `stop` and `extend` apply to it before it has begun."""

    def extend(self, budget: Any) -> object:
        """Give the search a new time budget, which starts now."""


class SearchHandle:
    """One search, from its request to its end. Any thread may stop it: before it begins, while it runs, and later.

    Attributes:
        lock: guards the attributes
        stopped: its result is not needed any more
        pondering: the expected move that it works on has not been made yet
        requested: when (time.monotonic); after `ponderhit`, when the expected move was made
        decided: an event, set when it is stopped or does not ponder any more
    """

    def __init__(self, *, pondering: bool = False, requested: float | None = None) -> None:
        self.lock = threading.Lock()
        self.stopped, self.pondering = False, pondering
        self.requested = time.monotonic() if requested is None else requested
        self.decided = threading.Event()
        self._running: Stoppable | None = None
        self._engine: Searcher | None = None
        if not pondering:
            self.decided.set()

    def stop(self) -> None:
        """Stop the search at once, from any thread; it still has a result. After its end this does nothing."""
        with self.lock:
            self.stopped = True
            self.decided.set()
            if self._running is not None:
                self._running.stop()

    def ponderhit(self, budget: Any, now: float | None = None) -> None:
        """The expected move was made: search on for the reply.

        Args:
            budget: the TimeBudget of the reply, None for no limit
            now: when the move was made (time.monotonic)
        """
        now = time.monotonic() if now is None else now
        with self.lock:
            pondered_ms = 1000 * (now - self.requested)
            self.pondering, self.requested = False, now
            if self._engine is not None and budget is not None:
                self._engine.extend(budget.after_pondering(pondered_ms))
            self.decided.set()

    def follow(self, running: Stoppable | None) -> bool:
        """Let `stop` end `running` from now on, None for nothing; return whether the search is still needed."""
        with self.lock:
            self._running = running
            return not self.stopped

    @contextlib.contextmanager
    def searching(self, engine: Searcher, plan: Callable[[], Planned]) -> Iterator[Planned]:
        """Announce the search to an engine, and let `stop` and `ponderhit` reach it inside the `with` block.

        Args:
            engine: that will search, in this thread
            plan: its result is yielded; called when no stop or change of the clock can be missed any more
        """
        with self.lock:
            planned = plan()
            engine.prepare()
            self._running = self._engine = engine
        try:
            yield planned
        finally:
            with self.lock:
                self._running = self._engine = None
