"""Labelled positions: each has a move, a value and a result. They come from games, training data and files.

All sources are converted to `Labelled`, so any of them can be converted to any file format:
`to_records(batch, from_records(batch, psv, "psv"), "hcpe")`. Values are copied unchanged, although the scale of
centipawns differs between engines.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels
from shogi_engine.batch.batch import Batch
from shogi_engine.batch.games import Games, positions_of
from shogi_engine.batch.streams import record_kind
from shogi_engine.games.batch_rules import IDS
from shogi_engine.interface.game import VALUE_NONE
from shogi_engine.records.arrays import GameArrays
from shogi_engine.training import recipe
from shogi_engine.training.data import read_shard

NO_MOVE = 0  # in hcpe and psv
UNKNOWN_PLY = -1


class Labelled(NamedTuple):
    """Positions and what is known about each.

    Attributes:
        positions: uint8[n, size], packed
        moves: int32[n], in the layout 'ids', -1 if unknown or illegal
        values: int16[n], for the side to move
        results: int8[n], 1, 0, -1 for the side to move
        plies: int32[n], the number of moves made before, -1 if unknown
    """

    positions: NDArray[np.uint8]
    moves: NDArray[np.int32]
    values: NDArray[np.int16]
    results: NDArray[np.int8]
    plies: NDArray[np.int32]


class _Fields(NamedTuple):
    """The names of the fields of a kind of file.

    Attributes:
        layout: the layout of its moves
    """

    packing: str
    position: str
    value: str
    move: str
    layout: str


_FIELDS = {
    "hcpe": _Fields("hcp", "hcp", "eval", "bestMove16", "cshogi"),
    "psv": _Fields("psfen", "sfen", "score", "move", "yaneuraou"),
}


def training_games(batch: Batch, path: str | os.PathLike[str]) -> Iterator[Games]:
    """Yield the games that `shogi-engine train` or `training.pipeline` played, one file at a time.

    Args:
        path: a file of games, or a folder with such files in it or below it

    Raises:
        ValueError: there are no such files, or one is damaged
    """
    place = Path(path)
    files = [place] if place.is_file() else sorted(place.rglob("piece-*.npz"))
    if not files:
        raise ValueError(f"{path}: there are no files of games (piece-*.npz)")
    known = recipe.load(batch.game.name).data().starts
    began = signs(batch, batch.pack(known))
    for file in files:
        shard = read_shard(file)
        lengths = shard["lengths"]
        filled = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
        moves: Any = np.full(filled.shape, kernels.NO_LABEL, dtype=np.int32)
        values = np.full(filled.shape, VALUE_NONE, dtype=np.int16)
        moves[filled], values[filled] = shard["moves"] & batch.code_mask, shard["values"]
        starts = [known[number] for number in shard["starts"]]
        yield Games(moves, lengths, shard["results"] * began[shard["starts"]], values, starts)


def labelled_positions(batch: Batch, games: Games | GameArrays, *, without_value: bool = False) -> Labelled:
    """Return the positions of games with their labels; see `positions_of`.

    Games of `records.games` that have no result are left out.

    Args:
        games: the result of `training_games`, `self_play` or `records.games`
        without_value: include positions that were not searched, with the value 0

    Raises:
        ValueError: a game has an illegal move
    """
    found = positions_of(batch, games)
    values = games.values[found.game, found.ply]
    wanted = (values != VALUE_NONE) | without_value
    if isinstance(games, GameArrays):
        wanted &= games.decided[found.game]
    rows = np.flatnonzero(wanted)
    game, ply, values = found.game[rows], found.ply[rows], values[rows]
    return Labelled(
        found.positions[rows],
        games.moves[game, ply].astype(np.int32),
        np.where(values == VALUE_NONE, 0, values).astype(np.int16),
        games.results[game] * signs(batch, found.positions[rows]),
        ply,
    )


def from_records(batch: Batch, records: NDArray[Any], kind: str) -> Labelled:
    """Return records of a file, 'hcpe' or 'psv', in the packing of `batch`.

    Raises ValueError for an invalid position.
    """
    fields = _fields(kind)
    theirs = Batch(batch.game.name, fields.packing, threads=batch.threads)
    positions = theirs.repack(records[fields.position], batch.packing)
    if kind == "psv":
        results, plies = records["game_result"].astype(np.int8), records["gamePly"].astype(np.int32) - 1
    else:
        results = black_results(records["gameResult"]) * signs(batch, positions)
        plies = np.full(len(records), UNKNOWN_PLY, dtype=np.int32)
    moves = batch.relabel(positions, records[fields.move].astype(np.int32), fields.layout, IDS)
    return Labelled(positions, moves, records[fields.value].astype(np.int16), results, plies)


def to_records(batch: Batch, labelled: Labelled, kind: str) -> NDArray[Any]:
    """Return records of the given kind, 'hcpe' or 'psv', to write with `RecordWriter`.

    An unknown move is 0. In psv the first position of a game has the ply 1, and 0 means unknown.
    """
    fields = _fields(kind)
    records = np.zeros(len(labelled.positions), record_kind(kind))
    records[fields.position] = batch.repack(labelled.positions, fields.packing)
    records[fields.value] = labelled.values
    moves = batch.relabel(labelled.positions, labelled.moves, IDS, fields.layout)
    records[fields.move] = np.where(moves < 0, NO_MOVE, moves)
    if kind == "psv":
        records["game_result"], records["gamePly"] = labelled.results, labelled.plies + 1
    else:
        records["gameResult"] = (labelled.results * signs(batch, labelled.positions)) % 3  # -1, white has won, is 2
    return records


def _fields(kind: str) -> _Fields:
    """Return the field names of a kind of file; raises ValueError for a kind without moves and values."""
    if kind not in _FIELDS:
        raise ValueError(f"only files of the kind {' or '.join(_FIELDS)} have labels, not {kind!r}")
    return _FIELDS[kind]


def black_results(codes: NDArray[Any]) -> NDArray[np.int8]:
    """Return int8[n], 1, 0, -1 for black, from hcpe's results, of which only the lowest two bits count."""
    signs_of: NDArray[np.int8] = np.array([0, 1, -1, 0], dtype=np.int8)[codes & 3]
    return signs_of


def signs(batch: Batch, positions: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return int8[n]: 1 where black is to move, -1 where white is."""
    return (1 - 2 * batch.sides(positions)).astype(np.int8)
