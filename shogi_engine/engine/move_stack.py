"""MoveStack: a position and the moves played from it."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from shogi_engine.interface.game import Game, do_move
from shogi_engine.jit import new_record
from shogi_engine.language import InputError
from shogi_engine.search.context import copy_position

MOVES_MAX = 30_000  # the largest move number of an SFEN; no game of any kind is longer


class MoveStack:
    """The moves of a game, from its starting position on.

    Attributes:
        positions: the starting position, and the position after each move
        texts: the moves in the game's notation
        encoded: the moves encoded; a new list after each change, because a search in another thread may use the old one
    """

    def __init__(self, game: Game) -> None:
        self._game, self._undo = game, new_record(game.undo)
        self._start = ""
        self.positions: list[Any] = [game.parse_position(game.start)]
        self.texts: list[str] = []
        self.encoded: list[int] = []

    def at(self, text: str, moves: Sequence[str]) -> "MoveStack":
        """Return the moves `moves` played from the position `text` ('' for the starting position).

        Raises ValueError saying what is invalid.
        """
        if len(moves) > MOVES_MAX:
            raise InputError("there are {0} moves, more than {1}", len(moves), MOVES_MAX)
        stack, same = copy.copy(self), 0  # the number of moves that are the same as here
        if text == self._start:
            while same < min(len(moves), len(self.texts)) and moves[same] == self.texts[same]:
                same += 1
            stack.positions = self.positions[: same + 1]
        else:
            stack.positions = [self._game.parse_position(text or self._game.start)]
        stack._start, stack.texts, stack.encoded = text, self.texts[:same], self.encoded[:same]
        for move in moves[same:]:
            stack._add(move)
        return stack

    def push(self, move: str) -> None:
        """Play one move. Raises ValueError if it is not legal."""
        self.encoded = list(self.encoded)
        self._add(move)

    def _add(self, move: str) -> None:
        position = self.positions[-1]
        try:
            encoded = self._game.parse_move(position, move)
        except ValueError as fault:
            raise InputError("move {0}: {1}", len(self.encoded) + 1, fault) from None
        child = copy_position(self._game, position)
        do_move(child, np.uint32(encoded), self._undo)
        self.texts.append(self._game.format_move(position, encoded))
        self.positions.append(child)
        self.encoded.append(encoded)

    def pop(self) -> str:
        """Take back the last move and return it. Raises ValueError if there is none."""
        if not self.texts:
            raise InputError("there is no move to take back")
        self.positions.pop()
        self.encoded = self.encoded[:-1]
        return self.texts.pop()
