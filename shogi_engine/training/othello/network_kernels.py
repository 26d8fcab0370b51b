"""Kernels of the network's training: the rows of positions, outputs, and gradients, in float32.

Parameters are in one array, and the gradient of the loss in another: the stored rows [stored rows, WIDTH], then bias
and output weights [PHASES, WIDTH] each. An output of 1 is UNIT hundredths of a disc.
"""

import numpy as np

from shogi_engine.games.othello.evaluation.network_weights import INPUTS, WIDTH, stored_rows
from shogi_engine.games.othello.evaluation.pattern_layout import PHASES
from shogi_engine.games.othello.evaluation.patterns import phase_of, refresh_numbers
from shogi_engine.jit import njit
from shogi_engine.training.adamw import ONE, TWO, ZERO, clip

UNIT = 1600
SLOTS = np.array([slot for slot, _, _ in INPUTS], dtype=np.int64)
COUNTS = np.array([count for _, count, _ in INPUTS], dtype=np.int64)
STARTS = np.array([start for _, _, start in INPUTS], dtype=np.int64)
ACTIVE = len(INPUTS)
BIAS = stored_rows() * WIDTH
OUTPUT = BIAS + PHASES * WIDTH
PARAMETERS = OUTPUT + PHASES * WIDTH


@njit
def write_rows(samples, places, accumulator, rows, phases):
    """Write the stored row of each instance of each sample to `rows`, uint16[n, ACTIVE], and its phase to `phases`.

    Args:
        places: int32, network_weights.file_rows()
        accumulator: record[patterns.ACCUMULATOR], scratch
        phases: uint8[n]
    """
    for index in range(len(samples)):
        own, opponent = samples[index].own, samples[index].opponent
        refresh_numbers(own, opponent, accumulator)
        phases[index] = phase_of(own, opponent)
        for place in range(ACTIVE):
            number = np.int64(accumulator.numbers[SLOTS[place]]) % COUNTS[place]
            rows[index, place] = places[number + STARTS[place]]


@njit
def output_of(parameters, rows, phase, sums):
    """Return the output for a position, and write its sums, float32[WIDTH], to `sums`."""
    bias = parameters[BIAS + phase * WIDTH : BIAS + phase * WIDTH + WIDTH]
    for j in range(WIDTH):
        sums[j] = bias[j]
    for place in range(ACTIVE):
        begin = int(rows[place]) * WIDTH
        row = parameters[begin : begin + WIDTH]
        for j in range(WIDTH):
            sums[j] += row[j]
    weights = parameters[OUTPUT + phase * WIDTH : OUTPUT + phase * WIDTH + WIDTH]
    total = ZERO
    for j in range(WIDTH):
        active = clip(sums[j])
        total += active * active * weights[j]
    return total


@njit
def write_outputs(parameters, rows, phases, outputs):
    """Write the output for each position to `outputs`, float32[n]."""
    sums = np.zeros(WIDTH, dtype=np.float32)
    for index in range(len(rows)):
        outputs[index] = output_of(parameters, rows[index], int(phases[index]), sums)


@njit
def add_gradients(parameters, rows, phases, targets, batch, gradients):
    """Return the summed loss of a batch, the squared errors, and add its gradient to `gradients`.

    Args:
        targets: float32[n], of the outputs
        batch: int32[k], the positions of the batch
    """
    sums, inner = np.zeros(WIDTH, dtype=np.float32), np.zeros(WIDTH, dtype=np.float32)
    loss = 0.0
    for index in batch:
        phase = int(phases[index])
        error = output_of(parameters, rows[index], phase, sums) - targets[index]
        loss += error * error
        first, outer = BIAS + phase * WIDTH, OUTPUT + phase * WIDTH
        slope = TWO * error
        for j in range(WIDTH):
            active = clip(sums[j])
            gradients[outer + j] += slope * active * active
            inside = ONE if ZERO < sums[j] < ONE else ZERO
            inner[j] = slope * parameters[outer + j] * TWO * active * inside
            gradients[first + j] += inner[j]
        for place in range(ACTIVE):
            begin = int(rows[index, place]) * WIDTH
            into = gradients[begin : begin + WIDTH]
            for j in range(WIDTH):
                into[j] += inner[j]
    return loss
