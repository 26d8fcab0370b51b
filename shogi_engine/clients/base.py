"""What the clients of other engines share: faults, synchronous calls, processes, turns, the base classes."""

import asyncio
import atexit
import collections
import concurrent.futures
import contextlib
import ctypes
import functools
import operator
import os
import shlex
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast

from shogi_engine.common.text import sanitize
from shogi_engine.language import InputError, fault_text
from shogi_engine.types.limits import Limit, check_board, check_limit, check_names, keyword_names
from shogi_engine.types.results import BoardLike, Move, PlayResult

# ---- EngineError: the faults of engines


FAULTS = (
    "crash",
    "no answer",
    "second answer",
    "illegal move",
    "illegal ponder move",
    "false declaration",
    "time",
    "refusal",
)


class EngineError(Exception):
    """An engine broke its protocol or the rules.

    After a crash or a missing answer, close the client; it can be started again.

    Args:
        kind: one of FAULTS
    """

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind = kind


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


# ---- A process with its children, which end together. Standard library only


# JOBOBJECT_EXTENDED_LIMIT_INFORMATION with only JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
EXTENDED_LIMITS, LIMITS = 9, struct.pack("<16xI124x", 0x2000)
PROCESS_SET_QUOTA_AND_TERMINATE = 0x0101

# How to start a process so that Ctrl-C at the terminal does not reach it.
APART: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}


class ProcessGroup:
    """A process that was started with APART, and its children: a launcher's engine, for instance.

    On Windows they are a job, which also ends when this process does.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._job: Any = None
        if sys.platform == "win32":
            self._kernel = ctypes.WinDLL("kernel32")
            self._job = self._kernel.CreateJobObjectW(None, None)
            self._kernel.SetInformationJobObject(self._job, EXTENDED_LIMITS, LIMITS, len(LIMITS))
            process = self._kernel.OpenProcess(PROCESS_SET_QUOTA_AND_TERMINATE, False, pid)
            self._kernel.AssignProcessToJobObject(self._job, process)
            self._kernel.CloseHandle(process)

    def kill(self) -> None:
        """Kill all of them; the process must not have been waited for."""
        if sys.platform == "win32":
            self._kernel.TerminateJobObject(self._job, 1)
        else:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Free what the system keeps for the group."""
        if sys.platform == "win32" and self._job:
            self._kernel.CloseHandle(self._job)
            self._job = None


# ---- A program that communicates by lines, as an asyncio subprocess; each received line has a time stamp


Log = Callable[[str, str], None]  # called with '>' (sent) or '<' (received), and the line

QUIT_TIMEOUT = 2.0  # seconds after which a program that was told to quit is killed
MOST_LINES, MOST_BYTES = 1 << 16, 1 << 25  # unread; beyond either the oldest lines are dropped
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
        self.lines: collections.deque[tuple[float, str]] = collections.deque()
        self.lost = False  # whether any of its output was cut or dropped
        self.complaints: collections.deque[str] = collections.deque(maxlen=COMPLAINTS)
        self.news = asyncio.Event()
        self.exited = asyncio.Event()
        self.closed = False  # whether the program has closed its output
        self._rest = {1: b"", 2: b""}
        self._unread = 0  # characters of `lines`
        self._log = log

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Process output on stdout (1) or stderr (2)."""
        now = time.monotonic()
        *whole, rest = (self._rest[fd] + data).split(b"\n")
        self._rest[fd] = rest[:LINE_BYTES]
        self.lost |= len(rest) > LINE_BYTES
        for raw in whole:
            self._take(fd, raw, now)
        self.news.set()

    def _take(self, fd: int, raw: bytes, now: float) -> None:
        line = raw.decode("utf-8", "replace").strip("\ufeff\0 \t\r")
        if fd == 2:
            self.complaints.append(line)
            return
        if self._log is not None:
            self._log("<", line)
        self.lines.append((now, line))
        self._unread += len(line)
        while self._unread > MOST_BYTES or len(self.lines) > MOST_LINES:
            self.take()
            self.lost = True

    def take(self) -> tuple[float, str]:
        """Return the oldest unread line."""
        stamp, line = self.lines.popleft()
        self._unread -= len(line)
        return stamp, line

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Record that no more lines will come."""
        if rest := self._rest.get(fd):  # a last line without an end
            self._take(fd, rest, time.monotonic())
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
        self._loop = asyncio.get_running_loop()
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

    @property
    def is_here(self) -> bool:
        """Whether the running event loop is the one in which it was started, and has its pipes."""
        return self._loop is asyncio.get_running_loop()

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
        return self._pipes.take()

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
        while True:
            pipes.news.clear()
            end = deadline()
            if pipes.lines and (end is None or pipes.lines[0][0] <= end):
                return pipes.take()
            if pipes.closed and not pipes.lines:
                raise await self._crash()
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise EngineError("no answer", "it has written more than can be kept" if pipes.lost else "")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(pipes.news.wait(), left)

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


# ---- Turns: of two calls of one client at once, the second waits until the first is done


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
            if self._loop and self._owner and not self._loop.is_closed():
                raise RuntimeError("this client is in use in another event loop")
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


# ---- The base of every protocol's client: a process that is started when needed, initialised, and ended


