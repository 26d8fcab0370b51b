"""Scanners, by which `records.games` reads Shogi's formats with kernels."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shogi_engine.games.shogi.notation.sfen import START, starting_position
from shogi_engine.games.shogi.notation.sfen_kernels import SFEN_BYTES
from shogi_engine.games.shogi.records import array_kernels as arrays
from shogi_engine.games.shogi.records import csa_kernels, kif_kernels
from shogi_engine.games.shogi.records.csa_words import OPPOSITE, TYPES, judged, summary_outcome
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.records.arrays import POINTS, Table, part_of
from shogi_engine.types.termination import ENDINGS, EndingWords, Outcome, Termination

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

    def scan(self, text: Any, begin: int, final: bool, table: Table) -> tuple[int, int]:
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

    def _note(self, data: bytes, begin: int, table: Table, first: int, filled: int) -> None:
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
        [numbers.get(each, arrays.NO_ENDING), *(numbers[judged(each, summary)] for summary in summaries)]
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
