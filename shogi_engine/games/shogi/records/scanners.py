"""Scanners, by which `records.games` reads Shogi's formats with kernels."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shogi_engine.games.shogi.board.pieces import MOVES
from shogi_engine.games.shogi.records import array_kernels as arrays, csa_kernels, kif_kernels
from shogi_engine.games.shogi.records.words import (
    FLOODGATE,
    OPPOSITE,
    TYPES,
    adjudicated,
    number_score,
    summary_outcome,
)
from shogi_engine.games.shogi.sfen import START, parse_sfen, starting_position
from shogi_engine.games.shogi.texts import SFEN_BYTES
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.jit.policy import compiled_module
from shogi_engine.records.arrays import POINTS, GameTable, part_of
from shogi_engine.records.formats import Line
from shogi_engine.records.tree import Node
from shogi_engine.types.outcomes import ENDINGS, EndingWords, Outcome, Termination

# ---- Trees of games whose moves a kernel has checked: its arrays give the moves, the text everything else


PATIENCE = 100  # number of games that are read in less time than the kernels are compiled in a checkout
SHORTEST = 8  # number of lines below which a game is read in less time than the kernel is called
LONGEST = 1024  # maximum number of moves of a game
LINE_MAX = 128  # maximum number of moves of a line in a comment


class QuickMoves:
    """Reads the moves of games with a format's scanner.

    Args:
        make_scanner: returns the scanner
    """

    def __init__(self, make_scanner: Callable[[], Any]) -> None:
        self._make_scanner = make_scanner
        self._games = 0
        self._scanner: Any = None
        self._table: Any = None

    def _ready(self) -> bool:
        """Tell whether the scanner's kernels are compiled already, or worth it."""
        self._games += 1
        return (self._games > PATIENCE or not compiled_module().state) and not JIT_DISABLED

    def moves(self, block: list[Line]) -> Any:
        """Return the moves (int32[n]) of the only game in `block`; None to leave it to the format's reader."""
        if len(block) < SHORTEST or not self._ready():
            return None
        if self._scanner is None:
            self._scanner, self._table = self._make_scanner(), GameTable(1, LONGEST)
        text = "\n".join([line for _, line in block])
        table = self._table
        _, declined = self._scanner.scan(self._scanner.array_of(text), 0, True, table)
        filled = table.filled
        table.clear()
        if declined or filled != 1:
            return None
        return table.moves[0, : table.lengths[0]]


class _Texts(dict[int, str]):
    """The texts of all moves seen so far, by the moves' ints."""

    def __missing__(self, move: int) -> str:
        self[move] = text = MOVES[move].usi()
        return text


_TEXTS = _Texts()


def texts_of(moves: Any) -> list[str]:
    """Return the texts of moves, USI.

    Args:
        moves: int32[n]
    """
    return [_TEXTS[move] for move in moves.tolist()]


def take_lines(nodes: list[Node], moves: Any, start: str) -> None:
    """Move evaluations and lines from comments that consist only of floodgate's line to the nodes.

    Args:
        nodes: the nodes of the main line, without its root
        moves: int32[n], their moves
        start: the SFEN of the starting position
    """
    found = [FLOODGATE.fullmatch(node.comment) if node.comment else None for node in nodes]
    if not any(found):
        return
    texts = ["" if match is None or match[3] else match[2] for match in found]
    data = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8)
    lengths = np.array([len(text) for text in texts], dtype=np.int32)
    ends = np.cumsum(lengths, dtype=np.int32)
    legal, counts = np.empty((len(nodes), LINE_MAX), np.int32), np.zeros(len(nodes), np.int32)
    position, work, line = (np.zeros(1, POSITION) for _ in range(3))
    position[0] = starting_position() if start == START else parse_sfen(start)
    # A line is ' -8384FU +2625FU': its first move begins after the first blank.
    csa_kernels.read_lines(
        data, ends - lengths + (lengths > 0), ends, position, work, line, np.zeros(1, UNDO), np.zeros(1, UNDO),
        moves, legal, counts,
    )  # fmt: skip
    black = start.split()[1] == "b"
    for ply, (node, match) in enumerate(zip(nodes, found, strict=True)):
        if match is not None and not match[3] and 8 * counts[ply] == lengths[ply]:
            score = number_score(match[1])
            node.evaluation, node.comment = (score if black == (ply % 2 == 0) else -score), ""
            node.pv = tuple(texts_of(legal[ply, : counts[ply]]))


_Told = Callable[[Outcome, str, int], tuple[Outcome | None, bool]]


