"""Scanners, by which `records.games` reads Shogi's formats with kernels."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shogi_engine.games.shogi.notation.sfen import START, starting_position
from shogi_engine.games.shogi.notation.sfen_kernels import SFEN_BYTES
from shogi_engine.games.shogi.records import csa_kernels, kif_kernels
from shogi_engine.games.shogi.records.array_kernels import (
    BLACK_NAME,
    ENDING,
    FACTS,
    LENGTH,
    NO_ENDING,
    SFEN_LENGTH,
    WHITE_NAME,
    hash_of,
)
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.records.arrays import POINTS, Table, part_of
from shogi_engine.types.termination import ENDINGS, EndingWords, Outcome, Termination


class ShogiScanner:
    """The common part of the scanners of Shogi's formats.

    Args:
        words: the words with which a file's games end
    """

    wide = False

    def __init__(self, words: EndingWords) -> None:
        self._words = np.array([hash_of(word) for word in words.words], dtype=np.uint64)
        self._outcomes = [words.read(word, side) for word in words.words for side in (0, 1)]
        # The kernel returns an index into `_outcomes`; -1, for a game without an ending, is the last entry of the tables.
        self._endings = np.arange(len(self._outcomes), dtype=np.int8).reshape(-1, 2)
        self._start = np.array([starting_position()], dtype=POSITION)
        self._work, self._undo = np.zeros(1, dtype=POSITION), np.zeros(1, dtype=UNDO)
        self._tables: tuple[Any, Any] | None = None  # the numbers of the terminations and the results of `_outcomes`
        self._facts = np.zeros((0, FACTS), dtype=np.int64)
        self._sfens = np.zeros((0, SFEN_BYTES), dtype=np.uint8)

    def array_of(self, text: str) -> Any:
        """Return a text in the form that the kernel takes."""
        if self.wide:
            return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
        return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        """Call the format's kernel, `read_games`."""
        raise NotImplementedError

    def scan(self, text: Any, begin: int, final: bool, table: Table) -> tuple[int, int]:
        """Write games to rows of `table`; see `arrays.Scanner`. Raises ValueError after games of Othello."""
        if table.game not in ("", "shogi"):
            raise ValueError(f"a game of shogi after games of {table.game}")
        table.game = "shogi"
        first, rows = table.filled, len(table.lengths)
        if len(self._facts) != rows:
            self._facts, self._sfens = np.zeros((rows, FACTS), np.int64), np.empty((rows, SFEN_BYTES), np.uint8)
        begin, filled, declined = self._read(
            text, begin, len(text), final, self._start, self._work, self._undo, self._words, self._endings,
            table.moves, table.values, table.ratings, self._facts, self._sfens, first,
        )  # fmt: skip
        if filled > first:
            self._note(text, table, first, filled)
        return begin, declined

    def _note(self, text: Any, table: Table, first: int, filled: int) -> None:
        """Store all facts other than moves of the games in table[first:filled]."""
        if self._tables is None:
            numbers = [*(ENDINGS.index(each.termination) for each in self._outcomes), NO_ENDING]
            results = [*(POINTS[each.result()] for each in self._outcomes), 0]
            self._tables = np.array(numbers, dtype=np.int8), np.array(results, dtype=np.int8)
        facts = self._facts[first:filled]
        endings = facts[:, ENDING]
        table.lengths[first:filled], table.endings[first:filled] = facts[:, LENGTH], self._tables[0][endings]
        table.results[first:filled] = self._tables[1][endings]
        for row, fact in enumerate(facts.tolist(), first):
            length = fact[SFEN_LENGTH]
            table.starts.append(self._sfens[row, :length].tobytes().decode("ascii") if length else START)
            black, white = (part_of(text, fact[at], fact[at + 1]).strip() for at in (BLACK_NAME, WHITE_NAME))
            table.names.append((black, white))


class CsaScanner(ShogiScanner):
    """Scans CSA games; all but the last end with a line '/'."""

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        return csa_kernels.read_games(*arguments)  # type: ignore[no-any-return]


class KifScanner(ShogiScanner):
    """Scans KIF games; each ends where the headers of the next begin.

    Args:
        said: what the closing line of a game may say after 'まで85手で'
        told: returns the outcome of a game from its ending, from one of these texts and from the side to move
    """

    wide = True

    def __init__(
        self, words: EndingWords, said: Sequence[str], told: Callable[[Outcome, str, int], Outcome | None]
    ) -> None:
        super().__init__(words)
        open_ends = [(Outcome(None, Termination.NONE), side) for side in (0, 1)]
        ends = [(words.read(word, side), side) for word in words.words for side in (0, 1)] + open_ends
        rows = [[told(outcome, text, side) for outcome, side in ends] for text in said]
        numbers = {outcome: number for number, outcome in enumerate(self._outcomes)}
        self._outcomes += [each for each in dict.fromkeys(sum(rows, [])) if each not in numbers and each is not None]
        numbers = {outcome: number for number, outcome in enumerate(self._outcomes)}
        self._said = np.array([hash_of(text) for text in said], dtype=np.uint64)
        self._told = np.array([[numbers[each] for each in row if each is not None] for row in rows], dtype=np.int64)

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        return kif_kernels.read_games(*arguments, self._said, self._told)  # type: ignore[no-any-return]
