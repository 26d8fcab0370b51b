"""A plain face for asynchronous clients: their coroutines run on one loop, in a thread that is started when needed."""

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")
LOOK_EVERY = 1.0  # seconds; a wait without end would not notice Ctrl-C everywhere


_starting = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}  # by process: a fork has not the thread of its parent


def _loop() -> asyncio.AbstractEventLoop:
    """Return the one loop of this process."""
    with _starting:
        if os.getpid() not in _loops:
            _loops[os.getpid()] = asyncio.new_event_loop()
            run = _loops[os.getpid()].run_forever
            threading.Thread(target=run, name="engine clients", daemon=True).start()
        return _loops[os.getpid()]


def run_plainly(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result, from any thread; what it raises is raised here."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        while not concurrent.futures.wait([future], LOOK_EVERY).done:
            pass
    except BaseException:
        future.cancel()
        raise
    return future.result()
