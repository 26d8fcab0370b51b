"""dlshogi's hcpe3 files: games with the candidate moves of each search and their visits.

https://github.com/TadaoYamaoka/DeepLearningShogi. A game is a HEADER, then for each move a MOVE and a VISITS for each
candidate. A position without candidates was not searched.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch.batch import Batch
from shogi_engine.batch.games import Games, Labelled, black_results, positions_after, positions_of, signs
from shogi_engine.batch.kernels import HEADER_BYTES, LONGEST, MOVE_BYTES, VISITS_BYTES, read_games
from shogi_engine.common.files import WholeFile
from shogi_engine.games.batch import IDS
from shogi_engine.interface.game import VALUE_NONE
from shogi_engine.records.arrays import GameArrays

HEADER = np.dtype(
    [
        ("hcp", "u1", (32,)),  # the first position
        ("moveNum", "<u2"),
        ("result", "u1"),  # bits 0 and 1 as in hcpe; 4: repetition, 8: declaration, 16: the move limit
        ("opponent", "u1"),  # 0: self-play, 1: another engine had black, 2: another engine had white
    ]
)
MOVE = np.dtype([("selectedMove16", "<u2"), ("eval", "<i2"), ("candidateNum", "<u2")])
VISITS = np.dtype([("move16", "<u2"), ("visitNum", "<u2")])
assert (HEADER.itemsize, MOVE.itemsize, VISITS.itemsize) == (HEADER_BYTES, MOVE_BYTES, VISITS_BYTES)


class Searched(NamedTuple):
    """Positions with the moves that a search considered.

    Attributes:
        labelled: the positions, in the batch's packing, and the moves played
        counts: int32[n], the number of candidates of each position
        visits: record[sum of counts], VISITS, for one position after the other; moves in the layout 'cshogi'
        game: int64[n], the number of the game in the file
    """

    labelled: Labelled
    counts: NDArray[np.int32]
    visits: NDArray[Any]
    game: NDArray[np.int64]

    def policy(self, batch: Batch, layout: str = "dlshogi") -> NDArray[np.float32]:
        """Return float32[n, labels of the layout]: each move's share of the visits. Illegal candidates are omitted."""
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        moves = self.visits["move16"].astype(np.int32)
        labels = batch.relabel(self.labelled.positions[rows], moves, "cshogi", layout)
        shares: NDArray[np.float32] = np.zeros((len(self.counts), batch.layouts[layout]), dtype=np.float32)
        legal = labels >= 0
        np.add.at(shares, (rows[legal], labels[legal]), self.visits["visitNum"][legal])
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1)
        return shares


def read_hcpe3(
    batch: Batch, path: str | os.PathLike[str], *, games: int = 256, unsearched: bool = False
) -> Iterator[Searched]:
    """Yield the positions of `games` games at a time, to limit the memory.

    Args:
        unsearched: include positions without candidates, which dlshogi does not learn from

    Raises:
        ValueError: the file ends within a game, or a game has an illegal move
    """
    if games < 1:
        raise ValueError(f"at least one game must be read at a time, not {games}")
    if not os.path.getsize(path):
        return
    data = np.asarray(np.memmap(path, np.uint8, "r"))
    at, number = 0, 0
    while at < len(data):
        begins, offsets = np.zeros(games, np.int64), np.full((games, LONGEST), -1, np.int64)
        count, end = read_games(data, at, begins, offsets)
        if end < 0:
            raise ValueError(f"{path}: the game that begins at byte {begins[count]} is damaged or incomplete")
        yield _searched(batch, data, begins[:count], offsets[:count], number, unsearched)
        at, number = end, number + count


