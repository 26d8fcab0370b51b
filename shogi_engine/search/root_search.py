"""One iteration of the search: a search of the root moves, and its aspiration window."""

import numpy as np

from shogi_engine.interface.game import VALUE_INFINITE, VALUE_NONE
from shogi_engine.jit import njit
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import ROOT, USE_REDUCTIONS
from shogi_engine.search.selectivity import is_decisive


@njit
def search_root(ctx, alpha, beta, depth, first):
    """Search the root moves ctx.root_moves[first : ctx.root_count] `depth` plies deep; return the best value.

    The best move is moved to `first` as soon as it is found. ctx.root_scores[first] is its value, or -VALUE_INFINITE
    if no move was searched. If the value is outside (alpha, beta), ctx.window is set for the next attempt.
    """
    ctx.root_scores[first] = -VALUE_INFINITE
    ctx.root_first = first
    ctx.root_depth = depth
    ctx.window.alpha, ctx.window.beta = alpha, beta
    value = search(ctx, np.int64(alpha), np.int64(beta), np.int64(depth), np.int64(ROOT), np.int64(0))
    widen_window(ctx, value)
    return value


@njit
def open_window(ctx, line, depth):
    """Open ctx.window for an iteration of `depth` plies, around the average value of the root move at `line`.

    The window is wider if the mean square of the move's values is large. Without an earlier value it is full. Call
    `search_root(ctx, window.alpha, window.beta, window.depth, line)` until window.failed is 0. ctx.pv[0] must be the
    principal variation that this line had last.
    """
    params, window = ctx.params, ctx.window
    ctx.last_pv_end = ctx.pv_end[0]
    for ply in range(ctx.last_pv_end):
        ctx.last_pv[ply] = ctx.pv[0, ply]
    average = ctx.root_averages[line]
    window.iteration = window.depth = depth
    window.delta = params.aspiration_window + ctx.thread % 8
    window.alpha, window.beta = -VALUE_INFINITE, VALUE_INFINITE
    if average != VALUE_NONE and not is_decisive(average):
        window.delta += abs(ctx.root_squares[line]) // max(params.aspiration_square, 1)
        window.alpha = max(average - window.delta, -VALUE_INFINITE)
        window.beta = min(average + window.delta, VALUE_INFINITE)


@njit
def widen_window(ctx, value):
    """Widen ctx.window towards a `value` outside it. Set window.failed to -1 for a fail low, 1 for a fail high, else 0.

    After each fail high, the next search is a ply shallower.
    """
    params, window = ctx.params, ctx.window
    window.failed = 0
    if value <= window.alpha and window.alpha > -VALUE_INFINITE:
        window.failed = -1
        window.beta = window.alpha
        window.alpha = max(value - window.delta, -VALUE_INFINITE)
        window.depth = window.iteration
    elif value >= window.beta and window.beta < VALUE_INFINITE:
        window.failed = 1
        window.alpha = max(window.beta - window.delta, window.alpha)
        window.beta = min(value + window.delta, VALUE_INFINITE)
        if ctx.search_flags & USE_REDUCTIONS:
            window.depth = max(1, window.depth - 1)
    if window.failed != 0:
        window.delta = max(window.delta * params.aspiration_growth // 100, window.delta + 1)
        if window.delta > params.aspiration_max:
            window.alpha, window.beta = -VALUE_INFINITE, VALUE_INFINITE
