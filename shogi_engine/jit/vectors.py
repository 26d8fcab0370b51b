"""Vector kernels on raw memory, for networks: sums of int16 rows, clipped activations, dot products of their squares.

In a kernel each is a loop over vectors of LANES int16 as portable LLVM code (workshop/vectors.py). LLVM turns it into
the best instructions of the CPU (vpmaddwd with SSE, AVX2 and AVX-512; for bytes vpdpbusd with VNNI). numba's own loops
get none of these because they multiply int32 as int64. In Python numpy does the same.

All arguments are addresses (uint64) and counts (int64). A count must be a multiple of LANES, otherwise the rest is
ignored; a constant count lets LLVM unroll the loop. Nothing is checked. Any alignment of the element type works, but
memory aligned to ALIGNMENT, as `aligned_zeros` returns it, is faster because no load touches two cache lines. `out`
may be one of the operands. Sums of int16 wrap around as in two's complement.

Layers have activations of uint8 and weights of int8: int32 sums, and activations computed from sums. A layer's weights
lie in blocks of ALIGNMENT bytes. The product of a block and a few activations, repeated in every lane, is added to the
sums of several outputs at once, so that no sum across lanes is needed. `arrange_layer` returns weights in this order.
Only the product of a block differs between CPUs (workshop/vectors.py: DOT_PRODUCTS). Activations are at most
LARGEST_ACTIVATION, so that sums of two products fit int16.

Source of layers: the order of the weights and the list of nonzero inputs are Stockfish's,
https://github.com/official-stockfish/Stockfish/blob/master/src/nnue/layers/affine_transform_sparse_input.h.
"""

import ctypes
from typing import Any

import numpy as np

from shogi_engine.jit.intrinsics import emitted
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


# ---- layers ------------------------------------------------------------------------------------------------------

LARGEST_ACTIVATION = 127
SUMS = ALIGNMENT // 4  # int32 numbers in a vector: the sums to which a block adds
FEW_OUTPUTS = SUMS // 2  # a layer with this many outputs has two sums for each, which halves the number of blocks
UNROLL = 4  # blocks in one step of a loop; each has its own sums, because an addition must wait for the previous one


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


def _layer(taken: int) -> Any:
    def layer(out: Any, values: Any, weights: Any, bias: Any, blocks: Any, groups: Any, *sparse: Any) -> None:
        blocks, groups, together = int(blocks), int(groups), ALIGNMENT // taken
        rows = array_at(weights, groups * (blocks + 1) * ALIGNMENT, np.int8).reshape(
            groups, blocks + 1, together, taken
        )
        inputs = array_at(values, (blocks + 1) * taken, np.uint8).reshape(blocks + 1, taken).astype(np.int64)
        used = array_at(sparse[0], sparse[1], np.uint16) if sparse else np.arange(blocks)
        starts = array_at(bias, groups * SUMS, np.int32).reshape(groups, together, -1).sum(axis=2)
        sums = starts + np.einsum("gbot,bt->go", rows[:, used].astype(np.int64), inputs[used])
        array_at(out, groups * together, np.int32)[:] = sums.ravel()

    return layer


def layer_of(taken: int, product: str = "") -> Any:
    """Return the function of a layer: (out, values, weights, bias, blocks, groups).

    It writes bias + weights @ values to `out`, int32[groups * ALIGNMENT / taken]. `values` is uint8[blocks * taken];
    `weights` and `bias` are as `arrange_layer` returns them.

    Args:
        taken: as `inputs_in_block` returns it
        product: the name of a product in the workshop's DOT_PRODUCTS; '' for the fastest that the CPU supports
    """
    return emitted(_layer(taken), "layer_of", taken, product)


def sparse_layer_of(taken: int, product: str = "") -> Any:
    """Return the function of a layer that uses only listed blocks: with the arguments of `layer_of`, listed, count.

    Args:
        listed: uint16[count], as `list_nonzero` writes it
        values: uint8[(blocks + 1) * taken]
    """
    return emitted(_layer(taken), "sparse_layer_of", taken, product)


# ---- inputs that are not 0 ---------------------------------------------------------------------------------------

STEP = 8  # blocks examined together


def nonzero_blocks_of(taken: int) -> Any:
    """Return the function (listed, values, blocks) that lists the blocks of `taken` inputs that are not all 0.

    It writes their numbers to `listed`, uint16[blocks + 2 * STEP], pads the list to a multiple of UNROLL with `blocks`
    (a block without weights), and returns the padded length. `values` is uint8[blocks * taken]; `blocks` is a multiple
    of STEP.
    """

    def list_nonzero(listed: Any, values: Any, blocks: Any) -> int:
        inputs = array_at(values, int(blocks) * taken, np.uint8).reshape(-1, taken)
        found = np.flatnonzero(inputs.any(axis=1))
        count = UNROLL * -(-len(found) // UNROLL)
        array_at(listed, count, np.uint16)[:] = [*found, *[int(blocks)] * (count - len(found))]
        return count

    return emitted(list_nonzero, "nonzero_blocks_of", taken)


# ---- activations -------------------------------------------------------------------------------------------------

PRODUCT_LIMIT, PRODUCT_SHIFT = 254, 9  # for pair_products: keep its products within activations
SQUARE_SHIFT, CLIP_SHIFT = 19, 6  # for squares_and_clipped
PRODUCTS = 32  # int16 numbers in one step


@emitted
def pair_products(out: Any, values: Any, count: Any) -> None:
    """Write clip(values[i]) * clip(values[count + i]) >> PRODUCT_SHIFT to `out`, uint8[count].

    Args:
        values: int16[2 * count], clipped to 0..PRODUCT_LIMIT
        count: a multiple of PRODUCTS
    """
    low, high = array_at(values, 2 * int(count), np.int16).clip(0, PRODUCT_LIMIT).astype(np.uint16).reshape(2, -1)
    array_at(out, count, np.uint8)[:] = low * high >> PRODUCT_SHIFT


@emitted
def squares_and_clipped(out: Any, sums: Any, count: Any) -> None:
    """Write activations of the squares of `sums`, then of the sums themselves, to `out`, uint8[2 * count].

    They are sums[i]^2 >> SQUARE_SHIFT and sums[i] >> CLIP_SHIFT, clipped to 0..LARGEST_ACTIVATION. Whole vectors are
    read and written: sums up to the next multiple of SUMS, and the same part of `out`.
    """
    count = int(count)
    values = array_at(sums, count, np.int32).astype(np.int64)
    written = array_at(out, 2 * count, np.uint8)
    written[:count] = (values * values >> SQUARE_SHIFT).clip(0, LARGEST_ACTIVATION)
    written[count:] = (values >> CLIP_SHIFT).clip(0, LARGEST_ACTIVATION)


def dot_of(product: str = "") -> Any:
    """Return the function (values, weights, count) of a layer with one output: the dot product as int64.

    Args:
        product: as in `layer_of`
        values: uint8[count]
        weights: int8[count]
        count: a multiple of ALIGNMENT
    """

    def dot_u8_i8(values: Any, weights: Any, count: Any) -> int:
        return int(array_at(values, count, np.uint8).astype(np.int64) @ array_at(weights, count, np.int8))

    return emitted(dot_u8_i8, "dot_of", product)
