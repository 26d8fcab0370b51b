"""Othello's evaluation by a network of patterns: it corrects the value of the pattern weights.

The configuration of each instance of some patterns selects a row of WIDTH numbers. The sum of the rows is clipped,
squared and weighed by the phase (network_weights.py). The numbers of the instances are those that patterns.py keeps for
each ply; the rows are summed anew for each position, as a move changes most of them.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from shogi_engine.common.bits import ZERO
from shogi_engine.games.othello.evaluation import pattern_layout as layout
from shogi_engine.games.othello.evaluation import patterns
from shogi_engine.games.othello.evaluation.network_weights import (
    INPUTS,
    MULTIPLIER_SHIFT,
    QA,
    SHIFT,
    WIDTH,
    load_weights,
)
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.rules import terminal_value
from shogi_engine.games.othello.types import POSITION
from shogi_engine.interface.evaluation import Evaluation
from shogi_engine.interface.game import provides_evaluation
from shogi_engine.jit import address_of, njit, record_dtype, vectors
from shogi_engine.jit.intrinsics import kernel_intrinsic

ROW_BYTES = 2 * WIDTH
CACHE = record_dtype([("memory", np.uint8, (ROW_BYTES + vectors.ALIGNMENT,))])  # the sums of the current position

EVALUATION = Evaluation(
    "network",
    POSITION,
    accumulator=patterns.ACCUMULATOR,
    cache=CACHE,
    fields=(
        *patterns.EVALUATION.fields,
        ("rows", np.uint64),  # the addresses of network_weights.Network.memory; 0 for the patterns alone
        ("bias", np.uint64),
        ("output", np.uint64),
        ("multiplier", np.int64),
    ),
    load_weights=load_weights,
)


def _python_sum_of_rows(out: Any, bias: Any, rows: Any, numbers: Any) -> None:
    found = vectors.array_at(numbers, layout.SLOTS, np.uint16)
    sums = vectors.array_at(bias, WIDTH, np.int16).copy()
    for slot, count, start in INPUTS:
        place = int(rows) + (int(found[slot]) % count + start) * ROW_BYTES
        sums += vectors.array_at(place, WIDTH, np.int16)
    vectors.array_at(out, WIDTH, np.int16)[:] = sums


@kernel_intrinsic(types.void(*[types.uint64] * 4), _python_sum_of_rows)
def sum_of_rows(builder, out, bias, rows, numbers):
    """Write the sum of the bias and the rows of all instances to `out`, int16[WIDTH].

    The loop over the instances is unrolled, so that the sum is kept in registers.

    Args:
        numbers: the address of an accumulator's numbers
    """
    kind, short, long = ir.VectorType(ir.IntType(16), WIDTH), ir.IntType(16), ir.IntType(64)

    def at(address: Any, offset: int, pointed: Any) -> Any:
        return builder.inttoptr(builder.add(address, long(offset)), pointed.as_pointer())

    total = builder.load(at(bias, 0, kind), align=2)
    for slot, count, start in INPUTS:
        number = builder.load(at(numbers, 2 * slot, short), align=2)
        if 3 ** len(layout.INSTANCE_SQUARES[slot][1]) > count:  # only the first squares have rows
            number = builder.urem(number, short(count))
        place = builder.add(rows, builder.mul(builder.zext(number, long), long(ROW_BYTES)))
        total = builder.add(total, builder.load(at(place, start * ROW_BYTES, kind), align=2))
    builder.store(total, at(out, 0, kind), align=2)


@njit
def correction(ctx):
    """Return what the network adds to the value of ctx.pos by patterns, whose numbers are up to date."""
    phase = patterns.phase_of(ctx.pos.own, ctx.pos.opponent)
    sums = vectors.align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data))
    offset = np.uint64(ROW_BYTES * phase)
    numbers = address_of(ctx.accumulators[ctx.ply].numbers)
    sum_of_rows(sums, ctx.evaluation.bias + offset, ctx.evaluation.rows, numbers)
    total = vectors.screlu_dot_i16(sums, ctx.evaluation.output + offset, np.int64(QA), np.int64(SHIFT), np.int64(WIDTH))
    return total * ctx.evaluation.multiplier >> MULTIPLIER_SHIFT


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    patterns.refresh_numbers(ctx.pos.own, ctx.pos.opponent, ctx.accumulators[ply])


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    patterns.update_ply(ctx, ply)


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    own_moves, opponent_moves = mobility(own, opponent), mobility(opponent, own)
    if own_moves | opponent_moves == ZERO:
        return terminal_value(ctx)
    value = patterns.pattern_value(ctx, own_moves, opponent_moves)
    if ctx.evaluation.rows != ZERO:
        value += correction(ctx)
    return min(max(value, -patterns.MOST), patterns.MOST)


@provides_evaluation(EVALUATION)
def probcut(ctx, depth):
    return patterns.predicted(ctx, depth)
