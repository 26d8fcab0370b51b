"""The opening explorer: the moves that were played in a position, how often, and with what success.

    with Explorer("games.idx", "shogi") as explorer:
        explorer.add("kifu/")
        for row in explorer.moves(board):
            print(row.move, row.games, row.score)

`Explorer` is a file, or memory, with the first moves of many games by position: a database, which several processes can
use. `figures` says in sentences what a book and games say of the moves.
"""

import collections
import functools
import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import filterfalse
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from shogi_engine import books, games, records
from shogi_engine.analysis.judgement import move_text
from shogi_engine.batch import Batch, positions_of
from shogi_engine.common.database import BELONGING, Database, kind_of, migrations
from shogi_engine.common.files import AnyPath
from shogi_engine.games.othello.bitboard import SYMMETRIES, transform_square
from shogi_engine.language import InputError, Message, mark, translate
from shogi_engine.records import ENDINGS, GameArrays
from shogi_engine.records.files import files_below

# ---- Counts the moves of many games by position


LATEST = 8  # games that are remembered for each move
_WORD = 8  # bytes


class Counts(NamedTuple):
    """Moves of positions, in ascending order of key and move.

    Attributes:
        keys: int64[n], of the positions
        moves: int32[n], in the layout 'ids'
        black, draws, white, unknown: int64[n], how the games with the move ended
        latest: for each move the numbers of its last games, uint32, oldest first
    """

    keys: NDArray[np.int64]
    moves: NDArray[np.int32]
    black: NDArray[np.int64]
    draws: NDArray[np.int64]
    white: NDArray[np.int64]
    unknown: NDArray[np.int64]
    latest: list[bytes]


