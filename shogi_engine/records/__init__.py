"""Game records: one tree of moves for all games, and file formats for them.

    for record in records.iterate("games.csa"):
        print(record.names, record.result, record.moves)
    records.save(record, "game.kif")

`load`, `loads` and `iterate` recognise the format; every move is checked by the rules. `games` reads thousands of
records as arrays of moves, values and results. The formats are in `shogi_engine/games/<game>/records/formats/`, one
file each.
"""

import importlib
from typing import TYPE_CHECKING, Any

from shogi_engine.records.files import decode, dumps, encoding_for, iterate, load, loads, read, save
from shogi_engine.records.formats import (
    RecordFormat,
    all_formats,
    format_for,
    format_names,
    format_of_name,
    load_format,
    recognise,
    register,
)
from shogi_engine.records.tree import HEADERS, GameRecord, Node, RecordBuilder, RecordError
from shogi_engine.types.outcomes import ENDINGS, Outcome, Termination

if TYPE_CHECKING:
    from shogi_engine.records.arrays import GameArrays, from_arrays, games, to_arrays

__all__ = [
    "ENDINGS", "GameArrays", "GameRecord", "HEADERS", "Node", "Outcome", "RecordBuilder", "RecordError",
    "RecordFormat", "Termination", "all_formats", "decode", "dumps", "encoding_for", "format_names", "format_for",
    "from_arrays", "format_of_name", "iterate", "load", "games", "load_format", "loads", "read", "recognise",
    "register", "save", "to_arrays",
]  # fmt: skip

_LAZY = {"GameArrays": "arrays", "games": "arrays", "from_arrays": "arrays", "to_arrays": "arrays"}


def __getattr__(name: str) -> Any:
    """Return an attribute that needs NumPy, which is imported only when the attribute is used."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, also of what is not loaded yet."""
    return sorted(__all__)
