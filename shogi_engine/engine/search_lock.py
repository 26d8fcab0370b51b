"""SearchLock: an engine runs one search at a time."""

import contextlib
import threading
from collections.abc import Iterator

from shogi_engine.common.stop import StopToken


class SearchLock:
    """Lets one search run at a time; the context managers raise RuntimeError if another one is running.

    Args:
        stop: the token that ends a search
    """

    def __init__(self, stop: StopToken) -> None:
        self._stop, self._lock = stop, threading.Lock()
        self._owner = 0  # the thread that holds the lock for its next search

    @contextlib.contextmanager
    def idle(self) -> Iterator[None]:
        """Prevent all searches from starting inside the `with` block."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("this engine is already searching")
        try:
            yield
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def search(self) -> Iterator[None]:
        """Prevent other searches from starting inside the `with` block, in which this thread searches."""
        claimed, self._owner = self._owner == threading.get_ident(), 0
        with contextlib.nullcontext() if claimed else self.idle():
            self._stop.begin()
            yield

    @contextlib.contextmanager
    def claim(self) -> Iterator[None]:
        """Let only this thread search, and only once, inside the `with` block."""
        with self.idle():
            self.hand_over(threading.get_ident())
            try:
                yield
            finally:
                self.hand_over(0)

    def hand_over(self, thread: int) -> None:
        """Let another thread search inside the `claim` of this one; 0 for none yet."""
        self._owner = thread
