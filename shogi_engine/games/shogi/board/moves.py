"""Move: an int with the interface of python-shogi's Move."""

import operator
from functools import partial
from typing import Any, SupportsIndex

from shogi_engine.games.shogi.movegen.codes import CODES, MOVE_BITS
from shogi_engine.games.shogi.notation.usi_moves import split_usi, usi_of
from shogi_engine.games.shogi.types import DROP_BASE, PAWN, PROMOTION, ROOK, SQUARES
from shogi_engine.language import InputError

NULL_TEXT = "0000"


class Move(int):
    """A move from a square to a square (0..80), or a drop: from_square None and drop_piece_type PAWN ... ROOK.

    It is an int, equal to python-shogi's hash of it: bits 0-6 are the target square, 7-13 the source square (for a
    drop, 81 + piece type), 14 the promotion. Each move exists as one object only. The null move is 0. Whether a move is
    legal depends on the position: see `Board.is_legal`.

    >>> Move.from_usi("8h2b+") == Move(64, 16, promotion=True)
    True
    >>> Move(None, 40, drop_piece_type=PAWN).usi()
    'P*5e'
    """

    __slots__ = ()

    def __new__(
        cls, from_square: int | None, to_square: int | None, promotion: bool = False, drop_piece_type: int | None = None
    ) -> "Move":
        """Return the move; raises ValueError if it is not a move in any position."""
        if from_square is None and to_square is None and not promotion and drop_piece_type is None:
            return MOVES[0]
        squares = range(SQUARES)
        if to_square is None or to_square not in squares or (from_square is not None and from_square not in squares):
            raise ValueError(f"a move's squares must be 0 to 80, not {from_square} and {to_square}")
        if (from_square is None) == (drop_piece_type is None):
            raise ValueError("a move needs either a source square or a dropped piece")
        if drop_piece_type is not None and (promotion or not PAWN <= drop_piece_type <= ROOK):
            raise ValueError("only pawn to rook can be dropped, and without promotion")
        if from_square == to_square:
            raise ValueError(f"a move must go to another square, not from {from_square} to {to_square}")
        source = DROP_BASE + (drop_piece_type or 0) if from_square is None else int(from_square)
        return MOVES[int(to_square) | source << 7 | bool(promotion) * PROMOTION]

    @classmethod
    def null(cls) -> "Move":
        """Return the null move, which passes the turn; its truth value is False."""
        return MOVES[0]

    @property
    def from_square(self) -> int | None:
        """The source square; None for a drop and for the null move."""
        source = self >> 7 & 127
        return source if source < DROP_BASE and self else None

    @property
    def to_square(self) -> int:
        """The target square; None for the null move."""
        return self & 127 if self else None  # type: ignore[return-value]  # None for the null move, as in python-shogi

    @property
    def promotion(self) -> bool:
        """Whether the move promotes."""
        return self & PROMOTION != 0

    @property
    def drop_piece_type(self) -> int | None:
        """The dropped piece type; None if the move is not a drop."""
        source = self >> 7 & 127
        return source - DROP_BASE if source >= DROP_BASE else None

    def _parts(self) -> tuple[int, int, bool]:
        """Return (source, target, promotion) in the form that the notation uses."""
        return self >> 7 & 127, self & 127, self & PROMOTION != 0

    def usi(self) -> str:
        """Return the move as USI writes it: '7g7f', '8h2b+', 'P*5e'; '0000' for the null move."""
        return usi_of(*self._parts()) if self else NULL_TEXT

    def rotate(self) -> "Move":
        """Return the move rotated by 180 degrees: the same move on `Board.mirror()`."""
        source, target, promotion = self._parts()
        return self._of(source if source >= DROP_BASE else 80 - source, 80 - target, promotion) if self else self

    def __str__(self) -> str:
        return self.usi()

    def __format__(self, specification: str) -> str:
        return format(self.usi(), specification)

    def __repr__(self) -> str:
        return f"Move.from_usi({self.usi()!r})"

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return Move._decode, (int(self),)

    @classmethod
    def from_usi(cls, text: str) -> "Move":
        """Return the move in USI notation; raises ValueError if it is not a move in any position."""
        move = MOVES_BY_USI.get(text)
        if move is None:
            move = MOVES_BY_USI[text] = cls._of(*split_usi(text))
        return move

    @classmethod
    def _of(cls, source: int, target: int, promotion: bool) -> "Move":
        """Return the move from `source`, 81 + piece type for a drop."""
        return MOVES[target | source << 7 | promotion * PROMOTION]

    @classmethod
    def from_int(cls, number: SupportsIndex) -> "Move":
        """Return the move whose int is `number`, the inverse of `int(move)`.

        Raises ValueError for 0 (see `Move.null()`) and other numbers that are not moves, TypeError if it is not an int.
        """
        try:
            number = operator.index(number)
        except TypeError:
            raise TypeError(f"expected a Move or its int, not {number!r}") from None
        source, target = number >> 7 & 127, number & 127
        if source < DROP_BASE:
            possible = source != target
        else:
            possible = PAWN <= source - DROP_BASE <= ROOK and not number & PROMOTION
        if not (possible and 0 < number < 1 << MOVE_BITS and target < SQUARES):
            raise InputError("{0} is not a move", number)
        return MOVES[number]

    @staticmethod
    def _decode(move: int) -> "Move":
        """Return the kernels' encoded `move`, or the Move of an int."""
        return MOVES[move & CODES]


MOVES: list[Move] = list(map(partial(int.__new__, Move), range(1 << MOVE_BITS)))  # by their ints; many are not moves
MOVES_BY_USI: dict[str, Move] = {NULL_TEXT: MOVES[0]}  # those read so far
