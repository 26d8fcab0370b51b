"""The moves that a Board has made, and what takes them back: the same for every game."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from shogi_engine.game import do_move, undo_move


class History:
    """Encoded moves, the oldest first, and an undo record (of the game's `dtype`) for each.

    undo : record[dtype][>= len(self)]; undo[i] remembers the position before move i.
    """

    def __init__(self, dtype: np.dtype) -> None:
        self._moves: list[int] = []
        self.undo = np.zeros(64, dtype=dtype)

    def __len__(self) -> int:
        return len(self._moves)

    def __iter__(self) -> Iterator[int]:
        return iter(self._moves)

    def copy(self) -> Self:
        """Return an independent copy."""
        other = type(self)(self.undo.dtype)
        other._moves, other.undo = self._moves.copy(), self.undo.copy()
        return other

    def push(self, pos: Any, move: int) -> None:
        """Make `move`, legal in `pos` (not checked), on the record `pos`."""
        count = len(self._moves)
        if count == len(self.undo):
            self.undo = np.concatenate([self.undo, np.zeros(count, dtype=self.undo.dtype)])
        do_move(pos, np.uint32(move), self.undo[count])
        self._moves.append(move)

    def pop(self, pos: Any) -> int:
        """Take the last move back on the record `pos` and return it; raises IndexError if there is none."""
        if not self._moves:
            raise IndexError("there is no move to take back")
        move = self._moves.pop()
        undo_move(pos, np.uint32(move), self.undo[len(self._moves)])
        return move

    def last(self) -> int:
        """Return the last move; raises IndexError if there is none."""
        if not self._moves:
            raise IndexError("no move has been made")
        return self._moves[-1]
