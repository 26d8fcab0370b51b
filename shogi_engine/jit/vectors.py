"""Vector kernels on raw memory, for networks: sums of int16 rows, clipped activations, dot products of their squares.

In a kernel each is a loop over vectors of LANES int16 as portable LLVM code (workshop/vectors.py). LLVM turns it into
the best instructions of the CPU (vpmaddwd with SSE, AVX2 and AVX-512; for bytes vpdpbusd with VNNI). numba's own loops
get none of these because they multiply int32 as int64. In Python numpy does the same.

All arguments are addresses (uint64) and counts (int64). A count must be a multiple of LANES, otherwise the rest is
ignored; a constant count lets LLVM unroll the loop. Nothing is checked. Any alignment of the element type works, but
memory aligned to ALIGNMENT, as `aligned_zeros` returns it, is faster because no load touches two cache lines. `out`
may be one of the operands. Sums of int16 wrap around as in two's complement.
"""

import ctypes
from typing import Any

import numpy as np

from shogi_engine.jit.plain import emitted
from shogi_engine.jit.policy import njit

ALIGNMENT = 64  # bytes: a cache line, and the widest vector of any CPU
LANES = 32  # int16 numbers in one step, ALIGNMENT bytes
SQUARE_WEIGHT_LIMIT = 511
EXACT_SQUARES = 256  # the sum of this many products of squares below 2^14 and such weights fits int32


# ---- memory ------------------------------------------------------------------------------------------------------


def aligned_zeros(shape: Any, dtype: Any) -> np.ndarray:
    """Return an array of zeros whose memory begins at a multiple of ALIGNMENT."""
    array = np.dtype((dtype, shape))
    memory = np.zeros(array.itemsize + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return np.ndarray(shape, dtype, memory, start)


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """Return a copy whose memory begins at a multiple of ALIGNMENT."""
    copy = aligned_zeros(array.shape, array.dtype)
    copy[...] = array
    return copy


@njit
def align_up(address):
    """Return `address` (uint64) rounded up to a multiple of ALIGNMENT, for the beginning of a table inside a record."""
    return (address + np.uint64(ALIGNMENT - 1)) & ~np.uint64(ALIGNMENT - 1)


def array_at(address: Any, count: Any, dtype: Any) -> np.ndarray:
    """Return a view of `count` numbers at `address`; the caller keeps the memory alive."""
    size = int(count) * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(int(address)), dtype=dtype)


# ---- rows --------------------------------------------------------------------------------------------------------


def row_sum(signs: str) -> Any:
    """Return the function (out, first, row, ..., count) that writes first +- rows to `out`, `count` int16 each.

    Args:
        signs: + or - for each row
    """

    def write_sum(out: Any, first: Any, *arguments: Any) -> None:
        *rows, count = arguments
        total = array_at(first, count, np.int16).copy()
        for sign, row in zip(signs, rows, strict=True):
            values = array_at(row, count, np.int16)
            total = total + values if sign == "+" else total - values
        array_at(out, count, np.int16)[:] = total

    return emitted(write_sum, "row_sum", signs)


# The last two are the changes by a quiet move and by a capture.
copy_i16, add_i16, add_sub_i16, add_add_sub_sub_i16 = map(row_sum, ("", "+", "+-", "++--"))


@emitted
def sum_rows_i16(
    out: Any, first: Any, added: Any, added_count: Any, removed: Any, removed_count: Any, count: Any
) -> None:
    """Write first + all rows added - all rows removed to `out`, `count` int16 each: many moves at once.

    Args:
        added, removed: uint64[added_count], uint64[removed_count], the rows' addresses
    """
    total = array_at(first, count, np.int16).copy()
    for row in array_at(added, added_count, np.uint64):
        total += array_at(row, count, np.int16)
    for row in array_at(removed, removed_count, np.uint64):
        total -= array_at(row, count, np.int16)
    array_at(out, count, np.int16)[:] = total


# ---- activations and a dot product -------------------------------------------------------------------------------


@emitted
def clip_i16_u8(out: Any, values: Any, high: Any, count: Any) -> None:
    """Write `count` int16 of `values`, clipped to 0..high (at most 255), to `out` as uint8."""
    array_at(out, count, np.uint8)[:] = array_at(values, count, np.int16).clip(0, int(high))


@emitted
def clip_i32_u8(out: Any, values: Any, shift: Any, high: Any, count: Any) -> None:
    """Write `count` int32 of `values`, shifted right by `shift` bits and clipped to 0..high, to `out` as uint8."""
    array_at(out, count, np.uint8)[:] = (array_at(values, count, np.int32) >> int(shift)).clip(0, int(high))


@emitted
def screlu_dot_i16(values: Any, weights: Any, high: Any, shift: Any, count: Any) -> int:
    """Return the sum of ((clip(values, 0, high) << shift)^2 >> 16) * weights over `count` int16 as int64.

    This is a squared clipped ReLU, in the upper half of an int32, and a layer with one output. Products are summed as
    int32, EXACT_SQUARES at a time, and those sums as int64.

    Args:
        high, shift: high << shift is below 2^15
        weights: at most SQUARE_WEIGHT_LIMIT
    """
    scaled = array_at(values, count, np.int16).astype(np.int64).clip(0, int(high)) << int(shift)
    return int(((scaled * scaled >> 16) * array_at(weights, count, np.int16)).sum())
