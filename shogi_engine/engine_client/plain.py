"""A plain face for asynchronous clients: their coroutines run on one loop, in a thread that is started when needed."""

import asyncio
import concurrent.futures
import functools
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")
LOOK_EVERY = 1.0  # seconds; a wait without end would not notice Ctrl-C everywhere


@functools.lru_cache(maxsize=1)
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """Return the loop of the process with this id: a fork has not the thread of its parent."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="engine clients", daemon=True).start()
    return loop


def run_plainly(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result, from any thread; what it raises is raised here."""
    future = asyncio.run_coroutine_threadsafe(work, _loop(os.getpid()))
    try:
        while not concurrent.futures.wait([future], LOOK_EVERY).done:
            pass
    except BaseException:
        future.cancel()
        raise
    return future.result()
