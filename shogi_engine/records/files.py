"""Record files, also in archives: recognising formats, decoding, reading one game at a time, and writing."""

import bz2
import codecs
import contextlib
import gc
import gzip
import io
import lzma
import os
import re
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from shogi_engine.common.files import data_folder, status_of_file, write_free, write_whole
from shogi_engine.common.text import UTF_16
from shogi_engine.language import InputError, Message
from shogi_engine.records import formats
from shogi_engine.records.tree import GameRecord, RecordError

# ---- files, and those in archives, as streams of bytes -----------------------------------------------------------

PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".lzma": lzma.open}
TAR_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz")
SUFFIXES = (".zip", *PACKED, *TAR_SUFFIXES)
_LAST_PARTS = {suffix[suffix.rfind(".") :] for suffix in SUFFIXES}
# What the streams of damaged archives raise. An OSError is one of them if it has no number.
FAULTS = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError)

Opened = Callable[[], BinaryIO]


class Readable(io.RawIOBase):
    """What can be read of a damaged stream: it ends where that raises one of FAULTS.

    Attributes:
        fault: why it has ended early, None if it has not
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        self.fault: Exception | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place, as in any stream."""
        return int(self._source.seek(offset, whence))

    def readinto(self, buffer: Any, /) -> int:
        """Read what can be read at once. Raises an OSError of the system."""
        try:
            data = self._source.read1(len(buffer))
        except FAULTS as fault:
            if isinstance(fault, OSError) and fault.errno is not None:
                raise
            self.fault, data = fault, b""
        buffer[: len(data)] = data
        return len(data)


def fault_in(source: Any) -> Exception | None:
    """Return why a stream of `sources` has ended early, None if it has not, or raises that."""
    return getattr(getattr(source, "raw", None), "fault", None)


def whole(games: Iterator[GameRecord], source: Any) -> Iterator[GameRecord]:
    """Yield the games of a stream of `sources`; if it ends early, the last has that as its fault, or it is raised."""
    if not isinstance(getattr(source, "raw", None), Readable):
        yield from games
        return
    last = None
    try:
        for record in games:
            if last is not None:
                yield last
            last = record
    except RecordError:
        if fault_in(source) is None:
            raise
    if (fault := fault_in(source)) is not None:
        if last is None:
            raise fault
        last.fault = _damaged(fault)
    if last is not None:
        yield last


def sources(path: str, keep: bool = False) -> Iterator[tuple[str, Opened]]:
    """Yield the name of a file, or of each file in an archive, and what opens it.

    The streams are seekable, except for pipes. They raise FAULTS; opening them, and this, OSError and RecordError.

    Args:
        keep: compressed streams end at what they would raise, which `fault_in` returns then
    """
    if path[path.rfind(".") :].lower() not in _LAST_PARTS:
        yield path, partial(_plain, path)
        return
    name = ""
    with open(path, "rb") as file:
        try:
            for name, opened in _members(path, file, keep):
                yield name, opened
        except Exception as fault:  # for damaged archives Python's modules raise whatever happens
            raise _named(_damaged(fault), path) from None
    if not name:
        raise RecordError("{0}: the archive is empty", path)


def _members(path: str, file: BinaryIO, keep: bool) -> Iterator[tuple[str, Opened]]:
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
        opened = partial(PACKED[path[path.rfind(".") :].lower()], file, "rb")
        yield path, (lambda: io.BufferedReader(Readable(opened()))) if keep else opened


def _plain(path: str) -> Any:
    """Open a file without a buffer, which takes less time for thousands of small ones; a pipe needs one."""
    file = open(path, "rb", buffering=0)  # noqa: SIM115
    return file if file.seekable() else buffered(file)


def buffered(source: Any) -> Any:
    """Return a stream of `sources` with a buffer, itself if it has one."""
    return io.BufferedReader(source) if isinstance(source, io.RawIOBase) else source


def unpacked_name(name: str) -> str:
    """Return a file's name without its compression's suffix: what is left may name its format."""
    stem, dot, suffix = name.rpartition(".")
    return stem if dot + suffix.lower() in PACKED else name


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


Item = TypeVar("Item")
HEAD = 1 << 16  # bytes used to recognise a format
BLANK = b" \t\r\n\v\f\x1a" + codecs.BOM_UTF8 + codecs.BOM_UTF16  # what a file without contents may have
UTF_8, SHIFT_JIS, EUC = "utf-8-sig", "cp932", "euc_jp"  # tried in this order
JIS, JIS_SHIFT = "iso2022_jp_2", b"\x1b$"  # an encoding of seven bits, and what is before its characters
# What is no word of half-width kana. Whatever is valid EUC-JP has, read as Shift JIS, only these kana and rare kanji.
_NO_KANA = re.compile("[^\x00-\x7f\uff65-\uff9f]|(?<![\uff65-\uff9f])[\uff65\uff67-\uff70\uff9e\uff9f]")


