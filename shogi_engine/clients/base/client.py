"""The base of every protocol's client: a process that is started when needed, initialised, and ended."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.base.plain import attribute, plain
from shogi_engine.clients.base.process import EngineProcess, Log

TIMEOUT = 60.0
READY_TIMEOUT = 600.0
Command = str | Sequence[str]


class EngineClient(ABC):
    """An engine. Its process is started by `start` or the first call that needs it, and again after `close`.

    Attributes:
        timeout: the timeout for a move in seconds, beyond the time that it may take; None to wait forever
        ready_timeout: the timeout for other answers, in seconds
        log: called with '>' (sent) or '<' (received) and the line, for every line
        name: the name that the engine reports; its command until then
    """

    def __init__(
        self,
        command: Command,
        *,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float | None = TIMEOUT,
        ready_timeout: float = READY_TIMEOUT,
        log: Log | None = None,
    ) -> None:
        self.engine_command, self.timeout, self.ready_timeout = command, timeout, ready_timeout
        self.name = command if isinstance(command, str) else " ".join(command)
        self._cwd, self._line_log = cwd, log
        self._process: EngineProcess | None = None

    @abstractmethod
    async def _greet(self) -> None:
        """Initialise a newly started process; receive its name, for example."""

    @property
    def running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """The process ID, None without a process."""
        return None if self._process is None else self._process.pid

    @property
    def process(self) -> EngineProcess:
        """The process. Raises EngineError if there is none."""
        if self._process is None:
            raise EngineError("crash", "it has not been started")
        return self._process

    async def start(self) -> None:
        """Start and initialise the process if there is none. Raises EngineError, ValueError."""
        if self._process is not None:
            return
        self._process = await EngineProcess.start(self.engine_command, cwd=self._cwd, log=self._line_log)
        try:
            await self._greet()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        process, self._process = self._process, None
        if process is not None:
            await process.close("quit")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


Client = TypeVar("Client", bound=EngineClient)


class PlainClient(Generic[Client]):
    """The synchronous version of a client: calls that wait, with the same names, arguments and errors.

    Attributes:
        client_class: the client's class
        name: the engine's name; the command until the engine reports one
        running: whether there is a process
        pid: the process ID, None without a process
    """

    client_class: type[Client]

    def __init__(self, command: Command, **settings: Any) -> None:
        self.client: Client = self.client_class(command, **settings)

    name: str = attribute("name")
    running: bool = attribute("running")
    pid: int | None = attribute("pid")

    start = plain(EngineClient.start)
    close = plain(EngineClient.close)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
