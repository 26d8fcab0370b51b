"""Shogi's formats read by kernels: what `records.games` asks of them."""

from typing import Any

import numpy as np

from shogi_engine.games.shogi.notation import START, starting_position
from shogi_engine.games.shogi.records import csa_kernels
from shogi_engine.games.shogi.records.array_kernels import (
    BEGAN,
    BLACK_NAME,
    ENDING,
    FACTS,
    LENGTH,
    SFEN_LENGTH,
    WHITE_NAME,
    hash_of,
)
from shogi_engine.games.shogi.sfen_kernels import SFEN_BYTES
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.records.arrays import Table, part_of
from shogi_engine.records.endings import ENDINGS

_NUMBERS = {ending.name: number for number, ending in enumerate(ENDINGS)}
# By ending, and in the last place for none: the result for the side to move at the end.
_RESULTS = np.array([ending.result or 0 for ending in ENDINGS] + [0], dtype=np.int8)


class ShogiScanner:
    """What scanners of Shogi's formats share.

    words : what a file says at the end, and the ending's name when black is to move and when white is
    """

    wide = False

    def __init__(self, words: dict[str, tuple[str, str]]) -> None:
        self._words = np.array([hash_of(word) for word in words], dtype=np.uint64)
        self._endings = np.array([[_NUMBERS[name] for name in names] for names in words.values()], dtype=np.int8)
        self._start = np.array([starting_position()], dtype=POSITION)
        self._work, self._undo = np.zeros(1, dtype=POSITION), np.zeros(1, dtype=UNDO)
        self._facts = np.zeros((0, FACTS), dtype=np.int64)
        self._sfens = np.zeros((0, SFEN_BYTES), dtype=np.uint8)

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
        """Note what is known of the games in table[first:filled] besides their moves."""
        facts = self._facts[first:filled]
        lengths, endings = facts[:, LENGTH], facts[:, ENDING]
        table.lengths[first:filled], table.endings[first:filled] = lengths, endings
        table.results[first:filled] = _RESULTS[endings] * (1 - 2 * ((facts[:, BEGAN] + lengths) & 1))
        for row, fact in enumerate(facts.tolist(), first):
            length = fact[SFEN_LENGTH]
            table.starts.append(self._sfens[row, :length].tobytes().decode("ascii") if length else START)
            black, white = (part_of(text, fact[at], fact[at + 1]).strip() for at in (BLACK_NAME, WHITE_NAME))
            table.names.append((black, white))


class CsaScanner(ShogiScanner):
    """CSA's games, of which each but the last ends with a line '/'."""

    def __init__(self, endings: dict[str, str]) -> None:
        words = {word: (name, name) for word, name in endings.items()}
        words["%+ILLEGAL_ACTION"] = ("illegal move", "opponent's illegal move")
        words["%-ILLEGAL_ACTION"] = ("opponent's illegal move", "illegal move")
        super().__init__(words)

    def _read(self, *arguments: Any) -> tuple[int, int, int]:
        return csa_kernels.read_games(*arguments)  # type: ignore[no-any-return]
