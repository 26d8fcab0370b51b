"""A program that communicates by lines, as an asyncio subprocess; each received line has a time stamp."""

import asyncio
import atexit
import collections
import contextlib
import os
import shlex
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from typing import cast

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.clients.base.process_group import APART, ProcessGroup
from shogi_engine.common.text import sanitize
from shogi_engine.language import InputError, fault_text

Log = Callable[[str, str], None]  # called with '>' (sent) or '<' (received), and the line

QUIT_TIMEOUT = 2.0  # seconds after which a program that was told to quit is killed
MOST_LINES = 1 << 16  # unread lines; beyond that the oldest are dropped
LINE_BYTES = 1 << 20  # maximum length of a line; longer lines are cut
COMPLAINTS = 10  # last lines of stderr that are quoted after a crash

_living: "weakref.WeakSet[EngineProcess]" = weakref.WeakSet()


@atexit.register
def _kill_living() -> None:
    for process in list(_living):
        process.kill()


def split_command(command: str | Sequence[str]) -> list[str]:
    """Split a command line into words. Raises ValueError if it is empty or a quotation is not closed."""
    if not isinstance(command, str):
        words = list(command)
    elif os.name == "nt":  # a backslash is not an escape character there
        words = [word.strip('"') for word in shlex.split(command, posix=False)]
    else:
        words = shlex.split(command)
    if not words:
        raise InputError("the command that starts the engine is missing")
    return words


class _Pipes(asyncio.SubprocessProtocol):
    """Splits the program's output into lines, each with the time.monotonic() of its completion."""

    def __init__(self, log: Log | None) -> None:
        self.lines: collections.deque[tuple[float, str]] = collections.deque(maxlen=MOST_LINES)
        self.complaints: collections.deque[str] = collections.deque(maxlen=COMPLAINTS)
        self.news = asyncio.Event()
        self.exited = asyncio.Event()
        self.closed = False  # whether the program has closed its output
        self._rest = {1: b"", 2: b""}
        self._log = log

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Process output on stdout (1) or stderr (2)."""
        now = time.monotonic()
        *whole, rest = (self._rest[fd] + data).split(b"\n")
        self._rest[fd] = rest[:LINE_BYTES]
        for raw in whole:
            self._take(fd, raw.decode("utf-8", "replace").strip(), now)
        self.news.set()

    def _take(self, fd: int, line: str, now: float) -> None:
        if fd == 2:
            self.complaints.append(line)
            return
        if self._log is not None:
            self._log("<", line)
        self.lines.append((now, line))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Record that no more lines will come."""
        if fd == 1:
            self.closed = True
            self.news.set()

    def process_exited(self) -> None:
        """Wake up the coroutines that wait for the process."""
        self.exited.set()
        self.news.set()


class EngineProcess:
    """One run of a program, in its own process group, so that Ctrl-C at the terminal does not reach it."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes, log: Log | None) -> None:
        self._transport, self._pipes, self._log = transport, pipes, log
        self._stdin = cast(asyncio.WriteTransport, transport.get_pipe_transport(0))
        self._group = ProcessGroup(transport.get_pid())
        _living.add(self)

    @classmethod
    async def start(
        cls, command: str | Sequence[str], *, cwd: str | os.PathLike[str] | None = None, log: Log | None = None
    ) -> "EngineProcess":
        """Start a program. Raises EngineError if that fails."""
        try:
            transport, pipes = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Pipes(log), *split_command(command), cwd=cwd, **APART
            )
        except (OSError, ValueError) as fault:
            raise EngineError("crash", f"cannot start: {fault_text(fault)}") from None
        return cls(transport, pipes, log)

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._transport.get_pid()

    @property
    def alive(self) -> bool:
        """Whether it accepts commands and may answer them."""
        return not (self._pipes.closed or self._pipes.exited.is_set() or self._stdin.is_closing())

    def send(self, line: str) -> float:
        """Send a line; return when (time.monotonic) it was written. Raises EngineError."""
        if "\n" in line or "\r" in line:
            raise InputError("a command must be one line: {0}", sanitize(line))
        if not self.alive:
            raise EngineError("crash", "it no longer accepts commands")
        if self._log is not None:
            self._log(">", line)
        self._stdin.write(f"{line}\n".encode())
        return time.monotonic()

    def waiting(self) -> bool:
        """Tell whether a received line is waiting."""
        return bool(self._pipes.lines)

    def take(self) -> tuple[float, str]:
        """Return a waiting line and its time of arrival."""
        return self._pipes.lines.popleft()

    def wake(self) -> None:
        """Let `receive` check its deadline again."""
        self._pipes.news.set()

    async def receive(self, deadline: Callable[[], float | None]) -> tuple[float, str]:
        """Return the next line and its time of arrival.

        Args:
            deadline: returns the time (time.monotonic) by which the line must arrive, None for no limit

        Raises:
            EngineError: the line did not arrive in time, or no line can arrive any more
        """
        pipes = self._pipes
        while not pipes.lines:
            if pipes.closed:
                raise await self._crash()
            pipes.news.clear()
            end = deadline()
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise EngineError("no answer")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(pipes.news.wait(), left)
        return pipes.lines.popleft()

    async def _crash(self) -> EngineError:
        """Return the error of a program that has closed its output."""
        with contextlib.suppress(TimeoutError):  # it may still be running
            await asyncio.wait_for(self._pipes.exited.wait(), QUIT_TIMEOUT)
        text = f"exit status {self._transport.get_returncode()}"
        last = next((line for line in reversed(self._pipes.complaints) if line), "")
        return EngineError("crash", f"{text}, {sanitize(last)}" if last else text)

    def kill(self) -> None:
        """Kill the process and its children if they still exist."""
        if self._transport.get_returncode() is None:
            self._group.kill()
            if sys.platform == "win32":  # elsewhere this might reap it before asyncio does, which complains
                with contextlib.suppress(OSError):
                    self._transport.kill()

    async def close(self, farewell: str = "") -> None:
        """Tell the process to quit (by the line `farewell`), and kill it after QUIT_TIMEOUT seconds."""
        with contextlib.suppress(EngineError):
            if farewell:
                self.send(farewell)
        self._stdin.close()
        try:
            await asyncio.wait_for(self._pipes.exited.wait(), QUIT_TIMEOUT)
        except TimeoutError:
            self.kill()
            await self._pipes.exited.wait()
        finally:
            self.kill()
            self._group.close()
            self._transport.close()
            _living.discard(self)