class ShogiScanner:
    """The common part of the scanners of Shogi's formats.

    Args:
        words: the words with which a file's games end
    """

    wide = False

    def __init__(self, words: EndingWords) -> None:
        self._words = np.array([arrays.hash_of(word) for word in words.words], dtype=np.uint64)
        self._said = [words.read(word, side) for word in words.words for side in (0, 1)]
        self._endings = np.arange(len(self._said), dtype=np.int8).reshape(-1, 2)
        self._tell(self._said)
        self._start = np.array([starting_position()], dtype=POSITION)
        self._work, self._undo = np.zeros(1, dtype=POSITION), np.zeros(1, dtype=UNDO)
        self._facts = np.zeros((0, arrays.FACTS), dtype=np.int64)
        self._sfens = np.zeros((0, SFEN_BYTES), dtype=np.uint8)

    def _tell(self, outcomes: Sequence[Outcome]) -> None:
        """Set the outcomes that facts number; -1, for a game without an ending, is the last entry."""
        self._numbers = [*(ENDINGS.index(each.termination) for each in outcomes), arrays.NO_ENDING]
        self._results = [*(POINTS[each.result()] for each in outcomes), 0]

    def array_of(self, text: str) -> Any:
        """Return a text in the form that the kernel takes."""
        if self.wide:
            return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
        return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        """Call the format's kernel, `read_games`."""
        raise NotImplementedError

    def scan(self, text: Any, begin: int, final: bool, table: GameTable) -> tuple[int, int]:
        """Write games to rows of `table`; see `arrays.Scanner`. Raises RecordError after games of Othello."""
        table.begin("shogi")
        first, rows = table.filled, len(table.lengths)
        if len(self._facts) != rows:
            self._facts, self._sfens = np.zeros((rows, arrays.FACTS), np.int64), np.empty((rows, SFEN_BYTES), np.uint8)
        after, filled, declined = self._read(
            text, begin, len(text), final, self._start, self._work, self._undo, self._words, self._endings,
            table.moves, table.values, table.ratings, self._facts, self._sfens, first,
        )  # fmt: skip
        if filled > first:
            self._note(text[begin:after].tobytes(), begin, table, first, filled)
        return after, declined

    def _note(self, data: bytes, begin: int, table: GameTable, first: int, filled: int) -> None:
        """Store all facts other than moves of the games in table[first:filled].

        Args:
            data: the bytes of their text, from index `begin` on
        """
        size = 1 + self.wide

        def name(begins: int, ends: int) -> str:
            return part_of(data[size * (begins - begin) : size * (ends - begin)], self.wide).strip() if ends else ""

        for row, fact in enumerate(self._facts[first:filled].tolist(), first):
            table.lengths[row], ending, length = fact[arrays.LENGTH], fact[arrays.ENDING], fact[arrays.SFEN_LENGTH]
            table.endings[row], table.results[row] = self._numbers[ending], self._results[ending]
            table.starts.append(self._sfens[row, :length].tobytes().decode("ascii") if length else START)
            places = fact[arrays.BLACK_NAME : arrays.WHITE_NAME + 2]
            table.names.append((name(*places[:2]), name(*places[2:])))


@functools.cache
def _judgements(said: tuple[Outcome, ...]) -> tuple[list[Outcome], Any]:
    """Return all outcomes of CSA games, and their numbers by the outcome said (the first row: none) and the summary."""
    summaries = [summary_outcome(kind, result) for kind in (*TYPES, "") for result in OPPOSITE]
    numbers = {outcome: number for number, outcome in enumerate(dict.fromkeys([*said, *summaries]))}
    rows = [
        [numbers.get(each, arrays.NO_ENDING), *(numbers[adjudicated(each, summary)] for summary in summaries)]
        for each in (Outcome(None, Termination.NONE), *said)
    ]
    return list(numbers), np.array(rows, dtype=np.int8)


class CsaScanner(ShogiScanner):
    """Scans CSA games; all but the last end with a line '/'."""

    def __init__(self, words: EndingWords) -> None:
        super().__init__(words)
        self._kinds = np.array([arrays.hash_of(kind) for kind in TYPES], dtype=np.uint64)
        self._marks = np.array(
            [[arrays.hash_of(white), arrays.hash_of(black), len(black)] for white, black in OPPOSITE.items()],
            dtype=np.uint64,
        )
        outcomes, self._judged = _judgements(tuple(self._said))
        self._tell(outcomes)

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        return csa_kernels.read_games(*arguments, self._kinds, self._marks, self._judged)  # type: ignore[no-any-return]


@functools.cache
def _closings(said: tuple[Outcome, ...], texts: tuple[str, ...], told: _Told) -> tuple[list[Outcome], Any, Any]:
    """Return all outcomes of KIF games, the hashes of closing texts, and a row of the outcomes' numbers for each text.

    A row has the outcome after each of `said`, for which black and white are to move in turn, and after none of them.
    """
    before = [*said, *2 * [Outcome(None, Termination.NONE)]]
    rows = [[told(outcome, text, place % 2)[0] or outcome for place, outcome in enumerate(before)] for text in texts]
    known = set(said)
    outcomes = [*said, *dict.fromkeys(each for row in rows for each in row if each not in known)]
    numbers = {outcome: number for number, outcome in enumerate(outcomes)}
    hashes = np.array([arrays.hash_of(text) for text in texts], dtype=np.uint64)
    return outcomes, hashes, np.array([[numbers[each] for each in row] for row in rows], dtype=np.int64)


class KifScanner(ShogiScanner):
    """Scans KIF games; each ends where the headers of the next begin.

    Args:
        said: what the closing line of a game may say after 'まで85手で'
        told: returns the outcome of a game from its ending, from one of these texts and from the side to move
    """

    wide = True

    def __init__(self, words: EndingWords, said: Sequence[str], told: _Told) -> None:
        super().__init__(words)
        outcomes, self._closings, self._told = _closings(tuple(self._said), tuple(said), told)
        self._tell(outcomes)

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        return kif_kernels.read_games(*arguments, self._closings, self._told)  # type: ignore[no-any-return]
