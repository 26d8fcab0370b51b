"""The memory that the evaluation nnue keeps for each thread, and its layout.

From its first multiple of ALIGNMENT on, `memory` holds numbers of fixed sizes, then accumulators as wide as the network
in use: first by ply and colour, then those kept by colour and king square, with their boards and hands.
"""

import numpy as np

from shogi_engine.games.shogi.evaluation.nnue_architectures import SECOND, WIDTHS
from shogi_engine.games.shogi.types import SQUARES
from shogi_engine.interface.game import MAX_PLY
from shogi_engine.jit import njit, record_dtype
from shogi_engine.jit.vectors import ALIGNMENT, align_up

LARGEST_WIDTH = WIDTHS[-1]
BOARD_WORDS = -(-SQUARES // 8)
CHANGES = 256  # more than can differ between two positions: 81 squares, 2 hands of 38, 40 missing pieces

# Offsets: activations, uint8[2 * LARGEST_WIDTH]; sums of a layer, int32[largest layer]; blocks of activations that are
# not 0, uint16; addresses of rows added and removed, uint64[CHANGES].
ACTIVATIONS = 0
SUMS = ACTIVATIONS + 2 * LARGEST_WIDTH + ALIGNMENT
LISTED_BLOCKS = SUMS + 4 * max(SECOND) + ALIGNMENT
ADDED = LISTED_BLOCKS + LARGEST_WIDTH + ALIGNMENT
REMOVED = ADDED + 8 * CHANGES
ACCUMULATORS = REMOVED + 8 * CHANGES
BY_PLY = 2 * (MAX_PLY + 2)
MEMORY_BYTES = ACCUMULATORS + 2 * LARGEST_WIDTH * (BY_PLY + 2 * SQUARES) + ALIGNMENT

CACHE = record_dtype(
    [
        ("filled", np.uint8, (2, SQUARES)),
        ("hands", np.uint64, (2, SQUARES, 2)),
        ("boards", np.uint64, (2, SQUARES, BOARD_WORDS)),
        ("codes", np.uint8, (8 * BOARD_WORDS,)),  # see nnue_attacks.py
        ("attackers", np.uint8, (2, SQUARES)),
        ("memory", np.uint8, (MEMORY_BYTES,)),
    ]
)


@njit
def memory_at(ctx, offset):
    """Return the address at `offset` bytes in the aligned part of ctx.evaluation_cache.memory."""
    return align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data)) + np.uint64(offset)


@njit
def accumulator_at(ctx, ply, colour):
    """Return the address of `colour`'s accumulator at `ply`."""
    return memory_at(ctx, ACCUMULATORS + ctx.evaluation.row_bytes * (2 * ply + colour))


@njit
def kept_at(ctx, colour, king):
    """Return the address of the accumulator kept for `colour`'s king on `king`."""
    return memory_at(ctx, ACCUMULATORS + ctx.evaluation.row_bytes * (BY_PLY + SQUARES * colour + king))
