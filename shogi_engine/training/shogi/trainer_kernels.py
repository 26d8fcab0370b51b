"""Shared by the training of all networks: sums of rows, their gradients, and the steps of AdamW, in float32.

Parameters are in one array, `parameters`, and the gradient of the loss in another, `gradients`. First come the rows of
the features [features + 1, width], the last one zero for absent features, then the bias [width].
Source of the optimiser: I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", arXiv:1711.05101.
"""

import numpy as np

from shogi_engine.games.shogi.evaluation.network_features import ACTIVE
from shogi_engine.jit import njit

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
FIRST_DECAY, SECOND_DECAY, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
AT_ONCE = 4  # rows added at once
LANES = 16  # sums computed in parallel


@njit
def add_rows(parameters, bias_row, width, active, sums):
    """Write the sum of the bias, which is a row, and the rows `active`, uint16[ACTIVE], to `sums`, float32[width]."""
    bias = parameters[bias_row * width : bias_row * width + width]
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
def add_row_gradients(gradients, bias_row, width, active, inner):
    """Add `inner`, float32[width], the gradient by the sums of `add_rows`, to those of bias and rows `active`."""
    bias = gradients[bias_row * width : bias_row * width + width]
    for j in range(width):
        bias[j] += inner[j]
    for place in range(ACTIVE):
        first = int(active[place]) * width
        into = gradients[first : first + width]
        for j in range(width):
            into[j] += inner[j]


@njit
def clip(value):
    """Return `value` clipped to 0 to 1."""
    if value < ZERO:
        return ZERO
    return ONE if value > ONE else value


@njit
def step(parameters, first_moments, second_moments, gradients, begin, end, count, rate, decay, number, limit):
    """Update parameters[begin:end] by a step of AdamW from `gradients`, float32[threads, parameters], and clear those.

    Args:
        first_moments, second_moments: float32[parameters], in-out, running means of gradients and their squares
        count: the number of positions in the batch
        rate: the learning rate
        decay: the weight decay
        number: the number of the step, from 1
        limit: the largest absolute value of a parameter
    """
    correction = np.float32(1.0 - 0.9**number)
    correction2 = np.float32(1.0 - 0.999**number)
    share = np.float32(1.0 / count)
    for index in range(begin, end):
        gradient = ZERO
        for thread in range(gradients.shape[0]):
            gradient += gradients[thread, index]
            gradients[thread, index] = ZERO
        gradient *= share
        first_moments[index] += (ONE - FIRST_DECAY) * (gradient - first_moments[index])
        second_moments[index] += (ONE - SECOND_DECAY) * (gradient * gradient - second_moments[index])
        change = (first_moments[index] / correction) / (np.sqrt(second_moments[index] / correction2) + TINY)
        value = parameters[index] - rate * (change + decay * parameters[index])
        parameters[index] = min(max(value, -limit), limit)
