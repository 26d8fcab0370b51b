"""Games of files as arrays of moves, values and results, for programs that read thousands of them.

If a format has a `scanner`, kernels read a file game by game. Games that they decline, and all games of other formats,
are read as trees.
"""

import codecs
import contextlib
import functools
import io
import math
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shogi_engine.common.text import UTF_16
from shogi_engine.language import Message
from shogi_engine.records import files, tree
from shogi_engine.records.files import HEAD, decode, encoding_of, encodings, files_below, in_pauses, read
from shogi_engine.records.formats import RecordFormat, format_of_name, load_format, recognise
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder, RecordError, registry
from shogi_engine.types.outcomes import DRAWS, ENDINGS, Outcome, Termination
from shogi_engine.types.results import DISC, DISCS, Score

BLOCK = 1 << 22  # bytes, or characters, read at a time
CELLS = 1 << 24  # moves for which a table has space; a game that needs a larger one is alone in its array
FIRST = 1 << 14  # bytes of a file read first: most records are shorter
BEGINNING = 1 << 10  # characters; enough to recognise nearly every file
GAME_MAX = 1 << 25  # bytes of one game
NO_MOVE, VALUE_NONE, NO_ENDING = -1, 32002, -1
VALUE_LIMIT = 32000
ESCAPE = 0x1B
POINTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": 0}  # for black
_ENDING_NUMBERS = {ending: number for number, ending in enumerate(ENDINGS)} | {Termination.NONE: NO_ENDING}
_DRAWS = np.array([ending in DRAWS for ending in ENDINGS])


class GameArrays(NamedTuple):
    """Games, one per row. The first four fields are those of `batch.Games`, whose functions accept these too.

    Attributes:
        moves: int32[n, longest], the main line as a Board's moves (the layout 'ids' of a batch), -1 after the last
            move
        lengths: int32[n], the numbers of moves
        results: int8[n], 1 if black won, -1 if white won, 0 for a draw or if the file does not say; `drawn` tells which
        values: int16[n, longest], the value before each move, for the side to move, in the game's unit; mates are
            +-32000; 32002 (`VALUE_NONE`) if not given
        endings: int8[n], indices into `records.ENDINGS`; -1, the index of '', if the file does not say;
            'unknown' if it says the score alone
        ratings: float32[n, 2], black's and white's ratings, nan if unknown
        starts: the starting positions, SFEN or OBF
        names: (black's name, white's) for each game
        faults: why games were skipped, if `keep` was set
        game: the name of the game, '' if there are no games
    """

    moves: NDArray[np.int32]
    lengths: NDArray[np.int32]
    results: NDArray[np.int8]
    values: NDArray[np.int16]
    endings: NDArray[np.int8]
    ratings: NDArray[np.float32]
    starts: list[str]
    names: list[tuple[str, str]]
    faults: list[RecordError]
    game: str

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, rows: Sequence[int]) -> "GameArrays":
        """Return some of the games, in the order of `rows`; without faults."""
        fields: dict[str, Any] = {
            name: table[rows] if isinstance(table, np.ndarray) else [table[row] for row in rows]
            for name, table in self._asdict().items()
            if name not in ("faults", "game")
        }
        return GameArrays(**fields, faults=[], game=self.game)

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """Whether each game is a draw, bool[n]. A game with a result of 0 that is not drawn has no result."""
        drawn: NDArray[np.bool_] = (self.results == 0) & _DRAWS[self.endings]
        return drawn

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Whether the result of each game is known, bool[n]: won, lost or drawn."""
        decided: NDArray[np.bool_] = (self.results != 0) | self.drawn
        return decided


# namedtuple's own, which `_replace` calls, takes `len` for the number of fields.
GameArrays._make = classmethod(lambda cls, values: cls(*values))  # type: ignore[assignment, method-assign]


class _Codes(dict[str, int]):
    """The Moves of a game, as ints, by their texts."""

    def __init__(self, game: str) -> None:
        self._game = game

    def __missing__(self, text: str) -> int:
        (self[text],) = map(int, registry().moves_of(self._game, [text]))
        return self[text]


@functools.cache
def _codes(game: str) -> _Codes | None:
    """Return a game's Moves by their texts, None for a game whose Board reads texts only."""
    return _Codes(game) if hasattr(registry().game_module(game, "board"), "Move") else None


