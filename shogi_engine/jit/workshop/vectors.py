"""The loops of the vector kernels (jit/vectors.py), and what makes such code."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from shogi_engine.jit.vectors import EXACT_SQUARES, LANES
from shogi_engine.jit.workshop.emitting import emits

I8, I16, I32, I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))


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


def row_sum(function: Callable, signs: str) -> Any:
    """Return the type of a `row_sum` with `signs`."""

    @emits(types.void(*[types.uint64] * (2 + len(signs)), types.int64))
    def emit(builder: Any, out: Any, first: Any, *arguments: Any) -> None:
        *rows, count = arguments
        with _loop(builder, count) as loop:
            total = _load(builder, first, loop.index, I16)
            for sign, row in zip(signs, rows, strict=True):
                values = _load(builder, row, loop.index, I16)
                total = builder.add(total, values) if sign == "+" else builder.sub(total, values)
            _store(builder, total, out, loop.index)

    return emit(function)


TILES = (256, LANES)  # int16 numbers summed in registers: 256 at a time while that many are left, then LANES


@emits(types.void(*[types.uint64] * 3, types.int64, types.uint64, types.int64, types.int64))
def sum_rows_i16(builder, out, first, added, added_count, removed, removed_count, count):
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


@emits(types.void(types.uint64, types.uint64, types.int64, types.int64))
def clip_i16_u8(builder, out, values, high, count):
    limit = _splat(builder, high, I16)
    with _loop(builder, count) as loop:
        clipped = _clip(builder, _load(builder, values, loop.index, I16), limit)
        _store(builder, builder.trunc(clipped, ir.VectorType(I8, LANES)), out, loop.index)


@emits(types.void(types.uint64, types.uint64, types.int64, types.int64, types.int64))
def clip_i32_u8(builder, out, values, shift, high, count):
    shifts, limit = _splat(builder, shift, I32), _splat(builder, high, I32)
    with _loop(builder, count) as loop:
        clipped = _clip(builder, builder.ashr(_load(builder, values, loop.index, I32), shifts), limit)
        _store(builder, builder.trunc(clipped, ir.VectorType(I8, LANES)), out, loop.index)


# ---- dot products ------------------------------------------------------------------------------------------------


@emits(types.int64(types.uint64, types.uint64, types.int64, types.int64, types.int64))
def screlu_dot_i16(builder, values, weights, high, shift, count):
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
