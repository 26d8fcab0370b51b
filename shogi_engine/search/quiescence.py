"""Quiescence search: at the horizon only moves that change the value at once, until the position is quiet."""

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
from shogi_engine.search.context import FINISH, PRUNE, QUIESCE, TABLE, count_node, make_move, repeated, unmake_move
from shogi_engine.search.ordering import corrected, order_moves, pick, pick_move
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
    """Return a move that wins, found without a search and then kept in the table, or MOVE_NONE."""
    move = mate_in_one(ctx, start)
    if move != MOVE_NONE and ctx.search_flags & TABLE:
        store(ctx, hash_key, move, VALUE_MATE - ctx.ply - 1, MAX_STORED_DEPTH, BOUND_EXACT, ctx.ply)
    return move


@njit
def quiescence(ctx, alpha, beta, depth, start):
    """Return the value of ctx.pos, within (alpha, beta) exact, when only noisy moves and answers to threats follow.

    depth : 0 at the horizon, where moves that threaten are looked at too, below it less.
    start : where ctx.moves is free. A side that is not forced may stand pat: take the static value instead of moving.
    """
    if count_node(ctx):
        return 0
    if ctx.ply > 0:
        value = repeated(ctx)
        if value != VALUE_NONE:
            return value
    if ctx.ply >= MAX_PLY or ctx.search_flags & QUIESCE == 0:
        return evaluate(ctx)
    if ctx.search_flags & FINISH:
        value = endgame_solve(ctx, alpha, beta)
        if value != VALUE_NONE:
            return value

    # Static value and moves are found before the table is asked, though it may make them needless: its memory takes as
    # long to come.
    in_check = is_in_check(ctx.pos)
    best = -VALUE_INFINITE
    count = 0
    if in_check:
        count = generate_moves(ctx, start)
    else:
        best = evaluate(ctx)
        if ctx.search_flags & PRUNE and best < beta + int(ctx.params.correction_skip_margin):
            best = corrected(ctx, best)
        if best < beta:
            count = generate_captures(ctx, start)

    table_move = MOVE_NONE
    hash_key = np.uint64(0)
    is_known = False
    if ctx.search_flags & TABLE:
        hash_key = key(ctx.pos) ^ ctx.tt_key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            is_known = True
            if entry_settles(data, alpha, beta, ctx.ply):
                return entry_value(data, ctx.ply)
            table_move = entry_move(data)

    may_win = ctx.search_flags & FINISH and not is_known and not in_check
    if may_win and find_mate_in_one(ctx, hash_key, start + count) != MOVE_NONE:
        return VALUE_MATE - ctx.ply - 1
    wanted = 0
    if not in_check:
        if best >= beta:
            return best
        wanted = max(0, alpha - best - int(ctx.params.delta_margin))
        alpha = max(alpha, best)
    order_moves(ctx, start, count, table_move)

    threats_left = depth == 0 and not in_check and ctx.search_flags & PRUNE != 0
    end = start + count
    index = start
    tried = 0
    best_move = MOVE_NONE
    bound = BOUND_UPPER
    while index < end or threats_left:
        if index == end:
            threats_left = False
            count = generate_quiet_checks(ctx, end)
            order_moves(ctx, end, count, table_move)
            end += count
            continue
        move = pick_move(ctx, index, end) if in_check else pick(ctx, index, end)
        index += 1
        if not is_legal(ctx.pos, move):
            continue
        quiet = is_quiet(ctx.pos, move)
        # Quiet moves among the noisy ones, such as a pawn that could have been promoted, change nothing.
        if not in_check and (depth < 0 or threats_left) and quiet:
            continue
        tried += 1
        # Of the answers to a threat the first quiet ones tell enough, once one is known that does not lose.
        if in_check and tried > int(ctx.params.qs_evasions) and best > -VALUE_MATE_IN_MAX and quiet:
            continue
        # An exchange that loses, or that can not bring the value up to alpha, is not looked at.
        if not in_check and not see_ge(ctx.pos, move, 0 if quiet else wanted):
            continue
        make_move(ctx, move)
        value = -quiescence(ctx, -beta, -alpha, depth - 1, end)
        unmake_move(ctx, move)
        if ctx.stopped:
            return 0
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_move = move
                bound = BOUND_EXACT
                if value >= beta:
                    bound = BOUND_LOWER
                    break
    if in_check and tried == 0:
        return terminal_value(ctx)
    if ctx.search_flags & TABLE:
        store(ctx, hash_key, best_move, best, 0, bound, ctx.ply)
    return best
