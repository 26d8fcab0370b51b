"""The textbook searches, for any game: minimax, alpha-beta, NegaScout, iterative deepening; and players' choices.

The first three are as short as possible. They share only the context of search/alphabeta.py and the games' rules. There
is no transposition table, no pruning other than alpha-beta, and no move ordering unless requested. Each counts the
nodes it visits by ply in `visits`. At depth 0 the value of a position is `evaluate`. A pass costs no depth. A position
without a legal move has the value `terminal_value`, as always from the point of view of the side to move. The bits of
ctx.search_flags below change this for players that are compared.

Iterative deepening is a search of a course's size, which stands between these and the engine's: alpha-beta with what
strong engines have had since the 1980s. It has a transposition table, killer moves, and quiescence, on top of principal
variation search. The bits of ctx.search_flags in ALL_PARTS switch parts off; with USE_TT at most, the value is that of
`minimax`. Outside quiescence no move is pruned and none reduced. docs/deepening.md explains it step by step.
"""

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MAX_PLY, MOVE_NONE, VALUE_INFINITE, VALUE_NONE
from shogi_engine.jit import njit
from shogi_engine.jit.random_numbers import random_below
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
    write_root_moves,
)
from shogi_engine.search.movepick import CAPTURE_SCORE, LEAST_GOOD_CAPTURE, TT_MOVE_SCORE, pick

# Bits of ctx.search_flags, in addition to those of context.ALL_FLAGS.
PLAIN = 1 << 16  # evaluate by `naive_value`
ORDERED = 1 << 17  # order the moves, which turns NegaScout into principal variation search as usually implemented


@njit
def leaf_value(ctx):
    """Return the player's static evaluation of ctx.pos."""
    return rules.naive_value(ctx) if ctx.search_flags & PLAIN else rules.evaluate(ctx)


@njit
def order_moves(ctx, start, end):
    """Write the ordering scores of ctx.moves[start:end] to ctx.scores: captures first, by what they take."""
    rules.score_moves(ctx, start, end - start)
    for index in range(start, end):
        if not rules.is_quiet(ctx.pos, ctx.moves[index]):
            ctx.scores[index] = CAPTURE_SCORE + rules.capture_value(ctx, ctx.moves[index])


@njit
def minimax(ctx, depth, start, visits):
    """Return the value of ctx.pos `depth` plies deep: the best of the moves' values, each the opponent's negated.

    Args:
        start: the first free index of ctx.moves
        visits: int64[MAX_PLY + 1], in-out, nodes visited by ply
    """
    visits[ctx.ply] += 1
    if depth <= 0:
        return leaf_value(ctx)
    best = -VALUE_INFINITE
    end = start + generate_searched_moves(ctx, start)
    for index in range(start, end):
        move = ctx.moves[index]
        if rules.is_legal(ctx.pos, move):
            left = depth - rules.move_cost(ctx.pos, move)
            make_move(ctx, move)
            value = -minimax(ctx, left, end, visits)
            unmake_move(ctx, move)
            best = max(best, value)
    return best if best > -VALUE_INFINITE else rules.terminal_value(ctx)


@njit
def alpha_beta(ctx, alpha, beta, depth, start, visits):
    """Return the value of ctx.pos, exact within (alpha, beta), else a bound; as `minimax` otherwise.

    alpha is the value that the side to move is already sure of; beta is the corresponding value of the opponent. A
    value that reaches beta ends the node, because the opponent will avoid it.
    """
    visits[ctx.ply] += 1
    if depth <= 0:
        return leaf_value(ctx)
    best = -VALUE_INFINITE
    end = start + generate_searched_moves(ctx, start)
    for index in range(start, end):
        move = ctx.moves[index]
        if rules.is_legal(ctx.pos, move):
            left = depth - rules.move_cost(ctx.pos, move)
            make_move(ctx, move)
            value = -alpha_beta(ctx, -beta, -max(alpha, best), left, end, visits)
            unmake_move(ctx, move)
            best = max(best, value)
            if best >= beta:
                return best
    return best if best > -VALUE_INFINITE else rules.terminal_value(ctx)


