"""The textbook searches: minimax, alpha-beta and NegaScout, as short as they can be said, for any game.

They use the shared search's context and the games' rules, but nothing else of it: no table, no ordering, no pruning
but alpha-beta itself. Each counts the nodes it visits by ply in `visits`. At the horizon a position is worth
`evaluate`; a pass costs no depth; a position without a legal move has its `terminal_value`, always from the side to
move's point of view.
"""

from shogi_engine.game import (
    VALUE_INFINITE,
    evaluate,
    generate_moves,
    is_legal,
    move_cost,
    terminal_value,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import ascend, descend


@njit
def minimax(ctx, depth, start, visits):
    """Return the value of ctx.pos `depth` plies deep: the best of the moves' values, each the opponent's negated.

    start : where ctx.moves is free.   visits : int64[MAX_PLY + 1], in-out, nodes visited by ply.
    """
    visits[ctx.ply] += 1
    if depth <= 0:
        return evaluate(ctx)
    best = -VALUE_INFINITE
    end = start + generate_moves(ctx, start)
    for index in range(start, end):
        move = ctx.moves[index]
        if is_legal(ctx.pos, move):
            left = depth - move_cost(ctx.pos, move)
            descend(ctx, move)
            value = -minimax(ctx, left, end, visits)
            ascend(ctx, move)
            best = max(best, value)
    return best if best > -VALUE_INFINITE else terminal_value(ctx)


@njit
def alpha_beta(ctx, alpha, beta, depth, start, visits):
    """Return the value of ctx.pos, exact within (alpha, beta), else a bound; as `minimax` otherwise.

    alpha is what the side to move has already, beta what the opponent has: a value that reaches beta ends the node,
    since the opponent will not let it come to this.
    """
    visits[ctx.ply] += 1
    if depth <= 0:
        return evaluate(ctx)
    best = -VALUE_INFINITE
    end = start + generate_moves(ctx, start)
    for index in range(start, end):
        move = ctx.moves[index]
        if is_legal(ctx.pos, move):
            left = depth - move_cost(ctx.pos, move)
            descend(ctx, move)
            value = -alpha_beta(ctx, -beta, -max(alpha, best), left, end, visits)
            ascend(ctx, move)
            best = max(best, value)
            if best >= beta:
                return best
    return best if best > -VALUE_INFINITE else terminal_value(ctx)


@njit
def negascout(ctx, alpha, beta, depth, start, visits):
    """Return the value of ctx.pos as `alpha_beta` does, asking of all moves but the first only if they are better.

    The question has a window of one; a move that is better, but not good enough for a cut, is searched again.
    Source: A. Reinefeld, "An Improvement to the Scout Tree Search Algorithm", ICCA Journal 6(4), 1983.
    """
    visits[ctx.ply] += 1
    if depth <= 0:
        return evaluate(ctx)
    best = -VALUE_INFINITE
    end = start + generate_moves(ctx, start)
    for index in range(start, end):
        move = ctx.moves[index]
        if is_legal(ctx.pos, move):
            left = depth - move_cost(ctx.pos, move)
            low = max(alpha, best)
            descend(ctx, move)
            if best == -VALUE_INFINITE:
                value = -negascout(ctx, -beta, -low, left, end, visits)
            else:
                value = -negascout(ctx, -low - 1, -low, left, end, visits)
                if low < value < beta:
                    value = -negascout(ctx, -beta, -value, left, end, visits)
            ascend(ctx, move)
            best = max(best, value)
            if best >= beta:
                return best
    return best if best > -VALUE_INFINITE else terminal_value(ctx)
