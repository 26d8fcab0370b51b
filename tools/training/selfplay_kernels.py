"""The kernels of selfplay.py and match/weights_match.py: whole games of Shogi in one call."""

import numpy as np

from shogi_engine.bits import ONE
from shogi_engine.game import (
    NO_LEGAL_MOVE,
    NOT_OVER,
    VALUE_INFINITE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    game_result,
)
from shogi_engine.jit import njit, record_at
from shogi_engine.search.alphabeta import search_root
from shogi_engine.search.arena import random_below
from shogi_engine.search.context import begin_game, play_move, start_search, write_root_moves

ABANDONED = 2  # the result of a game that did not come from a balanced opening
GOES_ON = 3  # no result yet


@njit
def think(ctx, nodes):
    """Search ctx.pos, whose moves are in ctx.root_moves, for about so many nodes; return the value.

    The best move is then ctx.root_moves[0].
    """
    ctx.generation = (ctx.generation + ONE) & np.uint64(63)
    ctx.node_limit = nodes
    main_history = record_at(ctx, ctx.histories).main
    for slot in range(main_history.shape[0]):
        main_history[slot] //= 2
    start_search(ctx)
    best = 0
    for depth in range(1, 64):
        alpha, beta = -VALUE_INFINITE, VALUE_INFINITE
        if depth >= 4 and abs(best) < VALUE_MATE_IN_MAX:
            alpha, beta = best - 60, best + 60
        value = search_root(ctx, alpha, beta, depth, 0)
        if not ctx.stopped and (value <= alpha or value >= beta):
            value = search_root(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0)
        if ctx.stopped:
            break
        best = value
        if abs(best) >= VALUE_MATE_IN_MAX:
            break
    return best


@njit
def agreed(values, ply, first, decided):
    """Tell whether the last four searches up to `ply`, since `first`, all saw the same side ahead by `decided`."""
    if ply - first < 3:
        return False
    for other in range(ply - 3, ply + 1):
        if abs(values[other]) < decided:
            return False
    return values[ply] * values[ply - 1] < 0 and values[ply] * values[ply - 2] > 0


@njit
def take_turn(ctx, ply, state, nodes, random_plies, balance, decided, moves, values):
    """Choose the move of ctx at `ply` of a game, as `play_game` says; return (result or GOES_ON, moves made)."""
    side = 1 if ply & 1 == 0 else -1
    termination, result = game_result(ctx, write_root_moves(ctx))
    if termination != NOT_OVER:
        abandoned = termination == NO_LEGAL_MOVE and ply <= random_plies
        return ABANDONED if abandoned else side * ((result > 0) - (result < 0)), 0
    if ply < random_plies:
        moves[ply] = ctx.root_moves[random_below(state, ctx.root_count)]
        values[ply] = VALUE_NONE
        return GOES_ON, 1
    value = int(think(ctx, nodes))
    if ply == random_plies and abs(value) > balance:
        return ABANDONED, 0
    moves[ply] = ctx.root_moves[0]
    values[ply] = value
    if abs(value) >= VALUE_MATE_IN_MAX or agreed(values, ply, random_plies, decided):
        return (side if value > 0 else -side), 1
    return GOES_ON, 1


@njit
def play_game(black, white, state, nodes, random_plies, balance, decided, longest, moves, values):
    """Play a game from the position of both contexts, black to move; return (result, moves made).

    black, white : contexts of the two players, which may be of different evaluations.
    state : uint64[1], of random_below, used for the opening only.
    nodes : for each move after it.   random_plies : moves of the opening.   balance : the most that black may see
    either side ahead after it.   decided : a value that ends the game when both sides see it twice.
    longest : moves after which it is drawn.   moves : uint32[longest], out.
    values : int16[longest], out: what the search found before each move, for the side to move; VALUE_NONE at random.
    The result is 1, 0, -1 for black, or ABANDONED.
    """
    begin_game(black)
    begin_game(white)
    for ply in range(longest):
        if ply & 1 == 0:
            result, made = take_turn(black, ply, state, nodes, random_plies, balance, decided, moves, values)
        else:
            result, made = take_turn(white, ply, state, nodes, random_plies, balance, decided, moves, values)
        if result != GOES_ON:
            return result, ply + made
        play_move(black, moves[ply])
        play_move(white, moves[ply])
    return 0, longest
