"""Bitboards: sets of squares (0..127) as values with operators. Kernels hold one as two uint64, Python as an int.

    for square in STEP_ATTACKS[us, KING, king] & ~(pieces(pos, us) | attacked): ...

They support `& | ^ ~ << >> == !=`, truth, `len`, `square in`, iteration from the lowest square up, `lo` and `hi`.
`Table` holds constant bitboards; `field` accesses bitboards in records. In kernels operations are lowered in place,
without calls, to vectors of two lanes (workshop/bitboards.py).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shogi_engine.jit.intrinsics import emitted

MASK, MASK64 = (1 << 128) - 1, (1 << 64) - 1


class Bitboard(int):
    """A set of squares; bit s of the number is square s."""

    __slots__ = ()
    lo = property(lambda self: np.uint64(int(self) & MASK64), doc="Squares 0 to 63.")
    hi = property(lambda self: np.uint64(int(self) >> 64), doc="Squares 64 to 127.")

    def __and__(self, other: int) -> "Bitboard":
        return Bitboard(int.__and__(self, other))

    def __or__(self, other: int) -> "Bitboard":
        return Bitboard(int.__or__(self, other))

    def __xor__(self, other: int) -> "Bitboard":
        return Bitboard(int.__xor__(self, other))

    def __lshift__(self, count: int) -> "Bitboard":
        return Bitboard(int.__lshift__(self, count) & MASK)

    def __rshift__(self, count: int) -> "Bitboard":
        return Bitboard(int.__rshift__(self, count))

    def __invert__(self) -> "Bitboard":
        return Bitboard(int.__xor__(self, MASK))

    def __len__(self) -> int:
        return self.bit_count()

    def __contains__(self, square: int) -> bool:
        return bool(int(self) >> int(square) & 1)

    def __iter__(self) -> Iterator[int]:
        left = int(self)
        while left:
            yield (left & -left).bit_length() - 1
            left &= left - 1


def from_halves(lo: Any, hi: Any) -> Bitboard:
    """Return the bitboard made of two uint64."""
    return Bitboard(int(lo) | int(hi) << 64)


emitted(from_halves, "joined")


class Table:
    """A constant table of bitboards, indexed as table[i, j].

    Attributes:
        values: the bitboards as ints, in nested lists or an array of objects
        numbers: the same as an array of objects
        halves: the same as uint64[..., 2], the form of the kernels
    """

    def __init__(self, values: Any) -> None:
        self.numbers = np.array(values, dtype=object)
        self.shape = self.numbers.shape
        self.halves = np.stack([self.numbers & MASK64, self.numbers >> 64], axis=-1).astype(np.uint64)

    def __getitem__(self, index: Any) -> Bitboard:
        return Bitboard(self.numbers[index])


@emitted
def lowest(bits: Bitboard) -> int:
    """Return the lowest square of `bits`, which must not be empty."""
    return (bits & -bits).bit_length() - 1


@emitted
def through_lowest(bits: Bitboard) -> Bitboard:
    """Return all squares up to and including the lowest one of `bits`; all squares if it is empty."""
    return Bitboard((int(bits) ^ int(bits) - 1) & MASK)


@emitted
def from_highest(bits: Bitboard) -> Bitboard:
    """Return all squares from the highest one of `bits` upwards; all squares if it is empty."""
    return Bitboard(MASK << int(bits | 1).bit_length() - 1 & MASK)


def field(name: str) -> tuple[Callable, Callable]:
    """Return a reader and a writer of the bitboards in a record's field `name`, uint64[..., 2].

    They are read(record, *index) -> Bitboard and write(record, *index, bitboard); missing indices count as 0.
    """

    def read(record, *index):
        halves = record[name]
        return from_halves(*halves[index + (0,) * (halves.ndim - 1 - len(index))])

    def write(record, *values):
        *index, value = values
        halves = record[name]
        halves[(*index, *(0,) * (halves.ndim - 1 - len(index)))] = value.lo, value.hi

    return emitted(read, "read_field", name), emitted(write, "write_field", name)
