"""The command loop of all front ends, with a reader thread, a worker thread, and a thread that loads the engine.

The reader executes urgent commands at once and puts the others into the worker's queue as tasks, which are done in
order. Nothing that needs numba is imported here. The engine is loaded after the first line, so a front end answers at
once while kernels are being compiled.

What a line does to earlier ones, among them a protocol's `stop`, and `quit` or the end of input:
* Interactive input (`Input.live`: a terminal, or a program that waited for an answer): each line is executed as
  it comes. `stop` stops all tasks, including waiting ones. The end does so too; commands that can be answered within
  LAST_WORDS are answered in order, and the process ends.
* A script, whose input is complete from the beginning: each line is executed when the earlier ones have been answered,
  as if they were sent one at a time, even if kernels must be compiled first. Work that ends by itself (a depth, nodes,
  a time, a perft) is completed; lines after a search without a limit are executed while it runs, and `stop` or the end
  stops it. The end waits at most LAST_WORDS for that, as a mate may be found, and for commands that only change the
  state (options, a new game).
"""

import contextlib
import ctypes
import faulthandler
import importlib
import math
import os
import queue
import re
import select
import struct
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shogi_engine.common.system import keep_descriptors
from shogi_engine.common.threads import Search, end_process, start_thread

if TYPE_CHECKING:
    from shogi_engine.engine import Engine


# ---- Bytes from standard input, of whatever kind it is: a pipe, a console, a file, a socket, or none
#
# On Windows a read that waits locks its handle. A library that loads asks for the state of standard input (OpenBLAS
# does, and so does every C runtime) and waits behind that read: forever, if the GUI at the other end waits for an
# answer. So no read is begun before there is something to read. Standard library only.


CHUNK = 1 << 16
POLL = 0.005  # seconds between looks at a handle of Windows

DISK, CHARACTERS, PIPE = 1, 2, 3  # GetFileType
KEY_EVENT = 1
KEY_RECORD = struct.Struct("<HxxiHHHHI")  # INPUT_RECORD: type, down, repeat, key, scan code, character, shift state
KEYS_OF_HISTORY = range(0x25, 0x29)  # the arrows bring back the lines typed before
EVENTS = 32  # of a console, looked at together

Probe = Callable[[], bool]  # tells whether a read would return at once


class Source:
    """A file descriptor to read from. A descriptor that is not open is at its end.

    Attributes:
        can_wait: whether `wait` knows when there is input
        is_terminal: whether a person types there
    """

    def __init__(self, descriptor: int) -> None:
        self._probe: Probe | None = None
        self.can_wait = True
        try:
            # What is typed in a console of Windows comes as UTF-8 this way, and not by os.read.
            self._file: Any = open(descriptor, "rb", buffering=0, closefd=False)  # noqa: SIM115
        except OSError:
            self._file = None
        self.is_terminal = bool(self._file and self._file.isatty())
        if sys.platform == "win32" and self._file:
            import msvcrt

            self._probe = probe_of(ctypes.windll.kernel32, msvcrt.get_osfhandle(descriptor))
            self.can_wait = self._probe is not None

    def wait(self, seconds: float = math.inf) -> bool:
        """Wait up to `seconds` for input or its end; tell whether there is any.

        If that cannot be known, the answer is no, or yes if the wait has no limit.
        """
        if self._file is None:
            return True
        if self._probe:
            return poll(self._probe, seconds)
        if not self.can_wait:
            return seconds == math.inf
        return bool(select.select([self._file], [], [], None if seconds == math.inf else seconds)[0])

    def read(self) -> bytes:
        """Return what there is, up to CHUNK bytes; b'' at the end."""
        try:
            return (self._file and self._file.read(CHUNK)) or b""
        except OSError:
            return b""


def poll(probe: Probe, seconds: float) -> bool:
    """Wait up to `seconds` until `probe()` holds; tell whether it does."""
    end = time.monotonic() + seconds
    while not probe():
        if time.monotonic() >= end:
            return False
        time.sleep(POLL)
    return True


# ---- what Windows knows of a handle ------------------------------------------------------------------------------