def keys_of(positions: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the keys of packed positions, int64[n].

    They hash the packed form, not the search's keys, which may differ between versions of the engine. Among a hundred
    million positions, two have the same key with a probability of 0.0003.
    """
    rows, size = positions.shape
    words = np.zeros((rows, -(-size // _WORD) * _WORD), dtype=np.uint8)
    words[:, :size] = positions
    key = np.full(rows, size, dtype=np.uint64)
    for word in words.view("<u8").T:
        key = _mixed(key ^ word)
    return key.view(np.int64)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a bijective hash of each number: SplitMix64 (Steele, Lea and Flood, 2014)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def counted(batch: Batch, games: GameArrays, numbers: NDArray[np.uint32], plies: int) -> Counts:
    """Count the first `plies` moves of games.

    Args:
        numbers: uint32[games], ascending; they identify the games
    """
    played = positions_of(batch, games, plies)
    keys, moves = keys_of(played.positions), games.moves[played.game, played.ply]
    order = np.lexsort((played.game, moves, keys))
    keys, moves, game = keys[order], moves[order], played.game[order]
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (moves[1:] != moves[:-1])
    # A game that comes back to a position and makes the same move again counts once.
    again = np.zeros(len(keys), dtype=bool)
    again[1:] = ~fresh[1:] & (game[1:] == game[:-1])
    keys, moves, game, fresh = keys[~again], moves[~again], game[~again], fresh[~again]
    firsts = np.flatnonzero(fresh)
    results, known = games.results[game], games.decided[game]

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.add.reduceat(which.astype(np.int64), firsts) if len(firsts) else np.zeros(0, dtype=np.int64)

    black, draws, white = (count(known & (results == result)) for result in (1, 0, -1))
    data, borders = numbers[game].astype("<u4"), [*firsts.tolist(), len(game)]
    latest = [data[max(first, end - LATEST) : end].tobytes() for first, end in itertools.pairwise(borders)]
    return Counts(keys[firsts], moves[firsts], black, draws, white, count(~known), latest)


# ---- Positions that count as the same: Othello's images by the eight symmetries of the board
#
# A position of Shogi and the rotated one with the colours exchanged are two: who has won matters.


SQUARES = 64
Image = tuple[str, Callable[[Any], int]]  # a position, and a function that turns a Board's move like it


def images(game: str, position: str) -> list[Image]:
    """Return the images of a position, the position itself first; those of a symmetric position repeat."""
    if game != "othello":
        return [(position, int)]
    return [(_image(position, symmetry), functools.partial(_turned, symmetry)) for symmetry in range(SYMMETRIES)]


def _image(position: str, symmetry: int) -> str:
    cells = list(position)
    for square in range(SQUARES):
        cells[transform_square(square, symmetry)] = position[square]
    return "".join(cells)


def _turned(symmetry: int, move: Any) -> int:
    return int(move) if move.square is None else int(type(move)(transform_square(move.square, symmetry)))


PLIES = 40  # the moves of each game that a new index counts
PLIES_MAX = 1000
TOGETHER = 1 << 12  # games that are counted before they are written
ROWS = 1024  # games read at a time
TURN = 120.0  # seconds to wait for other processes that add: a step takes one of some seconds
FAULTS_MAX = 1000  # reasons that are kept
KIND = 0x53454F58  # 'SEOX', in the header of the file
NAME_MAX = 80  # characters of a player's name
UNKNOWN = 2
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}  # others: '*'
RESULT_COLUMNS = ("black", "draws", "white", "unknown")
_TYPES = [*[int] * 6, bytes]  # of the columns of moves
_Pair = tuple[int, int]  # the key of a position, and a move
_ADD_GAME = "INSERT OR IGNORE INTO games (identity, file, place, black, white, result) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_MOVE = f"""
    INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    black = black + excluded.black, draws = draws + excluded.draws, white = white + excluded.white,
    unknown = unknown + excluded.unknown, latest = substr(CAST(latest || excluded.latest AS BLOB), -{4 * LATEST})
"""  # noqa: S608


@dataclass(frozen=True)
class ExplorerMove:
    """A move that was played in a position, or that a book has.

    Attributes:
        move: in the game's notation
        black, draws, white, unknown: how many of its games black won, were drawn, white won, have no known result
        turn: the side that made the move
        value: the book's, in the game's unit, for that side; None without one
    """

    move: str
    black: int = 0
    draws: int = 0
    white: int = 0
    unknown: int = 0
    turn: int = 0
    value: int | None = None

    @property
    def games(self) -> int:
        """The number of games with the move."""
        return self.black + self.draws + self.white + self.unknown

    @property
    def score(self) -> float | None:
        """The share of the points that the side that made the move has got, 0 to 1; None if no result is known."""
        known = self.black + self.draws + self.white
        return ((self.white if self.turn else self.black) + self.draws / 2) / known if known else None


class PlayedGame(NamedTuple):
    """A game in which a position occurred.

    Attributes:
        file: its file, as it was given
        place: its place in the file, from 1
        names: (black's name, white's)
        result: '1-0' if black won, '0-1', '1/2-1/2', '*' if it is not known
    """

    file: str
    place: int
    names: tuple[str, str]
    result: str


@dataclass
class Added:
    """What `Explorer.add` has found.

    Attributes:
        games: the number of new games
        known: the number of games that were in the index already
        others: the number of games of another game
        faults: why files and games were skipped; at most FAULTS_MAX are kept
        skipped: the number of faults
    """

    games: int = 0
    known: int = 0
    others: int = 0
    skipped: int = 0
    faults: list[Exception] = field(default_factory=list)

    def fault(self, reason: Exception) -> None:
        """Note why something was skipped."""
        self.skipped += 1
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(reason)


class Explorer:
    r"""The first moves of many games of one game, by position: transpositions are counted together.

    In Othello the eight images of a position are one. Several processes can read and add at the same time; a process
    that is killed has added the games of the last complete step, and adding the same files again adds the rest.

    >>> from shogi_engine.games.othello.board import Board
    >>> from shogi_engine.records import loads, to_arrays
    >>> explorer = Explorer(None, "othello")
    >>> explorer.add_games(to_arrays(loads("f5d6c3\nf5f6e6\nd3c5f6", format="transcript"))).games
    3
    >>> [(row.move, row.games) for row in explorer.moves(Board())]
    [('f5', 3)]

    Args:
        file: the index; None for one in memory
        game: 'shogi', 'othello' or another game; '' to open an existing index
        plies: how many moves of each game a new index counts, by default PLIES

    Raises:
        OSError: the file cannot be used, or is no index; also from its methods
        ValueError: it is an index of another game or with another number of plies
    """

    def __init__(self, file: AnyPath | None, game: str = "", plies: int | None = None) -> None:
        path = None if file is None else Path(file)
        if plies is not None and not 1 <= plies <= PLIES_MAX:
            raise InputError("an index counts 1 to {0} moves of a game, not {1}", PLIES_MAX, plies)
        if not game and (path is None or not path.is_file()):
            raise FileNotFoundError(Message("there is no index {0}", file))
        self._file = path
        self._database = Database(path, migrations("shogi_engine.explorer"), KIND, TURN)
        try:
            self.game, self.plies = self._facts(game, plies)
            self._batch = Batch(self.game)
        except BaseException:
            self.close()
            raise

    def _facts(self, game: str, plies: int | None) -> tuple[str, int]:
        """Return the game and the plies of the index, which are written if it is new."""
        query = "SELECT game, plies FROM facts"
        rows: list[Any] = self._database.rows(query)
        if not rows:
            if not game:
                raise OSError(Message("{0} is not an index of games", self._file))
            with self._database.transaction() as database:
                rows = database.execute(query).fetchall()
                if not rows:  # or another process was faster
                    rows = [{"game": game, "plies": plies or PLIES}]
                    database.execute("INSERT INTO facts VALUES (:game, :plies)", rows[0])
        (found,) = rows
        if game not in ("", found["game"]):
            raise InputError("{0} is an index of {1}, not of {2}", self._file, found["game"], game)
        if plies not in (None, found["plies"]):
            raise InputError("{0} counts {1} moves of a game, not {2}", self._file, found["plies"], plies)
        return str(found["game"]), int(found["plies"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return the number of games."""
        return int(self._database.rows("SELECT count(*) AS count FROM games")[0]["count"])

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # ---- adding

    def add(self, path: AnyPath) -> Added:
        """Add the games of a file, a folder or an archive; damaged ones are skipped and noted, indices in it ignored.

        A game that is there already is not added again: one with the same moves, names and result. If a file has a game
        several times, the index has it as often.

        Raises OSError: `path` does not exist, or the index cannot be written.
        """
        total, waiting, count = Added(), list[_Part](), 0
        root = Path(path)
        for file in filterfalse(_is_index, files_below(root)) if root.is_dir() else [str(root)]:
            copies: collections.Counter[bytes] = collections.Counter()
            for part in self._parts(file, total, copies, strict=not root.is_dir()):
                waiting.append(part)
                count += len(part.games)
                if count >= TOGETHER:
                    self._write(waiting, total)
                    waiting, count = [], 0
        self._write(waiting, total)
        return total

    def add_games(self, games: GameArrays, file: str = "", copies: "collections.Counter[bytes] | None" = None) -> Added:
        """Add games that were read before, as `add` does.

        Args:
            file: where they are from
            copies: given to each of several calls, an empty Counter at first: equal games of these calls all count
        """
        total = Added()
        self._write(
            [_Part(games, _identities(games, collections.Counter() if copies is None else copies), file, 1)], total
        )
        return total

    def _parts(
        self, file: str, total: Added, copies: "collections.Counter[bytes]", *, strict: bool
    ) -> Iterator["_Part"]:
        """Yield the games of a file, and note its faults in `total`.

        Args:
            copies: how often each game of the file was found
            strict: raise OSError if it cannot be read
        """
        place = 1
        try:
            for games in records.games(file, rows=ROWS, keep=True, longest=256):
                for fault in games.faults:
                    total.fault(fault)
                if games.game == self.game:
                    yield _Part(games, _identities(games, copies), file, place)
                else:
                    total.others += len(games)
                place += len(games)
        except OSError as fault:
            if strict:
                raise
            total.fault(fault)

    def _write(self, parts: "Sequence[_Part]", total: Added) -> None:
        """Add games in one step: a process that is killed has added all or none of them."""
        with self._database.transaction() as database:
            for part in parts:
                rows, numbers = [], []
                kingless = {start for start in set(part.games.starts) if self._keys([start]) is None}
                for row, values in enumerate(part.rows()):
                    if part.games.starts[row] in kingless:
                        total.fault(InputError("a game from a position without a king cannot be counted"))
                        continue
                    made = database.execute(_ADD_GAME, values)
                    if made.rowcount:
                        rows.append(row)
                        numbers.append(made.lastrowid)
                    else:
                        total.known += 1
                total.games += len(rows)
                if rows:
                    found = counted(self._batch, part.games.take(rows), np.array(numbers, dtype=np.uint32), self.plies)
                    columns = (each if isinstance(each, list) else each.tolist() for each in found)
                    database.executemany(_ADD_MOVE, zip(*columns, strict=True))

    # ---- reading

    def moves(self, board: Any, book: Any = None) -> list[ExplorerMove]:
        """Return the moves of a Board's position, the most frequent first; moves of the book alone come last.

        Args:
            book: an open book (`Extras.open_book`), whose values are given too
        """
        stored, wanted = self._stored(board)
        rows = [self._found(board, move, [stored[pair] for pair in pairs]) for pairs, move in wanted]
        values = {each.move: each.value for each in book.known(board.position())} if book is not None else {}
        there = {row.move for row in rows}
        rows += [
            ExplorerMove(str(move), turn=int(board.turn))
            for move in board.legal_moves
            if str(move) in values.keys() - there
        ]
        rows = [replace(row, value=values.get(row.move)) for row in rows]
        return sorted(rows, key=lambda row: (-row.games, -(row.value or 0), row.move))

    def played(self, board: Any, move: str = "", *, most: int = LATEST) -> list[PlayedGame]:
        """Return the games added last in which a Board's position occurred, those with `move` if one is given."""
        stored, wanted = self._stored(board)
        numbers: set[int] = set()
        for pairs, made in wanted:
            if move in ("", str(made)):
                for pair in pairs:
                    latest = bytes(stored[pair]["latest"])
                    numbers.update(np.frombuffer(latest, dtype="<u4", count=len(latest) // 4).tolist())
        query = "SELECT file, place, black, white, result FROM games WHERE number = :number"
        found = [
            row for number in sorted(numbers)[: -most - 1 : -1] for row in self._database.rows(query, number=number)
        ]
        return [
            PlayedGame(row["file"], row["place"], (row["black"], row["white"]), RESULTS.get(row["result"], "*"))
            for row in found
        ]

    def _stored(self, board: Any) -> tuple[dict[_Pair, Any], list[tuple[frozenset[_Pair], Any]]]:
        """Return the rows of a position's images, and each legal move with its rows.

        Of moves that are images of each other, the one that was played most often stands for all.
        """
        turned = images(self.game, board.position())
        keys = self._keys([text for text, _turn in turned])
        if keys is None:
            return {}, []
        query = "SELECT * FROM moves WHERE key = :key"
        stored = {(key, row["move"]): row for key in set(keys) for row in self._database.rows(query, key=key)}
        if any(list(map(type, row)) != _TYPES for row in stored.values()):
            raise OSError(Message("{0} is damaged", self._file))
        wanted: dict[frozenset[_Pair], list[Any]] = {}
        for move in board.legal_moves:
            pairs = frozenset((key, turn(move)) for key, (_text, turn) in zip(keys, turned, strict=True))
            if pairs := pairs.intersection(stored):
                wanted.setdefault(pairs, []).append(move)

        first = keys[0]

        def times(move: Any) -> int:
            row = stored.get((first, int(move)))
            return sum(_results(row)) if row else 0

        return stored, [(pairs, max(moves, key=times)) for pairs, moves in wanted.items()]

    def _keys(self, positions: Sequence[str]) -> list[int] | None:
        """Return the keys of positions, None if they have no packed form because a king is missing."""
        try:
            packed = self._batch.pack(positions)
        except ValueError:
            return None
        return keys_of(packed).tolist()  # type: ignore[no-any-return]

    def _found(self, board: Any, move: Any, rows: Sequence[Any]) -> ExplorerMove:
        """Return a move with the sums of its rows."""
        black, draws, white, unknown = map(sum, zip(*map(_results, rows), strict=True))
        return ExplorerMove(str(move), black, draws, white, unknown, int(board.turn))


def _is_index(file: str) -> bool:
    """Tell whether a file is an index of games, or one of the files that belong to it."""
    ending = next((end for end in BELONGING if file.endswith(end)), "")
    return kind_of(file.removesuffix(ending)) == KIND


def _results(row: Any) -> list[int]:
    return [row[name] for name in RESULT_COLUMNS]


class _Part(NamedTuple):
    """Games to be added: their identities, the file they are from, and the place of the first in it."""

    games: GameArrays
    identities: list[int]
    file: str
    place: int

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values of _ADD_GAME for each game."""
        games, file = self.games, _storable(self.file)
        results = np.where(games.decided, games.results, UNKNOWN).tolist()
        for row, (identity, names, result) in enumerate(zip(self.identities, games.names, results, strict=True)):
            black, white = (_storable(name)[:NAME_MAX] for name in names)
            yield identity, file, self.place + row, black, white, result


def _storable(text: str) -> str:
    """Return a text without what UTF-8 cannot represent, which names of files may have."""
    return text.encode("utf-8", "replace").decode()


def _identities(games: GameArrays, copies: "collections.Counter[bytes]") -> list[int]:
    """Return hashes of games; the second copy of a game in a file differs from the first.

    Args:
        copies: how often each game was found before; counted on
    """
    found = []
    for row, length in enumerate(games.lengths.tolist()):
        moves = games.moves[row, :length].astype("<i4").tobytes()
        said = (games.starts[row], games.names[row], int(games.results[row]), ENDINGS[games.endings[row]], moves)
        digest = hashlib.blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        copies[digest] += 1
        number = int.from_bytes(digest, "little") + copies[digest] - 1
        found.append((number + (1 << 63)) % (1 << 64) - (1 << 63))  # as SQLite's integers
    return found


__all__ = ["Added", "Explorer", "ExplorerMove", "PlayedGame"]


# ---- What a book and games say of the moves of a position, in sentences


MOST = 4  # moves in a sentence
BOOK, GAMES = mark("In the book: {moves}."), mark("In games: {moves}.")


@functools.cache
def book_of(game: str) -> Any:
    """Return the book that comes with a game, None if there is none."""
    opened = games.load(game).extras.open_book
    return opened(None) if opened is not None else None


def moves_of_book(board: Any, book: Any) -> list[ExplorerMove]:
    """Return a book's legal moves for a Board's position, best first."""
    legal = {str(move) for move in board.legal_moves}
    known = book.known(board.position()) if book is not None else []
    return [ExplorerMove(each.move, turn=int(board.turn), value=each.value) for each in known if each.move in legal]


def shown_value(row: ExplorerMove, unit: int) -> float | None:
    """Return the value of a book's move in pawns or discs: a number for Shogi's centipawns."""
    return None if row.value is None else row.value if unit == 1 else round(row.value / unit, 1)


def figures(board: Any, rows: Sequence[ExplorerMove], language: str) -> list[str]:
    """Return a sentence on the best moves of the book, and one on those of games that were played most.

    Args:
        rows: the moves of a Board's position
    """
    unit = books.load(board.record().game).unit

    def said(words: str, of: list[tuple[ExplorerMove, str]]) -> list[str]:
        moves = ", ".join(f"{move_text(board, row.move, language)} ({text})" for row, text in of[:MOST])
        return [translate(words, language).format(moves=moves)] if of else []

    valued = sorted((row for row in rows if row.value is not None), key=lambda row: -(row.value or 0))
    played = sorted((row for row in rows if row.games), key=lambda row: -row.games)
    scores = [(row, str(row.games) + ("" if row.score is None else f", {row.score:.0%}")) for row in played]
    return said(BOOK, [(row, f"{shown_value(row, unit):+g}") for row in valued]) + said(GAMES, scores)
