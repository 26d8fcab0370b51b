"""Quiescence search: at the horizon only moves that change the value at once, until the position is quiet."""

import numpy as np

from shogi_engine.game import (
    MAX_PLY,
    MOVE_NONE,
    VALUE_INFINITE,
    VALUE_NONE,
    evaluate,
    exchange_ge,
    finish,
    forced,
    generate_moves,
    generate_noisy,
    is_legal,
    key,
    terminal_value,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import FINISH, QUIESCE, TABLE, ascend, descend, enter, repeated
from shogi_engine.search.ordering import order_moves, pick
from shogi_engine.search.table import (
    EXACT_BOUND,
    LOWER,
    UPPER,
    entry_move,
    entry_settles,
    entry_value,
    probe,
    store,
)


@njit
def quiescence(ctx, alpha, beta, start):
    """Return the value of ctx.pos, within (alpha, beta) exact, when only noisy moves and answers to threats follow.

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

    table_move = MOVE_NONE
    hash_key = np.uint64(0)
    if ctx.features & TABLE:
        hash_key = key(ctx.pos) ^ ctx.key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            if entry_settles(data, alpha, beta, ctx.ply):
                return entry_value(data, ctx.ply)
            table_move = entry_move(data)

    must_answer = forced(ctx.pos)
    best = -VALUE_INFINITE
    wanted = 0
    if must_answer:
        count = generate_moves(ctx, start)
    else:
        best = evaluate(ctx)
        if best >= beta:
            return best
        wanted = max(0, alpha - best - int(ctx.params.quiet_margin))
        alpha = max(alpha, best)
        count = generate_noisy(ctx, start)
    order_moves(ctx, start, count, table_move)

    end = start + count
    tried = 0
    best_move = MOVE_NONE
    bound = UPPER
    for index in range(start, end):
        move = pick(ctx, index, end)
        if not is_legal(ctx.pos, move):
            continue
        tried += 1
        # An exchange that loses, or that can not bring the value up to alpha, is not looked at.
        if not must_answer and not exchange_ge(ctx.pos, move, wanted):
            continue
        descend(ctx, move)
        value = -quiescence(ctx, -beta, -alpha, end)
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