class GameTable:
    """Rows for games until they are yielded.

    Attributes:
        filled: the number of rows in use
    """

    def __init__(self, rows: int, longest: int) -> None:
        self.moves = np.empty((rows, longest), dtype=np.int32)
        self.values = np.empty((rows, longest), dtype=np.int16)
        self.lengths = np.zeros(rows, dtype=np.int32)
        self.results, self.endings = np.zeros(rows, dtype=np.int8), np.full(rows, NO_ENDING, dtype=np.int8)
        self.ratings = np.empty((rows, 2), dtype=np.float32)
        self.starts: list[str] = []
        self.names: list[tuple[str, str]] = []
        self.faults: list[RecordError] = []
        self.game = ""
        self._taken: list[int] = []  # rows of trees, without what follows the last move

    @property
    def filled(self) -> int:
        """The number of rows in use."""
        return len(self.starts)

    @property
    def is_full(self) -> bool:
        """Whether no row is free."""
        return self.filled == len(self.lengths)

    def begin(self, game: str) -> None:
        """Let rows be of a game. Raises RecordError if those before are of another one."""
        if self.game not in ("", game):
            raise RecordError("a game of {0} after games of {1}", game, self.game)
        self.game = game

    def take(self, record: GameRecord, format: RecordFormat, checked: Sequence[Node] = ()) -> None:
        """Store a game given as a tree. Raises RecordError if it is not of the same game as those before.

        Args:
            checked: the main line, if its moves are known to be legal and in the game's notation, as a reader's are
        """
        self.begin(record.game)
        row, line = self.filled, checked or record.main_line
        codes = _codes(record.game) if checked else None
        moves = record.board().move_stack if codes is None else [codes[node.move] for node in line[1:]]
        if len(moves) > self.moves.shape[1]:
            self.widen(len(moves))
        if moves:
            self.moves[row, : len(moves)], self.values[row, : len(moves)] = moves, VALUE_NONE
        self._taken.append(row)
        for ply, node in enumerate(line[1:]):
            if (score := node.evaluation) is not None:
                unit = DISC if score.unit == DISCS else 1
                value = math.copysign(VALUE_LIMIT, score.value) if score.mate else round(unit * score.value)
                self.values[row, ply] = min(max(value, -VALUE_LIMIT), VALUE_LIMIT)
        self.ratings[row] = format.ratings(record)
        self.lengths[row], self.results[row] = len(moves), POINTS[record.result_of(line)]
        ending = line[-1].ending
        if not ending and record.score is not None:
            found = record.board().outcome()
            ending = found.termination if found else Termination.UNKNOWN
        self.endings[row] = _ENDING_NUMBERS[ending]
        self.starts.append(record.start)
        self.names.append((record.names[0], record.names[1]))

    def widen(self, longest: int) -> None:
        """Make space for games of `longest` moves. Memory is used only for the rows in use."""
        for name, nothing in (("moves", NO_MOVE), ("values", VALUE_NONE)):
            rows = getattr(self, name)
            setattr(self, name, np.empty((len(rows), longest), rows.dtype))
            getattr(self, name)[: self.filled] = nothing
            getattr(self, name)[: self.filled, : rows.shape[1]] = rows[: self.filled]

    def lengthen(self) -> None:
        """Make space for twice as many games."""
        for name in ("moves", "values", "lengths", "results", "endings", "ratings"):
            rows = getattr(self, name)
            setattr(self, name, np.concatenate([rows, np.empty_like(rows)]))

    def clear(self) -> None:
        """Free all rows."""
        self.starts, self.names, self.faults, self._taken = [], [], [], []

    def arrays(self) -> GameArrays:
        """Return a copy of the rows in use."""
        rows = self.filled
        width = int(self.lengths[:rows].max(initial=0))
        moves, values = self.moves[:rows, :width].copy(), self.values[:rows, :width].copy()
        after = np.arange(width) >= self.lengths[self._taken, None]
        moves[self._taken] = np.where(after, NO_MOVE, moves[self._taken])
        values[self._taken] = np.where(after, VALUE_NONE, values[self._taken])
        return GameArrays(
            moves,
            self.lengths[:rows].copy(),
            self.results[:rows].copy(),
            values,
            self.endings[:rows].copy(),
            self.ratings[:rows].copy(),
            self.starts,
            self.names,
            self.faults,
            self.game,
        )


