"""The shared search: negamax alpha-beta with principal variation search, in numbered steps that say why.

Values are fail-soft, from the side to move's point of view. Nothing here knows a game: rules come through the stubs
of game.py. Terms as in the Chess Programming Wiki, https://www.chessprogramming.org/Search.
"""

import numpy as np

from shogi_engine.game import (
    MAX_PLY,
    MOVE_NONE,
    VALUE_INFINITE,
    VALUE_MATE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    claimed_value,
    evaluate,
    exchange_ge,
    finish,
    forced,
    generate_moves,
    is_legal,
    is_quiet,
    key,
    move_cost,
    null_allowed,
    probcut,
    terminal_value,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import (
    DEEPER,
    EXTEND,
    FINISH,
    PROBCUT,
    PRUNE,
    REDUCE,
    REDUCTION_DEPTHS,
    REDUCTION_MOVES,
    REPEAT,
    TABLE,
    ascend,
    ascend_null,
    descend,
    descend_null,
    enter,
    repeated,
)
from shogi_engine.search.ordering import SORTED_PICKS, learn_cutoff, order_moves, pick
from shogi_engine.search.quiescence import quiescence
from shogi_engine.search.table import (
    EXACT_BOUND,
    LOWER,
    UPPER,
    entry_depth,
    entry_move,
    entry_settles,
    entry_value,
    prefetch_cluster,
    probe,
    store,
)

NULL_MIN_DEPTH = 3
PROBCUT_MIN_DEPTH = 3
REDUCE_MIN_DEPTH = 3
REDUCE_MIN_MOVES = 3
SHALLOW = 7  # up to this depth a static value far from the window is believed
LATE_MOVES = 6


@njit
def update_pv(ctx, move):
    """Put `move` before the line of the position after it."""
    ply = ctx.ply
    ctx.pv[ply, ply] = move
    end = int(ctx.pv_end[ply + 1])
    for index in range(ply + 1, end):
        ctx.pv[ply, index] = ctx.pv[ply + 1, index]
    ctx.pv_end[ply] = max(end, ply + 1)


@njit
def reduction(ctx, depth, number, pv_node):
    """Return by how many plies the `number`-th quiet move is searched less deep."""
    plies = int(ctx.reductions[min(depth, REDUCTION_DEPTHS - 1), min(number, REDUCTION_MOVES - 1)])
    if pv_node and plies > 0:
        plies -= 1
    return plies


@njit
def search(ctx, alpha, beta, depth, start):
    """Return the value of ctx.pos searched `depth` plies deep, exact if it lies within (alpha, beta).

    alpha, beta : int64, alpha < beta.   start : where ctx.moves is free.
    No argument of a recursive call may be a literal: numba would compile the search once more for each, and the
    versions, which call each other, crash when a second process loads them from the cache.
    After a stop (ctx.stopped) the value means nothing. Leaves the line in ctx.pv[ctx.ply].
    """
    # 1. At the horizon, look at noisy moves only.
    if depth <= 0:
        return quiescence(ctx, alpha, beta, start)

    # 2. Count the node; a stop unwinds the tree, its values are thrown away.
    if enter(ctx):
        return 0
    pv_node = beta - alpha > 1

    # 3. The rules may end the game here: repetition, or a claim.
    value = repeated(ctx)
    if value != VALUE_NONE:
        return value
    if ctx.ply >= MAX_PLY:
        return evaluate(ctx)
    if ctx.features & REPEAT:
        value = claimed_value(ctx)
        if value != VALUE_NONE:
            return value

    # 4. Mate distance: no line from here can be better than winning, or worse than losing, at once.
    alpha = max(alpha, -VALUE_MATE + ctx.ply)
    beta = min(beta, VALUE_MATE - ctx.ply - 1)
    if alpha >= beta:
        return alpha

    # 5. A solver of the game's own may take over near its end.
    if ctx.features & FINISH:
        value = finish(ctx, alpha, beta)
        if value != VALUE_NONE:
            return value

    # 6. The table: what is known from other lines, a bound or at least a good first move.
    table_move = MOVE_NONE
    hash_key = np.uint64(0)
    if ctx.features & TABLE:
        hash_key = key(ctx.pos) ^ ctx.key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            table_move = entry_move(data)
            known = entry_depth(data)
            enough = known >= depth if ctx.features & DEEPER else known == depth
            if enough and not pv_node and entry_settles(data, alpha, beta, ctx.ply):
                return entry_value(data, ctx.ply)

    # 7. A side that has to answer a threat is searched deeper: the line is not settled yet.
    must_answer = forced(ctx.pos)
    if must_answer and ctx.features & EXTEND and ctx.ply < 2 * ctx.root_depth:
        depth += 1

    # 8. Forward pruning where a static value means something.
    static = VALUE_NONE
    if ctx.features & PRUNE and not must_answer and not pv_node and abs(beta) < VALUE_MATE_IN_MAX:
        static = evaluate(ctx)
        # 8a. Far above beta near the horizon: one move will hardly lose all of it.
        if depth <= SHALLOW and static - int(ctx.params.futility) * depth >= beta:
            return static
        # 8b. Null move: if even passing keeps the value above beta, a move will.
        if depth >= NULL_MIN_DEPTH and static >= beta and ctx.last_null != ctx.ply - 1 and null_allowed(ctx.pos):
            descend_null(ctx)
            less = 3 + depth // 4 + min((static - beta) // max(int(ctx.params.null_step), 1), 3)
            value = -search(ctx, -beta, -beta + 1, depth - less, start)
            ascend_null(ctx)
            if ctx.stopped:
                return 0
            if value >= beta:
                return min(value, VALUE_MATE_IN_MAX - 1)

    # 8c. ProbCut: a shallow search that misses the window by far enough tells that this one would miss it too.
    selective = ctx.features & PROBCUT and ctx.params.selectivity > 0 and depth >= PROBCUT_MIN_DEPTH
    if selective and not pv_node and not must_answer and abs(beta) < VALUE_MATE_IN_MAX:
        shallow, spread = probcut(ctx, depth)
        if shallow > 0:
            margin = int(ctx.params.selectivity) * spread // 100
            if evaluate(ctx) >= beta:
                value = search(ctx, beta + margin - 1, beta + margin, shallow, start)
                if value >= beta + margin and not ctx.stopped:
                    return beta
            else:
                value = search(ctx, alpha - margin, alpha - margin + 1, shallow, start)
                if value <= alpha - margin and not ctx.stopped:
                    return alpha
            if ctx.stopped:
                return 0

    # 9. The moves, the most promising first.
    count = generate_moves(ctx, start)
    end = start + count
    order_moves(ctx, start, count, table_move)
    ctx.killers[ctx.ply + 1, 0] = MOVE_NONE
    ctx.killers[ctx.ply + 1, 1] = MOVE_NONE

    best = -VALUE_INFINITE
    best_move = MOVE_NONE
    bound = UPPER
    tried = 0
    for index in range(start, end):
        move = pick(ctx, index, end) if index - start < SORTED_PICKS else ctx.moves[index]
        if not is_legal(ctx.pos, move):
            continue
        tried += 1
        quiet = is_quiet(ctx.pos, move)
        deeper = depth - move_cost(ctx.pos, move)

        # 10. Near the horizon, leave out what will hardly help once a line is known that does not lose: late quiet
        #     moves, quiet moves from far below alpha, and moves that lose material on their square.
        if static != VALUE_NONE and depth <= SHALLOW and best > -VALUE_MATE_IN_MAX and move != table_move:
            if quiet and (
                tried > LATE_MOVES + depth * depth or static + int(ctx.params.futility) * (depth + 1) <= alpha
            ):
                continue
            if not exchange_ge(ctx.pos, move, -int(ctx.params.exchange_step) * depth):
                continue

        descend(ctx, move)
        if ctx.features & TABLE:
            prefetch_cluster(ctx, key(ctx.pos) ^ ctx.key_salt)

        # 11. Principal variation search: the first move with the whole window; of the others only whether they are
        #     better, less deep the later they come (late move reduction), and again as deep as asked if they seem so.
        if tried == 1:
            value = -search(ctx, -beta, -alpha, deeper, end)
        else:
            less = 0
            if (
                ctx.features & REDUCE
                and depth >= REDUCE_MIN_DEPTH
                and tried > REDUCE_MIN_MOVES
                and quiet
                and not must_answer
                and not forced(ctx.pos)
            ):
                less = min(reduction(ctx, depth, tried, pv_node), deeper - 1)
            value = -search(ctx, -alpha - 1, -alpha, deeper - less, end)
            if value > alpha and less > 0:
                value = -search(ctx, -alpha - 1, -alpha, deeper, end)
            if alpha < value < beta:
                value = -search(ctx, -beta, -alpha, deeper, end)
        ascend(ctx, move)
        if ctx.stopped:
            return 0

        # 12. Better than what we had? Better than the opponent allows (beta)?
        if value > best:
            best = value
            if value > alpha:
                best_move = move
                bound = EXACT_BOUND
                if pv_node:
                    update_pv(ctx, move)
                if value >= beta:
                    bound = LOWER
                    if quiet:
                        learn_cutoff(ctx, start, index, depth)
                    break
                alpha = value

    # 13. No legal move: the game is over.
    if tried == 0:
        return terminal_value(ctx)

    # 14. Remember it.
    if ctx.features & TABLE:
        store(ctx, hash_key, best_move, best, depth, bound, ctx.ply)
    return best


@njit
def search_root(ctx, alpha, beta, depth, first):
    """Search the root moves ctx.root_moves[first : ctx.root_count] `depth` plies deep; return the best value.

    The best move is brought to `first` as soon as it is known, the others keep their order, so that a stopped
    search has its best move too. ctx.root_scores[first] is its value, or -VALUE_INFINITE if none was searched.
    """
    ctx.root_scores[first] = -VALUE_INFINITE
    ctx.root_depth = depth
    best = -VALUE_INFINITE
    top = alpha
    for index in range(first, int(ctx.root_count)):
        move = ctx.root_moves[index]
        quiet = is_quiet(ctx.pos, move)
        deeper = depth - move_cost(ctx.pos, move)
        number = index - first + 1
        less = 0
        if ctx.features & REDUCE and depth >= REDUCE_MIN_DEPTH and number > REDUCE_MIN_MOVES and quiet:
            less = 0 if forced(ctx.pos) else min(reduction(ctx, depth, number, True), deeper - 1)
        descend(ctx, move)
        if number == 1:
            value = -search(ctx, -beta, -top, deeper, 0)
        else:
            value = -search(ctx, -top - 1, -top, deeper - less, 0)
            if value > top and less > 0:
                value = -search(ctx, -top - 1, -top, deeper, 0)
            if top < value < beta:
                value = -search(ctx, -beta, -top, deeper, 0)
        ascend(ctx, move)
        if ctx.stopped:
            break
        if value > best:
            best = value
            if value > top or number == 1:
                ctx.pv_end[0] = 0
                update_pv(ctx, move)
                for place in range(index, first, -1):
                    ctx.root_moves[place] = ctx.root_moves[place - 1]
                ctx.root_moves[first] = move
                ctx.root_scores[first] = value
            if value >= beta:
                break
            top = max(top, value)
    if ctx.features & TABLE and best > -VALUE_INFINITE and not ctx.stopped and first == 0:
        bound = UPPER if best <= alpha else LOWER if best >= beta else EXACT_BOUND
        store(ctx, key(ctx.pos) ^ ctx.key_salt, ctx.root_moves[0], best, depth, bound, 0)
    return best
