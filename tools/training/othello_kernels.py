"""Kernels of `othello_train.py`: self-play inside one kernel, the features of positions, and products with them."""

import numpy as np

from shogi_engine.bits import ALL, ZERO
from shogi_engine.game import VALUE_INFINITE, do_move, generate_moves, refresh_line, terminal_value
from shogi_engine.games.othello.bitboard import canonical, neighbours, odd_quadrant_marks
from shogi_engine.games.othello.evaluation.pattern_layout import COUNT_SIZE, COUNTS_START, INSTANCE_STARTS, INSTANCES
from shogi_engine.games.othello.evaluation.patterns import refresh_numbers
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.jit import ctz, njit, popcount, record_dtype
from shogi_engine.search.alphabeta import search_root
from shogi_engine.search.arena import random_below
from shogi_engine.search.context import begin_game, write_root_moves

# A position with what it is worth to the side to move, in hundredths of a disc, and the game it comes from.
SAMPLE = record_dtype([("own", np.uint64), ("opponent", np.uint64), ("value", np.int32), ("game", np.int32)])
LINE = record_dtype(
    [("value", np.int32), ("fixed", np.int32)]
)  # of one ply of a game; fixed: not mixed with later ones
FEATURES = INSTANCES + 5
MOST_PLIES = 128  # of a game, passes counted


@njit
def think(ctx, depth, exact):
    """Return the value of ctx.pos searched `depth` plies deep, to the end if it has at most `exact` empty squares.

    ctx.pos has a legal move. The best one is then ctx.root_moves[0].
    """
    begin_game(ctx)
    refresh_line(ctx)
    write_root_moves(ctx)
    empties = 64 - popcount(ctx.pos.own | ctx.pos.opponent)
    value = 0
    for plies in range(max(1, depth - 3), min(depth, empties) + 1):
        value = search_root(ctx, -VALUE_INFINITE, VALUE_INFINITE, plies, 0)
    if empties <= exact:
        value = search_root(ctx, -VALUE_INFINITE, VALUE_INFINITE, empties + 1, 0)
    return value


@njit
def random_move(ctx, state):
    """Return a random legal move of ctx.pos, 0 if there is none."""
    count = generate_moves(ctx, 0)
    return ctx.moves[random_below(state, count)] if count > 0 else np.uint32(0)


@njit
def play_game(ctx, state, random_plies, depth, exact, explore, trust, line, samples, start, game):
    """Play a game from ctx.pos and write its positions to samples[start:]; return how many.

    state : as for `random_below`.   random_plies : random moves at the beginning, which are left out.
    depth, exact : as for `think`.   explore : permille of the later moves that are random.
    trust : permille of a value that comes from the positions after it (the rest from its own search). Before a random
    move, and where the value is exact, it is the position's own.
    """
    for _ in range(random_plies):
        move = random_move(ctx, state)
        if move == 0:
            return 0
        do_move(ctx.pos, move, ctx.undo[0])
    count = 0
    while generate_moves(ctx, 0) > 0:
        sample = samples[start + count]
        sample.own, sample.opponent, sample.game = ctx.pos.own, ctx.pos.opponent, game
        value = think(ctx, depth, exact)
        move = ctx.root_moves[0]
        line[count].value = value
        line[count].fixed = 64 - popcount(ctx.pos.own | ctx.pos.opponent) <= exact
        if random_below(state, 1000) < explore:
            move = random_move(ctx, state)
            line[count].fixed = 1
        do_move(ctx.pos, move, ctx.undo[0])
        count += 1
    value = terminal_value(ctx)
    for index in range(count - 1, -1, -1):
        value = -value
        if line[index].fixed:
            value = int(line[index].value)
        else:
            value = (value * trust + int(line[index].value) * (1000 - trust)) // 1000
        samples[start + index].value = value
    return count


@njit
def play_games(ctx, state, start_own, start_opponent, plies, depth, exact, explore, trust, line, samples, first_game):
    """Play a game for each of `plies` (int64[n], its random plies) and return how many samples they made.

    start_own, start_opponent : uint64, the position all games begin with.   The other arguments as for `play_game`.
    """
    count = 0
    for number in range(len(plies)):
        ctx.pos.own, ctx.pos.opponent, ctx.pos.side = start_own, start_opponent, ZERO
        args = plies[number], depth, exact, explore, trust
        count += play_game(ctx, state, *args, line, samples, count, first_game + number)
    return count


@njit
def label(ctx, samples, depth, exact):
    """Set the value of each of `samples` by `think`."""
    for index in range(len(samples)):
        sample = samples[index]
        ctx.pos.own, ctx.pos.opponent, ctx.pos.side = sample.own, sample.opponent, ZERO
        sample.value = think(ctx, depth, exact) if generate_moves(ctx, 0) > 0 else terminal_value(ctx)


@njit
def values_by_depth(ctx, samples, values):
    """Write to values[i, d] (int32) what a search of samples[i] `d` plies deep finds, for every d from 1 on."""
    for index in range(len(samples)):
        ctx.pos.own, ctx.pos.opponent, ctx.pos.side = samples[index].own, samples[index].opponent, ZERO
        for depth in range(1, values.shape[1]):
            values[index, depth] = think(ctx, depth, 0)


@njit
def expand(boards, count, children):
    """Write the position after each move of boards[:count] (uint64[n, 2], own and opponent) to `children`, canonical.

    Returns how many; passes are not followed.
    """
    end = 0
    for index in range(count):
        own, opponent = boards[index, 0], boards[index, 1]
        places = mobility(own, opponent)
        while places != ZERO:
            square = ctz(places)
            disc = places & (ZERO - places)
            flipped = flips(own, opponent, square)
            child_own, child_opponent = canonical(opponent ^ flipped, own ^ flipped ^ disc)
            children[end, 0], children[end, 1] = child_own, child_opponent
            end += 1
            places &= places - np.uint64(1)
    return end


# ---- fitting -----------------------------------------------------------------------------------------------------


@njit
def write_features(samples, places, accumulator, features):
    """Write the place in a knot of each feature of each sample to `features` (int32[n, FEATURES]).

    places : int32, weights.file_places().   accumulator : record[ACCUMULATOR], scratch.
    """
    for index in range(len(samples)):
        own, opponent = samples[index].own, samples[index].opponent
        empty = ALL ^ (own | opponent)
        refresh_numbers(own, opponent, accumulator)
        row = features[index]
        for instance in range(INSTANCES):
            row[instance] = places[INSTANCE_STARTS[instance] + np.int64(accumulator.numbers[instance])]
        row[INSTANCES] = places[COUNTS_START + popcount(mobility(own, opponent))]
        row[INSTANCES + 1] = places[COUNTS_START + COUNT_SIZE + popcount(mobility(opponent, own))]
        row[INSTANCES + 2] = places[COUNTS_START + 2 * COUNT_SIZE + popcount(neighbours(own) & empty)]
        row[INSTANCES + 3] = places[COUNTS_START + 3 * COUNT_SIZE + popcount(neighbours(opponent) & empty)]
        row[INSTANCES + 4] = places[COUNTS_START + 4 * COUNT_SIZE + popcount(odd_quadrant_marks(empty))]


@njit
def apply_weights(features, knots, shares, weights, values):
    """Write what `weights` (float32[KNOTS, n]) say of each row of `features` to `values` (float32).

    A row belongs to knot knots[row] (int64) with 1 - shares[row] (float32), and to the next one with shares[row].
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
