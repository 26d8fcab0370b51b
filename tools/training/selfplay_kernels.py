"""The kernels of selfplay.py and match/weights_match.py: whole games of Shogi in one call."""

import numpy as np

from shogi_engine.bits import ONE
from shogi_engine.game import (
    VALUE_INFINITE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    declaration_value,
    refresh_accumulator,
)
from shogi_engine.games.shogi.rules import DRAW, WIN, repetition
from shogi_engine.jit import njit
from shogi_engine.search.alphabeta import search_root
from shogi_engine.search.arena import random_below, write_root_moves
from shogi_engine.search.context import REPETITION_FILTER_SIZE, play_move

ABANDONED = 2  # the result of a game that did not come from a balanced opening


@njit
def think(ctx, nodes):
    """Search ctx.pos, whose moves are in ctx.root_moves, for about so many nodes; return the value.

    The best move is then ctx.root_moves[0].
    """
    ctx.generation = (ctx.generation + ONE) & np.uint64(63)
    ctx.ply = ctx.nodes = ctx.seldepth = ctx.stopped = 0
    ctx.last_null = -1
    ctx.node_limit = nodes
    for ply in range(ctx.killers.shape[0]):
        ctx.killers[ply, 0] = 0
        ctx.killers[ply, 1] = 0
    for slot in range(ctx.history.shape[0]):
        ctx.history[slot] //= 2
    refresh_accumulator(ctx)
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
def begin(ctx):
    """Make ctx.pos the beginning of a game."""
    ctx.game_ply = ctx.ply = 0
    for slot in range(REPETITION_FILTER_SIZE):
        ctx.repetition_filter[slot] = 0


@njit
def play_game(black, white, state, nodes, random_plies, balance, decided, longest, moves, values):
    """Play a game from the position of both contexts, black to move; return (result, moves made).

    black, white : contexts of the two players.   state : uint64[1], of random_below, used for the opening only.
    nodes : for each move after it.   random_plies : moves of the opening.   balance : the most that black may see
    either side ahead after it.   decided : a value that ends the game when both sides see it twice.
    longest : moves after which it is drawn.   moves : uint32[longest], out.
    values : int16[longest], out: what the search found before each move, for the side to move; VALUE_NONE at random.
    The result is 1, 0, -1 for black, or ABANDONED.
    """
    begin(black)
    begin(white)
    clear = 0
    for ply in range(longest):
        ctx = black if ply & 1 == 0 else white
        side = 1 if ply & 1 == 0 else -1
        ctx.root_count = write_root_moves(ctx)
        if ctx.root_count == 0:
            return (-side, ply) if ply > random_plies else (ABANDONED, ply)
        over = repetition(ctx.pos, ctx.undo, ctx.game_ply)
        if over != 0:
            return 0 if over == DRAW else side if over == WIN else -side, ply
        claimed = declaration_value(ctx)
        if claimed != VALUE_NONE:
            return (side if claimed > 0 else 0), ply
        if ply < random_plies:
            moves[ply] = ctx.root_moves[random_below(state, ctx.root_count)]
            values[ply] = VALUE_NONE
        else:
            value = int(think(ctx, nodes))
            if ply == random_plies and abs(value) > balance:
                return ABANDONED, ply
            moves[ply] = ctx.root_moves[0]
            values[ply] = value
            clear = clear + 1 if abs(value) >= decided else 0
            agreed = clear >= 4 and values[ply] * values[ply - 1] < 0 and values[ply] * values[ply - 2] > 0
            if abs(value) >= VALUE_MATE_IN_MAX or agreed:
                return (side if value > 0 else -side), ply + 1
        play_move(black, moves[ply])
        play_move(white, moves[ply])
    return 0, longest
