"""Move: an int with a square and a text."""

import operator
from functools import partial
from typing import Any, SupportsIndex

from shogi_engine.games.othello.notation import PASS_NAME, SQUARE_NAMES, split_move
from shogi_engine.games.othello.types import DISC_MOVE, PASS, SQUARES, move_square
from shogi_engine.language import InputError


class Move(int):
    """A disc placed on a square (0..63, a1 first), or a pass (None).

    It is an int: 64 + square, or 128 for the pass. Each move exists as one object only.
    """

    __slots__ = ()

    def __new__(cls, square: int | None) -> "Move":
        """Return the move; raises ValueError if it is not a move in any position."""
        if square is None:
            return MOVES[PASS]
        if square not in range(SQUARES):
            raise ValueError(f"a move's square must be 0 to 63, or None for a pass, not {square!r}")
        return MOVES[DISC_MOVE | int(square)]

    @property
    def square(self) -> int | None:
        """The square of the disc; None for a pass."""
        return None if self == PASS else int(move_square(self))

    def __str__(self) -> str:
        return PASS_NAME if self == PASS else SQUARE_NAMES[self & 63]

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)

    def __repr__(self) -> str:
        return f"Move(square={self.square})"

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return Move._decode, (int(self),)

    @classmethod
    def from_text(cls, text: str) -> "Move":
        """Return the move 'f5' or 'pass'; raises ValueError if the text is neither."""
        return cls(split_move(text))

    @classmethod
    def from_int(cls, number: SupportsIndex) -> "Move":
        """Return the move whose int is `number`, the inverse of `int(move)`.

        Raises ValueError if `number` is not a move, TypeError if it is not an int.
        """
        try:
            number = operator.index(number)
        except TypeError:
            raise TypeError(f"expected a Move or its int, not {number!r}") from None
        if not DISC_MOVE <= number <= PASS:
            raise InputError("{0} is not a move", number)
        return MOVES[number]

    @staticmethod
    def _decode(move: int) -> "Move":
        """Return the Move of an encoded move."""
        return MOVES[move]


MOVES: list[Move] = list(map(partial(int.__new__, Move), range(PASS + 1)))  # by their ints; those below 64 are unused
