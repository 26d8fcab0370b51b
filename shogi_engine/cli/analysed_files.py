"""The output files of `shogi-engine analyse`: annotated records in the format and encoding of their sources."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shogi_engine.cli.common import tell_lost
from shogi_engine.cli.outputs import Attempts, check_outputs
from shogi_engine.common.files import write_whole
from shogi_engine.language import InputError

if TYPE_CHECKING:
    from shogi_engine.records import GameRecord, RecordFormat


def check_files(files: Sequence[str], out: str | None, others: Mapping[str, str | None]) -> None:
    """Raise ValueError, before hours of work, if an output could not be written.

    This is the case for what `check_outputs` refuses, and if `out` would put the records of several files into one.
    The folder of several files is made if it is not there.

    Args:
        others: the other outputs by their options
    """
    if len(files) > 1 and out is not None:
        if Path(out).is_file():
            raise InputError("analyse: --out must be a folder for {0} files, and {1} is not one", len(files), out)
        if len({Path(file).name for file in files}) < len(files):
            raise InputError("analyse: two files of the same name cannot both be written to --out")
        Path(out).mkdir(parents=True, exist_ok=True)
    targets = [] if out is None else [target_of(out, file) for file in files]
    places: list[Path | None] = [*targets] or [None]
    for target in places:
        check_outputs("analyse", {"--out": target, **others}, files)


def target_of(out: str, file: str) -> Path:
    """Return the file that the games of `file` are written to."""
    return Path(out) / Path(file).name if Path(out).is_dir() else Path(out)


def write_files(out: str, games: "Sequence[tuple[str, GameRecord]]", attempts: Attempts) -> None:
    """Write annotated games, each with the file it came from. Report on stderr what a format cannot hold."""
    for file in dict.fromkeys(file for file, _game in games):
        attempts(_write_file, out, file, [record for source, record in games if source == file])


def _write_file(out: str, file: str, games: "Sequence[GameRecord]") -> None:
    from shogi_engine import records

    target = target_of(out, file)
    chosen, encoding = format_and_encoding(file, games[0].game)
    if not Path(out).is_dir():
        named = records.format_of_name(out, games[0].game)
        if named is not None and named.name != chosen.name:
            chosen, encoding = named, records.encoding_for(out)
    write_whole(target, records.dumps(games, chosen.name, encoding))
    tell_lost(target, chosen, games)


def format_and_encoding(file: str, game: str) -> "tuple[RecordFormat, str]":
    """Return the format that a file was read in, and the encoding to write it in ('' : the format's)."""
    from shogi_engine import records
    from shogi_engine.records.files import HEAD, encoding_of

    data = Path(file).read_bytes()
    found = records.recognise(data[:HEAD].decode("latin-1"), binary=True, game=game) if b"\0" in data[:64] else None
    encoding = ""
    if found is None:
        encoding = encoding_of(io.BytesIO(data))
        head = data.decode(encoding)[:HEAD].lstrip("\ufeff")
        found = records.recognise(head, binary=False, game=game) or records.format_of_name(file, game)
        if encoding == "utf-8-sig" and not data.startswith(b"\xef\xbb\xbf"):
            encoding = "utf-8"
    assert found is not None  # it was read before
    return found, encoding
