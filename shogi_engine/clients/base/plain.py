"""Synchronous calls of asynchronous clients: coroutines run on one event loop, in a thread that starts when needed."""

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")
LOOK_EVERY = 1.0  # seconds; an endless wait would miss Ctrl-C on some systems


_starting = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}  # by process ID: a fork does not have its parent's thread


def _loop() -> asyncio.AbstractEventLoop:
    """Return this process's event loop."""
    with _starting:
        if os.getpid() not in _loops:
            _loops[os.getpid()] = asyncio.new_event_loop()
            run = _loops[os.getpid()].run_forever
            threading.Thread(target=run, name="engine clients", daemon=True).start()
        return _loops[os.getpid()]


def run_plainly(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine from any thread and return its result; its exceptions are raised here."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        while not concurrent.futures.wait([future], LOOK_EVERY).done:
            pass
    except BaseException:
        future.cancel()
        raise
    return future.result()
