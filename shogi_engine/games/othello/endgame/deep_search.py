"""Searches Othello to the end with many empty squares: shallow searches order the moves, and threads share one tree.

It is exact, or selective by Multi-ProbCut to prepare the exact search. solver.py explains why this search exists in
addition to search/alphabeta.py.
"""

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.endgame.search import (
    HIGHEST,
    LOWEST,
    NO_SCORE,
    SORTED_START,
    ending_key,
    entry_moves,
    entry_selectivity,
    key_square,
    narrow_window,
    should_stop,
    solve,
    stability_cut,
    store_bounds,
    store_result,
    transposition_cut,
    write_keys,
)
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.position import final_score
from shogi_engine.games.othello.types import DISC_MOVE, MAX_MOVES, PASS
from shogi_engine.interface.game import VALUE_INFINITE, evaluate
from shogi_engine.jit import load_u64, njit, popcount, store_u64
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import CUT, PV, make_move, unmake_move
from shogi_engine.search.tt import probe_entry

DEEP = 14  # with fewer empty squares `endgame.solve` searches
VALUE_DIVISOR = 7  # the evaluation's hundredths of a disc per unit of score in the ordering keys
ORDERING_WINDOW = 10 * DISC  # moves worse than another by this are not distinguished
TABLE_MOVE, SECOND_MOVE = 1 << 30, 1 << 29  # added to the keys of the table's moves
BEING_SEARCHED_SLOTS = 1 << 12
NO_PLACE = np.uint64(64)

# Multi-ProbCut in selective passes (`predicted`).
SPREAD = 300  # standard error of the probing searches, in hundredths of a disc
MARGINS = np.array([0, 450, 300, 160], dtype=np.int64)  # percent of SPREAD, by selectivity
MOST_PROBED = 6  # maximum depth in plies of the probing searches; one more with an odd number of empty squares


