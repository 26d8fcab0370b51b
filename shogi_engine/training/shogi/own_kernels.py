"""The loss of the engine's own network and its gradient, in float32.

After the rows and the bias (kernels.py) come the output weights [2, width] of each output bucket, then the
output bias of each bucket.
"""

import math

import numpy as np

from shogi_engine.games.shogi.evaluation import network as inputs
from shogi_engine.jit import njit
from shogi_engine.training.adamw import ONE, TWO, ZERO, clip
from shogi_engine.training.shogi.kernels import LANES, add_row_gradients, add_rows

BIAS = inputs.FEATURES + 1  # the bias begins at BIAS * width, the output weights at OUTPUT * width, ...
OUTPUT = BIAS + 1
OUTPUT_BIAS = OUTPUT + 2 * inputs.OUTPUT_BUCKETS  # ... the output biases at OUTPUT_BIAS * width


@njit
def bucket_of(active):
    """Return the output bucket of a position by its features, uint16[ACTIVE]."""
    held = 0
    for place in range(inputs.ACTIVE):
        feature = int(active[place])
        if feature < inputs.FEATURES and feature % inputs.SIDE >= inputs.HAND_BASE:
            held += 1
    return int(inputs.HELD_BUCKETS[held])


@njit
def output_of(parameters, width, bucket, sums, squares):
    """Return the output in an output bucket for `sums`, float32[2, width]; write their clipped squares to `squares`."""
    lanes = squares[2 * width :]
    for lane in range(LANES):
        lanes[lane] = ZERO
    for side in range(2):
        own = sums[side]
        for j in range(width):
            clipped = clip(own[j])
            squares[side * width + j] = clipped * clipped
    first = (OUTPUT + 2 * bucket) * width
    weights = parameters[first : first + 2 * width]
    for begin in range(0, 2 * width, LANES):
        part, square = weights[begin : begin + LANES], squares[begin : begin + LANES]
        for lane in range(LANES):
            lanes[lane] += part[lane] * square[lane]
    output = parameters[OUTPUT_BIAS * width + bucket]
    for lane in range(LANES):
        output += lanes[lane]
    return output


@njit
def write_outputs(parameters, width, features, outputs, sums, squares):
    """Write the network's outputs for positions to `outputs`, float32[n].

    Args:
        features: uint16[n, 2, ACTIVE]
        sums: float32[2, width], scratch
        squares: float32[2 * width + LANES], scratch
    """
    for row in range(features.shape[0]):
        for side in range(2):
            add_rows(parameters, BIAS, width, features[row, side], sums[side])
        outputs[row] = output_of(parameters, width, bucket_of(features[row, 0]), sums, squares)


@njit
def add_gradients(parameters, width, features, targets, order, gradients, sums, squares):
    """Return the summed squared error of the positions `order`, and add its gradient to `gradients`.

    The error is that of the winning chance, 1 / (1 + exp(-output)), against `targets`, float32[n].

    Args:
        order: int32[m], rows of `features`, uint16[n, 2, ACTIVE]
        sums, squares: as in `write_outputs`
    """
    loss = 0.0
    for index in range(order.shape[0]):
        row = order[index]
        bucket = bucket_of(features[row, 0])
        for side in range(2):
            add_rows(parameters, BIAS, width, features[row, side], sums[side])
        chance = ONE / (ONE + np.float32(math.exp(-output_of(parameters, width, bucket, sums, squares))))
        error = chance - targets[row]
        loss += float(error) * float(error)
        gradient = TWO * error * chance * (ONE - chance)
        gradients[OUTPUT_BIAS * width + bucket] += gradient
        for side in range(2):
            begin = (OUTPUT + 2 * bucket + side) * width
            own, weights, out = sums[side], parameters[begin : begin + width], gradients[begin : begin + width]
            square = squares[side * width : side * width + width]
            for j in range(width):
                out[j] += gradient * square[j]
                value = own[j]
                inner = gradient * TWO * value * weights[j]
                own[j] = inner if value > ZERO and value < ONE else ZERO
            add_row_gradients(gradients, BIAS, width, features[row, side], own)
    return loss
