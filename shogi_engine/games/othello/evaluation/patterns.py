"""Othello's evaluation by patterns: a sum of weights, one for the configuration of each instance of each pattern.

The numbers of all instances (pattern_layout.py) are kept for each ply of the line. A move updates them by adding a row
of ROWS for each disc that was placed or flipped.
"""

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.bitboard import neighbours, odd_quadrant_marks
from shogi_engine.games.othello.evaluation import pattern_layout as layout
from shogi_engine.games.othello.evaluation.pattern_weights import load_weights
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.rules import terminal_value
from shogi_engine.games.othello.types import POSITION
from shogi_engine.interface.evaluation import Evaluation
from shogi_engine.interface.game import provides_evaluation, update_line
from shogi_engine.jit import address_of, ctz, lanes, load_i16, njit, popcount, record_dtype
from shogi_engine.jit.lanes import load, traced

MOST = 64 * DISC  # the largest value of a position
FEW_DISCS = 3

# The numbers of all instances: for the side to move, and with the discs of both sides counted as 1.
ACCUMULATOR = record_dtype([("numbers", np.uint16, (layout.SLOTS,)), ("occupied", np.uint16, (layout.SLOTS,))])

EVALUATION = Evaluation(
    "patterns",
    POSITION,
    accumulator=ACCUMULATOR,
    fields=(
        ("weights", np.uint64),  # the address of pattern_weights.Weights.table
        ("spread", np.int32, (layout.SPREAD_GROUPS, layout.SPREAD_DEPTHS)),  # of `probcut`, by phase and depth
    ),
    load_weights=load_weights,
)


@njit
def refresh_numbers(own, opponent, accumulator):
    """Write the numbers of all instances for a position.

    Args:
        own, opponent: uint64, bitboards
        accumulator: record[ACCUMULATOR], out
    """
    for instance in range(layout.SLOTS):
        accumulator.numbers[instance] = 0
        accumulator.occupied[instance] = 0
    discs = own | opponent
    while discs != ZERO:
        square = ctz(discs)
        worth = 2 if opponent >> np.uint64(square) & ONE != ZERO else 1
        for instance in range(layout.SLOTS):
            accumulator.numbers[instance] += worth * layout.ROWS[square, instance]
            accumulator.occupied[instance] += layout.ROWS[square, instance]
        discs &= discs - ONE


@njit
def update_numbers(before, after, disc, flipped):
    """Compute the numbers after a move from those before it, which are from the other side's point of view.

    A number n becomes 3 o - n for the other side, where o counts every disc once.

    Args:
        before: record[ACCUMULATOR], in
        after: record[ACCUMULATOR], out
        disc: uint64, the placed disc, 0 for a pass
        flipped: uint64, the flipped discs
    """
    if disc != ZERO:
        square = ctz(disc)
        for instance in range(layout.SLOTS):
            after.occupied[instance] = before.occupied[instance] + layout.ROWS[square, instance]
            turned_over = 3 * before.occupied[instance] - before.numbers[instance]
            after.numbers[instance] = turned_over + 2 * layout.ROWS[square, instance]
        while flipped != ZERO:
            square = ctz(flipped)
            for instance in range(layout.SLOTS):
                after.numbers[instance] += layout.ROWS[square, instance]
            flipped &= flipped - ONE
    else:
        for instance in range(layout.SLOTS):
            after.occupied[instance] = before.occupied[instance]
            after.numbers[instance] = 3 * before.occupied[instance] - before.numbers[instance]


def sum_of_weights(weights, numbers):
    """Return the sum of the weights of all instances, as two's complement.

    The loop is unrolled, so that each weight takes one load: LLVM would gather weights into vectors, at several
    instructions each.

    Args:
        weights: the address of a phase's weights
        numbers: the address of an accumulator's numbers
    """
    total = 0
    for first in range(0, layout.INSTANCES, 4):
        four = load(numbers + 2 * first, 0)
        for instance in range(first, min(first + 4, layout.INSTANCES)):
            number = four >> 16 * (instance - first) & 0xFFFF
            total = lanes.load_i16(weights + (2 * number + 2 * int(layout.INSTANCE_STARTS[instance]))) + total
    return total


traced_sum_of_weights = traced(sum_of_weights)


@njit
def phase_of(own, opponent):
    """Return the phase, 0..PHASES - 1, of a position."""
    return layout.PHASE_OF_DISCS[popcount(own | opponent)]


@njit
def shallow_depth(depth):
    """Return the depth of a search that predicts one of `depth` plies (at least 3): about half, of the same parity."""
    return 2 * (depth // 4) + (depth & 1)


@njit
def count_features(own, opponent, own_moves, opponent_moves):
    """Return the numbers of a position's five count features; for the arguments see `pattern_value`."""
    empty = ALL ^ (own | opponent)
    return (
        layout.COUNTS_START + popcount(own_moves),
        layout.COUNTS_START + layout.COUNT_SIZE + popcount(opponent_moves),
        layout.COUNTS_START + 2 * layout.COUNT_SIZE + popcount(neighbours(own) & empty),
        layout.COUNTS_START + 3 * layout.COUNT_SIZE + popcount(neighbours(opponent) & empty),
        layout.COUNTS_START + 4 * layout.COUNT_SIZE + popcount(odd_quadrant_marks(empty)),
    )


@njit
def pattern_value(ctx, own_moves, opponent_moves):
    """Return the value of ctx.pos by the weights at ctx.evaluation.weights, in hundredths of a disc.

    Args:
        own_moves, opponent_moves: uint64, the `mobility` of each side
    """
    update_line(ctx)
    own, opponent = ctx.pos.own, ctx.pos.opponent
    weights = ctx.evaluation.weights + np.uint64(2 * layout.PHASE_WEIGHTS * phase_of(own, opponent))
    accumulator = ctx.accumulators[ctx.ply]
    value = np.int64(traced_sum_of_weights(weights, address_of(accumulator.numbers)))
    for number in count_features(own, opponent, own_moves, opponent_moves):
        value += load_i16(weights + np.uint64(2 * number))
    return value


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    refresh_numbers(ctx.pos.own, ctx.pos.opponent, ctx.accumulators[ply])


@njit
def update_ply(ctx, ply):
    """Compute the numbers of a ply from those of the ply before; see `update_accumulator`."""
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    update_numbers(ctx.accumulators[ply - 1], ctx.accumulators[ply], undo.disc, undo.flips)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    update_ply(ctx, ply)


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    own_moves, opponent_moves = mobility(own, opponent), mobility(opponent, own)
    if own_moves | opponent_moves == ZERO:
        return terminal_value(ctx)
    return min(max(pattern_value(ctx, own_moves, opponent_moves), -MOST), MOST)


@njit
def predicted(ctx, depth):
    """Return the depth and the spread of a search that predicts one of `depth` plies, (0, 0) for none."""
    if min(popcount(ctx.pos.own), popcount(ctx.pos.opponent)) <= FEW_DISCS:
        return np.int64(0), np.int64(0)  # a side might soon be wiped out, which a shallow search would miss
    phase = phase_of(ctx.pos.own, ctx.pos.opponent)
    spread = ctx.evaluation.spread[phase // layout.SPREAD_PHASES, min(depth, layout.SPREAD_DEPTHS - 1)]
    return shallow_depth(depth), int(spread)


@provides_evaluation(EVALUATION)
def probcut(ctx, depth):
    return predicted(ctx, depth)