def games(
    path: str | Path, *, rows: int = 1024, format: str = "", game: str = "", keep: bool = False, longest: int = 1024
) -> Iterator[GameArrays]:
    """Yield the games of `path` as arrays, at most `rows` at a time, so that memory is bounded.

    Moves are checked by the rules. For variations, comments and times use `iterate`. Raises OSError, and RecordError
    (a ValueError) that names the file, the line and the reason.

    >>> import tempfile
    >>> from shogi_engine import records
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"], ending="resignation")
    ...     records.save(record, f"{folder}/a.csa")
    ...     for found in games(folder):
    ...         print(found.lengths, found.results, str(records.ENDINGS[found.endings[0]]))
    [2] [-1] resignation

    Args:
        path: a file of records, a folder of them, or an archive (zip, tar, also gz, bz2 and xz)
        rows: the maximum number of games per array
        format: the name of the format, '' to recognise it for each file
        game: 'shogi' or 'othello', '' for the game of the first record
        keep: skip unreadable games and give the reasons in `faults`, instead of raising RecordError
        longest: the number of moves that a row has space for; longer games are read too, but more slowly
    """
    if rows < 1 or longest < 1:
        raise ValueError(f"expected at least one row and one move, not {rows} and {longest}")
    reader, place = _Reader(GameTable(rows, longest), format, game, keep), os.fspath(path)
    for file in files_below(place) if os.path.isdir(place) else [place]:
        try:
            for name, opened in files.sources(file, keep):
                try:
                    with opened() as source:
                        for _ in reader.read(source, name):
                            yield reader.table.arrays()
                            reader.table.clear()
                except (RecordError, *files.FAULTS) as fault:
                    reader.refuse(files.fault_of(fault, name))
        except RecordError as fault:
            reader.refuse(fault)
        except OSError as fault:  # of the system: the other files of a folder can still be read
            if not keep or file == place:
                raise
            reader.refuse(RecordError("{0}: {1}", file, fault.strerror or fault))
    if reader.table.filled or reader.table.faults:
        yield reader.table.arrays()


class Scanner(Protocol):
    """Reads the games of one format by kernels.

    Attributes:
        wide: whether a text is characters, uint16[], instead of bytes, uint8[]
    """

    wide: bool

    def scan(self, text: Any, begin: int, final: bool, table: GameTable) -> tuple[int, int]:
        """Write games from text[begin:] to rows of `table`; return (start of the next game, 0).

        Returns (start, end) of a game that it declines.

        Args:
            final: whether the file ends with `text`
        """


def part_of(data: bytes, wide: bool) -> str:
    """Return a part of a Scanner's text. Raises RecordError if its encoding is unknown."""
    if wide:
        return data.decode("utf-16-le", "surrogatepass")
    return data.decode("ascii") if _is_plain(data) else decode(data)


