"""Prepares a search in a thread while a human reads and types, for `play`.

A separate process would not be faster: it would compile the rules again, which are most of the search.
"""

import threading
from typing import TYPE_CHECKING, NoReturn

from shogi_engine.cli.ending_signals import flush_quietly
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.threads import end_process, start_thread

if TYPE_CHECKING:
    from shogi_engine.interface.game import Game

LAST_WAIT = 0.2  # seconds allowed for the thread to end by itself


class Preparation:
    """Compiles or loads the search of `game` in a thread, then the kernels needed later in a game."""

    def __init__(self, game: "Game") -> None:
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = start_thread(self._work, "preparation", game)

    def _work(self, game: "Game") -> None:
        from shogi_engine.engine import Engine

        try:
            with Engine(game, hash_mb=1) as engine:  # kernels belong to the process, positions to the engine
                engine.search(nodes=1)
                self._ready.set()
                engine.warmup()
        except BaseException as failure:
            self._failure = failure
        finally:
            self._ready.set()

    def wait(self) -> None:
        """Wait until the engine can search; raises the thread's exception if it failed."""
        if not self._ready.is_set():
            with progress_bar():
                self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def is_busy(self) -> bool:
        """Tell whether the thread is still at work."""
        self._thread.join(LAST_WAIT)
        return self._thread.is_alive()


def leave(status: int) -> NoReturn:
    """End the process at once: a normal exit would destroy LLVM objects that a thread still uses."""
    flush_quietly()
    end_process(status)
