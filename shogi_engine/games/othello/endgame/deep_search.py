"""Exact search of Othello far from the end: ordering that is worth its time, and threads that share one tree.

Why a search of its own beside search/alphabeta.py: see `solver`.
"""

import numpy as np

from shogi_engine.bits import ALL, ONE, ZERO
from shogi_engine.game import VALUE_INFINITE
from shogi_engine.games.othello.endgame.last_empties import NO_SCORE, odd_regions, stability_cut
from shogi_engine.games.othello.endgame.search import (
    BYTE,
    HIGHEST,
    MOVES,
    SECOND_MOVE,
    TABLE_MOVE,
    ending_key,
    lower_bound,
    order_score,
    pick_best,
    remember,
    solve,
    store_bounds,
    upper_bound,
)
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.rules import final_score
from shogi_engine.games.othello.types import PASS, PLACING
from shogi_engine.jit import ctz, load_u64, njit, popcount, store_u64
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import make_move, unmake_move
from shogi_engine.search.tt import probe

DEEP = 13  # with fewer empty squares `endgame.solve` searches
VALUE_DIVISOR = 8  # what turns the evaluation's hundredths of a disc into `order_score`'s unit
BUSY_SLOTS = 1 << 12


@njit
def look_depth(count):
    """Return how deep each move is searched to order them, with `count` empty squares; 0 is the evaluation alone."""
    return max(0, (count - DEEP) // 3)


@njit
def mark(busy, key):
    """Tell other threads that this one searches `key`. busy : address of BUSY_SLOTS uint64."""
    store_u64(busy + (key & np.uint64(BUSY_SLOTS - 1)) * np.uint64(8), key)


@njit
def unmark(busy, key):
    """Take `mark` back."""
    address = busy + (key & np.uint64(BUSY_SLOTS - 1)) * np.uint64(8)
    if load_u64(address) == key:
        store_u64(address, ZERO)


@njit
def searched_elsewhere(busy, key):
    """Tell whether another thread searches `key`."""
    return load_u64(busy + (key & np.uint64(BUSY_SLOTS - 1)) * np.uint64(8)) == key


@njit
def solve_deep(ctx, busy, alpha, beta):
    """Return the score of ctx.pos, exact within (alpha, beta); as `solve`, with an ordering worth its time far up.

    The evaluation is asked through the shared search, so that ctx must have been prepared as for one. Threads search
    the same tree and put off moves that another one is at (ABDADA, Jean-Christophe Weill 1996, in Tom Kerrigan's
    simple form).   busy : address (uint64) of BUSY_SLOTS zeroed uint64, the same for all threads.
    """
    own, opponent = ctx.pos.own, ctx.pos.opponent
    empty = ALL ^ (own | opponent)
    count = popcount(empty)
    if count < DEEP:
        return solve(ctx, own, opponent, alpha, beta, empty)
    if load_u64(ctx.stop_address) != ZERO or ctx.nodes >= ctx.node_limit:
        ctx.stopped = 1
        return NO_SCORE

    # 1. What can be said without a move.
    value = stability_cut(own, opponent, alpha, beta)
    if value != NO_SCORE:
        return value
    key = ending_key(own, opponent)
    first, second = np.int64(0), np.int64(0)
    data = probe(ctx, key)
    if data != ZERO:
        lower, upper = lower_bound(data), upper_bound(data)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha, beta = max(alpha, lower), min(beta, upper)
        first, second = np.int64(data & BYTE), np.int64(data >> np.uint64(8) & BYTE)

    # 2. The moves, those to come first by a shallow search and the answers they leave.
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        make_move(ctx, np.uint32(PASS))
        ctx.nodes += 1
        value = -solve_deep(ctx, busy, -beta, -alpha)
        unmake_move(ctx, np.uint32(PASS))
        return value
    start = np.uint64(MOVES + 64 * count)
    end = start
    odd = odd_regions(empty)
    single = moves & (moves - ONE) == ZERO
    left = moves
    while left != ZERO:
        place = np.uint64(ctz(left))
        left &= left - ONE
        turned = flips(own, opponent, place)
        theirs = opponent ^ turned
        mine = own ^ turned ^ ONE << place
        if theirs == ZERO:
            store_bounds(ctx, key, count, np.int64(HIGHEST), np.int64(HIGHEST), np.int64(place) + 1)
            return np.int64(HIGHEST)
        known = probe(ctx, ending_key(theirs, mine))
        if known != ZERO and -upper_bound(known) >= beta:
            store_bounds(ctx, key, count, -upper_bound(known), np.int64(HIGHEST), np.int64(place) + 1)
            return -upper_bound(known)
        score = order_score(mine, theirs, place, odd)
        square = np.int64(place) + 1
        if square == first:
            score += TABLE_MOVE
        elif square == second:
            score += SECOND_MOVE
        ctx.moves[end] = place
        ctx.scores[end] = score
        end += ONE
    if not single:
        depth = look_depth(count)
        for index in range(start, end):
            move = np.uint32(PLACING | ctx.moves[index])
            make_move(ctx, move)
            value = search(ctx, np.int64(-VALUE_INFINITE), np.int64(VALUE_INFINITE), depth, np.int64(0))
            unmake_move(ctx, move)
            ctx.scores[index] -= value // VALUE_DIVISOR
            if ctx.stopped:
                return NO_SCORE

    # 3. The first with the whole window, of the others only whether they are better; what other threads are at comes
    #    last, and is then mostly in the table.
    best = NO_SCORE
    best_move = np.int64(0)
    low = alpha
    put_off = start
    at = start
    first_round = True
    while True:
        if at == end:
            if not first_round or put_off == start:
                break
            first_round = False
            at, end = start, put_off
        place = pick_best(ctx, at, end)
        turned = flips(own, opponent, place)
        child = ending_key(opponent ^ turned, own ^ turned ^ ONE << place)
        only_better = best > NO_SCORE and beta - low > 1
        at += ONE
        shared = first_round and best > NO_SCORE and count > DEEP
        if shared:
            if searched_elsewhere(busy, child):
                ctx.scores[put_off] = ctx.scores[at - ONE]
                ctx.moves[put_off] = np.uint32(place)
                put_off += ONE
                continue
            mark(busy, child)
        move = np.uint32(PLACING | place)
        make_move(ctx, move)
        ctx.nodes += 1
        if only_better:
            value = -solve_deep(ctx, busy, -low - 1, -low)
            if low < value < beta and not ctx.stopped:
                value = -solve_deep(ctx, busy, -beta, -value)
        else:
            value = -solve_deep(ctx, busy, -beta, -low)
        unmake_move(ctx, move)
        if shared:
            unmark(busy, child)
        if ctx.stopped:
            return NO_SCORE
        if value > best:
            best = value
            best_move = np.int64(place) + 1
            if value >= beta:
                break
            low = max(low, value)

    # 4. Remember it.
    remember(ctx, key, count, alpha, beta, best, best_move)
    return best
