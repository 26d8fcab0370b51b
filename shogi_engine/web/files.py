"""Game records uploaded from and downloaded to browsers."""

import base64
import io
import time

from shogi_engine import records
from shogi_engine.language import InputError
from shogi_engine.records import GameRecord
from shogi_engine.web import view
from shogi_engine.web.replies import File

Chosen = tuple[GameRecord, list[str]]  # a game of a file, and the titles of its games
ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")  # how they begin
FILE_MAX = 2 << 20  # bytes of a record
GAMES_MAX = 200  # maximum number of games of a file to choose from


def chosen_game(content: bytes, name: str, number: int) -> Chosen:
    """Return game `number` (from 0) of a file, and the titles of its games. Raises ValueError if there is none."""
    if len(content) > FILE_MAX:
        raise InputError("a file can have at most {0} MB", FILE_MAX >> 20)
    if content.startswith(ARCHIVES):
        raise InputError("this is an archive; please unpack it, and open a record in it")
    titles: list[str] = []
    chosen = None
    for place, record in enumerate(records.read(io.BytesIO(content), name=name, keep=True)):
        if place == number:
            chosen = record
        if len(titles) < GAMES_MAX:
            titles.append(view.title(record))
        elif chosen is not None:
            break
    if chosen is None:
        raise InputError("there is no such game in the file")
    if chosen.fault is not None and not chosen.moves:
        raise ValueError(str(chosen.fault))
    _make_well_formed(chosen)
    return chosen, [_well_formed(each) for each in titles]


def _make_well_formed(record: GameRecord) -> None:
    """Replace lone surrogates, which the JSON of a JKF file can contain, and no message or saved game can."""
    record.names = [_well_formed(name) for name in record.names]
    record.headers = {_well_formed(name): _well_formed(text) for name, text in record.headers.items()}
    for node in record.nodes_in_preorder():
        node.comment, node.label = _well_formed(node.comment), _well_formed(node.label)


def _well_formed(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def dated(name: str) -> str:
    """Return the name of a new file, without its ending."""
    return f"{name}-{time.strftime('%Y%m%d-%H%M')}"


def file_of(record: GameRecord, format: str) -> File:
    """Return a record as a file."""
    written = records.load_format(format)
    if written.game not in ("", record.game):
        raise InputError("{0} is not a format of {1}", format, record.game)
    data = base64.b64encode(records.dumps(record, format)).decode("ascii")
    return File(name=dated(record.game) + written.extensions[0], data=data, lost=list(written.losses(record)))
