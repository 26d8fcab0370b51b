"""The loops of the vector kernels and layers (jit/vectors.py), and what makes such code.

`DOT_PRODUCTS` has the product of a layer's block for VNNI, AVX2, NEON, and any CPU.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from shogi_engine.jit.vectors import (
    ALIGNMENT,
    CLIP_SHIFT,
    EXACT_SQUARES,
    FEW_OUTPUTS,
    LANES,
    LARGEST_ACTIVATION,
    PRODUCT_LIMIT,
    PRODUCT_SHIFT,
    PRODUCTS,
    SQUARE_SHIFT,
    STEP,
    SUMS,
    UNROLL,
)
from shogi_engine.jit.workshop.emitting import emits, target_has

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


# ---- the product of a layer's block ------------------------------------------------------------------------------


def _parts(builder: Any, vector: Any, count: int) -> list[Any]:
    """Return a vector cut into `count` parts of equal size."""
    size = vector.type.count // count
    whole = ir.Constant(vector.type, ir.Undefined)
    masks = ([I32(part * size + lane) for lane in range(size)] for part in range(count))
    return [builder.shuffle_vector(vector, whole, ir.Constant(ir.VectorType(I32, size), lanes)) for lanes in masks]


def _joined(builder: Any, parts: list[Any]) -> Any:
    """Return the vector that consists of `parts`, a power of two of them."""
    while len(parts) > 1:
        mask = ir.Constant(
            ir.VectorType(I32, 2 * parts[0].type.count), [I32(i) for i in range(2 * parts[0].type.count)]
        )
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [builder.shuffle_vector(low, high, mask) for low, high in pairs]
    return parts[0]


def _by_vnni(name: str) -> Callable:
    def add(builder: Any, total: Any, values: Any, weights: Any) -> Any:
        values, weights = (builder.bitcast(each, total.type) for each in (values, weights))
        return _call(builder, name, total.type, total, values, weights)

    return add


def _by_pairs(builder: Any, total: Any, values: Any, weights: Any) -> Any:
    """Add with AVX2's products of bytes, which are summed in pairs as int16; those sums are added as int32."""
    shorts = ir.VectorType(I16, 2 * total.type.count)
    pairs = _call(builder, "llvm.x86.avx2.pmadd.ub.sw", shorts, values, weights)
    ones = ir.Constant(shorts, [I16(1)] * shorts.count)
    return builder.add(total, _call(builder, "llvm.x86.avx2.pmadd.wd", total.type, pairs, ones))


def _by_neon(builder: Any, total: Any, values: Any, weights: Any) -> Any:
    return _call(builder, "llvm.aarch64.neon.sdot.v4i32.v16i8", total.type, total, values, weights)


def _by_any(builder: Any, total: Any, values: Any, weights: Any) -> Any:
    """Add with code for any CPU, for even and odd bytes as int16."""
    shorts = ir.VectorType(I16, 2 * total.type.count)
    values, weights = (builder.bitcast(each, shorts) for each in (values, weights))
    eight = ir.Constant(shorts, [I16(8)] * shorts.count)
    even = builder.mul(
        builder.lshr(builder.shl(values, eight), eight), builder.ashr(builder.shl(weights, eight), eight)
    )
    odd = builder.mul(builder.lshr(values, eight), builder.ashr(weights, eight))
    pairs = builder.bitcast(builder.add(even, odd), total.type)
    sixteen = ir.Constant(total.type, [I32(16)] * total.type.count)
    low, high = builder.ashr(builder.shl(pairs, sixteen), sixteen), builder.ashr(pairs, sixteen)
    return builder.add(total, builder.add(low, high))


@dataclass(frozen=True)
class DotProduct:
    """A way to add sums of four products of bytes: `add(builder, total, values, weights)`, vectors of `size` bytes."""

    needs: tuple[str, ...]  # required features of the CPU, by LLVM's names
    size: int
    add: Callable

    def emit(self, builder: Any, total: Any, values: Any, weights: Any) -> Any:
        """Return total, int32[SUMS], plus the products of values, uint8[ALIGNMENT], and weights, int8[ALIGNMENT]."""
        count = ALIGNMENT // self.size
        parts = zip(*(_parts(builder, each, count) for each in (total, values, weights)), strict=True)
        return _joined(builder, [self.add(builder, *each) for each in parts])


# The first that the CPU supports is used. The intrinsics have their older form, with int32, which all versions of LLVM
# accept.
DOT_PRODUCTS = {
    "vnni": DotProduct(("avx512vnni",), 64, _by_vnni("llvm.x86.avx512.vpdpbusd.512")),
    "avx-vnni": DotProduct(("avxvnni",), 32, _by_vnni("llvm.x86.avx512.vpdpbusd.256")),
    "avx2": DotProduct(("avx2",), 32, _by_pairs),
    "neon": DotProduct(("neon", "dotprod"), 16, _by_neon),
    "any": DotProduct((), 64, _by_any),
}


