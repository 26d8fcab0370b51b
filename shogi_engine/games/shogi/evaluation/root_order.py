"""A score for a root move before the search: the evaluation after the move."""

from shogi_engine.interface.game import do_move, evaluate, leave_ply, undo_move
from shogi_engine.jit import njit


@njit
def value_after(ctx, move):
    """Return `evaluate` after `move`, for the side that makes it; the move is made as in a search."""
    undo = ctx.undo[ctx.game_ply]
    do_move(ctx.pos, move, undo)
    ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1
    value = -evaluate(ctx)
    ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
    leave_ply(ctx)
    undo_move(ctx.pos, move, undo)
    return value
