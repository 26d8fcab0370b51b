"""The layers of a network in nn.bin: from the accumulators of both sides to its output.

In the plain kind the sums are clipped to activations, as are the outputs of the first two layers. In SFNN the
activations of each side are multiplied in pairs. The first layer's outputs enter the second layer twice, squared and
unchanged; an additional one goes straight to the output. Most products are 0, so SFNN's first layer skips zeros.
"""

import numpy as np

from shogi_engine.games.shogi.evaluation.nnue_architectures import KING_STACKS
from shogi_engine.games.shogi.evaluation.nnue_memory import ACTIVATIONS, LISTED_BLOCKS, SUMS, memory_at
from shogi_engine.games.shogi.types import NO_SQUARE, relative_square
from shogi_engine.jit import layers, load_i32, njit
from shogi_engine.jit.vectors import ALIGNMENT, LANES, clip_i16_u8, clip_i32_u8

KING_HOME = 76  # 5i: the assumed king square of a side without a king
FEW, MANY = layers.inputs_in_block(layers.FEW_OUTPUTS), layers.inputs_in_block(layers.FEW_OUTPUTS + 1)

layer_of_many, layer_of_few = layers.layer_of(MANY), layers.layer_of(FEW)
sparse_layer_of_many, sparse_layer_of_few = layers.sparse_layer_of(MANY), layers.sparse_layer_of(FEW)
nonzero_blocks_of_many, nonzero_blocks_of_few = layers.nonzero_blocks_of(MANY), layers.nonzero_blocks_of(FEW)
dot_product = layers.dot_of()


@njit
def king_square(pos, colour):
    """Return the square of `colour`'s king as `colour` sees it."""
    king = int(pos.king[colour])
    return KING_HOME if king == NO_SQUARE else relative_square(colour, king)


@njit
def layer_stack(ctx):
    """Return the number of the layer stack for ctx.pos, by the third of the board in which each side sees its king."""
    if ctx.evaluation.stacks != KING_STACKS:
        return 0
    us = int(ctx.pos.side)
    own, enemy = king_square(ctx.pos, us) // 27, king_square(ctx.pos, 1 - us) // 27
    return 3 * own + enemy


@njit
def whole(count, step):
    """Return the least multiple of `step` that is at least `count`."""
    return (count + step - 1) // step * step


@njit
def last_layers(ctx, values, sums, stack):
    """Return the output for the second layer's inputs at `values`, which are overwritten."""
    params = ctx.evaluation
    blocks, groups, second = params.blocks[1], params.groups[1], params.second
    weights = params.weights[1] + np.uint64(stack * groups * (blocks + 1) * ALIGNMENT)
    layer_of_many(sums, values, weights, params.biases[1] + np.uint64(stack * groups * ALIGNMENT), blocks, groups)
    clip_i32_u8(values, sums, layers.CLIP_SHIFT, layers.LARGEST_ACTIVATION, second)
    output = params.weights[2] + np.uint64(stack * whole(second, ALIGNMENT))
    return load_i32(params.biases[2] + np.uint64(4 * stack)) + dot_product(values, output, whole(second, ALIGNMENT))


@njit
def plain_output(ctx, own, other):
    """Return the output of a network of the plain kind for the accumulators, given by address."""
    params = ctx.evaluation
    values, sums, width = memory_at(ctx, ACTIVATIONS), memory_at(ctx, SUMS), params.width
    blocks, groups = params.blocks[0], params.groups[0]
    clip_i16_u8(values, own, layers.LARGEST_ACTIVATION, width)
    clip_i16_u8(values + np.uint64(width), other, layers.LARGEST_ACTIVATION, width)
    if params.first > layers.FEW_OUTPUTS:
        layer_of_many(sums, values, params.weights[0], params.biases[0], blocks, groups)
    else:
        layer_of_few(sums, values, params.weights[0], params.biases[0], blocks, groups)
    clip_i32_u8(values, sums, layers.CLIP_SHIFT, layers.LARGEST_ACTIVATION, whole(params.first, LANES))
    return last_layers(ctx, values, sums, 0)


@njit
def sfnn_output(ctx, own, other):
    """Return the output of an SFNN for the accumulators, given by address."""
    params = ctx.evaluation
    values, sums, listed = memory_at(ctx, ACTIVATIONS), memory_at(ctx, SUMS), memory_at(ctx, LISTED_BLOCKS)
    blocks, groups, half, stack = params.blocks[0], params.groups[0], params.width >> 1, layer_stack(ctx)
    layers.pair_products(values, own, half)
    layers.pair_products(values + np.uint64(half), other, half)
    weights = params.weights[0] + np.uint64(stack * groups * (blocks + 1) * ALIGNMENT)
    biases = params.biases[0] + np.uint64(stack * groups * ALIGNMENT)
    if params.first >= layers.FEW_OUTPUTS:
        count = nonzero_blocks_of_many(listed, values, blocks)
        sparse_layer_of_many(sums, values, weights, biases, blocks, groups, listed, count)
    else:
        count = nonzero_blocks_of_few(listed, values, blocks)
        sparse_layer_of_few(sums, values, weights, biases, blocks, groups, listed, count)
    shortcut = load_i32(sums + np.uint64(4 * params.first))
    layers.squares_and_clipped(values, sums, params.first)
    return last_layers(ctx, values, sums, stack) + shortcut


@njit
def network_output(ctx, own, other):
    """Return the network's output for the accumulators of the side to move and of the other, given by address."""
    return sfnn_output(ctx, own, other) if ctx.evaluation.stacks else plain_output(ctx, own, other)
