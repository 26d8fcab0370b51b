"""Piece, SquareSet, and python-shogi's constants, which Board's methods take and return.

Squares are numbered as an SFEN is read: 0 is 9a, 8 is 1a, 80 is 1i. Bit s of a mask (int) is square s.
"""

from collections.abc import Iterable, Iterator, Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from shogi_engine.games.game_board import GameMove
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen import CODES, MOVE_BITS
from shogi_engine.games.shogi.rules import is_dead
from shogi_engine.games.shogi.sfen import START, code_of_usi, usi_of
from shogi_engine.games.shogi.types import PAWN, ROOK

# Python-shogi's names.
__all__ = [
    "BB_ALL", "BB_FILES", "BB_RANKS", "BB_SQUARES", "BB_VOID", "COLORS", "MAX_PIECES_IN_HAND", "Move", "NONE",
    "NUMBER_JAPANESE_KANJI_SYMBOLS", "NUMBER_JAPANESE_NUMBER_SYMBOLS", "Occupied", "PIECE_JAPANESE_SYMBOLS",
    "PIECE_PROMOTED", "PIECE_SYMBOLS", "PIECE_TYPES", "PIECE_TYPES_WITHOUT_KING", "PIECE_TYPES_WITH_NONE",
    "PROM_BISHOP", "PROM_ROOK", "Piece", "SQUARES", "STARTING_SFEN", "SquareSet", "can_move_without_promotion",
    "can_promote", "file_index", "rank_index",
]  # fmt: skip

# ---- Move: an int with the interface of python-shogi's Move


NULL_TEXT = "0000"


class Move(GameMove):
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
        squares = range(t.SQUARES)
        if to_square is None or to_square not in squares or (from_square is not None and from_square not in squares):
            raise ValueError(f"a move's squares must be 0 to 80, not {from_square} and {to_square}")
        if (from_square is None) == (drop_piece_type is None):
            raise ValueError("a move needs either a source square or a dropped piece")
        if drop_piece_type is not None and (promotion or not PAWN <= drop_piece_type <= ROOK):
            raise ValueError("only pawn to rook can be dropped, and without promotion")
        if from_square == to_square:
            raise ValueError(f"a move must go to another square, not from {from_square} to {to_square}")
        source = t.DROP_BASE + (drop_piece_type or 0) if from_square is None else int(from_square)
        return MOVES[int(to_square) | source << 7 | bool(promotion) * t.PROMOTION]

    @classmethod
    def null(cls) -> "Move":
        """Return the null move, which passes the turn; its truth value is False."""
        return MOVES[0]

    @property
    def from_square(self) -> int | None:
        """The source square; None for a drop and for the null move."""
        source = self >> 7 & 127
        return source if source < t.DROP_BASE and self else None

    @property
    def to_square(self) -> int:
        """The target square; None for the null move."""
        return self & 127 if self else None  # type: ignore[return-value]  # None for the null move, as in python-shogi

    @property
    def promotion(self) -> bool:
        """Whether the move promotes."""
        return self & t.PROMOTION != 0

    @property
    def drop_piece_type(self) -> int | None:
        """The dropped piece type; None if the move is not a drop."""
        source = self >> 7 & 127
        return source - t.DROP_BASE if source >= t.DROP_BASE else None

    def usi(self) -> str:
        """Return the move as USI writes it: '7g7f', '8h2b+', 'P*5e'; '0000' for the null move."""
        return usi_of(self) if self else NULL_TEXT

    __str__ = usi

    def rotate(self) -> "Move":
        """Return the move rotated by 180 degrees: the same move on `Board.mirror()`."""
        source = self >> 7 & 127
        return (
            self._of(source if source >= t.DROP_BASE else 80 - source, 80 - self.to_square, self.promotion)
            if self
            else self
        )

    def __repr__(self) -> str:
        return f"Move.from_usi({self.usi()!r})"

    @classmethod
    def from_usi(cls, text: str) -> "Move":
        """Return the move in USI notation; raises ValueError if it is not a move in any position."""
        move = MOVES_BY_USI.get(text)
        if move is None:
            move = MOVES_BY_USI[text] = MOVES[code_of_usi(text)]
        return move

    @classmethod
    def _of(cls, source: int, target: int, promotion: bool) -> "Move":
        """Return the move from `source`, 81 + piece type for a drop."""
        return MOVES[target | source << 7 | promotion * t.PROMOTION]

    @classmethod
    def _is_move(cls, number: int) -> bool:
        source, target = number >> 7 & 127, number & 127
        if source < t.DROP_BASE:
            possible = source != target
        else:
            possible = PAWN <= source - t.DROP_BASE <= ROOK and not number & t.PROMOTION
        return possible and 0 < number < 1 << MOVE_BITS and target < t.SQUARES

    @staticmethod
    def from_encoded(move: int) -> "Move":
        """Return the Move of a kernels' move."""
        return MOVES[move & CODES]


