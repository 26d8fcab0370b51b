"""A `go` command as a task of the worker. Standard library only."""

import threading
from collections.abc import Callable

from shogi_engine.frontends.core import Task
from usi.protocol import Go


class GoTask(Task):
    """A `go`, and its state.

    Attributes:
        pondering: the opponent's move is not known yet
        ahead: it ponders on the position before that move
        only: there is only one move
        decided: stopped, or the opponent has moved
        released: may be answered
    """

    def __init__(self, go: Go, work: Callable[[], None], received_at: float) -> None:
        super().__init__(work, received_at, bounded=go.is_bounded())
        self.go = go
        self.pondering = go.ponder
        self.ahead = self.only = False
        self.decided, self.released = threading.Event(), threading.Event()
        if not (go.ponder or go.infinite):
            self.released.set()

    def on_stop(self) -> None:
        """Allow the answer."""
        self.decided.set()
        self.released.set()