class _Reader:
    """Reads files for `games`: the rows to write to, and the arguments."""

    def __init__(self, table: GameTable, format: str, game: str, keep: bool) -> None:
        self.table = table
        self._format, self._game, self._keep = format, game, keep
        self._scanners: dict[str, Scanner | None] = {}  # by format name
        self._by_suffix: dict[str, RecordFormat | None] = {}

    def refuse(self, fault: RecordError) -> None:
        """Keep the fault of a file, or raise it."""
        if not self._keep:
            raise fault from None
        fault.__traceback__ = fault.__context__ = None  # they would keep the file in memory
        self.table.faults.append(fault)

    def read(self, source: BinaryIO, name: str) -> Iterator[None]:
        """Write the games of a file to rows of the table; yield whenever it is full. Raises RecordError."""
        self._name = name
        head: bytes = source.read(FIRST)
        if len(head) == FIRST:
            head += source.read(HEAD - FIRST)
        is_whole = len(head) < HEAD  # then the file is not read again
        if not head.strip(files.BLANK):
            self._end(source)
            raise RecordError("the file is empty")
        inner = files.unpacked_name(name)
        chosen = load_format(self._format) if self._format else self._format_of(head, inner)
        scanner = None if head[:2] in UTF_16 or chosen is None else self._scanner(chosen)
        if scanner is not None and chosen is not None and is_whole:
            text = head
            if scanner.wide or not _is_plain(head):
                text = _coded(io.StringIO(decode(head), newline=None).getvalue(), scanner.wide)
            yield from self._scan([(text, files.fault_in(source) is None)], chosen, scanner)
            self._end(source)
            return
        source = files.buffered(source)
        if scanner is not None and chosen is not None:
            with contextlib.closing(_texts(source, scanner.wide, _is_plain(head))) as pieces:
                yield from self._scan(pieces, chosen, scanner)
            self._end(source)
            return
        source.seek(0)
        found = read(source, format=self._format, game=self._game, keep=self._keep, name=inner)
        for record in files.whole(found, source):
            yield from self._take(record, chosen or RecordFormat())

    def _end(self, source: BinaryIO) -> None:
        """Raise why a file has ended early, if it has; its last game, which may not be whole, was not read."""
        if (fault := files.fault_in(source)) is not None:
            raise fault

    def _scanner(self, format: RecordFormat) -> "Scanner | None":
        """Return the scanner of a format, the same one for all files."""
        if format.name not in self._scanners:
            self._scanners[format.name] = format.scanner()
        return self._scanners[format.name]

    def _format_of(self, head: bytes, name: str) -> RecordFormat | None:
        """Return a file's format: by name if the beginning fits, else by its beginning; None if unknown."""
        binary = head[:2] not in UTF_16 and b"\0" in head[:64]
        suffix = name[name.rfind(".") :]
        if suffix not in self._by_suffix:
            self._by_suffix[suffix] = format_of_name(name, self._game)
        named = self._by_suffix[suffix]
        fits = named is not None and named.binary == binary
        for begin in (head[:BEGINNING], head):
            text = begin.decode("latin-1") if binary else _lines_of(_head_text(begin))
            if named is not None and fits and named.recognises(text):
                return named
        return recognise(text, binary=binary, game=self._game)

    def _scan(self, pieces: Iterable[tuple[bytes, bool]], format: RecordFormat, scanner: "Scanner") -> Iterator[None]:
        """Read a file by kernels, and the games they decline as trees.

        Args:
            pieces: (data, whether it is the last) of the file
        """
        lines, rest = 0, b""
        for piece, final in pieces:
            data = rest + piece
            text: Any = np.frombuffer(data, dtype=np.uint16 if scanner.wide else np.uint8)
            begin = counted = 0
            while True:
                begin, end = scanner.scan(text, begin, final, self.table)
                if end:
                    lines, counted = lines + _lines_in(text, counted, begin), begin
                    for record in in_pauses(_trees(format, text, begin, end, lines, self._keep)):
                        yield from self._take(record, format)
                    begin = end
                elif self.table.is_full:
                    yield
                else:
                    break
            if final:
                return
            lines += _lines_in(text, counted, begin)
            rest = data[begin * text.itemsize :]
            if len(rest) > GAME_MAX:
                raise RecordError("the game has no end", line=lines + 1)

    def _take(self, record: GameRecord, format: RecordFormat) -> Iterator[None]:
        """Write a game to a row of the table, or its fault; yield if the table is full."""
        if record.fault is not None:
            fault: Any = record.fault
            fault.args, fault.record = (Message("{0}: {1}", self._name, fault),), None  # the record takes memory
            self.table.faults.append(fault)
            return
        usual, line = self.table, record.main_line
        usual.begin(record.game)
        if len(usual.lengths) * len(line) > max(CELLS, usual.moves.size + len(usual.lengths)):
            if usual.filled:
                yield
            self.table = GameTable(1, len(line))
        try:
            self.table.take(record, format, line)
            if self.table.is_full:
                yield
        finally:
            self.table = usual


def _texts(source: BinaryIO, wide: bool, plain: bool) -> Generator[tuple[bytes, bool], None, None]:
    """Yield (data, whether it is the last) of a file block by block.

    Args:
        wide: as in Scanner
        plain: whether its beginning is ASCII; then the blocks before the first other one are yielded as they are,
            unless they are to be wide
    """
    source.seek(0)
    place = 0
    while plain and not wide and (data := source.read(BLOCK)).isascii():
        yield data, len(data) < BLOCK and files.fault_in(source) is None
        if len(data) < BLOCK:
            return
        place += BLOCK
    encoding = encoding_of(source)
    source.seek(place)
    text = io.TextIOWrapper(source, encoding=encoding, errors="replace", newline=None)
    try:
        while True:
            characters = text.read(BLOCK)
            yield _coded(characters, wide), len(characters) < BLOCK and files.fault_in(source) is None
            if len(characters) < BLOCK:
                return
    finally:
        text.detach()


def _coded(text: str, wide: bool) -> bytes:
    """Return a text for a Scanner: as UTF-8, or as characters of two bytes each."""
    return text.encode("utf-16-le" if wide else "utf-8", "surrogatepass")


def _is_plain(data: bytes) -> bool:
    """Tell whether the bytes are ASCII, without the escapes of ISO-2022-JP."""
    return data.isascii() and ESCAPE not in data


