"""Standard input and output for the line protocols. Standard library only, until a crash log is needed."""

import contextlib
import faulthandler
import importlib
import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from shogi_engine.common.streams import keep_descriptors
from shogi_engine.common.threads import end_process
from shogi_engine.frontends.source import CHUNK, Source

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
                from shogi_engine.common.appending import LineFile

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
        importlib.import_module("numba")  # and every library, before a read waits: see the module `source`
    stream = output(_writer(1), lambda: end_process(0))
    stream.owns_process = True
    try:
        converse(stream, Input(source, stream))
    except KeyboardInterrupt:
        end_process(0)
    return 0
