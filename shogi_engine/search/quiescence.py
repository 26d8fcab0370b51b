"""Quiescence search: at the horizon only moves that change the value at once, until the position is quiet."""

import numpy as np

from shogi_engine.game import (
    MAX_PLY,
    MOVE_NONE,
    VALUE_INFINITE,
    VALUE_MATE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    evaluate,
    exchange_ge,
    finish,
    forced,
    generate_moves,
    generate_noisy,
    generate_threats,
    is_legal,
    is_quiet,
    key,
    terminal_value,
    winning_move,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import FINISH, PRUNE, QUIESCE, TABLE, ascend, descend, enter, repeated
from shogi_engine.search.ordering import corrected, order_moves, pick, pick_sound
from shogi_engine.search.tt import (
    EXACT_BOUND,
    LOWER,
    MAX_STORED_DEPTH,
    UPPER,
    entry_move,
    entry_settles,
    entry_value,
    probe,
    store,
)


@njit
def win_at_once(ctx, hash_key, start):
    """Return a move that wins, found without a search and then kept in the table, or MOVE_NONE."""
    move = winning_move(ctx, start)
    if move != MOVE_NONE and ctx.features & TABLE:
        store(ctx, hash_key, move, VALUE_MATE - ctx.ply - 1, MAX_STORED_DEPTH, EXACT_BOUND, ctx.ply)
    return move


@njit
def quiescence(ctx, alpha, beta, depth, start):
    """Return the value of ctx.pos, within (alpha, beta) exact, when only noisy moves and answers to threats follow.

    depth : 0 at the horizon, where moves that threaten are looked at too, below it less.
    start : where ctx.moves is free. A side that is not forced may stand pat: take the static value instead of moving.
    """
    if enter(ctx):
        return 0
    if ctx.ply > 0:
        value = repeated(ctx)
        if value != VALUE_NONE:
            return value
    if ctx.ply >= MAX_PLY or ctx.features & QUIESCE == 0:
        return evaluate(ctx)
    if ctx.features & FINISH:
        value = finish(ctx, alpha, beta)
        if value != VALUE_NONE:
            return value

    # Static value and moves are found before the table is asked, though it may make them needless: its memory takes as
    # long to come.
    must_answer = forced(ctx.pos)
    best = -VALUE_INFINITE
    count = 0
    if must_answer:
        count = generate_moves(ctx, start)
    else:
        best = evaluate(ctx)
        if ctx.features & PRUNE and best < beta + int(ctx.params.correction_skip_margin):
            best = corrected(ctx, best)
        if best < beta:
            count = generate_noisy(ctx, start)

    table_move = MOVE_NONE
    hash_key = np.uint64(0)
    is_known = False
    if ctx.features & TABLE:
        hash_key = key(ctx.pos) ^ ctx.key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            is_known = True
            if entry_settles(data, alpha, beta, ctx.ply):
                return entry_value(data, ctx.ply)
            table_move = entry_move(data)

    may_win = ctx.features & FINISH and not is_known and not must_answer
    if may_win and win_at_once(ctx, hash_key, start + count) != MOVE_NONE:
        return VALUE_MATE - ctx.ply - 1
    wanted = 0
    if not must_answer:
        if best >= beta:
            return best
        wanted = max(0, alpha - best - int(ctx.params.delta_margin))
        alpha = max(alpha, best)
    order_moves(ctx, start, count, table_move)

    threats_left = depth == 0 and not must_answer and ctx.features & PRUNE != 0
    end = start + count
    index = start
    tried = 0
    best_move = MOVE_NONE
    bound = UPPER
    while index < end or threats_left:
        if index == end:
            threats_left = False
            count = generate_threats(ctx, end)
            order_moves(ctx, end, count, table_move)
            end += count
            continue
        move = pick_sound(ctx, index, end) if must_answer else pick(ctx, index, end)
        index += 1
        if not is_legal(ctx.pos, move):
            continue
        quiet = is_quiet(ctx.pos, move)
        # Quiet moves among the noisy ones, such as a pawn that could have been promoted, change nothing.
        if not must_answer and (depth < 0 or threats_left) and quiet:
            continue
        tried += 1
        # Of the answers to a threat the first quiet ones tell enough, once one is known that does not lose.
        if must_answer and tried > int(ctx.params.qs_evasions) and best > -VALUE_MATE_IN_MAX and quiet:
            continue
        # An exchange that loses, or that can not bring the value up to alpha, is not looked at.
        if not must_answer and not exchange_ge(ctx.pos, move, 0 if quiet else wanted):
            continue
        descend(ctx, move)
        value = -quiescence(ctx, -beta, -alpha, depth - 1, end)
        ascend(ctx, move)
        if ctx.stopped:
            return 0
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_move = move
                bound = EXACT_BOUND
                if value >= beta:
                    bound = LOWER
                    break
    if must_answer and tried == 0:
        return terminal_value(ctx)
    if ctx.features & TABLE:
        store(ctx, hash_key, best_move, best, 0, bound, ctx.ply)
    return best
