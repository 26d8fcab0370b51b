"""The instructions of `network.sum_of_rows`, for the workshop."""

from typing import Any

from llvmlite import ir
from numba import types

from shogi_engine.games.othello.evaluation import patterns as layout
from shogi_engine.games.othello.evaluation.network import INPUTS, WIDTH
from shogi_engine.jit.workshop.emitting import emits

ROW_BYTES = 2 * WIDTH


@emits(types.void(*[types.uint64] * 4))
def sum_of_rows(builder, out, bias, rows, numbers):
    """Emit the loop over the instances unrolled, so that the sum is kept in registers."""
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
