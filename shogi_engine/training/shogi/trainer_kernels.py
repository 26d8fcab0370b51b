"""Shared by the training of Shogi's networks: sums of rows and their gradients, in float32.

Parameters are in one array, `parameters`, and the gradient of the loss in another, `gradients`. First come the rows of
the features [features + 1, width], the last one zero for absent features, then the bias [width].
"""

from shogi_engine.games.shogi.evaluation.network_features import ACTIVE
from shogi_engine.jit import njit

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
