"""Turns the signals that end a program into an exception, so that a game can be saved first."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Ended(KeyboardInterrupt):
    """A signal has requested the end of the program; like Ctrl-C, it ends a search or a prompt."""


class EndingSignals:
    """The signal received so far.

    Attributes:
        status: its exit status by the convention of shells, 0 for none
    """

    status = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal. Raises Ended only once: a second signal must not interrupt the saving."""
        if not self.status:
            self.status = 128 + number
            raise Ended


@contextlib.contextmanager
def ending_signals() -> Iterator[EndingSignals]:
    """Raise Ended for SIGTERM and SIGHUP in this block of the main thread; ignored signals stay ignored."""
    signals = EndingSignals()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in filter(None, (getattr(signal, name, None) for name in NAMES)):
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, signals)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def flush_quietly() -> None:
    """Flush stdout and stderr, ignoring the errors of a closed terminal.

    The unwritten output is discarded: Python would try again on exit, and exit with status 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
