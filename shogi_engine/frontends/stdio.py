"""What all line protocols need: lines in and out, and threads that search. Standard library only."""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

SHOWN_MAX = 160  # characters of a foreign text that a message repeats


def sanitize(text: str) -> str:
    """Return `text` as one line of printable ASCII, not long, to be repeated in a message."""
    plain = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    plain = "".join(character if character.isprintable() else "?" for character in plain)
    return plain if len(plain) <= SHOWN_MAX else plain[: SHOWN_MAX - 3] + "..."


def read_line(raw: bytes) -> str:
    """Return a line of input without its end; what is no UTF-8 is replaced."""
    return raw.decode("utf-8", "replace").strip("\ufeff \t\r\n\0")


def asks_to_quit(text: str) -> bool:
    """Tell whether a line is `quit`."""
    return text.split(maxsplit=1)[:1] == ["quit"]


class Output:
    """Whole lines of UTF-8, one writer at a time.

    write : writes all of the bytes it is given.   vanish : called when nobody reads any more.
    """

    def __init__(self, write: Callable[[bytes], object], vanish: Callable[[], object]) -> None:
        self._write, self._vanish = write, vanish
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        """Write `text`, of one line or several, and an end of line."""
        with self._lock:
            self._put(text)

    def _put(self, text: str) -> None:
        try:
            self._write(text.encode("utf-8", "replace") + b"\n")
        except (OSError, ValueError):
            self._vanish()


Out = TypeVar("Out", bound=Output)


def _write_all(data: bytes) -> None:
    """Write all of `data` to the process's output, unbuffered."""
    while data:
        data = data[os.write(1, data) :]


def run_stdio(output: type[Out], converse: Callable[[Out, Iterable[bytes]], object]) -> int:
    """Let `converse(output, lines)` speak on standard input and output; return the exit status.

    Standard error stays silent: a GUI reads nothing there, and an unread pipe that is full would block the engine. A
    GUI that is gone ends the process.
    """
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(1, os.O_BINARY)
    try:
        converse(output(_write_all, lambda: os._exit(0)), iter(sys.stdin.buffer.readline, b""))
    except KeyboardInterrupt:
        os._exit(0)
    return 0
