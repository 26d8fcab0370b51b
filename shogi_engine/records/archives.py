"""Files of records, and those in archives, as streams of bytes."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO

from shogi_engine.language import Message
from shogi_engine.records.tree import RecordError

PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".lzma": lzma.open}
TAR_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz")
SUFFIXES = (".zip", *PACKED, *TAR_SUFFIXES)
_LAST_PARTS = {suffix[suffix.rfind(".") :] for suffix in SUFFIXES}
# What the streams of damaged archives raise. An OSError is one of them if it has no number.
FAULTS = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError)

Opened = Callable[[], BinaryIO]


def sources(path: str) -> Iterator[tuple[str, Opened]]:
    """Yield the name of a file, or of each file in an archive, and what opens it.

    The streams are seekable, except for pipes. They raise FAULTS; opening them, and this, OSError and RecordError.
    """
    if path[path.rfind(".") :].lower() not in _LAST_PARTS:
        yield path, partial(_plain, path)
        return
    with open(path, "rb") as file:
        try:
            yield from _members(path, file)
        except Exception as fault:  # for damaged archives Python's modules raise whatever happens
            raise _named(_damaged(fault), path) from None


def _members(path: str, file: BinaryIO) -> Iterator[tuple[str, Opened]]:
    """Yield the same for each file in an archive."""
    if path.lower().endswith(".zip"):
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    yield f"{path}: {member.filename}", partial(_member, archive, member)
    elif path.lower().endswith(TAR_SUFFIXES):
        with tarfile.open(fileobj=file, mode="r|*") as tape:
            for part in tape:
                content = tape.extractfile(part)
                if content is not None:
                    yield f"{path}: {part.name}", partial(io.BytesIO, content.read())
    else:
        yield path, partial(PACKED[path[path.rfind(".") :].lower()], file, "rb")


def _plain(path: str) -> Any:
    """Open a file without a buffer, which takes less time for thousands of small ones; a pipe needs one."""
    file = open(path, "rb", buffering=0)  # noqa: SIM115
    return file if file.seekable() else io.BufferedReader(file)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    """Return a file in an archive."""
    try:
        return io.BytesIO(archive.read(member))
    except Exception as fault:  # it may also be encrypted, or compressed by an unknown method
        raise _damaged(fault) from None


def _damaged(fault: Exception) -> RecordError:
    """Return the RecordError for what an archive raises."""
    return RecordError("the archive cannot be read: {0}", str(fault) or type(fault).__name__)


def _named(fault: RecordError, name: str) -> RecordError:
    """Let a fault begin with the name of its file."""
    if not str(fault).startswith(name):
        fault.args = (Message("{0}: {1}", name, fault),)
    return fault


def fault_of(fault: Exception, name: str) -> RecordError:
    """Return a RecordError, or one of FAULTS, as a RecordError that names the file. Raises an OSError of the system."""
    if isinstance(fault, OSError) and fault.errno is not None:
        raise fault
    return _named(fault if isinstance(fault, RecordError) else _damaged(fault), name)
