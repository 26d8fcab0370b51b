"""Whole games between textbook players in one kernel, for any game."""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import NOT_OVER, VALUE_INFINITE
from shogi_engine.jit import njit
from shogi_engine.jit.random_numbers import random_below
from shogi_engine.search.context import make_move, unmake_move, write_root_moves
from shogi_engine.search.movepick import pick
from shogi_engine.textbook.searches import ORDERED, alpha_beta, minimax, negascout, order_moves

RANDOM, MINIMAX, ALPHA_BETA, NEGASCOUT = range(4)  # kinds of players; NegaScout with ORDERED is PVS
KIND, DEPTH, FEATURES = range(3)  # columns of `players`


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
def choose(ctx, count, kind, depth, state, visits):
    """Return the move of a player of `kind` that searches `depth` plies; one of the best at random unless ORDERED.

    Args:
        ctx: root_moves[:count] are the legal moves, in-out: they are shuffled
        state: as in `random_below`
        visits: int64[MAX_PLY + 2], in-out, nodes visited by ply
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
def play_game(ctx, players, opening, states, longest, visits):
    """Play a game from ctx.pos and return its result for the side that moves first; after `longest` moves 0, a draw.

    Args:
        ctx: at its root, without earlier moves
        players: int64[2, 3], KIND, DEPTH and FEATURES of each side
        opening: number of random first moves, drawn by states[0]
        states: uint64[2, 1], in-out, see `random_below`
        visits: int64[2, MAX_PLY + 2], in-out, each player's nodes by ply; a forced move is searched too, unless it
            costs no depth (a pass)
    """
    while True:
        side = ctx.game_ply & 1
        count = write_root_moves(ctx)
        termination, value = rules.game_result(ctx, count)
        if termination != NOT_OVER:
            return -value if side else value
        if ctx.game_ply >= longest:
            return np.int64(0)
        ctx.search_flags = players[side, FEATURES]
        if ctx.game_ply < opening:
            move = choose(ctx, count, RANDOM, 0, states[0], visits[side])
        else:
            move = choose(ctx, count, players[side, KIND], players[side, DEPTH], states[1], visits[side])
        make_move(ctx, move)
        ctx.ply = 0
