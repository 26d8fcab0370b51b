"""The signals that end a command: an exception, so that children are ended and files are completed first."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


HUNG_UP = 129  # the exit status of SIGHUP


class EndSignal(KeyboardInterrupt):
    """A signal has requested the end of the program."""


class EndingSignals:
    """The first such signal.

    Attributes:
        status: its exit status by the convention of shells, 0 for none
        first: called instead of raising EndSignal
    """

    def __init__(self) -> None:
        self.status = 0
        self._terminal = os.isatty(0)
        self.first: Callable[[], object] | None = None

    def ended(self, status: int) -> int:
        """Return the exit status of a command that has failed with `status`: that of the signal, if one has ended it.

        A read from a terminal that is being closed fails just before the signal comes.
        """
        hung_up = self._terminal and not os.isatty(0)
        return self.status or (HUNG_UP if hung_up else status)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal. Raises EndSignal only once: a second signal must not interrupt the saving."""
        again, self.status = self.status, self.status or 128 + number
        if self.first is not None:
            self.first()
        elif not again:
            raise EndSignal


_active: list[EndingSignals] = []


@contextlib.contextmanager
def ending_signals() -> Iterator[EndingSignals]:
    """Raise EndSignal for Ctrl-C, SIGTERM and SIGHUP in this block of the main thread; ignored signals stay ignored.

    A block within another one gets the signals of the outer one.
    """
    if _active:
        yield _active[-1]
        return
    signals = EndingSignals()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in filter(None, (getattr(signal, name, None) for name in NAMES)):
            if signal.getsignal(number) in DEFAULTS:
                before[number] = signal.signal(number, signals)
    _active.append(signals)
    try:
        yield signals
    finally:
        _active.remove(signals)
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
