"""Piece, SquareSet, and python-shogi's constants, which Board's methods take and return.

Squares are numbered as an SFEN is read: 0 is 9a, 8 is 1a, 80 is 1i. Bit s of a mask (int) is square s.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.notation.sfen import START
from shogi_engine.games.shogi.rules.validation import is_dead
from shogi_engine.games.shogi.symbols import KANJI_NUMBERS, KANJI_PIECES, SYMBOLS, WIDE_DIGITS, piece_symbol

COLORS = (t.BLACK, t.WHITE)
NONE = 0  # the piece type of an empty square
PROM_BISHOP, PROM_ROOK = t.HORSE, t.DRAGON
PIECE_TYPES = (
    *(t.PAWN, t.LANCE, t.KNIGHT, t.SILVER, t.GOLD, t.BISHOP, t.ROOK, t.KING),
    *(t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER, PROM_BISHOP, PROM_ROOK),
)
PIECE_TYPES_WITH_NONE = (NONE, *PIECE_TYPES)
PIECE_TYPES_WITHOUT_KING = tuple(kind for kind in PIECE_TYPES if kind != t.KING)
PIECE_SYMBOLS = tuple(symbol.lower() for symbol in SYMBOLS)
PIECE_JAPANESE_SYMBOLS = KANJI_PIECES
PIECE_PROMOTED = tuple(int(kind) or None for kind in t.PROMOTED[:15])  # by piece type, None if it does not promote
MAX_PIECES_IN_HAND = (0, *t.SET_SIZE[t.PAWN : t.KING], *[0] * 7)  # by piece type
NUMBER_JAPANESE_NUMBER_SYMBOLS = WIDE_DIGITS
NUMBER_JAPANESE_KANJI_SYMBOLS = KANJI_NUMBERS
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
        return piece_symbol(self.color << 4 | self.piece_type)

    def japanese_symbol(self) -> str:
        """Return its one-letter Japanese name, '歩' ... '龍'."""
        return PIECE_JAPANESE_SYMBOLS[self.piece_type]

    def japanese_symbol_with_direction(self) -> str:
        """Return its Japanese name with 'v' before it for white and a blank for black."""
        return " v"[self.color] + self.japanese_symbol()

    def is_promoted(self) -> bool:
        """Tell whether it has promoted."""
        return self.piece_type >= t.PROM_PAWN

    def __str__(self) -> str:
        return self.symbol()

    def __repr__(self) -> str:
        return f"Piece.from_symbol({self.symbol()!r})"

    @classmethod
    def from_symbol(cls, symbol: str) -> "Piece":
        """Return the piece with an SFEN symbol; raises ValueError if there is none."""
        if symbol.lower() not in PIECE_SYMBOLS[1:]:
            raise ValueError(f"no piece has the symbol {symbol!r}")
        return cls(PIECE_SYMBOLS.index(symbol.lower()), t.WHITE if symbol.islower() else t.BLACK)


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
