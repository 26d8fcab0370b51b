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
    """One search, from its request to its end. Any thread may stop it at any time.

    Attributes:
        lock: guards the attributes
        stopped: whether its result is no longer needed
        pondering: whether the expected move has not been made yet
        requested: the time of the request (time.monotonic); after `ponderhit`, the time of the expected move
        decided: an event that is set when it is stopped or no longer ponders
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
        """Stop the search, from any thread. It still has a result. Does nothing after the end of the search."""
        with self.lock:
            self.stopped = True
            self.decided.set()
            if self._running is not None:
                self._running.stop()

    def ponderhit(self, budget: Any, now: float | None = None) -> None:
        """Continue as a normal search, because the expected move was made.

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
        """Make `stop` end `running` (None: nothing) from now on; return whether the search is still needed."""
        with self.lock:
            self._running = running
            return not self.stopped

    @contextlib.contextmanager
    def searching(self, engine: Searcher, plan: Callable[[], Planned]) -> Iterator[Planned]:
        """Announce the search to an engine, and let `stop` and `ponderhit` reach it inside the `with` block.

        Args:
            engine: the engine that will search, in this thread
            plan: its result is yielded; it is called when no stop or change of the clock can be missed any more
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