MOVES: list[Move] = [int.__new__(Move)] * (1 << MOVE_BITS)  # by their ints; the null move where there is none
for _first in (source << 7 | promotion for promotion in (0, t.PROMOTION) for source in range(t.DROP_BASE + ROOK + 1)):
    MOVES[_first : _first + t.SQUARES] = map(partial(int.__new__, Move), range(_first, _first + t.SQUARES))
Move.ALL = MOVES
MOVES_BY_USI: dict[str, Move] = {NULL_TEXT: MOVES[0]}  # those read so far


COLORS = (t.BLACK, t.WHITE)
NONE = 0  # the piece type of an empty square
PROM_BISHOP, PROM_ROOK = t.HORSE, t.DRAGON
PIECE_TYPES = (
    *(t.PAWN, t.LANCE, t.KNIGHT, t.SILVER, t.GOLD, t.BISHOP, t.ROOK, t.KING),
    *(t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER, PROM_BISHOP, PROM_ROOK),
)
PIECE_TYPES_WITH_NONE = (NONE, *PIECE_TYPES)
PIECE_TYPES_WITHOUT_KING = tuple(kind for kind in PIECE_TYPES if kind != t.KING)
PIECE_SYMBOLS = tuple(symbol.lower() for symbol in t.SYMBOLS)
PIECE_JAPANESE_SYMBOLS = t.KANJI_PIECES
PIECE_PROMOTED = tuple(int(kind) or None for kind in t.PROMOTED[:15])  # by piece type, None if it does not promote
MAX_PIECES_IN_HAND = (0, *t.SET_SIZE[t.PAWN : t.KING], *[0] * 7)  # by piece type
NUMBER_JAPANESE_NUMBER_SYMBOLS = t.WIDE_DIGITS
NUMBER_JAPANESE_KANJI_SYMBOLS = t.KANJI_NUMBERS
STARTING_SFEN = START

SQUARES = range(81)
BB_VOID, BB_ALL = 0, (1 << 81) - 1  # masks: no square, every square
BB_SQUARES = tuple(1 << square for square in SQUARES)
BB_FILES = tuple(sum(BB_SQUARES[column::9]) for column in range(9))  # file 9 first
BB_RANKS = tuple(sum(BB_SQUARES[9 * rank : 9 * rank + 9]) for rank in range(9))  # rank a first


def file_index(square: int) -> int:
    """Return 0 for a square of file 9 (black's left) to 8 for one of file 1."""
    return square % 9


def rank_index(square: int) -> int:
    """Return 0 for a square of rank a (white's first) to 8 for one of rank i."""
    return square // 9


def can_promote(square: int, piece_type: int, color: int) -> bool:
    """Tell whether this piece type promotes and `square` is in its colour's promotion zone."""
    rank = rank_index(square)
    return PIECE_PROMOTED[piece_type] is not None and (rank <= 2 if color == t.BLACK else rank >= 6)


def can_move_without_promotion(to_square: int, piece_type: int, color: int) -> bool:
    """Tell whether an unpromoted piece on `to_square` could ever move again."""
    return not is_dead(color, piece_type, to_square)