@njit
def negascout(ctx, alpha, beta, depth, start, visits):
    """Return the value of ctx.pos as `alpha_beta` does, testing all moves but the first with a zero window.

    A move better than alpha that does not reach beta is searched again.
    Source: A. Reinefeld, "An Improvement to the Scout Tree Search Algorithm", ICCA Journal 6(4), 1983.
    """
    visits[ctx.ply] += 1
    if depth <= 0:
        return leaf_value(ctx)
    best = -VALUE_INFINITE
    end = start + generate_searched_moves(ctx, start)
    ordered = ctx.search_flags & ORDERED != 0 and depth > 1  # one ply above the leaves, ordering does not pay
    if ordered:
        order_moves(ctx, start, end)
    for index in range(start, end):
        move = pick(ctx, index, end) if ordered else ctx.moves[index]
        if rules.is_legal(ctx.pos, move):
            left = depth - rules.move_cost(ctx.pos, move)
            low = max(alpha, best)
            make_move(ctx, move)
            if best == -VALUE_INFINITE:
                value = -negascout(ctx, -beta, -low, left, end, visits)
            else:
                value = -negascout(ctx, -low - 1, -low, left, end, visits)
                if low < value < beta:
                    value = -negascout(ctx, -beta, -value, left, end, visits)
            unmake_move(ctx, move)
            best = max(best, value)
            if best >= beta:
                return best
    return best if best > -VALUE_INFINITE else rules.terminal_value(ctx)


# ---- Iterative deepening


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


# ---- The choice of a move, at random among equally good moves


RANDOM, MINIMAX, ALPHA_BETA, NEGASCOUT, DEEPENING = range(5)  # kinds of players; NegaScout with ORDERED is PVS


@njit
def value_of(ctx, kind, low, first, depth, visits):
    """Return the value that a player of `kind` gives its move leading to ctx.pos, from its point of view.

    A value that is not above `low` is an upper bound.

    Args:
        low: the best value so far
        first: whether this is its first move
    """
    if kind == MINIMAX:
        return -minimax(ctx, depth, 0, visits)
    if kind == ALPHA_BETA:
        return -alpha_beta(ctx, -VALUE_INFINITE, -low, depth, 0, visits)
    if first:
        return -negascout(ctx, -VALUE_INFINITE, -low, depth, 0, visits)
    value = -negascout(ctx, -low - 1, -low, depth, 0, visits)
    return -negascout(ctx, -VALUE_INFINITE, -value, depth, 0, visits) if value > low else value


@njit
def choose(ctx, count, kind, depth, state, visits, killers):
    """Return the move of a player of `kind` that searches `depth` plies; one of the best at random unless ORDERED.

    Args:
        ctx: root_moves[:count] are the legal moves, in-out: they are shuffled
        state: as in `random_below`
        visits: int64[MAX_PLY + 2], in-out, nodes visited by ply
        killers: uint32[MAX_PLY + 2, 2], scratch
    """
    for index in range(count - 1, 0, -1):
        other = random_below(state, index + 1)
        move = ctx.root_moves[other]
        ctx.root_moves[other] = ctx.root_moves[index]
        ctx.root_moves[index] = move
    if kind == RANDOM:
        return ctx.root_moves[0]
    if count == 1 and rules.move_cost(ctx.pos, ctx.root_moves[0]) == 0:
        return ctx.root_moves[0]
    if kind == DEEPENING:
        rules.refresh_line(ctx)
        return deepen(ctx, count, depth, visits, killers)
    for index in range(count):
        ctx.moves[index] = ctx.root_moves[index]
    if ctx.search_flags & ORDERED:
        order_moves(ctx, 0, count)
        for index in range(count):
            ctx.root_moves[index] = pick(ctx, index, count)
    rules.refresh_line(ctx)
    visits[0] += 1
    best, best_move = -VALUE_INFINITE, ctx.root_moves[0]
    for index in range(count):
        move = ctx.root_moves[index]
        left = depth - rules.move_cost(ctx.pos, move)
        make_move(ctx, move)
        value = value_of(ctx, kind, best, index == 0, left, visits)
        unmake_move(ctx, move)
        if value > best:
            best, best_move = value, move
    return best_move


@njit
def answer(contexts, moves, kind, depth, flags, state, visits, killers):
    """Make `moves` in a context, the end of the game so far, and return the move of a player of `kind` after them.

    Args:
        contexts: record[context][1]; numba takes 17 us to pass a record from Python, and 0.3 us for an array of one
        moves: uint32[n]
        flags: the bits of ctx.search_flags
        kind, depth, state, visits, killers: as in `choose`
    """
    ctx = contexts[0]
    for move in moves:
        make_move(ctx, move)
        ctx.ply = 0
    ctx.search_flags = flags
    return choose(ctx, write_root_moves(ctx), kind, depth, state, visits, killers)
