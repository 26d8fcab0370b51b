"""The time limits of a running search, and the thread that enforces them."""

import math
import threading
import time
from collections.abc import Callable

from shogi_engine.common.stop import FOREVER, Deadline, end_of
from shogi_engine.search.limits import Limits
from shogi_engine.types.clock import LEAST_MS, TimeBudget


class Timer:
    """Stops a search at its hard limit, from a separate thread, because kernels cannot read a clock."""

    def __init__(self, began: float, limits: Limits, stop: Callable[[], None]) -> None:
        self.lock = threading.Lock()
        self.deadline = Deadline(stop)
        self.since = began
        self.soft = FOREVER
        self.least = began
        self.full = FOREVER  # the budget's hard limit; `cap` may set the deadline below it
        self.factor: float | None = None
        self.second: float | None = None  # when the clock's current second ends
        self.last = FOREVER  # the end of the second that the search may use up
        self.set(began, limits.budget)

    def set(self, since: float, budget: TimeBudget | None) -> None:
        """Set the limits to a budget that counts from `since` (time.perf_counter), None for no time limit."""
        budget = TimeBudget.exactly(math.inf) if budget is None else budget.at_least(LEAST_MS)
        with self.lock:
            self.since = since
            self.second = None if budget.second_ms is None else since + budget.second_ms / 1000
            self.last = FOREVER
            self.least = since + budget.least_ms / 1000
            self.soft = end_of(budget.soft_ms, since)
            self.full = end_of(budget.hard_ms, since)
            self._apply_cap()

    def cap(self, factor: float | None) -> None:
        """End the search at `factor` times the soft limit, even within an iteration. None restores the hard limit."""
        with self.lock:
            self.factor = factor
            self._apply_cap()

    def _apply_cap(self) -> None:
        end = self.full
        if self.factor is not None and self.soft < self.full < FOREVER:
            end = max(self.since + self.factor * (self.soft - self.since), self.least)
            end = min(self._full_second(end), self.full)
        self.deadline.set(min(end, self.last))

    def _full_second(self, end: float) -> float:
        """Return the end of the second that contains `end`, on a clock that counts full seconds."""
        return end if self.second is None else self.second + math.ceil(end - self.second)

    def may_continue(self, factor: float = 1.0) -> bool:
        """Tell whether another iteration may begin with the soft limit multiplied by `factor`, up to the hard limit.

        If both limits are equal, all the time is to be used, and `factor` is ignored.
        """
        with self.lock:
            end = self.soft
            if self.soft < self.full < FOREVER:
                end = min(max(self.since + factor * (self.soft - self.since), self.least), self.full)
        return time.perf_counter() < end

    def finish_second(self) -> bool:
        """End the search at the end of the current second; return whether any time is left in it."""
        with self.lock:
            now = time.perf_counter()
            if self.second is not None and self.last == FOREVER:
                self.last = min(self._full_second(now), self.full)
                self._apply_cap()
            return self.second is not None and now < self.last

    def close(self) -> None:
        """End the thread."""
        self.deadline.close()
