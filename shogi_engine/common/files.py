"""Files: the folder of the user's data, free names, and files written whole. Standard library and platformdirs.

All files that this program replaces are written here, and those to which it appends in `common.appending`.
"""

import contextlib
import errno
import itertools
import json
import os
import platform
import re
import stat
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NoReturn, Self

from shogi_engine.language import Message

ATTEMPTS = 20  # to replace a file: on Windows a reader may hold it open for a moment
PAUSE = 0.02  # seconds between two attempts
DEVICES = ("/dev/", "/proc/")  # links there lead to open files
STEM_MAX = 40  # characters of the name in the name of the temporary file
LEFTOVER = re.compile(rf"\..{{1,{STEM_MAX}}}\.[0-9a-f]{{8}}\.tmp")

AnyPath = str | os.PathLike[str]


def data_folder() -> Path:
    """Return the folder of the user's data."""
    import platformdirs

    return Path(platformdirs.user_data_dir("shogi_engine", appauthor=False))


def free_name(stem: str, is_taken: Callable[[str], bool]) -> str:
    """Return the first name of `stem`, `stem`-2, `stem`-3 ... that is not taken."""
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(name for name in names if not is_taken(name))


def is_same_file(one: AnyPath, other: AnyPath) -> bool:
    """Tell whether two paths lead to the same file, which need not exist: by links or another spelling, for example."""
    try:
        return os.path.samefile(one, other)
    except OSError:  # at least one does not exist
        return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def status_of_file(path: AnyPath) -> os.stat_result | None:
    """Return the status of a regular file, None for what is none, such as a pipe or a link to nothing, or is gone."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def remove_leftovers(folder: Path, seconds: float = 3600.0) -> None:
    """Remove the temporary files that killed writers left in a folder: those that are older than some seconds."""
    for path in folder.iterdir():
        status = status_of_file(path) if LEFTOVER.fullmatch(path.name) else None
        if status is not None and time.time() - status.st_mtime > seconds:
            with contextlib.suppress(OSError):
                path.unlink()


# ---- writing -----------------------------------------------------------------------------------------------------


class WholeFile:
    """A file that is written under a temporary name in the same folder, and takes its place when it is complete.

    Whatever happens, the file has either its old content or all of the new one. Symbolic links are followed, and an
    existing file keeps its permissions. A device or pipe is written directly. Use it in `with`: an exception discards
    the new content.

    Args:
        durable: also after a power failure, which takes longer
        new: there must be no such file yet

    Raises:
        OSError: the file cannot be written; it names the file. FileExistsError: `new`, and there is one.
    """

    def __init__(self, path: AnyPath, *, durable: bool = True, new: bool = False) -> None:
        self._path, self._durable, self._new = os.fspath(path), durable, new
        self._aside: str | None = None
        self._target = os.path.realpath(self._path)
        with named(self._path):
            before = _status(self._path)
            if before is not None:
                self._check(before)
                if not stat.S_ISREG(before.st_mode) or os.path.abspath(self._path).startswith(DEVICES):
                    self._stream: BinaryIO = open(self._path, "wb")  # noqa: SIM115
                    return
            folder, name = os.path.split(self._target)
            self._aside = os.path.join(folder, f".{name[:STEM_MAX]}.{uuid.uuid4().hex[:8]}.tmp")
            self._stream = open(self._aside, "xb")  # noqa: SIM115
        if before is not None:
            _copy_permissions(before, self._aside)

    def _check(self, before: os.stat_result) -> None:
        if self._new:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        if stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.access(self._path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def write(self, data: bytes | memoryview) -> None:
        """Add to the new content. Raises OSError."""
        try:
            with named(self._path):
                self._stream.write(data)
        except OSError:
            self.discard()
            raise

    def close(self) -> None:
        """Give the file its new content; may be called more than once. Raises OSError."""
        if self._stream.closed:
            return
        try:
            with named(self._path):
                self._stream.flush()
                if self._durable and self._aside is not None:
                    os.fsync(self._stream.fileno())
                self._stream.close()
                if self._aside is not None:
                    (_rename_new if self._new else replace)(self._aside, self._target)
                    if self._durable:
                        _sync_folder(os.path.dirname(self._target))
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove what was written; do nothing after `close`."""
        with contextlib.suppress(OSError):
            self._stream.close()
        if self._aside is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._aside)

    def __enter__(self) -> "WholeFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()


def write_whole(path: AnyPath, content: bytes, *, durable: bool = True, new: bool = False) -> None:
    """Write a file: it has its old content or the new one, even after an interruption. See `WholeFile`."""
    with WholeFile(path, durable=durable, new=new) as file:
        file.write(content)


def write_free(folder: Path, stem: str, ending: str, content: bytes) -> Path:
    """Write a new file `stem`.ending, `stem`-2.ending ..., never one that exists; return its path. Raises OSError."""
    while True:
        path = folder / f"{free_name(stem, lambda name: os.path.lexists(folder / f'{name}{ending}'))}{ending}"
        with contextlib.suppress(FileExistsError):  # another process was faster
            write_whole(path, content, new=True)
            return path


def replace(source: AnyPath, target: AnyPath) -> None:
    """Rename over `target`. Raises OSError."""
    for _ in range(ATTEMPTS):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(PAUSE)
    os.replace(source, target)


def _rename_new(source: str, target: str) -> None:
    """Rename to a name that is not taken. Raises FileExistsError."""
    if os.name == "nt":
        os.rename(source, target)
        return
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # no links on this file system
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        replace(source, target)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _copy_permissions(before: os.stat_result, path: str) -> None:
    """Give a file the mode of an earlier one, and its owner if this process may."""
    with contextlib.suppress(OSError, AttributeError):  # Windows has no owners
        now = os.stat(path)
        if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
            os.chown(path, before.st_uid, before.st_gid)
    with contextlib.suppress(OSError):
        os.chmod(path, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: str) -> None:
    """Write a folder's entries to disk, where that is possible."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Let the block's OSErrors name `path`, not the temporary file or none."""
    try:
        yield
    except OSError as fault:
        if fault.errno is None:
            raise
        raise OSError(fault.errno, fault.strerror, path) from None


# ---- JSON as other programs, or a damaged disk, leave it


def json_of(text: str | bytes) -> Any:
    """Return what a JSON text contains. Raises JSONDecodeError, a ValueError, also if it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None


# ---- Locks: only one process at a time works on a log, a run or a store, and the next one learns which. Uses filelock
#
# Next to FILE, `.FILE.lock` is locked by the system, which unlocks it when a process dies, and `.FILE.holder` says who
# holds it. Both are removed in the end.


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


# ---- Files that grow: logs, runs and files of records. Each addition is made whole, or undone


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
