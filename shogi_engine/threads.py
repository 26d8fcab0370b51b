"""Threads that search: the search recurses deeper than some systems' default stack. Standard library only."""

import threading
from collections.abc import Callable

STACK_BYTES = 64 << 20  # the search recurses; macOS and Windows give threads little

_starting = threading.Lock()


def start_thread(work: Callable[..., object], name: str, *arguments: object) -> threading.Thread:
    """Return a thread at `work(*arguments)`, with a stack for a search; it does not keep the process alive."""
    thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
    with _starting:  # the size is the process's, not the thread's
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread
