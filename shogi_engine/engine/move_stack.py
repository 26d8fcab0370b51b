"""MoveStack: a position and the moves played from it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shogi_engine.interface.game import Game, do_move
from shogi_engine.jit import new_record
from shogi_engine.search.context import copy_position


class MoveStack:
    """The moves of a game, from its starting position on.

    Attributes:
        positions: the starting position, and the position after each move
        texts: the moves in the game's notation
        encoded: the moves encoded; a new list after each change, because a search in another thread may use the old one
    """

    def __init__(self, game: Game) -> None:
        self._game, self._undo = game, new_record(game.undo)
        self._start: str | None = None
        self.positions: list[Any] = []
        self.texts: list[str] = []
        self.encoded: list[int] = []
        self.set()

    def set(self, text: str = "", moves: Sequence[str] = ()) -> None:
        """Set the position `text` ('' for the starting position) and play `moves` from it.

        If something is invalid, raises ValueError saying what; the moves are then unchanged.
        """
        same = 0  # the number of moves that are the same as before
        if text == self._start:
            while same < min(len(moves), len(self.texts)) and moves[same] == self.texts[same]:
                same += 1
            positions = self.positions[: same + 1]
        else:
            positions = [self._game.parse_position(text or self._game.start)]
        before = self._start, self.positions, self.texts, self.encoded
        self._start, self.positions = text, positions
        self.texts, self.encoded = self.texts[:same], self.encoded[:same]
        try:
            for move in moves[same:]:
                self.push(move)
        except ValueError:
            self._start, self.positions, self.texts, self.encoded = before
            raise

    def push(self, move: str) -> None:
        """Play one move. Raises ValueError if it is not legal."""
        position = self.positions[-1]
        try:
            encoded = self._game.parse_move(position, move)
        except ValueError as fault:
            raise ValueError(f"move {len(self.encoded) + 1}: {fault}") from None
        child = copy_position(self._game, position)
        do_move(child, np.uint32(encoded), self._undo)
        self.texts.append(self._game.format_move(position, encoded))
        self.positions.append(child)
        self.encoded = [*self.encoded, encoded]

    def pop(self) -> str:
        """Take back the last move and return it. Raises ValueError if there is none."""
        if not self.texts:
            raise ValueError("there is no move to take back")
        self.positions.pop()
        self.encoded = self.encoded[:-1]
        return self.texts.pop()
