"""Reads uploaded files in a process of its own: hostile ones take time, and only that process's."""

import contextlib
import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any

from shogi_engine.language import InputError
from shogi_engine.web.files import Chosen, chosen_game

READ_SECONDS = 10.0  # for one file
START_SECONDS = 300.0  # for the process's start, in which it compiles the rules if need be
NICE = 5
FILES_MAX = 500  # then the process is replaced, as a large file leaves it large


def serve(pipe: Connection) -> None:
    """Read files until the other end closes; the first answer says that all is loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the server ends this process
    if hasattr(os, "nice"):
        os.nice(NICE)
    for text in (b"startpos moves 7g7f", b"f5d6"):
        chosen_game(text, "", 0)
    with contextlib.suppress(EOFError, OSError):  # the server has ended, or was killed
        pipe.send(None)
        while True:
            pipe.send(_read(*pipe.recv()))


def _read(content: bytes, name: str, number: int) -> Chosen | Exception:
    """Return what `chosen_game` returns, or raises."""
    try:
        return chosen_game(content, name, number)
    except (ValueError, OverflowError) as fault:
        return ValueError(str(fault))
    except Exception as fault:
        return RuntimeError(f"{type(fault).__name__}: {fault}")


class Reader:
    """One such process. It is started when it is needed, and again after it was killed or has died.

    Args:
        seconds: for one file; then the process is killed
    """

    def __init__(self, seconds: float = READ_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Any = None
        self._files = 0

    def start(self) -> None:
        """Start the process, so that the first file need not wait; if it does not start, that file will say so."""
        with self._lock, contextlib.suppress(ValueError):
            self._started()

    def read(self, content: bytes, name: str, number: int) -> Chosen:
        """Return a game of a file and the titles of its games, as `chosen_game` does. Raises ValueError."""
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((content, name, number))
                if not pipe.poll(self._seconds):
                    raise InputError("the file took too long to read")
                found = pipe.recv()
            except (OSError, EOFError):  # it has died
                self._end()
                raise InputError("the file could not be read") from None
            except ValueError:
                self._end()
                raise
            self._files += 1
            if self._files >= FILES_MAX:
                self._end()
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _started(self) -> Any:
        """Return the pipe to the process, started if need be. Raises ValueError if it does not start."""
        if self._process is not None and self._process.is_alive():
            return self._pipe
        self._end()
        context = multiprocessing.get_context("spawn")
        try:
            pipe, theirs = context.Pipe()
            with theirs:
                process = context.Process(target=serve, args=(theirs,), name="reader", daemon=True)
                process.start()
        except OSError:
            raise InputError("the file could not be read") from None
        self._process, self._pipe, self._files = process, pipe, 0
        try:
            if self._pipe.poll(START_SECONDS):
                self._pipe.recv()
                return self._pipe
        except (OSError, EOFError):
            pass
        self._end()
        raise InputError("the file could not be read")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None
