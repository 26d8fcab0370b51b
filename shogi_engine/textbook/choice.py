"""The choice of a move by a textbook search, at random among equally good moves, for any game."""

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import VALUE_INFINITE
from shogi_engine.jit import njit
from shogi_engine.jit.random_numbers import random_below
from shogi_engine.search.context import make_move, unmake_move, write_root_moves
from shogi_engine.search.movepick import pick
from shogi_engine.textbook.deepening import deepen
from shogi_engine.textbook.searches import ORDERED, alpha_beta, minimax, negascout, order_moves

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
