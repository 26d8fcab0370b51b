"""Kernels of Othello's training: labels, the features of positions, and products with weights."""

import numpy as np

from shogi_engine.common.bits import ALL
from shogi_engine.games.othello.evaluation.network import INPUTS, WIDTH, stored_rows
from shogi_engine.games.othello.evaluation.patterns import (
    COUNTS as PATTERN_COUNTS,
    INSTANCE_STARTS,
    INSTANCES,
    PHASES,
    count_features,
    phase_of,
    refresh_numbers,
)
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.types import POSITION, UNDO
from shogi_engine.interface.game import VALUE_NONE, do_move, evaluate, refresh_line
from shogi_engine.jit import njit, popcount, record_dtype
from shogi_engine.training.adamw import ONE, TWO, ZERO, clip

# A position, its value for the side to move in hundredths of a disc, and the number of its game.
SAMPLE = record_dtype([("own", np.uint64), ("opponent", np.uint64), ("value", np.int32), ("game", np.int32)])
REPLAY = record_dtype([("pos", POSITION), ("undo", UNDO)])
FEATURES = INSTANCES + len(PATTERN_COUNTS)


@njit
def write_boards(replay, moves, own, opponent):
    """Write the discs of the side to move and of the other side before each move to `own` and `opponent`, uint64[n].

    Args:
        replay: record[REPLAY], at the start, in-out
        moves: uint32[n]
    """
    for ply in range(moves.shape[0]):
        own[ply], opponent[ply] = replay.pos.own, replay.pos.opponent
        do_move(replay.pos, moves[ply], replay.undo)


@njit
def write_samples(replay, start, moves, values, begins, exact, td_lambda, samples):
    """Write the labelled positions of games to `samples`, record[SAMPLE][n]; return their number.

    Args:
        replay: record[REPLAY], scratch
        start: record[POSITION], the start of all games
        moves, values: the moves and values of the games, one game after the other
        begins: int64[games + 1], a game has moves[begins[game] : begins[game + 1]]
        exact: values are exact with at most this many empty squares
        td_lambda: permille of a value that comes from the next position; exact values, and those before a random move
            or at the end, are kept
    """
    count, pos = 0, replay.pos
    for game in range(begins.shape[0] - 1):
        pos.own, pos.opponent, pos.side = start.own, start.opponent, start.side
        for place in range(begins[game], begins[game + 1]):
            if values[place] != VALUE_NONE:
                sample = samples[count]
                sample.own, sample.opponent, sample.game = pos.own, pos.opponent, game
                count += 1
            do_move(pos, moves[place], replay.undo)
        row, later = count - 1, VALUE_NONE
        for place in range(begins[game + 1] - 1, begins[game] - 1, -1):
            value = int(values[place])
            if value == VALUE_NONE:
                later = VALUE_NONE
                continue
            sample = samples[row]
            if later != VALUE_NONE and popcount(ALL ^ (sample.own | sample.opponent)) > exact:
                value = (value * (1000 - td_lambda) - later * td_lambda) // 1000
            sample.value = later = value
            row -= 1
    return count


@njit
def write_values(ctx, samples, values):
    """Write the static value of each of `samples`, record[SAMPLE][n], to `values`, int32[n]."""
    for index in range(len(samples)):
        ctx.pos.own, ctx.pos.opponent = samples[index].own, samples[index].opponent
        refresh_line(ctx)
        values[index] = evaluate(ctx)


# ---- fitting -----------------------------------------------------------------------------------------------------


@njit
def write_features(samples, places, accumulator, features):
    """Write the index within a knot of each feature of each sample to `features` (int32[n, FEATURES]).

    Args:
        places: int32, patterns.file_places()
        accumulator: record[ACCUMULATOR], scratch
    """
    for index in range(len(samples)):
        own, opponent = samples[index].own, samples[index].opponent
        refresh_numbers(own, opponent, accumulator)
        row = features[index]
        for instance in range(INSTANCES):
            row[instance] = places[INSTANCE_STARTS[instance] + np.int64(accumulator.numbers[instance])]
        feature = INSTANCES
        for number in count_features(own, opponent, mobility(own, opponent), mobility(opponent, own)):
            row[feature] = places[number]
            feature += 1


@njit
def apply_weights(features, knots, shares, weights, values):
    """Write the value by `weights` (float32[KNOTS, n]) of each row of `features` to `values` (float32).

    A row belongs to knot knots[row] (int64) with weight 1 - shares[row] (float32), and to the next with shares[row].
    """
    for index in range(len(features)):
        row, here = features[index], weights[knots[index]]
        total = np.float32(0)
        for feature in range(FEATURES):
            total += here[row[feature]]
        share = shares[index]
        if share > 0:
            there, other = weights[knots[index] + 1], np.float32(0)
            for feature in range(FEATURES):
                other += there[row[feature]]
            total = total * (np.float32(1) - share) + other * share
        values[index] = total


@njit
def gather_errors(features, knots, shares, errors, sums):
    """Add each row's error (float32), shared as in `apply_weights`, to `sums` (float32[KNOTS, n]) at its features."""
    for index in range(len(features)):
        row, share = features[index], shares[index]
        error = errors[index] * (np.float32(1) - share)
        here = sums[knots[index]]
        for feature in range(FEATURES):
            here[row[feature]] += error
        if share > 0:
            error = errors[index] * share
            there = sums[knots[index] + 1]
            for feature in range(FEATURES):
                there[row[feature]] += error


# ---- Kernels of the network's training: the rows of positions, outputs, and gradients, in float32
#
# Parameters are in one array, and the gradient of the loss in another: the stored rows [stored rows, WIDTH], then bias
# and output weights [PHASES, WIDTH] each. An output of 1 is UNIT hundredths of a disc.


UNIT = 1600
SLOTS = np.array([slot for slot, _, _ in INPUTS], dtype=np.int64)
COUNTS = np.array([count for _, count, _ in INPUTS], dtype=np.int64)
STARTS = np.array([start for _, _, start in INPUTS], dtype=np.int64)
ACTIVE = len(INPUTS)
BIAS = stored_rows() * WIDTH
OUTPUT = BIAS + PHASES * WIDTH
PARAMETERS = OUTPUT + PHASES * WIDTH


def scratch() -> np.ndarray:
    """Return an array for the sums of a position, and one of the same size, for one thread."""
    return np.zeros((2, WIDTH), dtype=np.float32)


@njit
def write_rows(samples, places, accumulator, rows, phases):
    """Write the stored row of each instance of each sample to `rows`, uint16[n, ACTIVE], and its phase to `phases`.

    Args:
        places: int32, network.file_rows()
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
def write_outputs(parameters, rows, phases, outputs, sums):
    """Write the output for each position to `outputs`, float32[n].

    Args:
        sums: float32[WIDTH], scratch
    """
    for index in range(len(rows)):
        outputs[index] = output_of(parameters, rows[index], int(phases[index]), sums)


@njit
def add_gradients(parameters, rows, phases, targets, batch, gradients, sums, inner):
    """Return the summed loss of a batch, the squared errors, and add its gradient to `gradients`.

    Args:
        targets: float32[n], of the outputs
        batch: int32[k], the positions of the batch
        sums, inner: float32[WIDTH] each, scratch
    """
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
