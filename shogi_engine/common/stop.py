"""How searches are stopped: a flag that kernels read by address, and a timer that sets it.

Kernels cannot read a clock. Each search has a StopToken, which another thread or a Deadline sets.
"""

import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

LINE_WORDS = 8  # uint64s in a cache line, which the flag has for itself
LONG_WAIT = 3600.0  # seconds; some systems do not accept a longer wait
FOREVER = float("inf")


class StopToken:
    """A flag that ends a search, set by any thread; stopping a token also stops its children.

    A front end that starts a search in a thread first calls `prepare`: from then on a stop applies, even before the
    search begins. The search itself calls `begin`, which clears an older stop unless it was prepared.
    """

    def __init__(self, parent: "StopToken | None" = None) -> None:
        self._word = np.zeros(LINE_WORDS, dtype=np.uint64)
        self.prepared = False  # whether an announced search has not begun yet
        self._parent = parent
        self._children: weakref.WeakSet[StopToken] = weakref.WeakSet()
        self._lock: threading.RLock = parent._lock if parent else threading.RLock()
        if parent:
            with self._lock:
                parent._children.add(self)

    def __reduce__(self) -> Any:
        raise TypeError("a search cannot be copied or pickled: make an Engine in each process")

    @property
    def address(self) -> int:
        """The address of a uint64 that becomes nonzero when the search has to end."""
        return int(self._word.ctypes.data)

    @property
    def stopped(self) -> bool:
        """Tell whether a stop was requested."""
        return bool(self._word[0])

    def stop(self) -> None:
        """End the running or prepared search at once. Does nothing if there is none."""
        with self._lock:
            self._word[0] = 1
            for child in self._children:
                child.stop()

    def clear(self) -> None:
        """Clear a stop, but not the parent's."""
        with self._lock:
            self._word[0] = self._parent._word[0] if self._parent else 0
            for child in self._children:
                child.clear()

    def prepare(self) -> None:
        """Announce a search: from now on `stop` ends it, even before it begins. Clears an older stop."""
        with self._lock:
            self.prepared = True
            self.clear()

    def begin(self) -> bool:
        """Begin a search and tell whether it was prepared; if not, clear an older stop."""
        with self._lock:
            prepared, self.prepared = self.prepared, False
            if not prepared:
                self.clear()
            return prepared

    @contextlib.contextmanager
    def ignored(self) -> Iterator[None]:
        """Ignore an earlier stop while the block runs; a new stop still applies."""
        with self._lock:
            before = self._word[0]
            self._word[0] = 0
        try:
            yield
        finally:
            with self._lock:
                self._word[0] |= before


class Deadline:
    """Calls `stop` once at a time of time.perf_counter, from a thread that is started when needed.

    `close`, or leaving a `with` block, ends it; neither function is called afterwards.

    Args:
        on_tick: called every `tick` seconds until then, in that thread
    """

    def __init__(
        self,
        stop: Callable[[], object],
        end: float = FOREVER,
        *,
        on_tick: Callable[[], object] | None = None,
        tick: float = 0.5,
    ) -> None:
        self._stop, self._on_tick = stop, on_tick
        self._wait = tick if on_tick else LONG_WAIT
        self._condition = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None
        self.set(end)

    def set(self, end: float) -> None:
        """Change the time; FOREVER for none."""
        with self._condition:
            self._end = end
            if self._thread is None and not self._closed and (end < FOREVER or self._on_tick):
                self._thread = threading.Thread(target=self._run, name="search-clock", daemon=True)
                self._thread.start()
            self._condition.notify()

    def close(self) -> None:
        """Stop all calls."""
        with self._condition:
            self._closed = True
            self._condition.notify()

    def __enter__(self) -> "Deadline":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _run(self) -> None:
        with self._condition:
            while not self._closed:
                left = self._end - time.perf_counter()
                if left <= 0:
                    self._stop()
                    return
                notified = self._condition.wait(min(left, self._wait))
                if self._on_tick and not notified and not self._closed:
                    self._on_tick()


def end_of(milliseconds: float | None, since: float) -> float:
    """Return the time of time.perf_counter that is `milliseconds` after `since`, FOREVER for None."""
    return FOREVER if milliseconds is None else since + milliseconds / 1000
