"""Bounds on time that a busy machine keeps: CPU time in place of time."""

import contextlib
import signal
import time
from collections.abc import Iterator


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block uses more CPU time, in all threads of this process."""
    began = time.process_time()
    yield
    used = time.process_time() - began
    assert used < seconds, f"{used:.3f} s of CPU time, {seconds} s at most"


@contextlib.contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError within the block once it has used more CPU time, if Python runs or a regular expression."""

    def end(*_: object) -> None:
        raise TimeoutError(f"{seconds} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