@dataclass(frozen=True, repr=False)
class Piece:
    """A piece: its type (PAWN ... PROM_ROOK) and its colour (BLACK, WHITE).

    >>> Piece(PROM_ROOK, t.WHITE)
    Piece.from_symbol('+r')
    """

    piece_type: int
    color: int

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid type or colour."""
        if self.piece_type not in PIECE_TYPES or self.color not in COLORS:
            raise ValueError(f"no piece has type {self.piece_type!r} and colour {self.color!r}")

    def symbol(self) -> str:
        """Return its SFEN symbol: 'P' and '+P' are black's, 'p' and '+p' white's."""
        return t.piece_symbol(self.color << 4 | self.piece_type)

    __str__ = symbol

    def japanese_symbol(self) -> str:
        """Return its one-letter Japanese name, '歩' ... '龍'."""
        return PIECE_JAPANESE_SYMBOLS[self.piece_type]

    def japanese_symbol_with_direction(self) -> str:
        """Return its Japanese name with 'v' before it for white and a blank for black."""
        return " v"[self.color] + self.japanese_symbol()

    def is_promoted(self) -> bool:
        """Tell whether it has promoted."""
        return self.piece_type >= t.PROM_PAWN

    def __repr__(self) -> str:
        return f"Piece.from_symbol({self.symbol()!r})"

    @classmethod
    def from_symbol(cls, symbol: str) -> "Piece":
        """Return the piece with an SFEN symbol; raises ValueError if there is none."""
        if symbol.lower() not in PIECE_SYMBOLS[1:]:
            raise ValueError(f"no piece has the symbol {symbol!r}")
        return cls(PIECE_SYMBOLS.index(symbol.lower()), t.WHITE if symbol.islower() else t.BLACK)


# By the board's byte.
PIECES = tuple(Piece(byte & 15, byte >> 4) if byte & 15 in PIECE_TYPES else None for byte in range(32))


class SquareSet(AbstractSet[int]):
    """An immutable set of squares with python-shogi's operators; iteration is in ascending order, from 9a on.

    >>> SquareSet([0, 8]) | SquareSet(1 << 80)
    SquareSet(0b100000000000000000000000000000000000000000000000000000000000000000000000100000001)
    >>> list(SquareSet([8, 0]) & SquareSet([8, 9])), len(~SquareSet(0))
    ([8], 81)

    Args:
        squares: a mask (int, bit s for square s), or squares (0..80); ValueError if one is outside the board
    """

    __slots__ = ("mask",)
    mask: int

    def __init__(self, squares: "int | SquareSet | Iterable[int]" = 0) -> None:
        object.__setattr__(self, "mask", _mask(squares))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a SquareSet is immutable")

    def __reduce__(self) -> tuple[type["SquareSet"], tuple[int]]:
        return SquareSet, (self.mask,)

    def __contains__(self, square: object) -> bool:
        return square in SQUARES and bool(self.mask >> int(square) & 1)  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[int]:
        mask = self.mask
        while mask:
            yield (mask & -mask).bit_length() - 1
            mask &= mask - 1

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __bool__(self) -> bool:
        return self.mask != 0

    def __int__(self) -> int:
        return self.mask

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return self.mask == int(other) if isinstance(other, (SquareSet, int)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.mask)

    def __and__(self, other: Any) -> "SquareSet":
        return SquareSet(self.mask & _mask(other))

    def __or__(self, other: Any) -> "SquareSet":
        return SquareSet(self.mask | _mask(other))

    def __xor__(self, other: Any) -> "SquareSet":
        return SquareSet(self.mask ^ _mask(other))

    def __sub__(self, other: Any) -> "SquareSet":
        return SquareSet(self.mask & ~_mask(other))

    def __invert__(self) -> "SquareSet":
        return SquareSet(self.mask ^ BB_ALL)

    def __lshift__(self, count: int) -> "SquareSet":
        return SquareSet(self.mask << count & BB_ALL)

    def __rshift__(self, count: int) -> "SquareSet":
        return SquareSet(self.mask >> count)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __rsub__(self, other: Any) -> "SquareSet":
        return SquareSet(_mask(other) & ~self.mask)

    def __repr__(self) -> str:
        return f"SquareSet({self.mask:#b})"

    def __str__(self) -> str:
        """Return nine rows of '1' and '.', rank a first, file 9 on the left."""
        cells = ["1" if square in self else "." for square in SQUARES]
        return "\n".join(" ".join(cells[start : start + 9]) for start in range(0, 81, 9))


def _mask(squares: "int | SquareSet | Iterable[int]") -> int:
    """Convert a mask, a SquareSet or squares to a mask; raises ValueError for squares outside the board."""
    if isinstance(squares, (int, SquareSet)):
        mask = int(squares)
        if not 0 <= mask <= BB_ALL:
            raise ValueError(f"a mask must have at most 81 bits, not {mask.bit_length()}")
        return mask
    mask = 0
    for square in squares:
        if square not in SQUARES:
            raise ValueError(f"squares must be 0 to 80, not {square!r}")
        mask |= 1 << square
    return mask


class Occupied(tuple[int, ...]):
    """The occupied squares as python-shogi has them: [BLACK] and [WHITE] are masks, `bits` is both."""

    @property
    def bits(self) -> int:
        """The mask of all occupied squares."""
        return self[t.BLACK] | self[t.WHITE]

    def non_occupied(self) -> int:
        """Return the mask of the empty squares."""
        return self.bits ^ BB_ALL