def _trees(format: RecordFormat, text: Any, begin: int, end: int, lines: int, keep: bool) -> Iterator[GameRecord]:
    """Yield the games of text[begin:end], which kernels declined, as trees. Raises RecordError for the file's line.

    Args:
        lines: the number of the file's lines before them
    """
    try:
        for record in format.read(
            io.StringIO(part_of(text[begin:end].tobytes(), text.itemsize == 2), newline=None), keep
        ):
            if record.fault is not None:
                record.fault = _moved(record.fault, lines)
            yield record
    except RecordError as fault:
        raise _moved(fault, lines) from None


def _lines_in(text: Any, begin: int, end: int) -> int:
    r"""Return the number of line ends in text[begin:end]: \n, \r\n or \r, as in a text file of Python."""
    encoding = "latin-1" if text.itemsize == 1 else "utf-16-le"
    part, longer = (str(text[begin:last].tobytes(), encoding, "surrogatepass") for last in (end, end + 1))
    return part.count("\n") + part.count("\r") - longer.count("\r\n")


def _moved(fault: Any, lines: int) -> RecordError:
    """Return a fault with its line number increased by `lines`."""
    line = None if fault.line is None else fault.line + lines
    return RecordError(fault.reason, line=line, record=fault.record)


def _lines_of(text: str) -> str:
    """Return a text with the line ends that formats expect."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def _head_text(head: bytes) -> str:
    """Return the beginning of a file as text; its last character may be incomplete."""
    if _is_plain(head):
        return head.decode("ascii")
    for encoding in encodings(head):
        try:
            return codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
    return head.decode("utf-8", "replace")


# ---- Between arrays of games and records, in both directions


ROWS, LONGEST = 256, 256  # of a table at first
WINNERS = {1: 0, -1: 1, 0: None}  # by result


def from_arrays(games: Any, game: str = "shogi") -> Iterator[GameRecord]:
    """Yield the games of arrays as records, with their moves, values, names and endings; moves are checked.

    >>> import numpy as np
    >>> from shogi_engine.records.files import loads
    >>> from shogi_engine.records import to_arrays
    >>> arrays = to_arrays(loads("f5d6c3", format="transcript"))
    >>> [record.moves for record in from_arrays(arrays, "othello")]
    [['f5', 'd6', 'c3']]

    Args:
        games: GameArrays, or `batch.Games`, which begin at the usual starting position
        game: the name of the game

    Raises:
        ValueError: a move is illegal; the message names the row
    """
    in_players_unit = tree.registry().load(game).extras.score
    of_files = isinstance(games, GameArrays)
    for row in range(len(games.lengths)):
        record = GameRecord(game, games.starts[row] if of_files else "")
        if of_files:
            record.names = list(games.names[row])
        builder = RecordBuilder(record)
        length = int(games.lengths[row])
        line = zip(games.moves[row, :length].tolist(), games.values[row, :length].tolist(), strict=True)
        for ply, (code, value) in enumerate(line, 1):
            try:
                builder.board.push(code)
            except ValueError as fault:
                raise ValueError(f"row {row}: move {ply}: {fault}") from None
            builder.path.append(builder.node.add(str(builder.board.peek()), evaluation=_score(value, in_players_unit)))
        record.end(_outcome(games, row, builder.board))
        builder.release()
        yield record


def _score(value: int, in_players_unit: Callable[[int], Score]) -> Score | None:
    """Return a value of arrays as a Score, None if there is none."""
    if value == VALUE_NONE:
        return None
    if abs(value) >= VALUE_LIMIT:
        return Score.mate_in(None) if value > 0 else Score.mated_in(None)
    return in_players_unit(value)


def _outcome(games: Any, row: int, board: Any) -> Outcome | None:
    """Return how a game ended: as the arrays say, else by the rules, else by its result alone."""
    winner = WINNERS[int(games.results[row])]
    if isinstance(games, GameArrays):
        ending = ENDINGS[games.endings[row]]
        if ending or winner is None:
            return Outcome(winner, ending) if ending else None
    found = board.outcome()
    if found is not None and found.winner == winner:
        return Outcome(winner, found.termination)
    return Outcome(winner, Termination.UNKNOWN)


def to_arrays(records: Iterable[GameRecord], format: str = "jsonl") -> GameArrays:
    """Return the main lines of records as arrays.

    Args:
        format: the format whose headers tell the ratings

    Raises:
        ValueError: a move is illegal, or the records are of several games
    """
    table, chosen = GameTable(ROWS, LONGEST), load_format(format)
    for record in records:
        if table.is_full:
            table.lengthen()
        table.take(record, chosen)
    return table.arrays()
