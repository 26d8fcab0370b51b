"""The signals that end a program, as an exception: what is under way can be saved first."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Ended(KeyboardInterrupt):
    """A signal asked the program to end; like Ctrl-C it ends a search or a prompt."""


class EndingSignals:
    """What came so far. status : the exit status by which shells know the signal, 0 for none."""

    status = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a signal. Raises Ended, once: a second signal must not interrupt the saving."""
        if not self.status:
            self.status = 128 + number
            raise Ended


@contextlib.contextmanager
def ending_signals() -> Iterator[EndingSignals]:
    """Raise Ended in this block, which the main thread enters, for SIGTERM and SIGHUP; one that is ignored stays so."""
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
    """Write what is left to stdout and stderr; a terminal that is gone takes nothing.

    What it did not take goes nowhere: Python would try again when it ends, and end with status 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
