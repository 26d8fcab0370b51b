"""The loss of a network of the standard format (nn.bin), K-P 256x2-32-32, and its gradient, in float32.

After the rows and the bias (kernels.py) come three layers, each with weights [inputs, outputs] and bias
[outputs]. The first takes the clipped sums of both sides; the others take the clipped outputs of the layer before.
"""

import math

import numpy as np

from shogi_engine.jit import njit
from shogi_engine.training.adamw import ONE, TWO, ZERO, clip
from shogi_engine.training.shogi.kernels import LANES, add_row_gradients, add_rows

FEATURES, WIDTH, FIRST, SECOND = 1710, 256, 32, 32
BIAS = FEATURES + 1  # the bias is this row
LAYERS = ((2 * WIDTH, FIRST), (FIRST, SECOND), (SECOND, 1))  # inputs and outputs
WEIGHTS1 = (BIAS + 1) * WIDTH
BIAS1 = WEIGHTS1 + 2 * WIDTH * FIRST
WEIGHTS2 = BIAS1 + FIRST
BIAS2 = WEIGHTS2 + FIRST * SECOND
OUTPUT = BIAS2 + SECOND
OUTPUT_BIAS = OUTPUT + SECOND
PARAMETERS = OUTPUT_BIAS + 1


@njit
def affine(parameters, weights, bias, values, out):
    """Write the sums of a layer to `out`.

    Args:
        weights, bias: their indices in `parameters`
    """
    count = out.shape[0]
    start = parameters[bias : bias + count]
    for j in range(count):
        out[j] = start[j]
    for i in range(values.shape[0]):
        value = values[i]
        if value != ZERO:
            row = parameters[weights + i * count : weights + (i + 1) * count]
            for j in range(count):
                out[j] += value * row[j]


@njit
def layer(parameters, weights, bias, values, out):
    """Write the sums of a layer, clipped, to `out`; the arguments are those of `affine`."""
    affine(parameters, weights, bias, values, out)
    for j in range(out.shape[0]):
        out[j] = clip(out[j])


@njit
def layer_gradients(parameters, gradients, weights, bias, values, outer, inner, lanes):
    """Add a layer's gradient to `gradients`, and write the gradient by its inputs before clipping to `inner`.

    Args:
        outer: float32[outputs], the gradient by its sums; outputs is a multiple of LANES
        lanes: float32[LANES], scratch
    """
    count = outer.shape[0]
    into = gradients[bias : bias + count]
    for j in range(count):
        into[j] += outer[j]
    for i in range(values.shape[0]):
        value = values[i]
        inner[i] = ZERO
        if value == ZERO:
            continue
        into = gradients[weights + i * count : weights + (i + 1) * count]
        for j in range(count):
            into[j] += value * outer[j]
        if value < ONE:
            for lane in range(LANES):
                lanes[lane] = ZERO
            for begin in range(0, count, LANES):
                row = parameters[weights + i * count + begin : weights + i * count + begin + LANES]
                for lane in range(LANES):
                    lanes[lane] += row[lane] * outer[begin + lane]
            total = ZERO
            for lane in range(LANES):
                total += lanes[lane]
            inner[i] = total


@njit
def output_of(parameters, active, sums, hidden):
    """Return the output for the features `active`, uint16[2, ACTIVE].

    Args:
        sums: float32[2 * WIDTH], out, the clipped sums, those of the side to move first
        hidden: float32[2, FIRST], out, the outputs of the first two layers
    """
    for side in range(2):
        add_rows(parameters, BIAS, WIDTH, active[side], sums[side * WIDTH : (side + 1) * WIDTH])
    for j in range(2 * WIDTH):
        sums[j] = clip(sums[j])
    layer(parameters, WEIGHTS1, BIAS1, sums, hidden[0])
    layer(parameters, WEIGHTS2, BIAS2, hidden[0], hidden[1])
    output = parameters[OUTPUT_BIAS]
    for j in range(SECOND):
        output += parameters[OUTPUT + j] * hidden[1, j]
    return output


@njit
def write_outputs(parameters, features, outputs, sums, hidden):
    """Write the network's outputs for positions to `outputs`, float32[n].

    Args:
        features: uint16[n, 2, ACTIVE]
        sums, hidden: scratch, as in `output_of`
    """
    for row in range(features.shape[0]):
        outputs[row] = output_of(parameters, features[row], sums, hidden)


@njit
def add_gradients(parameters, features, targets, order, gradients, sums, hidden, inner, outer, lanes):
    """Return the summed squared error of the positions `order`, and add its gradient to `gradients`.

    The error is that of the winning chance, 1 / (1 + exp(-output)), against `targets`, float32[n].

    Args:
        order: int32[m], rows of `features`, uint16[n, 2, ACTIVE]
        sums, hidden: scratch, as in `output_of`
        inner: float32[2 * WIDTH]
        outer: float32[2, FIRST]
        lanes: float32[LANES]
    """
    loss = 0.0
    for index in range(order.shape[0]):
        row = order[index]
        chance = ONE / (ONE + np.float32(math.exp(-output_of(parameters, features[row], sums, hidden))))
        error = chance - targets[row]
        loss += float(error) * float(error)
        gradient = TWO * error * chance * (ONE - chance)
        gradients[OUTPUT_BIAS] += gradient
        for j in range(SECOND):
            value = hidden[1, j]
            gradients[OUTPUT + j] += gradient * value
            outer[1, j] = gradient * parameters[OUTPUT + j] if ZERO < value < ONE else ZERO
        layer_gradients(parameters, gradients, WEIGHTS2, BIAS2, hidden[0], outer[1], outer[0], lanes)
        layer_gradients(parameters, gradients, WEIGHTS1, BIAS1, sums, outer[0], inner, lanes)
        for side in range(2):
            part = inner[side * WIDTH : (side + 1) * WIDTH]
            add_row_gradients(gradients, BIAS, WIDTH, features[row, side], part)
    return loss