# ---- reading -----------------------------------------------------------------------------------------------------


def decode(data: bytes) -> str:
    """Decode a record file: UTF-8 or UTF-16, Shift JIS (as in Windows), EUC-JP or ISO-2022-JP.

    If the data end within a character, U+FFFD replaces it. Raises ValueError if they are in none of these encodings.
    """
    return data.decode(encoding_of(io.BytesIO(data)), "replace")


def encoding_of(source: BinaryIO) -> str:
    """Return the encoding of a seekable file, of which only the last character may be incomplete.

    Raises ValueError if it is none of those that `decode` reads.
    """
    head, cut = formats.binary_head(source, HEAD), ""
    source.seek(len(head))
    while head.isascii() and JIS_SHIFT not in head and (piece := source.read(HEAD)):
        head = piece  # what is ASCII does not tell EUC-JP from Shift JIS
    source.seek(0)
    for encoding in encodings(head):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            while piece := source.read(HEAD):
                decoder.decode(piece)
        except UnicodeDecodeError:
            continue
        finally:
            source.seek(0)
        if not decoder.getstate()[0]:
            return encoding
        cut = cut or encoding
    if cut:
        return cut
    raise RecordError(
        "a record must be in UTF-8, UTF-16, Shift JIS, EUC-JP or ISO-2022-JP; --from-encoding names another encoding"
    )


def encodings(head: bytes) -> Iterator[str]:
    """Yield the encodings to try for a file that begins with `head`."""
    if head[:2] in UTF_16:
        yield "utf-16"
    elif JIS_SHIFT in head and head.isascii():
        yield JIS
    else:
        yield UTF_8
        if _may_be_euc_jp(head):
            yield EUC
        yield SHIFT_JIS


def _may_be_euc_jp(head: bytes) -> bool:
    """Tell whether the beginning of a file is valid EUC-JP and, read as Shift JIS, means nothing."""
    try:
        codecs.getincrementaldecoder(EUC)().decode(head)
    except UnicodeDecodeError:
        return False
    return _NO_KANA.search(head.decode(SHIFT_JIS, "replace")) is not None


def iterate(
    path: str | Path, *, format: str = "", encoding: str = "", game: str = "", keep: bool = False
) -> Iterator[GameRecord]:
    """Yield the games of a file or archive, or of all files in a folder and below it, in order, one at a time.

    Args:
        format: the name of the format, '' to detect it
        encoding: the file's encoding, '' to detect UTF-8, UTF-16, Shift JIS, EUC-JP or ISO-2022-JP
        game: 'shogi' or 'othello', '' to accept both
        keep: whether to yield the readable part of a damaged game, with `fault` set; the last game of a compressed
            file that ends early has that as its fault

    Raises:
        OSError: the file cannot be read
        RecordError: the file is not a valid record; a ValueError that names the file, the line and the reason
    """
    if os.path.isdir(path):
        file = ""
        for file in files_below(path):
            yield from iterate(file, format=format, encoding=encoding, game=game, keep=keep)
        if not file:
            raise RecordError("{0}: the folder is empty", path)
        return
    for name, opened in sources(str(path), keep):
        try:
            with buffered(opened()) as source:
                inner = unpacked_name(name)
                found = read(source, format=format, encoding=encoding, game=game, keep=keep, name=inner)
                yield from whole(found, source)
        except (RecordError, *FAULTS) as fault:
            raise fault_of(fault, name) from None


def files_below(folder: str | Path) -> Iterator[str]:
    """Yield the paths of all files in a folder and below it, in order; a pipe or a dangling link is none."""
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(found, key=lambda each: each.name)
        except OSError:  # a folder that may not be read
            continue
        for each in entries:
            if each.is_file(follow_symlinks=False) or (each.is_symlink() and os.path.isfile(each.path)):
                yield each.path
        waiting += [each.path for each in reversed(entries) if each.is_dir(follow_symlinks=False)]


def load(
    path: str | Path, *, format: str = "", encoding: str = "", game: str = "", keep: bool = False
) -> list[GameRecord]:
    """Return the games of a file; see `iterate`."""
    return listed(iterate(path, format=format, encoding=encoding, game=game, keep=keep))


