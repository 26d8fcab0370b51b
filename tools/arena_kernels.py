"""The kernels of arena.py: a game replayed in one call, and its legal moves, for any game of the package."""

import numpy as np

from shogi_engine.game import do_move, generate_moves, is_legal, repetition_key
from shogi_engine.jit import njit
from shogi_engine.search.context import REPETITION_FILTER_SIZE


@njit
def replay(ctx, moves):
    """Make `moves` (uint32[n], legal one after the other, n <= MAX_GAME_PLY) from ctx.pos as the game's own."""
    for slot in range(REPETITION_FILTER_SIZE):
        ctx.repetition_filter[slot] = 0
    ctx.game_ply = ctx.ply = 0
    for index in range(moves.shape[0]):
        slot = repetition_key(ctx.pos) & np.uint64(REPETITION_FILTER_SIZE - 1)
        ctx.repetition_filter[slot] = min(int(ctx.repetition_filter[slot]) + 1, 100)
        do_move(ctx.pos, moves[index], ctx.undo[ctx.game_ply])
        ctx.game_ply += 1


@njit
def list_moves(ctx, out):
    """Write the legal moves of ctx.pos to `out`, uint32[max_moves], and return how many."""
    count = 0
    for index in range(generate_moves(ctx, 0)):
        if is_legal(ctx.pos, ctx.moves[index]):
            out[count] = ctx.moves[index]
            count += 1
    return count
