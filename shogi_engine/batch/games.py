"""Many games at once, with random moves or by self-play, and their positions."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels
from shogi_engine.batch.batch import CHUNK, Batch, check_batch
from shogi_engine.common.files import AppendFile, WholeFile
from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.batch import IDS
from shogi_engine.interface.game import VALUE_MAX, VALUE_NONE
from shogi_engine.records.arrays import GameArrays
from shogi_engine.search.context import MAX_GAME_PLY, new_context, set_root
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training import recipe
from shogi_engine.training.data import SearchState, new_terms, play_from, read_shard
from shogi_engine.training.game_kernels import ABANDONED, LONGEST
from shogi_engine.types.limits import check_number

TOGETHER = 16  # games that a thread plays one after the other
TABLE_MB = 4
ROWS = 256  # games that iterators yield at a time

_EMPTY = (2, np.int32), (1, np.int32), (1, np.int8), (2, np.int16)  # axes and dtypes of Games' arrays
Made = tuple[NDArray[np.uint32], NDArray[np.int16], int]  # a game's moves, values and result


class Games(NamedTuple):
    """Games, one per row.

    Attributes:
        moves: int32[n, longest], in the layout 'ids', -1 after the last move
        lengths: int32[n], the numbers of moves
        results: int8[n], 1, 0, -1 for black; an unfinished game is a draw
        values: int16[n, longest], the value of the search before each move, for the side to move; VALUE_NONE if there
            was no search
        starts: where each begins, as text; None: all at the game's usual start
    """

    moves: NDArray[np.int32]
    lengths: NDArray[np.int32]
    results: NDArray[np.int8]
    values: NDArray[np.int16]
    starts: Sequence[str] | None = None


class Positions(NamedTuple):
    """The positions of games before each move, one game after the other.

    Attributes:
        positions: uint8[n, size], packed
        game: int32[n], the row in Games
        ply: int32[n], the number of moves made before
    """

    positions: NDArray[np.uint8]
    game: NDArray[np.int32]
    ply: NDArray[np.int32]


def random_games(batch: Batch, count: int, *, seed: int = 0, longest: int = 512) -> Games:
    """Return `count` games of random moves, which end by the rules or after `longest` moves.

    They depend on the seed, not on the number of threads.
    """
    return _joined(iterate_random_games(batch, count, seed=seed, longest=longest))


def iterate_random_games(
    batch: Batch, count: int, *, rows: int = ROWS, seed: int = 0, longest: int = 512
) -> Iterator[Games]:
    """Yield the games of `random_games`, at most `rows` at a time, as `iterate_self_play` does."""
    _check(batch, count, longest, MAX_GAME_PLY)
    states = np.random.default_rng(seed).integers(1, 1 << 63, size=count, dtype=np.uint64)
    start = batch.game.parse_position(batch.game.start)

    def worker(_: int) -> Callable[[int], list[Made]]:
        ctx = new_context(batch.game)
        for name, value in batch.rules.params.items():
            ctx.params[name] = value
        moves = np.zeros(longest, dtype=np.uint32)

        def play(first: int) -> list[Made]:
            made = []
            for game in range(first, min(first + TOGETHER, count)):
                set_root(ctx, start)
                length, result = kernels.play_random(ctx, states[game : game + 1], longest, moves)
                made.append((moves[:length].copy(), np.full(length, VALUE_NONE, dtype=np.int16), int(result)))
            return made

        return play

    yield from _collect(batch, worker, count, TOGETHER, rows)


def self_play(
    batch: Batch,
    count: int,
    *,
    nodes: int,
    seed: int = 0,
    opening: int = 8,
    longest: int = LONGEST,
    evaluation: str = "",
) -> Games:
    """Return `count` games of the engine against itself, with about `nodes` nodes per move.

    A game ends by the rules, when a win is found, or after `longest` moves. It depends only on the seed.

    Args:
        opening: the number of random moves at the start
        evaluation: the name of one of the game's evaluations, '' for the default
    """
    wanted: Any = {"seed": seed, "opening": opening, "longest": longest, "evaluation": evaluation}
    return _joined(iterate_self_play(batch, count, nodes=nodes, **wanted))


def iterate_self_play(
    batch: Batch,
    count: int,
    *,
    nodes: int,
    rows: int = ROWS,
    seed: int = 0,
    opening: int = 8,
    longest: int = LONGEST,
    evaluation: str = "",
) -> Iterator[Games]:
    """Yield the games of `self_play`, at most `rows` at a time and in the same order, as soon as they are played.

    The threads play on while the caller works. When the caller leaves the loop, or closes the iterator, they stop after
    their current games.

    >>> batch, made = Batch("othello"), 0
    >>> for games in iterate_self_play(batch, 1000, nodes=1, rows=2):
    ...     made += len(games.lengths)
    ...     if made >= 4:
    ...         break
    """
    _check(batch, count, longest, LONGEST)
    check_number("nodes", nodes, 1, whole=True)
    evaluator = batch.game.evaluation(evaluation).load()
    start = batch.game.parse_position(batch.game.start)
    terms = new_terms(nodes, VALUE_MAX)
    terms.random, terms.opening, terms.balance, terms.longest = 1, opening, VALUE_MAX, longest

    def worker(_: int) -> Callable[[int], list[Made]]:
        table = TranspositionTable(TABLE_MB)
        players = [SearchState(evaluator, table, batch.game) for _ in range(2)]
        moves, values = np.zeros(longest, dtype=np.uint32), np.zeros(longest, dtype=np.int16)

        def play(game: int) -> list[Made]:
            random = np.random.default_rng([seed, game])
            result = ABANDONED
            while result == ABANDONED:  # the game ended within the opening
                for player in players:
                    player.new_game()
                result, length = play_from(start, players, random, terms, moves, values)
            return [(moves[:length].copy(), values[:length].copy(), result)]

        return play

    yield from _collect(batch, worker, count, 1, rows)


def positions_of(batch: Batch, games: Games | GameArrays, plies: int | None = None) -> Positions:
    """Return all positions of games except the last of each, from their starts if the games have them.

    Args:
        plies: only the positions before the first `plies` moves

    Raises:
        ValueError: a game has an illegal move
    """
    lengths = games.lengths if plies is None else np.minimum(games.lengths, plies)
    if games.starts is None:
        starts = np.repeat(batch.pack([batch.game.start]), len(lengths), 0)
    else:
        starts = batch.pack(games.starts)
    out = positions_after(batch, starts, games.moves, lengths, IDS)
    game = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    begins = np.cumsum(lengths) - lengths
    return Positions(out, game, (np.arange(len(out)) - begins[game]).astype(np.int32))


def positions_after(
    batch: Batch, starts: NDArray[np.uint8], moves: NDArray[np.int32], lengths: NDArray[np.int32], layout: str
) -> NDArray[np.uint8]:
    """Return uint8[sum of lengths, size]: the positions before each move of games, one game after the other.

    Args:
        starts: uint8[n, size], the starting positions, packed
        moves: int32[n, longest], labels of `layout`
        lengths: int32[n], the numbers of moves

    Raises:
        ValueError: a game has an illegal move
    """
    begins = np.concatenate([[0], np.cumsum(lengths)])
    out = np.empty((begins[-1], batch.size), dtype=np.uint8)
    for first in range(0, len(lengths), CHUNK):
        rows = slice(first, first + CHUNK)
        here, current = lengths[rows], starts[rows].copy()
        for ply in range(int(here.max(initial=0))):
            going = np.flatnonzero(here > ply)
            out[begins[rows][: len(here)][going] + ply] = current[going]
            current[going] = batch.apply(current[going], moves[rows][going, ply], layout)
    return out


def _check(batch: object, count: int, longest: int, most: int) -> None:
    """Raise TypeError for what is no batch, ValueError for a negative number of games or a length that is too large."""
    check_batch(batch)
    check_number("count", count, 0, whole=True)
    if not 1 <= longest <= most:
        raise ValueError(f"a game must have 1 to {most} moves, not {longest}")


def _collect(
    batch: Batch, worker: Callable[[int], Callable[[int], list[Made]]], count: int, together: int, rows: int
) -> Iterator[Games]:
    """Yield the games that threads play: worker(index) plays `together` games, starting with that number."""
    if rows < 1:
        raise ValueError(f"at least one game must be yielded at a time, not {rows}")
    made: dict[int, list[Made]] = {}
    waiting: list[Made] = []
    following = 0
    with contextlib.closing(results_on_threads(worker, range(0, count, together), batch.threads, "games")) as found:
        for first, games in found:
            made[first] = games
            while following in made:
                waiting += made.pop(following)
                following += together
            while len(waiting) >= rows:
                yield _arrays(batch, waiting[:rows])
                del waiting[:rows]
    if waiting:
        yield _arrays(batch, waiting)


def _joined(parts: Iterator[Games]) -> Games:
    """Return all games as one object."""
    nothing: Any = (np.zeros((0,) * axes, kind) for axes, kind in _EMPTY)
    found = list(parts) or [Games(*nothing)]
    width = max(part.moves.shape[1] for part in found)

    def joined(tables: list[Any], filler: int) -> Any:
        rows = [np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=filler) for table in tables]
        return np.concatenate(rows)

    return Games(
        joined([part.moves for part in found], kernels.NO_LABEL),
        np.concatenate([part.lengths for part in found]),
        np.concatenate([part.results for part in found]),
        joined([part.values for part in found], VALUE_NONE),
    )


def _arrays(batch: Batch, games: list[Made]) -> Games:
    """Return games as arrays."""
    lengths = np.array([len(moves) for moves, _, _ in games], dtype=np.int32)
    width = int(lengths.max(initial=0))
    table: Any = np.full((len(games), width), kernels.NO_LABEL, dtype=np.int32)
    values = np.full((len(games), width), VALUE_NONE, dtype=np.int16)
    for row, (moves, found, _) in enumerate(games):
        table[row, : len(moves)] = moves & ((1 << batch.rules.code_bits) - 1)
        values[row, : len(moves)] = found
    return Games(table, lengths, np.array([result for _, _, result in games], dtype=np.int8), values)


# ---- Files of positions: records of a fixed size, mapped into memory in blocks and never read whole
#
# `KINDS` names them: hcp has positions alone; hcpe adds the best move, value and result, as in Apery, dlshogi
# and cshogi; psv, YaneuraOu's PackedSfenValue; othello, this package's own. Moves in hcpe are labels of the layout
# 'cshogi', in psv of 'yaneuraou', in othello of 'ids'; `Batch.relabel` converts them.


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


# ---- Labelled positions: each has a move, a value and a result. They come from games, training data and files
#
# All sources are converted to `Labelled`, so any of them can be converted to any file format:
# `to_records(batch, from_records(batch, psv, "psv"), "hcpe")`. Values are copied unchanged, although the scale of
# centipawns differs between engines.


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
    known = recipe.load(batch.game.name).data.starts()
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


# ---- Statistics of openings: how often each move was played in each position of many games, and with what success


class OpeningMoves(NamedTuple):
    """Moves of positions, the most frequent first.

    Attributes:
        positions: uint8[n, size], packed
        moves: int32[n], in the layout 'ids'
        plies: int32[n], the fewest moves made before the position
        counts: int64[n], the games in which the move was played
        wins, draws, losses: int64[n], for the side that made the move; the results of the other games are not known
    """

    positions: NDArray[np.uint8]
    moves: NDArray[np.int32]
    plies: NDArray[np.int32]
    counts: NDArray[np.int64]
    wins: NDArray[np.int64]
    draws: NDArray[np.int64]
    losses: NDArray[np.int64]

    def at(self, position: Any) -> "OpeningMoves":
        """Return the moves of one packed position, uint8[size]; none if it did not occur."""
        rows = (self.positions == np.asarray(position, dtype=np.uint8)).all(axis=1)
        return OpeningMoves(*(field[rows] for field in self))


def opening_moves(batch: Batch, games: Games | GameArrays, *, plies: int = 20, least: int = 1) -> OpeningMoves:
    r"""Count the moves of the first `plies` moves of games; transpositions are counted together.

    >>> from shogi_engine.records import loads, to_arrays
    >>> games = to_arrays(loads("f5d6c3\nf5f6e6\nc4c3d3", format="transcript"))
    >>> batch = Batch("othello")
    >>> found = opening_moves(batch, games, plies=1)
    >>> found.counts.tolist(), found.plies.tolist()
    ([2, 1], [0, 0])

    Args:
        games: `Games`, or the GameArrays of `records.games`
        least: omit moves that were played in fewer games

    Raises:
        ValueError: a game has an illegal move
    """
    played = positions_of(batch, games, plies)
    moves = games.moves[played.game, played.ply].astype(np.int32)
    keys = np.zeros(len(moves), dtype=[("position", np.void, batch.size), ("move", np.int32)])
    keys["position"] = np.ascontiguousarray(played.positions).view(f"V{batch.size}")[:, 0]
    keys["move"] = moves
    _, firsts, kinds = np.unique(keys.view(f"V{keys.itemsize}"), return_index=True, return_inverse=True)
    kinds = kinds.reshape(-1)
    known = games.decided if isinstance(games, GameArrays) else np.ones(len(games.lengths), bool)
    results, known = games.results[played.game] * signs(batch, played.positions), known[played.game]
    tables = [np.bincount(kinds[known & (results == result)], minlength=len(firsts)) for result in (1, 0, -1)]
    counts = np.bincount(kinds, minlength=len(firsts))
    fewest = np.full(len(firsts), plies, dtype=np.int32)
    np.minimum.at(fewest, kinds, played.ply)
    order = np.lexsort((moves[firsts], fewest, -counts))
    order = order[counts[order] >= least]
    rows = firsts[order]
    return OpeningMoves(
        played.positions[rows], moves[rows], fewest[order], counts[order], *(table[order] for table in tables)
    )
