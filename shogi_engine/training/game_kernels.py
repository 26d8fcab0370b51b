"""Whole games in one call, for training data and for matches between evaluations."""

import numpy as np

from shogi_engine.common.bits import ONE
from shogi_engine.interface import game as rules
from shogi_engine.interface.game import NOT_OVER, VALUE_MATE_IN_MAX, VALUE_NONE
from shogi_engine.jit import njit, record_dtype
from shogi_engine.jit.random_numbers import random_below
from shogi_engine.search.alphabeta import open_window, search_root
from shogi_engine.search.context import begin_game, play_move, start_search, write_root_moves
from shogi_engine.search.selectivity import is_decisive
from shogi_engine.search.tt import GENERATIONS

ABANDONED = 2  # the result of a game with an unbalanced opening
GOES_ON = 3  # no result yet
NO_LIMIT = np.iinfo(np.int64).max
CHANCES = 256  # TERMS.chance and TERMS.explore are probabilities in units of 1 / CHANCES
LONGEST = 320  # the most plies of a game
NEAR_BEST_TRIES, NEAR_BEST_DEPTH, NEAR_BEST_NODES = 12, 3, 200

# How a game is played.
TERMS = record_dtype(
    [
        ("start", np.int64),  # the number of the starting position
        ("nodes", np.int64),  # searched for each move after the opening
        ("given", np.int64),  # plies of the opening that are already in `moves`
        ("opening", np.int64),  # plies of the opening, given ones included; the others are generated
        ("random", np.int64),  # 1: generated at random; 0: by searches of `opening_nodes`, ...
        ("opening_nodes", np.int64),
        ("chance", np.int64),  # ... which with this chance (of CHANCES) choose another move than the best, ...
        ("margin", np.int64),  # ... at most this much worse
        ("balance", np.int64),  # the largest lead of either side in the first search
        ("decided", np.int64),  # a value that ends the game when both sides find it twice
        ("explore", np.int64),  # the chance (of CHANCES) of a random move after the opening
        ("longest", np.int64),  # plies after which the game is drawn, at most LONGEST
    ]
)


@njit
def think(ctx, nodes):
    """Search ctx.pos, whose moves are in ctx.root_moves, for about `nodes` nodes; return the value.

    The best move is then ctx.root_moves[0]. The first ply is always completed, as there is no value before that. The
    value is the last one found, even in an iteration that is not completed. If it is a bound, it is nearer to the truth
    than the value of the iteration before: values of completed iterations alone would be too high where a search fails
    low and is stopped while it looks for a better move.
    """
    ctx.generation = (ctx.generation + ONE) & np.uint64(GENERATIONS - 1)
    ctx.node_limit = NO_LIMIT
    start_search(ctx)
    best = 0
    for depth in range(1, 64):
        open_window(ctx, 0, depth)
        while True:
            alpha = ctx.window.alpha
            value = search_root(ctx, alpha, ctx.window.beta, ctx.window.depth, 0)
            if ctx.stopped:
                value = int(ctx.root_scores[0])  # a loss is not proven before all moves have been searched
                return value if value > max(alpha, -VALUE_MATE_IN_MAX) else best
            best = value
            if ctx.window.failed == 0:
                break
        ctx.node_limit = nodes
        if is_decisive(best):
            break
    return best


@njit
def near_best_move(ctx, state, value, margin):
    """Return a random move at most `margin` worse than the best, ctx.root_moves[0], whose value is `value`.

    Call `think` first. Moves are tried in random order, with a shallow search of each, until one is good enough.
    """
    last = int(ctx.root_count) - 1
    wanted = value - margin
    for _ in range(NEAR_BEST_TRIES):
        index = random_below(state, last + 1)
        if index == 0:
            break
        move = ctx.root_moves[index]
        ctx.root_moves[index] = ctx.root_moves[last]
        ctx.root_moves[last] = move
        ctx.stopped = 0
        ctx.node_limit = ctx.nodes + NEAR_BEST_NODES
        if search_root(ctx, wanted - 1, wanted, NEAR_BEST_DEPTH, last) >= wanted and not ctx.stopped:
            return ctx.root_moves[last]
    return ctx.root_moves[0]


@njit
def opening_move(ctx, state, terms):
    """Return the next move of an opening; ctx.root_moves are the legal moves."""
    if terms.random:
        return ctx.root_moves[random_below(state, int(ctx.root_count))]
    value = int(think(ctx, terms.opening_nodes))
    if random_below(state, CHANCES) >= terms.chance or is_decisive(value):
        return ctx.root_moves[0]
    return near_best_move(ctx, state, value, terms.margin)


@njit
def agreed(values, ply, first, decided):
    """Tell whether the last four searches up to `ply`, since `first`, all found the same side ahead by `decided`."""
    if ply - first < 3:
        return False
    for other in range(ply - 3, ply + 1):
        if abs(values[other]) < decided or values[other] == VALUE_NONE:
            return False
    return values[ply] * values[ply - 1] < 0 and values[ply] * values[ply - 2] > 0


@njit
def take_turn(ctx, ply, state, terms, moves, values):
    """Choose the move of ctx at `ply` of a game; see `play_game`. Return (result or GOES_ON, moves made)."""
    side = 1 if ply & 1 == 0 else -1
    if ply < terms.given:
        values[ply] = VALUE_NONE
        return GOES_ON, 1
    termination, result = rules.game_result(ctx, write_root_moves(ctx))
    if termination != NOT_OVER:
        return ABANDONED if ply <= terms.opening else side * ((result > 0) - (result < 0)), 0
    if ply < terms.opening:
        moves[ply] = opening_move(ctx, state, terms)
        values[ply] = VALUE_NONE
        return GOES_ON, 1
    if terms.explore > 0 and random_below(state, CHANCES) < terms.explore:
        moves[ply] = ctx.root_moves[random_below(state, int(ctx.root_count))]
        values[ply] = VALUE_NONE
        return GOES_ON, 1
    value = int(think(ctx, terms.nodes))
    if ply == terms.opening and abs(value) > terms.balance:
        return ABANDONED, 0
    moves[ply] = ctx.root_moves[0]
    values[ply] = value
    if is_decisive(value) or agreed(values, ply, terms.opening, terms.decided):
        return (side if value > 0 else -side), 1
    return GOES_ON, 1


@njit
def play_game(black, white, state, terms, moves, values):
    """Play a game from the position of both contexts; return (result, moves made).

    The result is 1, 0, -1 for the side that begins, or ABANDONED.

    Args:
        black, white: contexts of the two players, `black` to begin; they may have different evaluations
        state: uint64[1], in-out, the state of random_below, for the opening and random moves
        terms: record[TERMS]
        moves: uint32[longest], in-out; holds the given moves of the opening
        values: int16[longest], out, the value of the search before each move, for the side to move; VALUE_NONE for
            opening moves and random moves
    """
    begin_game(black)
    begin_game(white)
    for ply in range(terms.longest):
        if ply & 1 == 0:
            result, made = take_turn(black, ply, state, terms, moves, values)
        else:
            result, made = take_turn(white, ply, state, terms, moves, values)
        if result != GOES_ON:
            return result, ply + made
        play_move(black, moves[ply])
        play_move(white, moves[ply])
    return 0, terms.longest
