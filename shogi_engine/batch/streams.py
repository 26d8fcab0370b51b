"""Files of positions: records of a fixed size, mapped into memory in blocks and never read whole.

`KINDS` names them: hcp has positions alone; hcpe adds the best move, value and result, as in Apery, dlshogi
and cshogi; psv, YaneuraOu's PackedSfenValue; othello, this package's own. Moves in hcpe are labels of the layout
'cshogi', in psv of 'yaneuraou', in othello of 'ids'; `Batch.relabel` converts them.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine.common.appending import AppendFile
from shogi_engine.common.files import WholeFile

HCP = np.dtype([("hcp", "u1", (32,))])
HCPE = np.dtype(
    [
        ("hcp", "u1", (32,)),
        ("eval", "<i2"),  # for the side to move
        ("bestMove16", "<i2"),
        ("gameResult", "i1"),  # 0 a draw, 1 black has won, 2 white
        ("dummy", "u1"),
    ]
)
PSV = np.dtype(
    [
        ("sfen", "u1", (32,)),
        ("score", "<i2"),  # for the side to move
        ("move", "<u2"),
        ("gamePly", "<u2"),
        ("game_result", "i1"),  # 1, 0, -1 for the side to move
        ("padding", "u1"),
    ]
)
OTHELLO = np.dtype(
    [
        ("packed", "u1", (17,)),
        ("move", "u1"),
        ("score", "<i2"),  # for the side to move, in hundredths of a disc
        ("result", "i1"),  # final disc difference for the side to move
        ("empties", "u1"),
    ]
)
KINDS = {"hcp": HCP, "hcpe": HCPE, "psv": PSV, "othello": OTHELLO}
PIECE = 1 << 16  # records mapped at a time


def record_kind(kind: str) -> "np.dtype[Any]":
    """Return the dtype of a kind of file; raises ValueError with the names if there is no such kind."""
    if kind not in KINDS:
        raise ValueError(f"there is no kind of file {kind!r}; there are {', '.join(KINDS)}")
    return KINDS[kind]


def count_records(path: str | os.PathLike[str], kind: str) -> int:
    """Return the number of records in a file; raises ValueError if it does not end with a whole record."""
    size, each = Path(path).stat().st_size, record_kind(kind).itemsize
    if size % each:
        raise ValueError(f"{path}: {size} bytes are not a whole number of {kind} records of {each} bytes")
    return size // each


def open_records(path: str | os.PathLike[str], kind: str, mode: Any = "r") -> NDArray[Any]:
    """Return a file as one array of records, mapped into memory: only the parts used are read.

    Args:
        mode: 'r', 'r+' to change records in place, 'c' to change them in memory only

    Raises:
        ValueError: the file does not end with a whole record
    """
    count = count_records(path, kind)
    return np.memmap(path, record_kind(kind), mode, shape=(count,)) if count else np.zeros(0, record_kind(kind))


def read_records(
    path: str | os.PathLike[str], kind: str, rows: int = PIECE, start: int = 0, stop: int | None = None
) -> Iterator[NDArray[Any]]:
    """Yield records[start:stop] of a file in blocks of `rows`, each mapped for as long as it is referenced.

    A file of any size thus takes the memory of one block. Raises ValueError as `open_records` does.
    """
    count = count_records(path, kind)
    stop = count if stop is None else min(stop, count)
    each = record_kind(kind)
    for first in range(start, stop, rows):
        yield np.memmap(path, each, "r", first * each.itemsize, (min(rows, stop - first),))


class RecordWriter:
    """Writes records to a file, block by block. A new file, or one to replace, appears when the writer is closed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, RecordWriter(f"{folder}/games.hcpe", "hcpe") as writer:
    ...     writer.write(np.zeros(3, HCPE))
    ...     writer.count
    3

    Args:
        append: append to an existing file, which must end with a whole record, instead of replacing it; until the
            writer is closed, no other process can append to the file

    Raises:
        OSError: the file cannot be written; what was written in a `with` block that failed is discarded, or with
            `append` the block of records that does not fit
    """

    def __init__(self, path: str | os.PathLike[str], kind: str, *, append: bool = False) -> None:
        self.path, self.kind = path, kind
        self._dtype, self.count = record_kind(kind), 0
        self._file: AppendFile | WholeFile
        if append:
            self._file = AppendFile(path, lambda: count_records(path, kind) * self._dtype.itemsize)
            self.count = count_records(path, kind)
        else:
            self._file = WholeFile(path)

    def __repr__(self) -> str:
        return f"<RecordWriter of {self.count} {self.kind} records to {os.fspath(self.path)!r}>"

    def write(self, records: NDArray[Any]) -> None:
        """Append records; raises ValueError if they are not of the file's dtype."""
        if records.dtype != self._dtype:
            raise ValueError(f"records must be of {self._dtype}, not {records.dtype}")
        self._file.write(np.ascontiguousarray(records).reshape(-1).view(np.uint8).data)
        self.count += len(records)

    def close(self) -> None:
        """Write buffered records, and close the file."""
        self._file.close()

    def __enter__(self) -> "RecordWriter":
        return self

    def __exit__(self, *failure: Any) -> None:
        self._file.__exit__(*failure)
