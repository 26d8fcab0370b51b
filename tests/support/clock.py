"""Bounds on time that a busy machine keeps: CPU time in place of time."""

import contextlib
import time
from collections.abc import Iterator


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block uses more CPU time, in all threads of this process."""
    began = time.process_time()
    yield
    used = time.process_time() - began
    assert used < seconds, f"{used:.3f} s of CPU time, {seconds} s at most"