def dot_product(name: str) -> DotProduct:
    """Return the product called `name`; '' for the fastest that the target CPU supports."""
    return DOT_PRODUCTS[name or next(each for each, dot in DOT_PRODUCTS.items() if all(map(target_has, dot.needs)))]


# ---- layers ------------------------------------------------------------------------------------------------------


def _at(builder: Any, address: Any, offset: Any, kind: Any) -> Any:
    """Return a pointer to `kind`, `offset` bytes beyond `address`."""
    return builder.inttoptr(builder.add(address, offset), kind.as_pointer())


def _emit_block(dot: DotProduct, builder: Any, total: Any, block: Any, values: Any, weights: Any, taken: int) -> None:
    """Add the products of one block, by its number, to the sums that the variable `total` holds."""
    repeated = ir.VectorType(ir.IntType(8 * taken), ALIGNMENT // taken)
    inputs = builder.load(_at(builder, values, builder.mul(block, I64(taken)), repeated.element), align=1)
    first = builder.insert_element(ir.Constant(repeated, ir.Undefined), inputs, I32(0))
    every = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(I32, repeated.count), None))
    whole = ir.VectorType(I8, ALIGNMENT)
    row = builder.load(_at(builder, weights, builder.mul(block, I64(ALIGNMENT)), whole), align=ALIGNMENT)
    builder.store(dot.emit(builder, builder.load(total), builder.bitcast(every, whole), row), total)


def _emit_layer(dot: DotProduct, taken: int) -> Callable:
    """Return what emits the code of `layer_of`, or of `sparse_layer_of`."""

    def emit(builder, out, values, weights, bias, blocks, groups, listed=None, count=None):
        vector = ir.VectorType(I32, SUMS)
        totals = [cgutils.alloca_once(builder, vector) for _ in range(UNROLL)]
        group_bytes = builder.mul(builder.add(blocks, I64(1)), I64(ALIGNMENT))
        written = SUMS if taken == 4 else FEW_OUTPUTS
        with cgutils.for_range(builder, groups, intp=I64) as group:
            here = builder.add(weights, builder.mul(group.index, group_bytes))
            start = _at(builder, bias, builder.mul(group.index, I64(ALIGNMENT)), vector)
            for nth, total in enumerate(totals):
                builder.store(ir.Constant(vector, None) if nth else builder.load(start, align=4), total)
            with cgutils.for_range_slice(
                builder, I64(0), blocks if count is None else count, I64(UNROLL), intp=I64
            ) as (first, _):
                for nth, total in enumerate(totals):
                    block = builder.add(first, I64(nth))
                    if listed is not None:
                        pointer = _at(builder, listed, builder.mul(block, I64(2)), I16)
                        block = builder.zext(builder.load(pointer, align=2), I64)
                    _emit_block(dot, builder, total, block, values, here, taken)
            sums = [builder.load(total) for total in totals]
            while len(sums) > 1:
                sums = [builder.add(left, right) for left, right in zip(sums[::2], sums[1::2], strict=True)]
            result = sums[0]
            if taken != 4:  # two sums for each output, side by side
                doubled = builder.bitcast(result, ir.VectorType(I64, FEW_OUTPUTS))
                half = ir.Constant(doubled.type, [I64(32)] * FEW_OUTPUTS)
                short = ir.VectorType(I32, FEW_OUTPUTS)
                result = builder.add(builder.trunc(doubled, short), builder.trunc(builder.lshr(doubled, half), short))
            builder.store(result, _at(builder, out, builder.mul(group.index, I64(4 * written)), result.type), align=4)

    return emit


def layer_of(function: Callable, taken: int, product: str) -> Any:
    """Return the type of a layer."""
    signature = types.void(*[types.uint64] * 4, types.int64, types.int64)
    return emits(signature)(_emit_layer(dot_product(product), taken))(function)


def sparse_layer_of(function: Callable, taken: int, product: str) -> Any:
    """Return the type of a layer with a list of blocks."""
    signature = types.void(*[types.uint64] * 4, *[types.int64] * 2, types.uint64, types.int64)
    return emits(signature)(_emit_layer(dot_product(product), taken))(function)


# ---- inputs that are not 0 ---------------------------------------------------------------------------------------

POSITIONS = np.zeros((1 << STEP, STEP), dtype=np.uint16)  # by mask: the indices of its set bits, lowest first
for _mask in range(1 << STEP):
    _set = [bit for bit in range(STEP) if _mask >> bit & 1]
    POSITIONS[_mask, : len(_set)] = _set


