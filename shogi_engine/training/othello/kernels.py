"""Kernels of Othello's training: labels, the features of positions, and products with weights."""

import numpy as np

from shogi_engine.common.bits import ALL
from shogi_engine.games.othello.evaluation.pattern_layout import COUNTS, INSTANCE_STARTS, INSTANCES
from shogi_engine.games.othello.evaluation.patterns import count_features, refresh_numbers
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.types import POSITION, UNDO
from shogi_engine.interface.game import VALUE_NONE, do_move, evaluate, refresh_line
from shogi_engine.jit import njit, popcount, record_dtype

# A position, its value for the side to move in hundredths of a disc, and the number of its game.
SAMPLE = record_dtype([("own", np.uint64), ("opponent", np.uint64), ("value", np.int32), ("game", np.int32)])
REPLAY = record_dtype([("pos", POSITION), ("undo", UNDO)])
FEATURES = INSTANCES + len(COUNTS)


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
        places: int32, pattern_weights.file_places()
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
