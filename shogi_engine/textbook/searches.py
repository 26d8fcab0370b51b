"""The textbook searches: minimax, alpha-beta and NegaScout, as short as possible, for any game.

They share only the context of search/alphabeta.py and the games' rules. There is no transposition table, no pruning
other than alpha-beta, and no move ordering unless requested. Each counts the nodes it visits by ply in `visits`. At
depth 0 the value of a position is `evaluate`. A pass costs no depth. A position without a legal move has the value
`terminal_value`, as always from the point of view of the side to move. The bits of ctx.search_flags below change this
for players that are compared.
"""

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import VALUE_INFINITE
from shogi_engine.jit import njit
from shogi_engine.search.context import generate_searched_moves, make_move, unmake_move
from shogi_engine.search.movepick import CAPTURE_SCORE, pick

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
