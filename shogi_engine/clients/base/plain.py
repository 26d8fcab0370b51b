"""Synchronous calls of asynchronous clients: coroutines run on one event loop, in a thread that starts when needed."""

import asyncio
import concurrent.futures
import functools
import operator
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
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


def attribute(name: str) -> Any:
    """Return a synchronous client's property for an attribute of its asynchronous client."""
    return property(operator.attrgetter(f"client.{name}"))


def plain(
    call: Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[Any, Arguments], Result]:
    """Return a synchronous client's method that makes a `call` of its asynchronous client and waits for the result."""
    name = call.__name__  # subclasses may override it

    def method(self: Any, /, *arguments: Arguments.args, **settings: Arguments.kwargs) -> Result:
        work: Coroutine[Any, Any, Result] = getattr(self.client, name)(*arguments, **settings)
        return run_plainly(work)

    functools.update_wrapper(method, call)
    return method
