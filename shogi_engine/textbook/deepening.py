"""A search of a course's size, for any game: alpha-beta with what strong engines have had since the 1980s.

It stands between searches.py and the engine's search: iterative deepening, a transposition table, killer moves, and
quiescence, on top of principal variation search. The bits of ctx.search_flags in ALL_PARTS switch parts
off; with USE_TT at most, the value is that of `minimax`. Outside quiescence no move is pruned and none reduced.
docs/deepening.md explains it step by step.
"""

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MAX_PLY, MOVE_NONE, VALUE_INFINITE, VALUE_NONE
from shogi_engine.jit import njit
from shogi_engine.search import tt
from shogi_engine.search.context import (
    USE_DEEPER_ENTRIES,
    USE_QUIESCENCE,
    USE_REPETITION,
    USE_TT,
    generate_searched_moves,
    make_move,
    repetition_in_tree,
    unmake_move,
)
from shogi_engine.search.movepick import LEAST_GOOD_CAPTURE, TT_MOVE_SCORE, pick
from shogi_engine.textbook.searches import leaf_value, order_moves

ALL_PARTS = USE_TT | USE_DEEPER_ENTRIES | USE_QUIESCENCE | USE_REPETITION


@njit
def order(ctx, start, end, table_move, killers):
    """Write ordering scores: the table's move first, then captures, killer moves, and quiet moves as the game says."""
    order_moves(ctx, start, end)
    for index in range(start, end):
        move = ctx.moves[index]
        if move == table_move:
            ctx.scores[index] = TT_MOVE_SCORE
        elif (move == killers[ctx.ply, 0] or move == killers[ctx.ply, 1]) and rules.is_quiet(ctx.pos, move):
            ctx.scores[index] = LEAST_GOOD_CAPTURE  # below captures, above all quiet moves


@njit
def quiescence(ctx, alpha, beta, start, visits):
    """Return the value of ctx.pos when the exchanges are over: only captures are searched, and evasions of checks.

    A side that is not in check may stand pat, that is, keep the static evaluation.
    """
    visits[ctx.ply] += 1
    if ctx.ply >= MAX_PLY:
        return leaf_value(ctx)
    in_check = rules.is_in_check(ctx.pos)
    best = -VALUE_INFINITE
    if not in_check:
        best = leaf_value(ctx)
        if best >= beta:
            return best
    end = start + (rules.generate_evasions(ctx, start) if in_check else rules.generate_captures(ctx, start))
    order_moves(ctx, start, end)
    for index in range(start, end):
        move = pick(ctx, index, end)
        if rules.is_legal(ctx.pos, move) and (in_check or rules.see_ge(ctx, move, 0)):  # no losing captures
            make_move(ctx, move)
            value = -quiescence(ctx, -beta, -max(alpha, best), end, visits)
            unmake_move(ctx, move)
            best = max(best, value)
            if best >= beta:
                break
    return best if best > -VALUE_INFINITE else rules.terminal_value(ctx)


@njit
def is_settled(ctx, alpha, beta, depth, value, stored_depth, bound):
    """Tell whether the table's entry ends a node: it is deep enough, and its bound decides the window."""
    if value == VALUE_NONE or stored_depth < depth:
        return False
    if stored_depth > depth and ctx.search_flags & USE_DEEPER_ENTRIES == 0:
        return False
    if bound == tt.BOUND_EXACT:
        return True
    return value >= beta if bound == tt.BOUND_LOWER else value <= alpha


@njit
def search(ctx, alpha, beta, depth, start, visits, killers):
    """Return the value of ctx.pos `depth` plies deep, exact within (alpha, beta), else a bound.

    Args:
        start: the first free index of ctx.moves
        visits: int64[MAX_PLY + 2], in-out, nodes visited by ply
        killers: uint32[MAX_PLY + 2, 2], in-out, by ply the last two quiet moves that caused a cutoff
    """
    # 1. The rules: a position that repeats.
    value = repetition_in_tree(ctx) if ctx.ply > 0 else VALUE_NONE

    # 2. No depth left: let the exchanges finish.
    if value == VALUE_NONE and depth <= 0:
        if ctx.search_flags & USE_QUIESCENCE:
            return quiescence(ctx, alpha, beta, start, visits)
        value = leaf_value(ctx)
    visits[ctx.ply] += 1
    if value != VALUE_NONE:
        return value

    # 3. The table: has this position been searched before?
    using_table = ctx.search_flags & USE_TT != 0
    key = rules.key(ctx.pos)
    _, table_move, value, stored_depth, bound, _, _ = tt.lookup(ctx, key, using_table)
    if is_settled(ctx, alpha, beta, depth, value, stored_depth, bound):
        return value

    # 4. The moves, best first: the first with the whole window, the others with a zero window.
    best, best_move = -VALUE_INFINITE, MOVE_NONE
    end = start + generate_searched_moves(ctx, start)
    order(ctx, start, end, table_move, killers)
    for index in range(start, end):
        move = pick(ctx, index, end)
        if not rules.is_legal(ctx.pos, move):
            continue
        left = depth - rules.move_cost(ctx.pos, move)
        low = max(alpha, best)
        make_move(ctx, move)
        if best_move == MOVE_NONE:
            value = -search(ctx, -beta, -low, left, end, visits, killers)
        else:
            value = -search(ctx, -low - 1, -low, left, end, visits, killers)
            if low < value < beta:
                value = -search(ctx, -beta, -value, left, end, visits, killers)
        unmake_move(ctx, move)
        if value > best:
            best, best_move = value, move

        # 5. A cutoff: the opponent avoids this position. A quiet move that shows it may do so elsewhere at this ply.
        if best >= beta:
            if rules.is_quiet(ctx.pos, move) and move != killers[ctx.ply, 0]:
                killers[ctx.ply, 1] = killers[ctx.ply, 0]
                killers[ctx.ply, 0] = move
            break
    if best_move == MOVE_NONE:
        return rules.terminal_value(ctx)

    # 6. Remember the value, as what it is: exact, at least, or at most.
    if using_table:
        bound = tt.BOUND_LOWER if best >= beta else tt.BOUND_EXACT if best > alpha else tt.BOUND_UPPER
        tt.store(ctx, key, best_move, best, depth, bound, False, VALUE_NONE)
    return best


@njit
def deepen(ctx, count, depth, visits, killers):
    """Return the best of ctx.root_moves[:count], searched 1, 2 ... `depth` plies deep; it comes first, in-out.

    Each iteration fills the table with the moves to try first in the next one, which pays for itself.

    Args:
        killers: uint32[MAX_PLY + 2, 2], scratch
    """
    for ply in range(killers.shape[0]):
        killers[ply, 0] = killers[ply, 1] = MOVE_NONE
    for plies in range(1, depth + 1):
        visits[0] += 1
        best = -VALUE_INFINITE
        for index in range(count):
            move = ctx.root_moves[index]
            left = plies - rules.move_cost(ctx.pos, move)
            make_move(ctx, move)
            if index == 0:
                value = -search(ctx, -VALUE_INFINITE, VALUE_INFINITE, left, 0, visits, killers)
            else:
                value = -search(ctx, -best - 1, -best, left, 0, visits, killers)
                if value > best:
                    value = -search(ctx, -VALUE_INFINITE, -best, left, 0, visits, killers)
            unmake_move(ctx, move)
            if value > best:
                best = value
                for place in range(index, 0, -1):  # the others keep their order
                    ctx.root_moves[place] = ctx.root_moves[place - 1]
                ctx.root_moves[0] = move
    return ctx.root_moves[0]
