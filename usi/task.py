"""A `go` command as a task of the worker. Standard library only."""

import threading
from collections.abc import Callable

from shogi_engine.frontends.core import Task
from usi.protocol import Go


class GoTask(Task):
    """A `go`, and its state.

    Attributes:
        ahead: whether it searches the position before the opponent's move
        only: whether there is only one legal move
        released: set when the answer may be sent
    """

    def __init__(self, go: Go, work: Callable[[], None], requested: float) -> None:
        super().__init__(work, requested, bounded=go.is_bounded(), pondering=go.ponder)
        self.go = go
        self.ahead = self.only = False
        self.released = threading.Event()
        if not (go.ponder or go.infinite):
            self.released.set()

    def stop(self) -> None:
        """Stop the search, and allow the answer."""
        super().stop()
        self.released.set()
