"""The loss of a network of the standard kind SFNN, with the features K-P, and its gradient, in float32.

After the rows and the bias (trainer_kernels.py) come several stacks of layers; the thirds of the board that the kings
stand in select one. The first layer takes products of pairs of clipped sums: of each side, the first half of the sums
times the second. Its outputs but the last enter the second layer twice, squared and unchanged, each clipped; the last
one is added to the network's output. Each layer has weights [inputs, outputs] and bias [outputs].

The file rounds products and squares down, so the same is done here on average.
"""

import math

import numpy as np

from shogi_engine.games.shogi.evaluation.network import ACTIVE
from shogi_engine.games.shogi.evaluation.nnue_file import PER_KING
from shogi_engine.games.shogi.types import SQUARES
from shogi_engine.jit import njit
from shogi_engine.jit.vectors import CLIP_SHIFT, LARGEST_ACTIVATION, PRODUCT_LIMIT, PRODUCT_SHIFT, SQUARE_SHIFT
from shogi_engine.training.adamw import ONE, TWO, ZERO, clip
from shogi_engine.training.shogi.kernels import add_row_gradients, add_rows
from shogi_engine.training.shogi.standard_kernels import BIAS, affine, layer, layer_gradients

FIRST, SECOND = 16, 32  # outputs of the first layer, with the one for the output, and of the second
USED = FIRST - 1
DUAL = 2 * USED  # inputs of the second layer
UNIT = LARGEST_ACTIVATION << CLIP_SHIFT  # a sum of 1 in the file, whose activation of 1 is LARGEST_ACTIVATION
PRODUCT = np.float32((PRODUCT_LIMIT**2 >> PRODUCT_SHIFT) / LARGEST_ACTIVATION)  # what the file makes of 1 times 1, ...
SQUARE = np.float32((UNIT**2 >> SQUARE_SHIFT) / LARGEST_ACTIVATION)  # ... and of 1 squared
LOST = np.float32(0.5 / LARGEST_ACTIVATION)  # by rounding down, on average
# By the offset in a stack: biases and the weights of later layers, after the first layer's weights.
BIAS1 = 0
WEIGHTS2 = BIAS1 + FIRST
BIAS2 = WEIGHTS2 + DUAL * SECOND
OUTPUT = BIAS2 + SECOND
OUTPUT_BIAS = OUTPUT + SECOND
REST = OUTPUT_BIAS + 1
HOME_THIRD = 2  # of a side without a king


@njit
def stack_of(active):
    """Return the stack of a position by its features, uint16[2, ACTIVE]: as `nnue_layers.layer_stack` does."""
    found = 0
    for side in range(2):
        third = HOME_THIRD
        for place in range(ACTIVE):
            square = int(active[side, place]) - PER_KING
            if square >= 0 and square < SQUARES:
                third = square % 9 // 3  # squares are numbered down the files
        found = 3 * found + third
    return found


@njit
def output_of(parameters, width, at, active, shortcut, sums, products, hidden, dual, second):
    """Return the output for the features `active`, uint16[2, ACTIVE].

    Args:
        at: the index of the stack's first weight
        shortcut: the factor of the first layer's last output
        sums: float32[2, width], out, the clipped sums, those of the side to move first
        products: float32[width], out, the first layer's inputs
        hidden: float32[FIRST], out, its outputs
        dual: float32[DUAL], out, the second layer's inputs
        second: float32[SECOND], out, its outputs
    """
    half, rest = width // 2, at + width * FIRST
    for side in range(2):
        own = sums[side]
        add_rows(parameters, BIAS, width, active[side], own)
        product = products[side * half : side * half + half]
        for j in range(width):
            own[j] = clip(own[j])
        for j in range(half):
            product[j] = clip(own[j] * own[half + j] * PRODUCT - LOST)
    affine(parameters, at, rest + BIAS1, products, hidden)
    for j in range(USED):
        dual[j] = clip(hidden[j] * hidden[j] * SQUARE - LOST)
        dual[USED + j] = clip(hidden[j])
    layer(parameters, rest + WEIGHTS2, rest + BIAS2, dual, second)
    output = parameters[rest + OUTPUT_BIAS] + shortcut * hidden[USED]
    for j in range(SECOND):
        output += parameters[rest + OUTPUT + j] * second[j]
    return output


@njit
def stack_begin(width, active):
    """Return the index of the first weight of a position's stack."""
    return (BIAS + 1) * width + stack_of(active) * (width * FIRST + REST)


@njit
def write_outputs(parameters, width, shortcut, features, outputs, sums, products, hidden, dual, second):
    """Write the network's outputs for positions to `outputs`, float32[n].

    Args:
        features: uint16[n, 2, ACTIVE]
        sums, products, hidden, dual, second: scratch, as in `output_of`
    """
    for row in range(features.shape[0]):
        active = features[row]
        at = stack_begin(width, active)
        outputs[row] = output_of(parameters, width, at, active, shortcut, sums, products, hidden, dual, second)


@njit
def add_gradients(
    parameters, width, shortcut, features, targets, order, gradients, sums, products, hidden, dual, second,
    inner, inner_dual, outer, outer2, lanes,
):  # fmt: skip
    """Return the summed squared error of the positions `order`, and add its gradient to `gradients`.

    The error is that of the winning chance, 1 / (1 + exp(-output)), against `targets`, float32[n].

    Args:
        order: int32[m], rows of `features`, uint16[n, 2, ACTIVE]
        sums, products, hidden, dual, second: scratch, as in `output_of`
        inner: float32[width]
        inner_dual: float32[DUAL]
        outer: float32[FIRST]
        outer2: float32[SECOND]
        lanes: float32[LANES]
    """
    loss, half = 0.0, width // 2
    for index in range(order.shape[0]):
        row = order[index]
        active = features[row]
        at = stack_begin(width, active)
        rest = at + width * FIRST
        output = output_of(parameters, width, at, active, shortcut, sums, products, hidden, dual, second)
        chance = ONE / (ONE + np.float32(math.exp(-output)))
        error = chance - targets[row]
        loss += float(error) * float(error)
        gradient = TWO * error * chance * (ONE - chance)
        gradients[rest + OUTPUT_BIAS] += gradient
        for j in range(SECOND):
            value = second[j]
            gradients[rest + OUTPUT + j] += gradient * value
            outer2[j] = gradient * parameters[rest + OUTPUT + j] if ZERO < value < ONE else ZERO
        layer_gradients(parameters, gradients, rest + WEIGHTS2, rest + BIAS2, dual, outer2, inner_dual, lanes)
        for j in range(USED):
            outer[j] = inner_dual[j] * TWO * SQUARE * hidden[j] + inner_dual[USED + j]
        outer[USED] = gradient * shortcut
        layer_gradients(parameters, gradients, at, rest + BIAS1, products, outer, inner, lanes)
        for side in range(2):
            own, part = sums[side], inner[side * half : side * half + half]
            for j in range(half):
                first, other, slope = own[j], own[half + j], part[j] * PRODUCT
                own[j] = slope * other if first < ONE else ZERO
                own[half + j] = slope * first if other < ONE else ZERO
            add_row_gradients(gradients, BIAS, width, active[side], own)
    return loss
