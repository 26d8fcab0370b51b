"""A network's loss, its slopes, and the steps of AdamW, in float32.

The parameters lie in one array, `parameters`: rows of the features [FEATURES + 1, width], the last one of zeros for
what fills up `features`; the bias [width]; by output bucket the output weights [2, width]; by bucket the output bias.
`slopes` lies likewise.
Source of the optimiser: I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", arXiv:1711.05101.
"""

import math

import numpy as np

from shogi_engine.games.shogi.evaluation.network_features import (
    ACTIVE,
    FEATURES,
    HAND_BASE,
    HELD_BUCKETS,
    OUTPUT_BUCKETS,
    SIDE,
)
from shogi_engine.jit import njit

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
MEAN_DECAY, SQUARE_DECAY, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
BIAS = FEATURES + 1  # the bias begins at BIAS * width, the output weights at OUTPUT * width, ...
OUTPUT = BIAS + 1
OUTPUT_BIAS = OUTPUT + 2 * OUTPUT_BUCKETS  # ... the output biases at OUTPUT_BIAS * width
AT_ONCE = 4  # rows that are added at once
LANES = 16  # sums that are kept side by side


@njit
def add_rows(parameters, width, active, sums):
    """Write the bias and the rows `active`, uint16[ACTIVE], to `sums`, float32[width], added."""
    bias = parameters[BIAS * width : BIAS * width + width]
    for j in range(width):
        sums[j] = bias[j]
    for place in range(0, ACTIVE, AT_ONCE):
        begin = int(active[place]) * width, int(active[place + 1]) * width
        begin2 = int(active[place + 2]) * width, int(active[place + 3]) * width
        row0, row1 = parameters[begin[0] : begin[0] + width], parameters[begin[1] : begin[1] + width]
        row2, row3 = parameters[begin2[0] : begin2[0] + width], parameters[begin2[1] : begin2[1] + width]
        for j in range(width):
            sums[j] += (row0[j] + row1[j]) + (row2[j] + row3[j])


@njit
def bucket_of(active):
    """Return the output bucket of a position by its features, uint16[ACTIVE]."""
    held = 0
    for place in range(ACTIVE):
        feature = int(active[place])
        if feature < FEATURES and feature % SIDE >= HAND_BASE:
            held += 1
    return int(HELD_BUCKETS[held])


@njit
def clip(value):
    """Return `value` between 0 and 1."""
    if value < ZERO:
        return ZERO
    return ONE if value > ONE else value


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
    """Write the network's outputs for positions to `outputs`, float32[n]; features : uint16[n, 2, ACTIVE].

    sums : float32[2, width], scratch.   squares : float32[2 * width + LANES], scratch.
    """
    for row in range(features.shape[0]):
        for side in range(2):
            add_rows(parameters, width, features[row, side], sums[side])
        outputs[row] = output_of(parameters, width, bucket_of(features[row, 0]), sums, squares)


@njit
def add_slopes(parameters, width, features, targets, order, slopes, sums, squares):
    """Return the summed squared error of the positions `order`, and add its slopes to `slopes`.

    The error is that of the chance to win, 1 / (1 + exp(-output)), against targets : float32[n].
    order : int32[m], rows of `features`, uint16[n, 2, ACTIVE].   sums, squares : as in `write_outputs`.
    """
    loss = 0.0
    bias = slopes[BIAS * width : BIAS * width + width]
    for index in range(order.shape[0]):
        row = order[index]
        bucket = bucket_of(features[row, 0])
        for side in range(2):
            add_rows(parameters, width, features[row, side], sums[side])
        chance = ONE / (ONE + np.float32(math.exp(-output_of(parameters, width, bucket, sums, squares))))
        error = chance - targets[row]
        loss += float(error) * float(error)
        slope = TWO * error * chance * (ONE - chance)
        slopes[OUTPUT_BIAS * width + bucket] += slope
        for side in range(2):
            begin = (OUTPUT + 2 * bucket + side) * width
            own, weights, out = sums[side], parameters[begin : begin + width], slopes[begin : begin + width]
            square = squares[side * width : side * width + width]
            for j in range(width):
                out[j] += slope * square[j]
                value = own[j]
                inner = slope * TWO * value * weights[j]
                own[j] = inner if value > ZERO and value < ONE else ZERO
            for j in range(width):
                bias[j] += own[j]
            for place in range(ACTIVE):
                first = int(features[row, side, place]) * width
                into = slopes[first : first + width]
                for j in range(width):
                    into[j] += own[j]
    return loss


@njit
def step(parameters, means, squares, slopes, begin, end, count, rate, decay, number, limit):
    """Move parameters[begin:end] a step of AdamW against `slopes`, float32[threads, parameters], and clear those.

    means, squares : float32[parameters], in-out, of the slopes so far.   count : positions of the batch.
    rate : of learning.   decay : of weights.   number : of the step, from 1.   limit : of each parameter's size.
    """
    correction = np.float32(1.0 - 0.9**number)
    correction2 = np.float32(1.0 - 0.999**number)
    share = np.float32(1.0 / count)
    for index in range(begin, end):
        slope = ZERO
        for thread in range(slopes.shape[0]):
            slope += slopes[thread, index]
            slopes[thread, index] = ZERO
        slope *= share
        means[index] += (ONE - MEAN_DECAY) * (slope - means[index])
        squares[index] += (ONE - SQUARE_DECAY) * (slope * slope - squares[index])
        change = (means[index] / correction) / (np.sqrt(squares[index] / correction2) + TINY)
        value = parameters[index] - rate * (change + decay * parameters[index])
        parameters[index] = min(max(value, -limit), limit)
