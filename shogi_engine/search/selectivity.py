"""The formulas of the search: when to prune, and how far to extend or reduce. The numbers are in parameters.py."""

import numpy as np

from shogi_engine.interface.game import VALUE_INFINITE, VALUE_MATE_IN_MAX, VALUE_NONE, capture_value, is_quiet, see_ge
from shogi_engine.jit import njit
from shogi_engine.search.context import ALL, CUT, PV, USE_DEEPER_ENTRIES, USE_PRUNING
from shogi_engine.search.history import BEFORE_ROOT, capture_history, continuation_score, main_history, tt_trust

PLY = 1024  # reductions are counted in 1/1024 plies
LOGARITHMS = (np.log(np.maximum(np.arange(128), 1)) * 1024).astype(np.int64)


@njit
def is_decisive(value):
    """Tell whether a value is a forced win or loss."""
    return abs(value) >= VALUE_MATE_IN_MAX


@njit
def rfp_margin(params, depth, tt_hit, improving, opponent_worsening, correction):
    """Return how far above beta a node of `depth` must be for reverse futility pruning."""
    unit = params.rfp_margin
    if not tt_hit:
        unit -= params.rfp_no_tt
    share = 0
    if improving:
        share += params.rfp_improving
    if opponent_worsening:
        share += params.rfp_opponent_worsening
    return unit * depth - unit * share // 1024 + abs(correction) * params.rfp_correction // 1024


@njit
def late_move_count(params, depth, improving):
    """Return the number of moves after which quiet moves are skipped."""
    count = params.lmp_base + depth * depth * params.lmp_depth_scale // 1024
    return count if improving else count * params.lmp_not_improving // 1024


@njit
def window_share(ctx, alpha, beta):
    """Return by how much less to reduce because (alpha, beta) is wide compared with the root's, in 1/1024 plies."""
    return (beta - alpha) * ctx.params.lmr_window // max(ctx.window.beta - ctx.window.alpha, 1)


@njit
def reduction(params, depth, move_count, improving):
    """Return the base reduction of the `move_count`-th move, in 1/1024 plies."""
    r = LOGARITHMS[min(depth, 127)] * LOGARITHMS[min(move_count, 127)] // 1024 * params.lmr_log_scale // 1024
    if not improving:
        r += r * params.lmr_worsening // 1024
    return r + params.lmr_base


@njit
def table_settles(ctx, tt_value, tt_depth, beta, depth, cut_node):
    """Tell whether an entry ends a node of `depth`, given that its bound decides on which side of beta the value lies.

    It must have been searched deeply enough. At low depth the value must also match the node type.
    """
    if ctx.search_flags & USE_PRUNING == 0:
        return tt_depth >= depth if ctx.search_flags & USE_DEEPER_ENTRIES else tt_depth == depth
    deep = tt_depth >= depth if tt_value <= beta else tt_depth > depth
    return deep and (cut_node == (tt_value >= beta) or depth > 5)


@njit
def capture_is_pruned(ctx, move, depth, lmr_depth, alpha, checks):
    """Tell whether to prune a capture or check at shallow depth: it cannot reach alpha, or loses too much material."""
    params = ctx.params
    static_eval = ctx.frames[BEFORE_ROOT + ctx.ply].static_eval
    value, history = 0, 0
    if not is_quiet(ctx.pos, move):
        value, history = capture_value(ctx, move), capture_history(ctx, move)
    if not checks and lmr_depth < params.capture_futility_max_depth and static_eval != VALUE_NONE:
        gain = params.capture_futility_base + params.capture_futility_margin * lmr_depth
        gain += value + params.capture_futility_history * history // 1024
        if static_eval + gain <= alpha:
            return True
    margin = params.see_capture_margin * depth + params.see_capture_history * history // 1024
    return not see_ge(ctx, move, -max(margin, 0))


@njit
def quiet_is_pruned(ctx, move, depth, lmr_depth, alpha, no_best_move):
    """Return (pruned, value): whether a quiet move at shallow depth is pruned, and an upper estimate of its value.

    The value is -VALUE_INFINITE if it is unknown.

    Args:
        lmr_depth: plies left after the move's reduction
    """
    params = ctx.params
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    history = continuation_score(ctx, move)
    if history < -params.history_pruning_margin * depth:
        return True, -VALUE_INFINITE
    history += params.history_main_share * main_history(ctx, move) // 1024
    lmr_depth += history // params.history_ply
    value = here.static_eval + params.futility_base + params.futility_margin * lmr_depth
    if no_best_move:
        value += params.futility_no_best
    if here.static_eval > alpha:
        value += params.futility_above
    if not here.in_check and lmr_depth <= params.futility_max_depth and value <= alpha:
        return True, value
    lmr_depth = max(lmr_depth, 0)
    return not see_ge(ctx, move, -params.see_quiet_margin * lmr_depth * lmr_depth), -VALUE_INFINITE


@njit
def extension_of(ctx, value, singular_beta, pv_node, tt_capture, correction):
    """Return the extension of the table move in plies, given the `value` of the search that excluded it."""
    params = ctx.params
    less = abs(correction) * params.singular_correction // 1024
    if ctx.ply > ctx.root_depth:
        less += params.singular_deep
    double = params.double_margin - less - params.singular_trust * tt_trust(ctx) // 1024
    triple = params.triple_margin - less
    if pv_node:
        double, triple = double + params.double_pv, triple + params.triple_pv
    if not tt_capture:
        double, triple = double - params.double_quiet, triple - params.triple_quiet
    if ctx.frames[BEFORE_ROOT + ctx.ply].tt_pv:
        triple += params.triple_tt_pv
    return 1 + (1 if value < singular_beta - double else 0) + (1 if value < singular_beta - triple else 0)


@njit
def move_stat_score(ctx, move):
    """Return the combined histories of `move`, before it is made."""
    if is_quiet(ctx.pos, move):
        return 2 * main_history(ctx, move) + continuation_score(ctx, move)
    return ctx.params.lmr_capture_value * capture_value(ctx, move) // 128 + capture_history(ctx, move)


@njit
def lmr_adjust(ctx, r, node, depth, move_count, alpha, tt_value, tt_depth, correction):
    """Adjust the reduction `r` (1/1024 plies) of the move just made to its node and its histories."""
    params = ctx.params
    here = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    if here.tt_pv:
        r -= params.lmr_tt_pv
        if node <= PV:
            r -= params.lmr_tt_pv_open
        if tt_value != VALUE_NONE and tt_value > alpha:
            r -= params.lmr_tt_pv_value
        if here.tt_hit and tt_depth >= depth:
            r -= params.lmr_tt_pv_depth
            if node == CUT:
                r -= params.lmr_tt_pv_cut
    r += params.lmr_adjust - params.lmr_move_count * move_count - params.lmr_correction * abs(correction)
    if node == CUT:
        r += params.lmr_cut_node
    # If the opponent could refute several moves of this node, it can probably refute the later ones too.
    cutoffs = ctx.frames[BEFORE_ROOT + ctx.ply].cutoffs
    if cutoffs > 1:
        r += params.lmr_cutoffs[0]
        if cutoffs > 2:
            r += params.lmr_cutoffs[1]
        if node == ALL:
            r += params.lmr_cutoffs[2]
    r -= here.stat_score * params.lmr_history // 1024
    if node == ALL:
        r += r * params.lmr_all_node // (256 * depth + params.lmr_all_node_offset)
    return r