def loads(
    data: str | bytes, *, format: str = "", encoding: str = "", game: str = "", keep: bool = False
) -> list[GameRecord]:
    """Return the games in a file's contents; see `iterate`."""
    if not isinstance(data, (str, bytes)):
        raise TypeError(f"expected a file's text or bytes, not {data!r:.60}")
    content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return listed(read(io.BytesIO(content), format=format, encoding=encoding, game=game, keep=keep))


def listed(games: Iterable[GameRecord]) -> list[GameRecord]:
    """Return a list of the games."""
    with collector_paused():
        return list(games)


def in_pauses(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; Python's garbage collector is paused while each is made."""
    iterator = iter(items)
    while True:
        with collector_paused():
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause Python's garbage collector.

    It would look again and again at all games and faults read so far, which takes longer than reading them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def read(
    source: BinaryIO, *, format: str = "", encoding: str = "", game: str = "", keep: bool = False, name: str = ""
) -> Iterator[GameRecord]:
    """Yield the games of a binary file; the extension of `name` helps recognition. See `iterate`."""
    source = source if source.seekable() else io.BytesIO(source.read())  # a pipe, as of a shell's <(...)
    head = formats.binary_head(source, HEAD)
    if not head.strip(BLANK):
        raise RecordError("the file is empty")
    chosen = formats.load_format(format) if format else None
    if chosen is None and not encoding and head[:2] not in UTF_16 and b"\0" in head[:64].rstrip(b"\0"):
        chosen = formats.recognise(head.decode("latin-1"), binary=True, game=game)
        if chosen is None:
            raise RecordError(
                "this is a binary file, and no record; shogi_engine.batch reads packed positions (hcp, hcpe, psv)"
            )
    if chosen is not None and chosen.binary:
        yield from _some(chosen, chosen.read(source, keep))
        return
    errors, encoding = ("strict", encoding) if encoding else ("replace", encoding_of(source))
    with contextlib.ExitStack() as stack:
        try:
            text = io.TextIOWrapper(source, encoding=encoding, errors=errors, newline=None)
        except LookupError:
            raise RecordError("there is no encoding {0!r}", encoding) from None
        stack.callback(text.detach)
        try:
            if chosen is None:
                start = text.read(HEAD).lstrip("\ufeff")
                text.seek(0)
                chosen = formats.recognise(start, binary=False, game=game)
            if chosen is None:
                yield from _read_by_name(text, name, game, keep)
            else:
                yield from _some(chosen, chosen.read(text, keep))
        except UnicodeDecodeError as fault:
            raise RecordError("byte {0} is not valid {1}", fault.start, encoding) from None
        except UnicodeError:  # no byte order mark
            raise RecordError("this is not {0}", encoding) from None


def _read_by_name(text: io.TextIOWrapper, name: str, game: str, keep: bool) -> Iterator[GameRecord]:
    """Yield the games of an unrecognised text, in the format of its name. Raises RecordError if that fails."""
    found = formats.format_of_name(name, game)
    if found is None or found.binary:
        first = next((line.strip() for line in text if line.strip()), "")
        shown = repr(first if len(first) <= 40 else first[:37] + "...")
        raise RecordError(
            "no known record format begins with {0}; expected one of: {1}", shown, formats.expected(game), line=1
        )
    try:
        yield from _some(found, found.read(text, keep))
    except RecordError as error:
        if error.record is None or not error.record.moves:
            error.args = (Message("{0}; expected one of: {1}", error, formats.expected(game)),)
        raise


def _some(format: formats.RecordFormat, records: Iterator[GameRecord]) -> Iterator[GameRecord]:
    """Yield the records. Raises RecordError if there are none."""
    any_found = False
    for record in records:
        any_found = True
        yield record
    if not any_found:
        raise RecordError("the file contains no game; expected {0}: {1}", format.name, format.expected)


# ---- writing -----------------------------------------------------------------------------------------------------


def dumps(records: GameRecord | Iterable[GameRecord], format: str, encoding: str = "") -> bytes:
    """Return the contents of a file; see `save`."""
    chosen = formats.load_format(format)
    text = "".join(chosen.write(_of_game(chosen, _each(records)), encoding))
    if chosen.binary:
        return text.encode("latin-1")
    return encoded(text, encoding or chosen.encoding, strict=bool(encoding))


def encoded(text: str, encoding: str, strict: bool) -> bytes:
    """Return `text` in an encoding; unless `strict`, UTF-8 with a byte order mark if Shift JIS cannot represent it.

    Raises ValueError if it cannot be encoded, or if there is no such encoding.
    """
    try:
        return text.encode(encoding)
    except LookupError:
        raise InputError("there is no encoding {0!r}", encoding) from None
    except UnicodeEncodeError as fault:
        if not strict:
            return text.encode("utf-8-sig", "replace")
        raise InputError("{0!r} cannot be written in {1}", fault.object[fault.start], encoding) from None


def _each(records: GameRecord | Iterable[GameRecord]) -> Iterator[GameRecord]:
    """Yield one or more records. Raises TypeError for anything else."""
    for record in (records,) if isinstance(records, GameRecord) or not isinstance(records, Iterable) else records:
        if not isinstance(record, GameRecord):
            raise TypeError(f"expected GameRecords (from_arrays makes them from arrays), not {record!r:.60}")
        yield record


def _of_game(format: formats.RecordFormat, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
    """Yield the records. Raises ValueError for a record of another game than the format's."""
    for record in records:
        if format.game not in ("", record.game):
            raise InputError("{0} is a format of {1}, but the record is of {2}", format.name, format.game, record.game)
        yield record


def save(
    records: GameRecord | Iterable[GameRecord],
    path: str | Path,
    *,
    format: str = "",
    encoding: str = "",
    strict: bool = False,
) -> None:
    """Write one or more records; an existing file is replaced by the whole new one.

    What the format cannot hold is dropped; `RecordFormat.losses` lists it.

    Args:
        format: the name of the format, '' for that of the file's extension
        encoding: '' for the format's default; text that Shift JIS cannot represent is written as UTF-8 with a byte
            order mark
        strict: raise ValueError instead of dropping anything

    Raises:
        OSError: the file cannot be written
        ValueError: the format or encoding is unknown, or a game cannot be written
    """
    games = list(_each(records))
    chosen = formats.load_format(format) if format else formats.format_for(path, games[0].game if games else "")
    if strict:
        for record in games:
            if lost := chosen.losses(record):
                raise InputError("{0} cannot hold {1}", chosen.name, ", ".join(lost))
    write_whole(path, dumps(games, chosen.name, encoding or encoding_for(path)))


def encoding_for(path: str | Path) -> str:
    """Return the encoding implied by a file name: a `u` at its end means UTF-8 (.kifu, .ki2u)."""
    return "utf-8" if Path(path).suffix.lower() in (".kifu", ".ki2u") else ""


# ---- Files of games played here: written after each move in the user's folder, and loaded again


KEPT_AS = {"shogi": ".kifu", "othello": ".ggf"}  # both hold times, and any name in UTF-8
FOR_ANY_GAME = ".jsonl"


class GameFile:
    """A game's file in the user's folder, written again after each change.

    Attributes:
        path: the file, None until it is written
    """

    def __init__(self) -> None:
        self.path: Path | None = None

    def write(self, record: GameRecord) -> None:
        """Write the game as it stands now. Raises OSError, ValueError; the file then has the earlier content."""
        ending = KEPT_AS.get(record.game, FOR_ANY_GAME)
        format = formats.format_for(f"game{ending}", record.game)
        content = dumps(record, format.name, encoding_for(f"game{ending}"))
        if self.path is None:
            folder = data_folder() / "games"
            folder.mkdir(parents=True, exist_ok=True)
            self.path = write_free(folder, f"{record.game}-{time.strftime('%Y%m%d-%H%M%S')}", ending, content)
        else:
            write_whole(self.path, content)

    def discard(self) -> None:
        """Remove the file, as the game is saved elsewhere. Raises OSError."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None


def kept_games(game: str) -> list[Path]:
    """Return the automatically saved games of terminal and browser, the latest first."""
    found = (data_folder() / "games").glob(f"{game}-*{KEPT_AS.get(game, FOR_ANY_GAME)}")
    dated = [(status.st_mtime, path) for path in found if (status := status_of_file(path)) is not None]
    return [path for _, path in sorted(dated, reverse=True)]


def load_game(path: str, game: str) -> GameRecord:
    """Return the first game of a file, or a saved game by its number in `kept_games`, from 1.

    Raises:
        OSError: the file cannot be read
        ValueError: it contains no game
    """
    file = Path(path).expanduser()
    if path.isdecimal() and not file.exists():
        kept = kept_games(game)
        if not 1 <= int(path) <= len(kept):
            raise InputError("there is no saved game number {0}", path)
        file = kept[int(path) - 1]
    return next(iter(iterate(file, game=game)))
