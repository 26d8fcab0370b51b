"""Turns: of two calls of one client at once, the second waits until the first is done."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Call = TypeVar("Call", bound=Callable[..., Coroutine[Any, Any, Any]])


class Turn:
    """A lock of tasks, which the one that has it may take again."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None  # a client may be started again in another loop
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[Any] | None = None
        self._depth = 0

    async def __aenter__(self) -> None:
        if self._loop is not (running := asyncio.get_running_loop()):
            self._loop, self._lock, self._owner, self._depth = running, asyncio.Lock(), None, 0
        if self._owner is not (task := asyncio.current_task()):
            await self._lock.acquire()
            self._owner = task
        self._depth += 1

    async def __aexit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None
            self._lock.release()


def in_turn(call: Call) -> Call:
    """Let a method of a client with the Turn `turn` wait until the calls before it are done."""

    @functools.wraps(call)
    async def method(self: Any, *arguments: Any, **settings: Any) -> Any:
        async with self.turn:
            return await call(self, *arguments, **settings)

    return method  # type: ignore[return-value]
