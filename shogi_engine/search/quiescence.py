"""Quiescence search: below depth 0, search only captures and check evasions until the position is quiet."""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MAX_PLY, MOVE_NONE, VALUE_INFINITE, VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_NONE
from shogi_engine.jit import njit
from shogi_engine.search import context, tt
from shogi_engine.search.context import USE_PRUNING, USE_QUIESCENCE, USE_SOLVERS, USE_TT
from shogi_engine.search.history import BEFORE_ROOT, corrected, static_correction
from shogi_engine.search.movepick import pick, score_captures
from shogi_engine.search.selectivity import is_decisive


@njit
def find_mate_in_one(ctx, hash_key, start):
    """Return a move that wins at once and store it in the transposition table, or return MOVE_NONE."""
    move = rules.mate_in_one(ctx, start)
    if move != MOVE_NONE and ctx.search_flags & USE_TT:
        value = VALUE_MATE - ctx.ply - 1
        tt.store(ctx, hash_key, np.uint32(move), value, tt.MAX_STORED_DEPTH, tt.BOUND_EXACT, False, VALUE_NONE)
    return move


@njit(forceinline=True)
def value_without_moves(ctx, alpha, beta):
    """Return the value of a node that needs no search, or VALUE_NONE.

    Such a node is a repetition, is at the maximum ply, or is an endgame that `endgame_solve` decides.
    """
    if ctx.ply > 0:
        value = context.repetition_in_tree(ctx)
        if value != VALUE_NONE:
            return value
    if ctx.ply >= MAX_PLY or ctx.search_flags & USE_QUIESCENCE == 0:
        return rules.evaluate(ctx)
    return rules.endgame_solve(ctx, alpha, beta) if ctx.search_flags & USE_SOLVERS else VALUE_NONE


@njit
def stand_pat_values(ctx, raw_eval, tt_value, tt_bound):
    """Return the stand-pat value as (corrected static evaluation, the same improved by the table's bound)."""
    if ctx.search_flags & USE_PRUNING == 0:
        return raw_eval, raw_eval
    static_eval = corrected(raw_eval, static_correction(ctx))
    if tt_value != VALUE_NONE and not is_decisive(tt_value) and tt.bound_holds(tt_bound, tt_value, static_eval):
        return static_eval, tt_value
    return static_eval, static_eval


@njit
def is_pruned(ctx, move, move_count, in_check, alpha, futility_base):
    """Return (pruned, value): whether `move` is pruned, and an upper estimate of its value, -VALUE_INFINITE if unknown.

    Call this only when a line that avoids being mated has been found.

    Args:
        move_count: the number of moves searched so far
    """
    if not in_check and ctx.search_flags & USE_PRUNING:
        # Checks and recaptures are always searched. Prune other moves after the first few, and moves that cannot raise
        # the value to alpha.
        last_move = ctx.frames[BEFORE_ROOT + ctx.ply - 1].move
        recaptures = last_move != MOVE_NONE and rules.is_recapture(ctx.pos, move, last_move)
        if not recaptures and not rules.gives_check(ctx, move):
            if move_count > ctx.params.qs_moves:
                return True, -VALUE_INFINITE
            value = futility_base + rules.capture_value(ctx, move)
            if value <= alpha:
                return True, value
            if not rules.see_ge(ctx, move, alpha - futility_base):
                return True, min(alpha, futility_base)
    # Quiet moves are evasions here. Skip them, because an evasion that avoids being mated is known.
    return rules.is_quiet(ctx.pos, move) or not rules.see_ge(ctx, move, -ctx.params.qs_see_margin), -VALUE_INFINITE


@njit
def quiescence(ctx, alpha, beta, start):
    """Return the value of ctx.pos, exact within (alpha, beta), searching only captures and check evasions.

    A side that is not in check may stand pat: take the static evaluation instead of moving.

    Args:
        start: the first free index of ctx.moves
    """
    if context.enter_node(ctx):
        return 0
    value = value_without_moves(ctx, alpha, beta)
    if value != VALUE_NONE:
        return value
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    pv_node = beta - alpha > 1
    in_check = rules.is_in_check(ctx.pos)
    here.in_check = in_check
    pruning = ctx.search_flags & USE_PRUNING != 0

    using_table = ctx.search_flags & USE_TT != 0
    hash_key = rules.key(ctx.pos) ^ ctx.tt_key_salt
    context.prepare_node(ctx)
    tt_hit, tt_move, tt_value, _, tt_bound, raw_eval, is_pv = tt.lookup(ctx, hash_key, using_table)
    if not pv_node and tt_value != VALUE_NONE and tt.bound_holds(tt_bound, tt_value, beta):
        return tt_value

    # Stand pat if the static evaluation, or the table's better estimate, reaches beta.
    best_value = -VALUE_INFINITE
    futility_base = -VALUE_INFINITE
    if not in_check:
        if not tt_hit and ctx.search_flags & USE_SOLVERS and find_mate_in_one(ctx, hash_key, start) != MOVE_NONE:
            return VALUE_MATE - ctx.ply - 1
        if raw_eval == VALUE_NONE:
            raw_eval = rules.evaluate(ctx)
        here.static_eval, best_value = stand_pat_values(ctx, raw_eval, tt_value, tt_bound)
        futility_base = here.static_eval + ctx.params.qs_futility
        if best_value >= beta:
            if pruning and not is_decisive(best_value):
                best_value = (best_value + beta) // 2
            if not tt_hit and using_table:
                tt.store(ctx, hash_key, MOVE_NONE, best_value, tt.UNSEARCHED, tt.BOUND_LOWER, False, raw_eval)
            return best_value
        alpha = max(alpha, best_value)
    count = rules.generate_evasions(ctx, start) if in_check else rules.generate_captures(ctx, start)
    end = start + count
    score_captures(ctx, start, end, tt_move)
    if not in_check and count > 0:
        rules.set_check_info(ctx)

    move_count = 0
    best_move = MOVE_NONE
    for index in range(start, end):
        move = pick(ctx, index, end)
        if not rules.is_legal(ctx.pos, move):
            continue
        move_count += 1
        context.prefetch_child(ctx, move)
        if best_value > -VALUE_MATE_IN_MAX:
            pruned, at_most = is_pruned(ctx, move, move_count, in_check, alpha, futility_base)
            best_value = max(best_value, at_most)
            if pruned:
                continue
        ctx.nodes += 1
        context.make_move(ctx, move)
        value = -quiescence(ctx, -beta, -alpha, end)
        context.unmake_move(ctx, move)
        if ctx.stopped:
            return 0
        if value > best_value:
            best_value = value
            if value > alpha:
                best_move = move
                if value >= beta:
                    break
                alpha = value
    if in_check and move_count == 0:
        return rules.terminal_value(ctx)
    if pruning and best_value > beta and not is_decisive(best_value):
        best_value = (best_value + beta) // 2
    if using_table:
        bound = tt.BOUND_LOWER if best_value >= beta else tt.BOUND_UPPER
        tt.store(ctx, hash_key, best_move, best_value, 0, bound, is_pv, raw_eval)
    return best_value