def probe_of(kernel: Any, handle: int) -> Probe | None:
    """Return a probe for a handle; None if there is no way to know.

    Args:
        kernel: kernel32.dll
    """
    kind, mode = kernel.GetFileType(handle), ctypes.c_ulong()
    if kind == PIPE:
        if kernel.GetNamedPipeInfo(handle, None, None, None, None):  # an anonymous pipe has a name too
            return lambda: _pipe_has_input(kernel, handle)
        return (lambda: _socket_has_input(handle)) if _is_socket(handle) else None
    if kind == CHARACTERS and kernel.GetConsoleMode(handle, ctypes.byref(mode)):
        return lambda: _console_has_text(kernel, handle)
    return lambda: True  # a file, or NUL


def _pipe_has_input(kernel: Any, handle: int) -> bool:
    waiting = ctypes.c_ulong()
    peeked = kernel.PeekNamedPipe(handle, None, 0, None, ctypes.byref(waiting), None)
    return not peeked or waiting.value > 0  # not after the other end has closed it


def _is_socket(handle: int) -> bool:
    try:
        _socket_has_input(handle)
    except (OSError, ValueError):
        return False
    return True


def _socket_has_input(handle: int) -> bool:
    return bool(select.select([handle], [], [], 0)[0])


def _console_has_text(kernel: Any, handle: int) -> bool:
    """Tell whether a key was pressed that begins a line. Other events (mouse, focus, Shift) are removed.

    The read then waits for the end of the line, which a person who has begun it will type.
    """
    events, count = ctypes.create_string_buffer(EVENTS * KEY_RECORD.size), ctypes.c_ulong()
    while kernel.PeekConsoleInputW(handle, events, EVENTS, ctypes.byref(count)) and count.value:
        for number in range(count.value):
            kind, down, _, key, _, character, _ = KEY_RECORD.unpack_from(events, number * KEY_RECORD.size)
            if kind == KEY_EVENT and down and (character or key in KEYS_OF_HISTORY):
                return True
        kernel.ReadConsoleInputW(handle, events, count.value, ctypes.byref(count))
    return False


# ---- Standard input and output for the line protocols. Standard library only, until a crash log is needed


LINE_MAX = 1 << 20  # bytes of a line; longer lines are cut
_LOGGED = re.compile(rb"\d\d:\d\d:\d\d\.\d{3} [<>] ")
GRACE = 0.1  # seconds within which a script must continue, if it has not been answered
LINGER = 0.01  # seconds within which the end of a script must follow its beginning
# Encodings of input: GUIs write UTF-8, but those made with .NET (ShogiGUI, Shogidokoro) Windows' own.
OTHERWISE = "oem" if sys.platform == "win32" else "utf-8"
CRASH_LOG_MAX = 1 << 18  # bytes; a longer log is renamed to the old one, and a new one begins


