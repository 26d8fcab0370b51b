"""Layers of uint8 activations and int8 weights, for networks: int32 sums, and activations computed from sums.

A layer's weights lie in blocks of ALIGNMENT bytes. The product of a block and a few activations, repeated in every
lane, is added to the sums of several outputs at once, so that no sum across lanes is needed. `arrange_layer` returns
weights in this order. Only the product of a block differs between CPUs: `DOT_PRODUCTS` has it for VNNI, AVX2 and NEON,
and as plain LLVM code for all others.

As in vectors.py, arguments are addresses (uint64) and counts (int64), and with JIT off numpy twins do the same.
Activations are at most LARGEST_ACTIVATION, so that sums of two products fit int16.

Source: the order of the weights and the list of nonzero inputs are Stockfish's,
https://github.com/official-stockfish/Stockfish/blob/master/src/nnue/layers/affine_transform_sparse_input.h.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from shogi_engine.jit.intrinsics import kernel_intrinsic
from shogi_engine.jit.targets import target_has
from shogi_engine.jit.vectors import ALIGNMENT, I8, I16, I32, I64, _call, _clip, aligned_copy, array_at

LARGEST_ACTIVATION = 127
SUMS = ALIGNMENT // 4  # int32 numbers in a vector: the sums to which a block adds
FEW_OUTPUTS = SUMS // 2  # a layer with this many outputs has two sums for each, which halves the number of blocks
UNROLL = 4  # blocks in one step of a loop; each has its own sums, because an addition must wait for the previous one


# ---- the product of a block --------------------------------------------------------------------------------------


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


def best_dot_product() -> DotProduct:
    """Return the fastest product that the target CPU supports."""
    return next(each for each in DOT_PRODUCTS.values() if all(map(target_has, each.needs)))


# ---- layers ------------------------------------------------------------------------------------------------------


def inputs_in_block(outputs: int) -> int:
    """Return the number of inputs whose weights a block holds, for a layer with `outputs`."""
    return ALIGNMENT // FEW_OUTPUTS if outputs <= FEW_OUTPUTS else ALIGNMENT // SUMS


def arrange_layer(bias: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a layer's bias and weights in the order that `layer_of` and `sparse_layer_of` take, aligned.

    They are int32[groups, SUMS] and int8[groups, blocks + 1, ALIGNMENT]. Missing weights are zero, and the last block
    belongs to no input.

    Args:
        bias: int32[outputs]
        weights: int8[outputs, inputs]
    """
    outputs, inputs = weights.shape
    taken = inputs_in_block(outputs)
    together = ALIGNMENT // taken
    groups, blocks = -(-outputs // together), UNROLL * -(-inputs // (UNROLL * taken))
    whole = np.zeros((groups * together, (blocks + 1) * taken), dtype=np.int8)
    whole[:outputs, :inputs] = weights
    sums = np.zeros((groups * together, SUMS // together), dtype=np.int32)
    sums[:outputs, 0] = bias
    arranged = whole.reshape(groups, together, blocks + 1, taken).transpose(0, 2, 1, 3)
    return aligned_copy(sums.reshape(groups, SUMS)), aligned_copy(arranged.reshape(groups, blocks + 1, ALIGNMENT))


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


def _python_layer(taken: int) -> Callable:
    def twin(out: Any, values: Any, weights: Any, bias: Any, blocks: Any, groups: Any, *sparse: Any) -> None:
        blocks, groups, together = int(blocks), int(groups), ALIGNMENT // taken
        rows = array_at(weights, groups * (blocks + 1) * ALIGNMENT, np.int8).reshape(
            groups, blocks + 1, together, taken
        )
        inputs = array_at(values, (blocks + 1) * taken, np.uint8).reshape(blocks + 1, taken).astype(np.int64)
        used = array_at(sparse[0], sparse[1], np.uint16) if sparse else np.arange(blocks)
        starts = array_at(bias, groups * SUMS, np.int32).reshape(groups, together, -1).sum(axis=2)
        sums = starts + np.einsum("gbot,bt->go", rows[:, used].astype(np.int64), inputs[used])
        array_at(out, groups * together, np.int32)[:] = sums.ravel()

    return twin


def layer_of(taken: int, dot: DotProduct | None = None) -> Any:
    """Return the intrinsic of a layer: (out, values, weights, bias, blocks, groups).

    It writes bias + weights @ values to `out`, int32[groups * ALIGNMENT / taken]. `values` is uint8[blocks * taken];
    `weights` and `bias` are as `arrange_layer` returns them.

    Args:
        taken: as `inputs_in_block` returns it
    """
    signature = types.void(*[types.uint64] * 4, types.int64, types.int64)
    return kernel_intrinsic(signature, _python_layer(taken))(_emit_layer(dot or best_dot_product(), taken))


def sparse_layer_of(taken: int, dot: DotProduct | None = None) -> Any:
    """Return the intrinsic of a layer that uses only listed blocks: with the arguments of `layer_of`, listed, count.

    Args:
        listed: uint16[count], as `list_nonzero` writes it
        values: uint8[(blocks + 1) * taken]
    """
    signature = types.void(*[types.uint64] * 4, *[types.int64] * 2, types.uint64, types.int64)
    return kernel_intrinsic(signature, _python_layer(taken))(_emit_layer(dot or best_dot_product(), taken))


# ---- inputs that are not 0 ---------------------------------------------------------------------------------------

STEP = 8  # blocks examined together
POSITIONS = np.zeros((1 << STEP, STEP), dtype=np.uint16)  # by mask: the indices of its set bits, lowest first
for _mask in range(1 << STEP):
    _set = [bit for bit in range(STEP) if _mask >> bit & 1]
    POSITIONS[_mask, : len(_set)] = _set


def nonzero_blocks_of(taken: int) -> Any:
    """Return the intrinsic (listed, values, blocks) that lists the blocks of `taken` inputs that are not all 0.

    It writes their numbers to `listed`, uint16[blocks + 2 * STEP], pads the list to a multiple of UNROLL with `blocks`
    (a block without weights), and returns the padded length. `values` is uint8[blocks * taken]; `blocks` is a multiple
    of STEP.
    """

    def twin(listed: Any, values: Any, blocks: Any) -> int:
        inputs = array_at(values, int(blocks) * taken, np.uint8).reshape(-1, taken)
        found = np.flatnonzero(inputs.any(axis=1))
        count = UNROLL * -(-len(found) // UNROLL)
        array_at(listed, count, np.uint16)[:] = [*found, *[int(blocks)] * (count - len(found))]
        return count

    @kernel_intrinsic(types.int64(types.uint64, types.uint64, types.int64), twin)
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

    return list_nonzero


# ---- activations -------------------------------------------------------------------------------------------------

PRODUCT_LIMIT, PRODUCT_SHIFT = 254, 9  # for pair_products: keep its products within activations
SQUARE_LIMIT, SQUARE_SHIFT, CLIP_SHIFT = 1 << 14, 19, 6  # for squares_and_clipped; larger sums are clipped anyway
PRODUCTS = 32  # int16 numbers in one step


def _python_pair_products(out: Any, values: Any, count: Any) -> None:
    low, high = array_at(values, 2 * int(count), np.int16).clip(0, PRODUCT_LIMIT).astype(np.uint16).reshape(2, -1)
    array_at(out, count, np.uint8)[:] = low * high >> PRODUCT_SHIFT


@kernel_intrinsic(types.void(types.uint64, types.uint64, types.int64), _python_pair_products)
def pair_products(builder, out, values, count):
    """Write clip(values[i]) * clip(values[count + i]) >> PRODUCT_SHIFT to `out`, uint8[count].

    Args:
        values: int16[2 * count], clipped to 0..PRODUCT_LIMIT
        count: a multiple of PRODUCTS
    """
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


def _python_squares_and_clipped(out: Any, sums: Any, count: Any) -> None:
    count = int(count)
    values = array_at(sums, count, np.int32).astype(np.int64)
    written = array_at(out, 2 * count, np.uint8)
    written[:count] = (values * values >> SQUARE_SHIFT).clip(0, LARGEST_ACTIVATION)
    written[count:] = (values >> CLIP_SHIFT).clip(0, LARGEST_ACTIVATION)


@kernel_intrinsic(types.void(types.uint64, types.uint64, types.int64), _python_squares_and_clipped)
def squares_and_clipped(builder, out, sums, count):
    """Write activations of the squares of `sums`, then of the sums themselves, to `out`, uint8[2 * count].

    They are sums[i]^2 >> SQUARE_SHIFT and sums[i] >> CLIP_SHIFT, clipped to 0..LARGEST_ACTIVATION. Whole vectors are
    read and written: sums up to the next multiple of SUMS, and the same part of `out`.
    """
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


def _python_dot_u8_i8(values: Any, weights: Any, count: Any) -> int:
    return int(array_at(values, count, np.uint8).astype(np.int64) @ array_at(weights, count, np.int8))


def dot_of(dot: DotProduct | None = None) -> Any:
    """Return the intrinsic (values, weights, count) of a layer with one output: the dot product as int64.

    Args:
        values: uint8[count]
        weights: int8[count]
        count: a multiple of ALIGNMENT
    """
    used = dot or best_dot_product()

    @kernel_intrinsic(types.int64(types.uint64, types.uint64, types.int64), _python_dot_u8_i8)
    def dot_u8_i8(builder, values, weights, count):
        kind, whole = ir.VectorType(I32, SUMS), ir.VectorType(I8, ALIGNMENT)
        total = cgutils.alloca_once_value(builder, ir.Constant(kind, None))
        with cgutils.for_range_slice(builder, I64(0), count, I64(ALIGNMENT), intp=I64) as (first, _):
            left, right = (builder.load(_at(builder, each, first, whole), align=1) for each in (values, weights))
            builder.store(used.emit(builder, builder.load(total), left, right), total)
        return builder.sext(_call(builder, f"llvm.vector.reduce.add.v{SUMS}i32", I32, builder.load(total)), I64)

    return dot_u8_i8