TIMEOUT = 60.0
READY_TIMEOUT = 600.0
Command = str | Sequence[str]


class EngineClient(ABC):
    """An engine. `start` or the first call that needs it starts its process, and again after `close` or its death.

    Of two calls at once, in two tasks, the second waits until the first is answered; only `close` does not wait.

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
        **unknown: object,
    ) -> None:
        if unknown:
            check_names(type(self).__name__, unknown, keyword_names(type(self), EngineClient))
        self.engine_command, self.timeout, self.ready_timeout = command, timeout, ready_timeout
        self.name = command if isinstance(command, str) else " ".join(command)
        self._cwd, self._line_log = cwd, log
        self._process: EngineProcess | None = None
        self._greeting = False
        self.turn = Turn()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {'running' if self.running else 'not running'}>"

    @abstractmethod
    async def _greet(self) -> None:
        """Initialise a newly started process; receive its name, for example."""

    @staticmethod
    @abstractmethod
    def check(limit: Limit) -> None:
        """Raise ValueError if the protocol cannot express a limit."""

    @abstractmethod
    async def new_game(self) -> None:
        """Prepare for a game."""

    @abstractmethod
    async def play(self, position: BoardLike[Move], limit: Limit) -> PlayResult[Move]:
        """Return the move for a Board. Raises EngineError if it is illegal, ValueError for a limit as in `check`."""

    @property
    def running(self) -> bool:
        """Whether there is a process that has not ended."""
        return self._process is not None and self._process.alive

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

    @in_turn
    async def start(self) -> None:
        """Start and initialise the process if none is running. Raises EngineError, ValueError."""
        if self._process is not None and not self._process.is_here:  # that loop has ended, and left it running
            self._process.kill()
            self._process = None
        if self.running or self._greeting:
            return
        await self.close()
        self._process = await EngineProcess.start(self.engine_command, cwd=self._cwd, log=self._line_log)
        self._greeting = True
        try:
            await self._greet()
        except BaseException:
            await self.close()
            raise
        finally:
            self._greeting = False

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


DEEPEST = 60  # what an engine is told that had a depth before, and has none now: no game has more moves


class MovesClient(EngineClient):
    """A client whose engine keeps an Othello game, and is told its moves one by one."""

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(command, **settings)
        self._told: tuple[str, list[str]] | None = None  # the game that the engine has: its start and moves
        self._timing: tuple[float | None, bool] = None, False  # and its times: of each move, or a clock
        self._depth: int | None = None  # that the engine has been told

    @in_turn
    async def new_game(self) -> None:
        """Prepare for a game."""
        await self.start()
        self._told = None

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        self._told, self._timing = None, (None, False)
        await super().close()

    @abstractmethod
    async def _tell(self, board: Any, start: str, moves: list[str], new: list[str] | None, limit: Limit) -> None:
        """Tell the engine the `new` moves of a game, or all of it, and its times, if `new` is None."""

    def _new_depth(self, limit: Limit, *, again: bool = False) -> int | None:
        """Return the depth that the engine must be told before a move, None for none: `again` even one that it has."""
        depth = limit.depth or (DEEPEST if self._depth else None)
        before, self._depth = self._depth, depth
        return depth if again or depth != before else None

    async def _follow(self, board: Any, limit: Limit) -> None:
        """Let the engine have a Board's game."""
        check_board(board, "obf")
        check_limit(limit)
        self.check(limit)
        await self.start()
        start, moves = board.root().obf(), [str(move) for move in board.move_stack]
        known = None if self._told is None or self._told[0] != start else self._told[1]
        timing = limit.time, limit.clock(board.turn) is not None
        follows = known is not None and moves[: len(known)] == known and timing == self._timing
        self._told = None  # unless all of it is told
        await self._tell(board, start, moves, moves[len(known or ()) :] if follows else None, limit)
        self._told, self._timing = (start, moves), timing

    def _legal(self, board: Any, move: str) -> Any:
        """Return an engine's move as the Board's. Raises EngineError; what game the engine has is unknown then."""
        try:
            return board.parse_text(move)
        except ValueError as fault:
            self._told = None
            raise EngineError("illegal move", str(fault)) from None


Client = TypeVar("Client", bound=EngineClient)


class PlainClient(Generic[Client]):
    """The synchronous version of a client: the same attributes, and calls that wait, with the same errors."""

    client_class: type[Client]

    def __init__(self, command: Command, **settings: Any) -> None:
        self.client: Client = self.client_class(command, **settings)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {'running' if self.running else 'not running'}>"

    name: str = attribute("name")
    running: bool = attribute("running")
    pid: int | None = attribute("pid")

    start = plain(EngineClient.start)
    close = plain(EngineClient.close)
    new_game = plain(EngineClient.new_game)

    def check(self, limit: Limit) -> None:
        """Raise ValueError if the protocol cannot express a limit."""
        self.client.check(limit)

    def play(self, position: BoardLike[Move], limit: Limit) -> PlayResult[Move]:
        """Return the move for a Board."""
        return run_plainly(self.client.play(position, limit))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


__all__ = [
    "Command", "EngineClient", "EngineError", "MovesClient", "PlainClient", "attribute", "in_turn", "plain",
    "run_plainly",
]  # fmt: skip