def read_line(raw: bytes, otherwise: str = OTHERWISE) -> str:
    """Return a line of input without its line end: UTF-8, or in the encoding `otherwise` if it is not valid UTF-8."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode(otherwise, "replace")
    return text.strip("\ufeff \t\r\n\0")


def asks_to_quit(text: str) -> bool:
    """Tell whether a line is `quit`."""
    return text.split(maxsplit=1)[:1] == ["quit"]


# ---- input -------------------------------------------------------------------------------------------------------


class Input:
    """The lines of a file descriptor. `live` : whether a person or program at the other end reacts to the answers.

    A terminal is live, and so is input that arrives after an answer or a pause. A script in a pipe or a file is
    complete from the beginning: everything available is read before its first line is executed.
    """

    def __init__(self, source: Source, output: "Output") -> None:
        self._source, self._output = source, output
        self.live = source.is_terminal
        self._ended = False

    def __iter__(self) -> Iterator[bytes]:
        pending = self._gather(LINGER)
        while True:
            *lines, pending = pending.split(b"\n")
            pending = pending[:LINE_MAX]
            answers = self._output.written
            yield from lines
            if self._ended:
                break
            soon = self.live or self._source.wait(GRACE)
            more = self._gather(0)
            if not soon or self._output.written > answers:
                self.live = True
            pending += more
        if pending:
            yield pending

    def _gather(self, linger: float) -> bytes:
        """Wait for input and return all of it; wait up to `linger` seconds for more."""
        parts: list[bytes] = []
        while not self._ended and self._source.wait(linger if parts else math.inf):
            parts.append(self._source.read())
            self._ended = not parts[-1]
            if len(parts[-1]) == CHUNK:
                linger = LINGER  # the pipe is full: the writer waits for this reader
        return b"".join(parts)


# ---- output ------------------------------------------------------------------------------------------------------


class Output:
    """Writes whole lines of UTF-8, one writer at a time, and the debug log.

    Args:
        write: writes all of the bytes it is given
        vanish: called when no one reads the output any more
    """

    def __init__(self, write: Callable[[bytes], object], vanish: Callable[[], object]) -> None:
        self._write, self._vanish = write, vanish
        self._lock = threading.Lock()
        self._log: Any = None
        self.written = 0  # answers so far
        self.owns_process = False  # standard error may be redirected too

    def line(self, text: str) -> None:
        """Write `text`, one or several lines, and a line end."""
        with self._lock:
            self._note("<", text)
            self.written += 1
            try:
                self._write(text.encode("utf-8", "replace") + b"\n")
            except (OSError, ValueError):
                self._vanish()

    def info(self, text: str) -> None:
        """Show `text`, which may have any characters, to the user if the protocol can do so."""

    # ---- the debug log

    @property
    def has_log(self) -> bool:
        """Tell whether there is a debug log."""
        return self._log is not None

    def open_log(self, path: str) -> None:
        """Append to the debug log `path` from now on, to none if it is ''.

        Several engines can share a log: each line is written at once.

        Raises OSError, and ValueError if the file is not such a log.
        """
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None
            if path:
                from shogi_engine.common.files import LineFile

                def check(number: int, line: bytes) -> None:
                    if number == 1 and not _LOGGED.match(line):
                        raise ValueError(f"{path} is not a debug log, so nothing is added to it")

                self._log = LineFile(path, check, shared=True)

    def note(self, direction: str, text: str) -> None:
        """Write to the debug log, if there is one."""
        if self._log is not None:
            with self._lock:
                self._note(direction, text)

    def _note(self, direction: str, text: str) -> None:
        if self._log is not None:
            now = time.time()
            stamp = time.strftime("%H:%M:%S", time.localtime(now))
            try:
                line = f"{stamp}.{int(now * 1000) % 1000:03d} {direction} {text}"
                self._log.write_line(line.encode("utf-8", "replace"))
            except (OSError, ValueError):
                self._log = None

    # ---- the crash log

    def keep_crashes(self) -> None:
        """Redirect standard error, crashes of the interpreter included, to the crash log."""
        if self.owns_process:
            keep_crash_log()


def crash_log_path() -> Path:
    """Return the file to which the front ends' standard error is redirected."""
    import platformdirs

    return Path(platformdirs.user_log_dir("shogi_engine", appauthor=False)) / "crash.log"


def keep_crash_log() -> None:
    """Redirect standard error to the crash log; if it cannot be written, nothing changes."""
    try:
        path = crash_log_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > CRASH_LOG_MAX:
            with contextlib.suppress(PermissionError):  # on Windows, another engine writes to it
                path.replace(path.with_suffix(".old"))
        log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.dup2(log, 2)
        os.close(log)
        faulthandler.enable(2)
    except (OSError, RuntimeError, ValueError):
        pass


# ---- the process -------------------------------------------------------------------------------------------------

Out = TypeVar("Out", bound=Output)


def _writer(descriptor: int) -> Callable[[bytes], None]:
    """Return a function that writes all of some bytes, unbuffered. A console of Windows is written to as Unicode."""
    file: Any = open(descriptor, "wb", buffering=0, closefd=False)  # noqa: SIM115

    def write(data: bytes) -> None:
        while data:
            data = data[file.write(data) :]

    return write