def write_hcpe3(batch: Batch, path: str | os.PathLike[str], games: Iterable[Games | GameArrays]) -> None:
    """Write games to a file, each searched move with itself as the only candidate, visited once, as in self-play.

    A value that is not known makes a position one that was not searched. The file appears when it is complete.

    Args:
        games: `Games`, or the GameArrays of `records.games`, one after the other

    Raises:
        ValueError: a game has an illegal move, or more moves than hcpe3 holds
        OSError: the file cannot be written
    """
    with WholeFile(path) as file:
        for arrays in games:
            for game in _as_bytes(batch, arrays):
                file.write(game)


def _as_bytes(batch: Batch, games: Games | GameArrays) -> Iterator[bytes]:
    """Yield the games of arrays in the form of the file."""
    if int(games.lengths.max(initial=0)) > LONGEST:
        raise ValueError(f"hcpe3 holds at most {LONGEST} moves of a game, not {games.lengths.max()}")
    found = positions_of(batch, games)
    headers = np.zeros(len(games.lengths), HEADER)
    texts = games.starts if isinstance(games, GameArrays) else [batch.game.start] * len(games.lengths)
    headers["hcp"] = Batch(batch.game.name, "hcp").pack(texts)
    headers["moveNum"], headers["result"] = games.lengths, games.results % 3  # -1, white has won, is 2
    values = games.values[found.game, found.ply]
    steps = np.zeros(len(values), np.dtype([*MOVE.descr, *VISITS.descr]))
    labels = batch.relabel(found.positions, games.moves[found.game, found.ply], IDS, "cshogi")
    steps["selectedMove16"], steps["move16"] = labels, labels
    steps["eval"] = np.where(values == VALUE_NONE, 0, values)
    steps["candidateNum"] = steps["visitNum"] = values != VALUE_NONE
    end = 0
    for header, length in zip(headers, games.lengths.tolist(), strict=True):
        moves, end = steps[end : end + length], end + length
        whole = moves.view(np.uint8).reshape(length, moves.itemsize)
        kept = np.ones(whole.shape, dtype=bool)
        kept[moves["candidateNum"] == 0, MOVE_BYTES:] = False
        yield header.tobytes() + whole[kept].tobytes()


def _records(data: NDArray[np.uint8], offsets: NDArray[np.int64], dtype: Any) -> NDArray[Any]:
    """Return the records at `offsets`."""
    found: NDArray[Any] = data[offsets[:, None] + np.arange(dtype.itemsize)].view(dtype)[:, 0]
    return found


def _searched(
    batch: Batch,
    data: NDArray[np.uint8],
    begins: NDArray[np.int64],
    offsets: NDArray[np.int64],
    number: int,
    unsearched: bool,
) -> Searched:
    """Return the positions of games that begin at `begins` and whose moves are at `offsets`, -1 after the last."""
    headers = _records(data, begins, HEADER)
    lengths = headers["moveNum"].astype(np.int32)
    filled = offsets >= 0
    moves = _records(data, offsets[filled], MOVE)
    table: Any = np.zeros(offsets.shape, dtype=np.int32)
    table[filled] = moves["selectedMove16"]
    starts = Batch(batch.game.name, "hcp", threads=batch.threads).repack(headers["hcp"], batch.packing)
    positions = positions_after(batch, starts, table, lengths, "cshogi")
    game, ply = np.nonzero(filled)
    kept = np.flatnonzero((moves["candidateNum"] > 0) | unsearched)
    positions, moves, game, ply = positions[kept], moves[kept], game[kept], ply[kept]
    counts = moves["candidateNum"].astype(np.int32)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    firsts = offsets[filled][kept] + MOVE_BYTES
    labelled = Labelled(
        positions,
        batch.relabel(positions, moves["selectedMove16"].astype(np.int32), "cshogi", IDS),
        moves["eval"].astype(np.int16),
        black_results(headers["result"])[game] * signs(batch, positions),
        ply.astype(np.int32),
    )
    visits = _records(data, np.repeat(firsts, counts) + VISITS_BYTES * within, VISITS)
    return Searched(labelled, counts, visits, game + number)
