"""Locks: only one process at a time works on a log, a run or a store, and the next one learns which. Uses filelock.

Next to FILE, `.FILE.lock` is locked by the system, which unlocks it when a process dies, and `.FILE.holder` says who
holds it. Both are removed in the end.
"""

import contextlib
import errno
import json
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from shogi_engine.common.files import AnyPath, named, write_whole
from shogi_engine.common.json_text import json_of
from shogi_engine.language import Message


class InUseError(OSError):
    """Another process works on the file."""


class Lock:
    """The right to write a file, or to work in a folder; `release` gives it back. Use it in `with`.

    Args:
        timeout: seconds to wait for another process

    Raises:
        InUseError: another process holds it; the message says which
        OSError: the folder cannot be written
    """

    def __init__(self, path: AnyPath, timeout: float = 0.0) -> None:
        from filelock import FileLock, Timeout

        target = Path(os.path.realpath(path))
        self._holder = target.with_name(f".{target.name}.holder")
        self._file = target.with_name(f".{target.name}.lock")
        self._lock = FileLock(self._file, thread_local=False)
        try:
            with named(os.fspath(path)):
                if not target.parent.is_dir():  # filelock would make it
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
                while not self._acquired(timeout):
                    self._lock.release()
        except Timeout:
            self._refuse(os.fspath(path))
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        with contextlib.suppress(OSError):  # the lock itself holds
            facts = {"pid": os.getpid(), "host": platform.node(), "since": now}
            write_whole(self._holder, json.dumps(facts).encode(), durable=False)

    def _acquired(self, timeout: float) -> bool:
        """Acquire the lock; tell whether its file is still there. If not, another process may have made a new one."""
        if os.name != "posix":  # the system removes no file that is open
            self._lock.acquire(timeout=timeout)
            return True
        with open(self._file, "ab") as file:  # the file, held open, keeps its number
            self._lock.acquire(timeout=timeout)
            try:
                return os.path.samestat(os.fstat(file.fileno()), os.stat(self._file))
            except FileNotFoundError:
                return False

    def _refuse(self, path: str) -> NoReturn:
        """Raise the error that names the holder."""
        try:
            facts = json_of(self._holder.read_text(encoding="utf-8"))
            pid, host, since = facts["pid"], facts["host"], facts["since"]
        except (OSError, ValueError, KeyError, TypeError):
            raise InUseError(Message("{0} is in use by another process", path)) from None
        raise InUseError(Message("{0} is in use by process {1} on {2} since {3}", path, pid, host, since)) from None

    def release(self) -> None:
        """Let other processes work on it; may be called more than once."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):
                self._holder.unlink(missing_ok=True)
                if os.name == "posix":  # filelock does it on Windows
                    self._file.unlink(missing_ok=True)
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


@contextlib.contextmanager
def locked(path: AnyPath | None, timeout: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file during the block; without a path, do nothing. Raises as `Lock` does."""
    if path is None:
        yield
        return
    with Lock(path, timeout):
        yield
