"""64-bit and 128-bit bit tricks. A 128-bit number is two uint64 values, (lo, hi); nothing here knows a square.

Constants are np.uint64 on purpose: numba turns `uint64 & int64` into a signed number.
"""

import numpy as np

from shogi_engine.jit import clz, ctz, njit, popcount

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
MASK64 = (1 << 64) - 1


def split(number: int) -> tuple[np.uint64, np.uint64]:
    """Return a Python integer below 2**128 as its (lo, hi) halves."""
    return np.uint64(number & MASK64), np.uint64(number >> 64)


def join(lo: np.uint64, hi: np.uint64) -> int:
    """Return the Python integer that the halves `lo` and `hi` make."""
    return int(lo) | int(hi) << 64


def split_table(numbers: list[int]) -> np.ndarray:
    """Return uint64[n, 2]: the halves of each of `numbers`."""
    return np.array([split(number) for number in numbers], dtype=np.uint64)


@njit
def bit(index):
    """Return the 128-bit number whose only set bit is `index` (int64, 0..127)."""
    lo = ONE << np.uint64(index & 63) if index < 64 else ZERO
    hi = ZERO if index < 64 else ONE << np.uint64(index & 63)
    return lo, hi


@njit
def test(lo, hi, index):
    """Tell whether bit `index` (int64, 0..127) of (lo, hi) is set."""
    half = lo if index < 64 else hi
    return (half >> np.uint64(index & 63)) & ONE != ZERO


@njit
def popcount2(lo, hi):
    """Return the number of set bits of (lo, hi)."""
    return popcount(lo) + popcount(hi)


@njit
def lowest(lo, hi):
    """Return the index of the lowest set bit of (lo, hi), which is not 0."""
    return ctz(lo) if lo != ZERO else 64 + ctz(hi)


@njit
def clear_lowest(lo, hi):
    """Return (lo, hi) without its lowest set bit; (lo, hi) is not 0."""
    return (lo & (lo - ONE), hi) if lo != ZERO else (lo, hi & (hi - ONE))


@njit
def pop_lowest(lo, hi):
    """Return the index of the lowest set bit of (lo, hi), which is not 0, and (lo, hi) without that bit."""
    if lo != ZERO:
        return ctz(lo), lo & (lo - ONE), hi
    return 64 + ctz(hi), lo, hi & (hi - ONE)


@njit
def shift_left(lo, hi, count):
    """Return (lo, hi) << count, with 0 < count < 64 (uint64)."""
    return lo << count, hi << count | lo >> (np.uint64(64) - count)


@njit
def shift_right(lo, hi, count):
    """Return (lo, hi) >> count, with 0 < count < 64 (uint64)."""
    return lo >> count | hi << (np.uint64(64) - count), hi >> count


@njit
def through_lowest(lo, hi):
    """Return all bits up to and with the lowest set bit of (lo, hi); all ones if it is 0. It is x ^ (x - 1)."""
    return lo ^ (lo - ONE), hi ^ (hi - ONE) if lo == ZERO else ZERO


@njit
def from_highest(lo, hi):
    """Return all bits from the highest set bit of (lo, hi) upwards; all ones if it is 0."""
    if hi != ZERO:
        return ZERO, ALL << np.uint64(63 - clz(hi))
    return ALL << np.uint64(63 - clz(lo | ONE)), ALL
