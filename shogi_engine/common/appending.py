"""Files that grow: logs, runs and files of records. Each addition is made whole, or undone."""

import contextlib
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from shogi_engine.common.files import AnyPath, named
from shogi_engine.common.locks import Lock

Check = Callable[[int, bytes], object]


class AppendFile:
    """Appends to a file, which is locked until `close`. Use it in `with`.

    Args:
        length: returns the length of the existing content that is kept; raises ValueError for a file of another kind,
            which is left unchanged
        shared: other processes may append at the same time: the file is neither locked nor ever shortened

    Raises:
        ValueError: the file is of another kind
        InUseError: another process appends to the file
        OSError: the file cannot be written
    """

    def __init__(self, path: AnyPath, length: Callable[[], int], *, shared: bool = False) -> None:
        self._path = os.fspath(path)
        found = Path(path)
        whole = not found.exists() or stat.S_ISREG(found.stat().st_mode)  # else a device or pipe
        self._lock = Lock(path) if whole and not shared else None
        self._descriptor = -1
        self._writing = threading.Lock()
        try:
            self._end = length() if whole and found.exists() else 0
            with named(self._path):
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
                self._descriptor = os.open(path, flags, 0o666)
                self._shorten()
        except BaseException:
            self.close()
            raise

    def _shorten(self) -> None:
        """Remove everything beyond the last whole addition."""
        if self._lock is not None:
            os.ftruncate(self._descriptor, self._end)

    def write(self, data: bytes | memoryview) -> None:
        """Append all of `data`. Raises OSError, and then the file is as before."""
        rest = memoryview(data)
        with self._writing, named(self._path):
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except BaseException:  # a signal, too
                self._shorten()
                raise
            self._end += len(data)

    def close(self, *, remove: bool = False) -> None:
        """Write everything to disk, or remove the file, and unlock it; may be called more than once."""
        with self._writing:
            if self._descriptor >= 0:
                with contextlib.suppress(OSError):  # a pipe has no disk
                    os.fsync(self._descriptor)
                os.close(self._descriptor)
                self._descriptor = -1
                if remove:
                    with contextlib.suppress(OSError):
                        os.unlink(self._path)
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LineFile(AppendFile):
    """Appends lines. The part of a line that a killed process has left at the end is removed.

    Args:
        check: called with the number, from 1, and the content of each line of an existing file; raises ValueError if
            such a line does not belong there
        first: the first line of a new file
    """

    def __init__(self, path: AnyPath, check: Check, first: bytes = b"", *, shared: bool = False) -> None:
        new = not os.path.lexists(path)
        super().__init__(path, lambda: self._checked(check, first), shared=shared)
        if first and not self._end:
            try:
                self.write_line(first)
            except BaseException:
                self.close(remove=new and not shared)
                raise

    def _checked(self, check: Check, first: bytes) -> int:
        """Check all lines; return where the last whole one ends."""
        end = 0
        with open(self._path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.endswith(b"\n"):
                    check(number, line[:-1])
                    end += len(line)
                elif number == 1 and not first.startswith(line):
                    check(number, line)
        return end

    def write_line(self, line: bytes) -> None:
        """Append a line, given without its end. Raises OSError, and then the file is as before."""
        self.write(line + b"\n")