def nonzero_blocks_of(function: Callable, taken: int) -> Any:
    """Return the type of the function that lists the blocks that are not all 0."""

    @emits(types.int64(types.uint64, types.uint64, types.int64))
    def list_nonzero(builder, listed, values, blocks):
        numbers, read = ir.VectorType(I16, STEP), ir.VectorType(ir.IntType(8 * taken), STEP)
        kind = ir.ArrayType(numbers, 1 << STEP)
        rows = [ir.Constant(numbers, [int(each) for each in row]) for row in POSITIONS]
        table = cgutils.global_constant(builder, "positions", ir.Constant(kind, rows))
        every = ir.Constant(ir.VectorType(I32, STEP), None)

        def write(count, number):
            """Append `number`, a vector, to the first `count` entries of the list."""
            builder.store(number, _at(builder, listed, builder.mul(count, I64(2)), numbers), align=2)

        def splat(number):
            first = builder.insert_element(ir.Constant(numbers, ir.Undefined), builder.trunc(number, I16), I32(0))
            return builder.shuffle_vector(first, first, every)

        found = cgutils.alloca_once_value(builder, I64(0))
        with cgutils.for_range_slice(builder, I64(0), blocks, I64(STEP), intp=I64) as (first, _):
            inputs = builder.load(_at(builder, values, builder.mul(first, I64(taken)), read), align=1)
            used = builder.icmp_unsigned("!=", inputs, ir.Constant(read, None))
            mask = builder.zext(builder.bitcast(used, ir.IntType(STEP)), I64)
            count = builder.load(found)
            number = builder.load(builder.gep(table, [I64(0), mask], inbounds=True), align=2 * STEP)
            write(count, builder.add(number, splat(first)))
            builder.store(builder.add(count, builder.ctpop(mask)), found)
        count = builder.load(found)
        write(count, splat(blocks))
        return builder.and_(builder.add(count, I64(UNROLL - 1)), I64(-UNROLL))

    return list_nonzero(function)


# ---- activations -------------------------------------------------------------------------------------------------

SQUARE_LIMIT = 1 << 14  # the squares of larger sums are clipped anyway


@emits(types.void(types.uint64, types.uint64, types.int64))
def pair_products(builder, out, values, count):
    kind = ir.VectorType(I16, PRODUCTS)
    limit, shift = (ir.Constant(kind, [I16(each)] * PRODUCTS) for each in (PRODUCT_LIMIT, PRODUCT_SHIFT))
    second = builder.add(values, builder.mul(count, I64(2)))
    with cgutils.for_range_slice(builder, I64(0), count, I64(PRODUCTS), intp=I64) as (first, _):
        offset = builder.mul(first, I64(2))
        low, high = (
            _clip(builder, builder.load(_at(builder, half, offset, kind), align=2), limit) for half in (values, second)
        )
        product = builder.trunc(builder.lshr(builder.mul(low, high), shift), ir.VectorType(I8, PRODUCTS))
        builder.store(product, _at(builder, out, first, product.type), align=1)


@emits(types.void(types.uint64, types.uint64, types.int64))
def squares_and_clipped(builder, out, sums, count):
    kind, narrow = ir.VectorType(I32, SUMS), ir.VectorType(I8, SUMS)
    constants = (-SQUARE_LIMIT, SQUARE_LIMIT, SQUARE_SHIFT, CLIP_SHIFT, LARGEST_ACTIVATION)
    least, most, square_shift, clip_shift, largest = (ir.Constant(kind, [I32(n)] * SUMS) for n in constants)

    def squared(value):
        value = _call(builder, f"llvm.smax.v{SUMS}i32", kind, value, least)
        value = _call(builder, f"llvm.smin.v{SUMS}i32", kind, value, most)
        return builder.lshr(builder.mul(value, value), square_shift)

    def shifted(value):
        return builder.ashr(value, clip_shift)

    for begin, activation in ((out, squared), (builder.add(out, count), shifted)):
        with cgutils.for_range_slice(builder, I64(0), count, I64(SUMS), intp=I64) as (first, _):
            value = builder.load(_at(builder, sums, builder.mul(first, I64(4)), kind), align=4)
            clipped = builder.trunc(_clip(builder, activation(value), largest), narrow)
            builder.store(clipped, _at(builder, begin, first, narrow), align=1)


def dot_of(function: Callable, product: str) -> Any:
    """Return the type of a dot product."""
    dot = dot_product(product)

    @emits(types.int64(types.uint64, types.uint64, types.int64))
    def dot_u8_i8(builder, values, weights, count):
        kind, whole = ir.VectorType(I32, SUMS), ir.VectorType(I8, ALIGNMENT)
        total = cgutils.alloca_once_value(builder, ir.Constant(kind, None))
        with cgutils.for_range_slice(builder, I64(0), count, I64(ALIGNMENT), intp=I64) as (first, _):
            left, right = (builder.load(_at(builder, each, first, whole), align=1) for each in (values, weights))
            builder.store(dot.emit(builder, builder.load(total), left, right), total)
        return builder.sext(_call(builder, f"llvm.vector.reduce.add.v{SUMS}i32", I32, builder.load(total)), I64)

    return dot_u8_i8(function)
