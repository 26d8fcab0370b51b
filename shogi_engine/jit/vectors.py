"""Vector kernels on raw memory, for networks: sums of int16 rows, clipped activations, dot products of their squares.

Each is an intrinsic that emits a loop over vectors of LANES int16 as portable LLVM code. LLVM turns it into the best
instructions of the CPU (vpmaddwd with SSE, AVX2 and AVX-512; for bytes vpdpbusd with VNNI). numba's own loops get none
of these because they multiply int32 as int64. With JIT off, plain numpy twins do the same.

All arguments are addresses (uint64) and counts (int64). A count must be a multiple of LANES, otherwise the rest is
ignored; a constant count lets LLVM unroll the loop. Nothing is checked. Any alignment of the element type works, but
memory aligned to ALIGNMENT, as `aligned_zeros` returns it, is faster because no load touches two cache lines. `out`
may be one of the operands. Sums of int16 wrap around as in two's complement.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from shogi_engine.jit.intrinsics import kernel_intrinsic
from shogi_engine.jit.policy import njit

ALIGNMENT = 64  # bytes: a cache line, and the widest vector of any CPU
LANES = 32  # int16 numbers in one step, ALIGNMENT bytes
SQUARE_WEIGHT_LIMIT = 511
EXACT_SQUARES = 256  # the sum of this many products of squares below 2^14 and such weights fits int32

I8, I16, I32, I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))


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


# ---- LLVM code ---------------------------------------------------------------------------------------------------


def _pointer(builder: Any, address: Any, index: Any, step: int, kind: Any) -> Any:
    """Return a pointer to `kind`, `index` times `step` bytes beyond `address`."""
    return builder.inttoptr(builder.add(address, builder.mul(index, I64(step))), kind.as_pointer())


def _load(builder: Any, address: Any, index: Any, element: Any) -> Any:
    """Load the `index`-th vector of LANES elements from `address`."""
    size = element.width // 8
    return builder.load(_pointer(builder, address, index, LANES * size, ir.VectorType(element, LANES)), align=size)


def _store(builder: Any, value: Any, address: Any, index: Any) -> None:
    """Store a vector as the `index`-th from `address`."""
    size = value.type.element.width // 8
    builder.store(value, _pointer(builder, address, index, value.type.count * size, value.type), align=size)


def _splat(builder: Any, value: Any, element: Any) -> Any:
    """Return a vector with `value` (int64), which fits `element`, in every lane."""
    undefined = ir.Constant(ir.VectorType(element, LANES), ir.Undefined)
    first = builder.insert_element(undefined, builder.trunc(value, element), I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(I32, LANES), None))


def _call(builder: Any, name: str, result: Any, *operands: Any) -> Any:
    """Call an LLVM intrinsic that every target supports."""
    kind = ir.FunctionType(result, [operand.type for operand in operands])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), operands)


def _clip(builder: Any, value: Any, high: Any) -> Any:
    """Return `value` with each lane limited to 0..the lane of `high`."""
    suffix = f"v{value.type.count}i{value.type.element.width}"
    positive = _call(builder, f"llvm.smax.{suffix}", value.type, value, ir.Constant(value.type, None))
    return _call(builder, f"llvm.smin.{suffix}", value.type, positive, high)


def _products(builder: Any, left: Any, right: Any) -> Any:
    """Return the products of two vectors of int16 as a vector of int32."""
    wide = ir.VectorType(I32, left.type.count)
    return builder.mul(builder.sext(left, wide), builder.sext(right, wide), flags=["nsw"])


def _emit_sum(builder: Any, count: Any, products: Callable[[Any], Any]) -> Any:
    """Emit the sum, an i32, of the lanes of products(0), products(1), ... for `count` elements.

    LLVM turns it into vpmaddwd, because the sum is int32, in any order, and each factor is used once.
    """
    kind = ir.VectorType(I32, LANES)
    variable = cgutils.alloca_once(builder, kind)
    builder.store(ir.Constant(kind, None), variable)
    with _loop(builder, count) as loop:
        builder.store(builder.add(builder.load(variable), products(loop.index)), variable)
    return _call(builder, f"llvm.vector.reduce.add.v{LANES}i32", I32, builder.load(variable))


def _loop(builder: Any, count: Any) -> Any:
    """Return a context for the body of a loop over the vectors of `count` elements."""
    return cgutils.for_range(builder, builder.lshr(count, I64(LANES.bit_length() - 1)), intp=I64)


# ---- rows --------------------------------------------------------------------------------------------------------


def row_sum(signs: str) -> Any:
    """Return the intrinsic (out, first, row, ..., count) that writes first +- rows to `out`, `count` int16 each.

    Args:
        signs: + or - for each row
    """

    def twin(out: Any, first: Any, *arguments: Any) -> None:
        *rows, count = arguments
        total = array_at(first, count, np.int16).copy()
        for sign, row in zip(signs, rows, strict=True):
            values = array_at(row, count, np.int16)
            total = total + values if sign == "+" else total - values
        array_at(out, count, np.int16)[:] = total

    def emit(builder: Any, out: Any, first: Any, *arguments: Any) -> None:
        *rows, count = arguments
        with _loop(builder, count) as loop:
            total = _load(builder, first, loop.index, I16)
            for sign, row in zip(signs, rows, strict=True):
                values = _load(builder, row, loop.index, I16)
                total = builder.add(total, values) if sign == "+" else builder.sub(total, values)
            _store(builder, total, out, loop.index)

    return kernel_intrinsic(types.void(*[types.uint64] * (2 + len(signs)), types.int64), twin)(emit)


# The last two are the changes by a quiet move and by a capture.
copy_i16, add_i16, add_sub_i16, add_add_sub_sub_i16 = map(row_sum, ("", "+", "+-", "++--"))

TILES = (256, LANES)  # int16 numbers summed in registers: 256 at a time while that many are left, then LANES


def _python_sum_rows(
    out: Any, first: Any, added: Any, added_count: Any, removed: Any, removed_count: Any, count: Any
) -> None:
    total = array_at(first, count, np.int16).copy()
    for row in array_at(added, added_count, np.uint64):
        total += array_at(row, count, np.int16)
    for row in array_at(removed, removed_count, np.uint64):
        total -= array_at(row, count, np.int16)
    array_at(out, count, np.int16)[:] = total


@kernel_intrinsic(
    types.void(*[types.uint64] * 3, types.int64, types.uint64, types.int64, types.int64), _python_sum_rows
)
def sum_rows_i16(builder, out, first, added, added_count, removed, removed_count, count):
    """Write first + all rows added - all rows removed to `out`, `count` int16 each: many moves at once.

    Args:
        added, removed: uint64[added_count], uint64[removed_count], the rows' addresses
    """
    begin = I64(0)
    for tile in TILES:
        end = builder.and_(count, I64(-tile))
        kind = ir.VectorType(I16, LANES)
        totals = [cgutils.alloca_once(builder, kind) for _ in range(tile // LANES)]
        with cgutils.for_range_slice(builder, begin, end, I64(tile), intp=I64) as (start, _):
            offset = builder.mul(start, I64(2))
            for nth, total in enumerate(totals):
                builder.store(_load(builder, builder.add(first, offset), I64(nth), I16), total)
            for rows, number, change in ((added, added_count, "add"), (removed, removed_count, "sub")):
                with cgutils.for_range(builder, number, intp=I64) as loop:
                    row = builder.load(_pointer(builder, rows, loop.index, 8, I64), align=8)
                    for nth, total in enumerate(totals):
                        values = _load(builder, builder.add(row, offset), I64(nth), I16)
                        builder.store(getattr(builder, change)(builder.load(total), values), total)
            for nth, total in enumerate(totals):
                _store(builder, builder.load(total), builder.add(out, offset), I64(nth))
        begin = end


# ---- activations -------------------------------------------------------------------------------------------------


def _python_clip_i16_u8(out: Any, values: Any, high: Any, count: Any) -> None:
    array_at(out, count, np.uint8)[:] = array_at(values, count, np.int16).clip(0, int(high))


@kernel_intrinsic(types.void(types.uint64, types.uint64, types.int64, types.int64), _python_clip_i16_u8)
def clip_i16_u8(builder, out, values, high, count):
    """Write `count` int16 of `values`, clipped to 0..high (at most 255), to `out` as uint8."""
    limit = _splat(builder, high, I16)
    with _loop(builder, count) as loop:
        clipped = _clip(builder, _load(builder, values, loop.index, I16), limit)
        _store(builder, builder.trunc(clipped, ir.VectorType(I8, LANES)), out, loop.index)


def _python_clip_i32_u8(out: Any, values: Any, shift: Any, high: Any, count: Any) -> None:
    array_at(out, count, np.uint8)[:] = (array_at(values, count, np.int32) >> int(shift)).clip(0, int(high))


@kernel_intrinsic(types.void(types.uint64, types.uint64, types.int64, types.int64, types.int64), _python_clip_i32_u8)
def clip_i32_u8(builder, out, values, shift, high, count):
    """Write `count` int32 of `values`, shifted right by `shift` bits and clipped to 0..high, to `out` as uint8."""
    shifts, limit = _splat(builder, shift, I32), _splat(builder, high, I32)
    with _loop(builder, count) as loop:
        clipped = _clip(builder, builder.ashr(_load(builder, values, loop.index, I32), shifts), limit)
        _store(builder, builder.trunc(clipped, ir.VectorType(I8, LANES)), out, loop.index)


# ---- dot products ------------------------------------------------------------------------------------------------


def _python_screlu_dot_i16(values: Any, weights: Any, high: Any, shift: Any, count: Any) -> int:
    scaled = array_at(values, count, np.int16).astype(np.int64).clip(0, int(high)) << int(shift)
    return int(((scaled * scaled >> 16) * array_at(weights, count, np.int16)).sum())


@kernel_intrinsic(
    types.int64(types.uint64, types.uint64, types.int64, types.int64, types.int64), _python_screlu_dot_i16
)
def screlu_dot_i16(builder, values, weights, high, shift, count):
    """Return the sum of ((clip(values, 0, high) << shift)^2 >> 16) * weights over `count` int16 as int64.

    This is a squared clipped ReLU, in the upper half of an int32, and a layer with one output. Products are summed as
    int32, EXACT_SQUARES at a time, and those sums as int64.

    Args:
        high, shift: high << shift is below 2^15
        weights: at most SQUARE_WEIGHT_LIMIT
    """
    limit, shifts = _splat(builder, high, I16), _splat(builder, shift, I16)
    wide, upper = ir.VectorType(I32, LANES), _splat(builder, I64(16), I32)
    total = cgutils.alloca_once_value(builder, I64(0))
    with cgutils.for_range_slice(builder, I64(0), count, I64(EXACT_SQUARES), intp=I64) as (first, _):
        left = builder.sub(count, first)
        part = builder.select(builder.icmp_signed("<", left, I64(EXACT_SQUARES)), left, I64(EXACT_SQUARES))
        offset = builder.mul(first, I64(2))

        def products(index: Any) -> Any:
            value = _clip(builder, _load(builder, builder.add(values, offset), index, I16), limit)
            value = builder.sext(builder.shl(value, shifts), wide)
            square = builder.trunc(builder.lshr(builder.mul(value, value), upper), limit.type)
            return _products(builder, square, _load(builder, builder.add(weights, offset), index, I16))

        sums = builder.sext(_emit_sum(builder, part, products), I64)
        builder.store(builder.add(builder.load(total), sums), total)
    return builder.load(total)