@njit
def ordering_depth(count, known):
    """Return the depth of the searches that order the moves with `count` empty squares; 0 is the evaluation alone.

    Args:
        known: moves from the table (uint64); if none of them caused a cutoff, the order of the others matters less
    """
    return max(0, (count - DEEP) // 3 - np.int64(known != ZERO))


@njit
def start_searching(slots, key):
    """Mark `key` as being searched by this thread.

    Args:
        slots: address of BEING_SEARCHED_SLOTS uint64
    """
    store_u64(slots + (key & np.uint64(BEING_SEARCHED_SLOTS - 1)) * np.uint64(8), key)


@njit
def stop_searching(slots, key):
    """Undo `start_searching`."""
    address = slots + (key & np.uint64(BEING_SEARCHED_SLOTS - 1)) * np.uint64(8)
    if load_u64(address) == key:
        store_u64(address, ZERO)


@njit
def searched_elsewhere(slots, key):
    """Tell whether another thread is searching `key`."""
    return load_u64(slots + (key & np.uint64(BEING_SEARCHED_SLOTS - 1)) * np.uint64(8)) == key


@njit
def score_by_search(ctx, start, end, depth):
    """Search to `depth` and subtract the opponent's values from the keys of the moves start..end - 1 (uint64).

    Values of moves that are worse than an earlier one by ORDERING_WINDOW are lower bounds.
    """
    beta = np.int64(VALUE_INFINITE)
    if end <= start + ONE:
        return
    for index in range(start, end):
        move = np.uint32(DISC_MOVE | key_square(ctx.scores[index]))
        make_move(ctx, move)
        value = search(ctx, np.int64(-VALUE_INFINITE), beta, depth, np.int64(PV), np.int64(0))
        unmake_move(ctx, move)
        ctx.scores[index] -= value // VALUE_DIVISOR << 12
        beta = min(beta, value + ORDERING_WINDOW)
        if ctx.stopped:
            break


@njit
def null_window_value(ctx, alpha, depth):
    """Search ctx.pos to `depth` plies with the window (alpha, alpha + 1) and return its value."""
    return search(ctx, alpha, alpha + 1, depth, np.int64(CUT), np.int64(0))


@njit
def predicted(ctx, alpha, count, selectivity):
    """Predict by a shallow search whether the score fails low or high: alpha or alpha + 1.

    Return NO_SCORE if the prediction is too uncertain for `selectivity`.

    Args:
        count: empty squares
    """
    depth = min(count // 8 * 2, MOST_PROBED) + count % 2
    margin = MARGINS[selectivity] * SPREAD // 100
    low, high = DISC * alpha - margin, DISC * (alpha + 1) + margin
    if 2 * evaluate(ctx) >= low + high:
        if high <= DISC * HIGHEST and null_window_value(ctx, high - 1, depth) >= high and not ctx.stopped:
            return alpha + 1
    elif low >= DISC * LOWEST and null_window_value(ctx, low, depth) <= low and not ctx.stopped:
        return alpha
    return np.int64(NO_SCORE)


@njit
def write_moves(ctx, key, data, moves, start, alpha, beta, selectivity):
    """Write the keys of `moves` (uint64) to ctx.scores[start:]: the table's moves first, then those with few replies.

    Returns (end, known, value): `known` moves are from the table. A value other than NO_SCORE settles the node: it is
    from a child's bound (which is stored) or from a shallow search.

    Args:
        key: the position's key in the table
        data: its data in the table, 0 if there is none
        selectivity: see `solve_deep`
    """
    own, opponent = ctx.pos.own, ctx.pos.opponent
    count = popcount(ALL ^ (own | opponent))
    known = ZERO
    value, place = transposition_cut(ctx, own, opponent, moves, start, beta, selectivity, count - 1)
    if value != NO_SCORE:
        store_bounds(ctx, key, count, value, np.int64(HIGHEST), np.int64(place) + 1, selectivity)
        return start, known, value
    if selectivity > 0 and beta - alpha == 1:
        value = predicted(ctx, alpha, count, selectivity)
        if value != NO_SCORE:
            return start, known, value
    end = write_keys(ctx, own, opponent, moves, start)
    first, second = entry_moves(data)
    for index in range(start, end):
        square = np.int64(key_square(ctx.scores[index])) + 1
        if square in (first, second):
            ctx.scores[index] += TABLE_MOVE if square == first else SECOND_MOVE
            known += ONE
    return end, known, value


@njit
def take_best(ctx, at, end):
    """Move the best of the keys at..end - 1 (uint64) in ctx.scores to `at` and return its square (uint64)."""
    best = at
    for other in range(at + ONE, end):
        if ctx.scores[other] > ctx.scores[best]:
            best = other
    key = ctx.scores[best]
    ctx.scores[best] = ctx.scores[at]
    ctx.scores[at] = key
    return key_square(key)


@njit
def next_move(ctx, slots, at, end, deferred, defer):
    """Return (at, deferred, place, child): the best of the moves at..end - 1, and the key of the position after it.

    The returned `at` is past the move; `place` is NO_PLACE if no move is left.

    Args:
        defer: skip moves that another thread is searching; they are moved to the front, before `deferred`
    """
    own, opponent = ctx.pos.own, ctx.pos.opponent
    while at < end:
        place = take_best(ctx, at, end)
        flipped = flips(own, opponent, place)
        child = ending_key(opponent ^ flipped, own ^ flipped ^ ONE << place)
        at += ONE
        if not defer or not searched_elsewhere(slots, child):
            return at, deferred, place, child
        ctx.scores[deferred] = ctx.scores[at - ONE]
        deferred += ONE
    return at, deferred, NO_PLACE, ZERO


@njit
def first_cut(ctx, own, opponent, key, alpha, beta, selectivity):
    """Return (value, data, alpha, beta): the table's data of the position, and the window narrowed to its bounds.

    A value other than NO_SCORE, from stable discs or the table, settles the node.

    Args:
        selectivity: see `solve_deep`
    """
    data = ZERO
    value = stability_cut(own, opponent, alpha, beta)
    if value == NO_SCORE:
        data, _ = probe_entry(ctx, key)
        if data != ZERO and entry_selectivity(data) <= selectivity:
            value, alpha, beta = narrow_window(data, alpha, beta)
    return value, data, alpha, beta


@njit
def solve_deep(ctx, slots, alpha, beta, selectivity):
    """Return the score of ctx.pos, exact within (alpha, beta), as `solve` does, with a costlier move ordering.

    The shared search orders the moves, so ctx must be prepared as for a search. Threads search the same tree and defer
    moves that another thread is searching (ABDADA, Jean-Christophe Weill 1996, in Tom Kerrigan's simplified form).

    Args:
        slots: address (uint64) of BEING_SEARCHED_SLOTS zeroed uint64, the same for all threads
        selectivity: 0 for an exact score, else the selective pass, with MARGINS[selectivity]; equally or more
            selective passes use the bounds that it stores
    """
    own, opponent = ctx.pos.own, ctx.pos.opponent
    empty = ALL ^ (own | opponent)
    count = popcount(empty)
    if count < DEEP:
        return solve(ctx, own, opponent, alpha, beta, empty)
    if should_stop(ctx):
        return NO_SCORE

    # 1. Cutoffs before any move: stable discs, the table.
    key = ending_key(own, opponent)
    value, data, alpha, beta = first_cut(ctx, own, opponent, key, alpha, beta, selectivity)
    if value != NO_SCORE:
        return value

    # 2. The moves, unless the table or a shallow search settles the window.
    moves = mobility(own, opponent)
    if moves == ZERO:
        if mobility(opponent, own) == ZERO:
            return final_score(own, opponent)
        make_move(ctx, np.uint32(PASS))
        ctx.nodes += 1
        value = -solve_deep(ctx, slots, -beta, -alpha, selectivity)
        unmake_move(ctx, np.uint32(PASS))
        return value
    start = np.uint64(SORTED_START + MAX_MOVES * count)
    end, known, value = write_moves(ctx, key, data, moves, start, alpha, beta, selectivity)
    if value != NO_SCORE or ctx.stopped:
        return value

    # 3. The table's moves, then the others in the order of shallow searches: the first with the full window, the rest
    #    with a null window first. Moves that other threads are searching come last: by then the table mostly has their
    #    results.
    best, best_move = NO_SCORE, np.int64(0)
    low = alpha
    at = deferred = start
    first_round = unsorted = True
    while True:
        if unsorted and at >= start + known:  # sorted late, because a move from the table usually causes a cutoff
            unsorted = False
            score_by_search(ctx, at, end, ordering_depth(count, known))
        shared = first_round and best > NO_SCORE and count > DEEP
        at, deferred, place, child = next_move(ctx, slots, at, end, deferred, shared)
        if place == NO_PLACE:
            if not first_round or deferred == start:
                break
            first_round = False
            at, end = start, deferred
            continue
        if shared:
            start_searching(slots, child)
        move = np.uint32(DISC_MOVE | place)
        make_move(ctx, move)
        ctx.nodes += 1
        bound = low + 1 if best > NO_SCORE else beta
        value = -solve_deep(ctx, slots, -bound, -low, selectivity)
        if low < value < beta and bound < beta and not ctx.stopped:
            value = -solve_deep(ctx, slots, -beta, -value, selectivity)
        unmake_move(ctx, move)
        if shared:
            stop_searching(slots, child)
        if ctx.stopped:
            return NO_SCORE
        if value > best:
            best = value
            best_move = np.int64(place) + 1
            if value >= beta:
                break
            low = max(low, value)

    # 4. Store the result.
    store_result(ctx, key, count, alpha, beta, best, best_move, selectivity)
    return best