def run_stdio(output: type[Out], converse: Callable[[Out, Iterable[bytes]], object]) -> int:
    """Run `converse(output, lines)` on standard input and output; return the exit status.

    Standard error stays silent and goes to the crash log (`Output.keep_crashes`): GUIs do not read it, and a full pipe
    would block the engine. The process ends when the GUI has closed the pipe.
    """
    keep_descriptors()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    os.close(silence)
    source = Source(0)
    if not source.can_wait:
        importlib.import_module("shogi_engine.jit").prepare()  # before a read waits: see above
    stream = output(_writer(1), lambda: end_process(0))
    stream.owns_process = True
    try:
        converse(stream, Input(source, stream))
    except KeyboardInterrupt:
        end_process(0)
    return 0


LAST_WORDS = 0.5  # grace period in seconds for pending answers at the end of interactive input
HEARTBEAT = 4.0  # seconds between lines; GUIs give up after 5 or more seconds without one


class Command(Search[None]):
    """A command for the worker, which may search. `requested` is the time when it was read.

    Attributes:
        bounded: whether it ends by itself
        awaited: whether it is answered, so that a script waits for it
    """

    def __init__(
        self,
        work: Callable[[], None],
        requested: float,
        *,
        bounded: bool = True,
        awaited: bool = True,
        pondering: bool = False,
    ) -> None:
        super().__init__(lambda front_end, command: work(), pondering=pondering, requested=requested)
        self.bounded, self.awaited = bounded, awaited


