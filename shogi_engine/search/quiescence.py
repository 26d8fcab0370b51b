"""Quiescence search: below depth 0 only captures, checks and evasions are searched, until the position is quiet."""

import numpy as np

from shogi_engine.game import (
    MAX_PLY,
    MOVE_NONE,
    VALUE_INFINITE,
    VALUE_MATE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    endgame_solve,
    evaluate,
    generate_captures,
    generate_moves,
    generate_quiet_checks,
    is_in_check,
    is_legal,
    is_quiet,
    key,
    mate_in_one,
    see_ge,
    terminal_value,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import (
    FINISH,
    PRUNE,
    QUIESCE,
    TABLE,
    count_node,
    make_move,
    repetition_in_tree,
    unmake_move,
)
from shogi_engine.search.history import correct_static_eval
from shogi_engine.search.movepick import order_moves, pick, pick_move
from shogi_engine.search.tt import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    MAX_STORED_DEPTH,
    entry_move,
    entry_settles,
    entry_value,
    probe,
    store,
)


@njit
def find_mate_in_one(ctx, hash_key, start):
    """Return a move that wins at once, after storing it in the transposition table, or MOVE_NONE."""
    move = mate_in_one(ctx, start)
    if move != MOVE_NONE and ctx.search_flags & TABLE:
        store(ctx, hash_key, move, VALUE_MATE - ctx.ply - 1, MAX_STORED_DEPTH, BOUND_EXACT, ctx.ply)
    return move


@njit(forceinline=True)
def value_without_moves(ctx, alpha, beta):
    """Return the value of a node at which no move is looked at, else VALUE_NONE.

    That is a repetition, the end of what the search holds, or an ending that `endgame_solve` settles.
    """
    if ctx.ply > 0:
        value = repetition_in_tree(ctx)
        if value != VALUE_NONE:
            return value
    if ctx.ply >= MAX_PLY or ctx.search_flags & QUIESCE == 0:
        return evaluate(ctx)
    return endgame_solve(ctx, alpha, beta) if ctx.search_flags & FINISH else VALUE_NONE


@njit(forceinline=True)
def evaluate_and_generate(ctx, in_check, beta, start):
    """Write the evasions, or the captures if standing pat is not enough, to ctx.moves[start:].

    Returns (static_eval, count); the static evaluation is -VALUE_INFINITE in check.
    """
    if in_check:
        return -VALUE_INFINITE, generate_moves(ctx, start)
    static_eval = evaluate(ctx)
    if ctx.search_flags & PRUNE and static_eval < beta + int(ctx.params.correction_skip_margin):
        static_eval = correct_static_eval(ctx, static_eval)
    return static_eval, generate_captures(ctx, start) if static_eval < beta else 0


@njit(forceinline=True)
def write_quiet_checks(ctx, start, tt_move):
    """Write the quiet checks to ctx.moves[start:], ready to be picked from; return their end."""
    count = generate_quiet_checks(ctx, start)
    order_moves(ctx, start, count, tt_move)
    return start + count


@njit(forceinline=True)
def prune_move(ctx, move, quiet, in_check, move_count, best_value, see_threshold):
    """Tell whether to leave out a legal move, the `move_count`th, without searching it."""
    if in_check:
        # Once an evasion is known that does not get mated, only the first few quiet ones are searched.
        return move_count > int(ctx.params.qs_evasions) and best_value > -VALUE_MATE_IN_MAX and quiet
    # SEE and delta pruning: exchanges that lose material, or that cannot bring the value up to alpha.
    return not see_ge(ctx.pos, move, 0 if quiet else see_threshold)


@njit
def quiescence(ctx, alpha, beta, depth, start):
    """Return the value of ctx.pos, exact within (alpha, beta), searching only captures and evasions of checks.

    depth : 0 at first, where quiet checks are searched too; negative below.   start : where ctx.moves is free.
    A side that is not in check may stand pat: take the static evaluation instead of moving.
    """
    if count_node(ctx):
        return 0
    value = value_without_moves(ctx, alpha, beta)
    if value != VALUE_NONE:
        return value

    # Evaluate and generate before probing the transposition table, though a hit may make both needless: its cluster was
    # prefetched, and arrives in the meantime.
    in_check = is_in_check(ctx.pos)
    best_value, count = evaluate_and_generate(ctx, in_check, beta, start)
    tt_move = MOVE_NONE
    hash_key = data = np.uint64(0)
    if ctx.search_flags & TABLE:
        hash_key = key(ctx.pos) ^ ctx.tt_key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            if entry_settles(data, alpha, beta, ctx.ply):
                return entry_value(data, ctx.ply)
            tt_move = entry_move(data)

    may_mate = ctx.search_flags & FINISH and data == np.uint64(0) and not in_check
    if may_mate and find_mate_in_one(ctx, hash_key, start + count) != MOVE_NONE:
        return VALUE_MATE - ctx.ply - 1
    see_threshold = 0
    if not in_check:
        if best_value >= beta:  # stand pat
            return best_value
        see_threshold = max(0, alpha - best_value - int(ctx.params.delta_margin))
        alpha = max(alpha, best_value)
    order_moves(ctx, start, count, tt_move)

    checks_left = depth == 0 and not in_check and ctx.search_flags & PRUNE != 0
    end = start + count
    index = start
    move_count = 0
    best_move = MOVE_NONE
    bound = BOUND_UPPER
    while index < end or checks_left:
        if index == end:
            checks_left = False
            end = write_quiet_checks(ctx, end, tt_move)
            continue
        move = pick_move(ctx, index, end) if in_check else pick(ctx, index, end)
        index += 1
        if not is_legal(ctx.pos, move):
            continue
        quiet = is_quiet(ctx.pos, move)
        # A quiet move among the captures, such as a pawn move that declines to promote, changes nothing.
        if not in_check and (depth < 0 or checks_left) and quiet:
            continue
        move_count += 1
        if prune_move(ctx, move, quiet, in_check, move_count, best_value, see_threshold):
            continue
        make_move(ctx, move)
        value = -quiescence(ctx, -beta, -alpha, depth - 1, end)
        unmake_move(ctx, move)
        if ctx.stopped:
            return 0
        if value > best_value:
            best_value = value
            if value > alpha:
                alpha = value
                best_move = move
                bound = BOUND_EXACT
                if value >= beta:
                    bound = BOUND_LOWER
                    break
    if in_check and move_count == 0:
        return terminal_value(ctx)
    if ctx.search_flags & TABLE:
        store(ctx, hash_key, best_move, best_value, 0, bound, ctx.ply)
    return best_value