class FrontEnd:
    """A session. `load` returns a compiled engine; `leave(status)` ends the process. Subclasses add a protocol.

    Attributes:
        task: the current one
        lock: guards the list of tasks
        free_at: when the engine was loaded or last answered (time.monotonic)
    """

    refusals: type[Exception] = ValueError  # raised for invalid lines; other exceptions are bugs

    def __init__(
        self, output: Output, load: Callable[[], "Engine"], leave: Callable[[int], object] = end_process
    ) -> None:
        self.out, self._load, self._leave = output, load, leave
        self.lock = threading.Lock()
        self.task = Command(lambda: None, 0.0)
        self.free_at = 0.0
        self._tasks: list[Command] = []  # unanswered, in order
        self._queue: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._obeying = threading.Condition()  # guards what follows; held while a line, never a task, is executed
        self._held: deque[tuple[str, float]] = deque()  # lines of a script, and when they were read
        self._awaited: deque[Command] = deque()  # the tasks that a script waits for, not yet done
        self._script = False  # whether the line being executed is one of a script
        self._engine: Any = None
        self._loaded = threading.Event()
        self._loading = False

    # ---- the protocol's own

    def obey(self, text: str, received_at: float) -> None:
        """Execute or queue one line that is not empty, in the reader's thread; a script's in any thread."""
        raise NotImplementedError

    def fail(self, fault: Exception) -> None:
        """Report that the current task, or the line just read, failed."""
        raise NotImplementedError

    def fail_to_load(self, failure: BaseException) -> None:
        """Report that the engine could not be loaded; the process then ends."""
        self.fail(RuntimeError(f"the engine cannot start: {failure!r}"))

    def say_alive(self, text: str) -> None:
        """Report what takes long, so that a GUI does not give up."""

    def farewell(self) -> None:
        """Answer `quit`."""

    def asks_to_quit(self, text: str) -> bool:
        """Tell whether a line is `quit`."""
        return asks_to_quit(text)

    @contextmanager
    def heartbeat(self) -> Iterator[None]:
        """Report every few seconds that the engine is alive, while the worker waits in the `with` block."""
        began, over = time.monotonic(), threading.Event()

        def beat() -> None:
            while not over.wait(HEARTBEAT):
                self.say_alive(f"loading ... {time.monotonic() - began:.0f} s")

        start_thread(beat, "heartbeat")
        try:
            yield
        finally:
            over.set()

    # ---- the reader's side

    def run(self, lines: Iterable[bytes]) -> None:
        """Execute `lines` until `quit` or their end. Lines without an attribute `live` are a script."""
        start_thread(self._work, "worker")
        asked = False
        for raw in lines:
            received_at = time.monotonic()
            text = read_line(raw)
            self.out.note(">", text)
            asked = self.asks_to_quit(text)
            if asked:
                break
            if text:
                with self._obeying:
                    self._held.append((text, received_at))
                    self._obey_held(script=not getattr(lines, "live", False))
                self.start_loading()
        self._end(script=not getattr(lines, "live", False))
        if asked:
            self.farewell()
        self._leave(0)

    def _end(self, script: bool) -> None:
        """Wait for the remaining answers, as the module's docstring says."""
        with self._obeying:
            if script:
                self._obeying.wait_for(lambda: not self._held)
                self._obeying.wait_for(lambda: not self._awaited, LAST_WORDS)
            self._obey_held(script)
            self.stop_all()
        patient = script and any(task.awaited for task in self.pending())
        answered = threading.Event()
        self.put(Command(answered.set, time.monotonic()))
        answered.wait(None if patient else LAST_WORDS)

    def _obey_held(self, script: bool) -> None:
        """Execute the lines held back: all of them, or those of a script up to the first that has to wait."""
        self._script = script
        while self._held and not (script and self._ends_by_itself()):
            text, received_at = self._held.popleft()
            try:
                self.obey(text, time.monotonic() if script else received_at)
            except Exception as fault:
                self._report(fault)

    def _ends_by_itself(self) -> bool:
        """Tell whether the first of the awaited tasks, if there is one, will end or begin without another line."""
        first = self._awaited[0] if self._awaited else None
        return first is not None and (first.bounded or first.stopped or not self.loaded)

    def _go_on(self, done: Command | None = None) -> None:
        """Execute the lines of a script that waited for the task `done`, or for the engine."""
        with self._obeying:
            if done and done.awaited:
                self._awaited.popleft()
            self._obey_held(script=True)
            self._obeying.notify()

    def put(self, task: Command) -> None:
        """Queue `task` for the worker."""
        if task.awaited:
            self._awaited.append(task)
        with self.lock:
            self._tasks.append(task)
        self._queue.put(task)

    def pending(self) -> list[Command]:
        """Return the unanswered tasks, in order."""
        with self.lock:
            return list(self._tasks)

    def stop_all(self) -> None:
        """Stop all tasks queued so far; in a script, those that do not end by themselves."""
        for task in self.pending():
            if not (self._script and task.bounded):
                task.stop()

    # ---- loading

    @property
    def loaded(self) -> bool:
        """Tell whether the engine is loaded."""
        return self._loaded.is_set()

    def start_loading(self) -> None:
        """Start loading the engine in a thread, unless that was done."""
        if not self._loading:
            self._loading = True
            start_thread(self._load_engine, "loader")

    def _load_engine(self) -> None:
        self.out.keep_crashes()
        try:
            self._engine = self._load()
        except BaseException as failure:
            self.log_failure(failure)
            self.fail_to_load(failure)
            self._leave(1)
            return
        self.free_at = time.monotonic()
        self._loaded.set()
        self._go_on()

    @property
    def engine(self) -> "Engine":
        """The engine; waits until it is loaded."""
        if not self.loaded:
            self.start_loading()
            with self.heartbeat():
                self._loaded.wait()
        engine: Engine = self._engine
        return engine

    # ---- the worker's side

    def _work(self) -> None:
        while True:
            self.task = task = self._queue.get()
            task.run(self)
            self._report(task.fault)
            self.finish(task)
            self._go_on(task)

    def _report(self, fault: BaseException | None) -> None:
        """Report what a line or a task has raised; None for nothing."""
        if isinstance(fault, Exception):
            if not isinstance(fault, self.refusals):
                self.log_failure(fault)
            self.fail(fault)

    def finish(self, task: Command) -> None:
        """Count a task as answered."""
        with self.lock:
            if task in self._tasks:
                self._tasks.remove(task)

    def log_failure(self, failure: BaseException) -> None:
        """Write an exception to the crash log and the debug log."""
        traceback.print_exception(failure)
        if self.out.has_log:
            self.out.note("!", "".join(traceback.format_exception(failure)))
