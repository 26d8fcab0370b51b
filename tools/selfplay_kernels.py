"""The kernels of selfplay.py and tune.py: whole games of Shogi in one call, and their positions as data."""

import numpy as np

from shogi_engine.bits import ONE, ZERO, clear_lowest, lowest
from shogi_engine.game import (
    VALUE_INFINITE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    declaration_value,
    do_move,
    is_in_check,
    is_quiet,
    refresh_accumulator,
)
from shogi_engine.games.shogi.evaluation.evaluate import safety_index
from shogi_engine.games.shogi.evaluation.king_piece import FEATURES, HAND_BASE, HAND_COUNTS, SAFETIES
from shogi_engine.games.shogi.rules import DRAW, WIN, repetition
from shogi_engine.games.shogi.types import hand_count
from shogi_engine.jit import njit
from shogi_engine.search.alphabeta import search_root
from shogi_engine.search.arena import random_below, write_root_moves
from shogi_engine.search.context import REPETITION_FILTER_SIZE, play_move

PIECES = 40  # features of a position with the whole set, kings included
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


@njit
def write_features(pos, features):
    """Write the features that black's king sees in `pos` to `features`, uint16[PIECES], and 0 after the last."""
    count = 0
    lo, hi = pos.bb[0, 0, 0] | pos.bb[1, 0, 0], pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    while lo | hi != ZERO:
        square = lowest(lo, hi)
        lo, hi = clear_lowest(lo, hi)
        features[count] = int(pos.board[square]) * 81 + square
        count += 1
    for owner in range(2):
        for kind in range(1, 8):
            for number in range(hand_count(pos.hand[owner], kind)):
                features[count] = HAND_BASE + (owner << 3 | kind) * HAND_COUNTS + number + 1
                count += 1
    for rest in range(count, PIECES):
        features[rest] = 0


@njit
def collect(pos, undo, moves, values, largest, features, kings, safeties, sides, scores, plies, start):
    """Write the quiet positions of a game from `pos` to the rows from `start`; return the row after the last.

    Quiet: searched, not in check, the move chosen neither captures nor promotes, |value| <= largest.
    plies : int16[n], out: moves made before the position.
    features : uint16[n, PIECES], out.   kings : uint8[n, 2], out: each king's square as its owner sees it.
    safeties : uint16[n, 2], out: the places of their safety.   sides : int8[n], out: 1 if black is to move, else -1.
    scores : int16[n], out, for black.
    """
    row = start
    for ply in range(moves.shape[0]):
        value = int(values[ply])
        if value != VALUE_NONE and abs(value) <= largest and not is_in_check(pos) and is_quiet(pos, moves[ply]):
            write_features(pos, features[row])
            kings[row, 0] = int(pos.king[0])
            kings[row, 1] = 80 - int(pos.king[1])
            safeties[row, 0] = safety_index(pos, 0)
            safeties[row, 1] = safety_index(pos, 1)
            side = -1 if pos.side else 1
            sides[row] = side
            scores[row] = side * value
            plies[row] = ply
            row += 1
        do_move(pos, moves[ply], undo)
    return row


@njit
def later_results(values, result, fade, scale, expected):
    """Write to `expected`, float64[n], what came of each position of a game for black, 0 to 1.

    values : int16[n], as `play_game` writes them.   result : 0 to 1, for black.   scale : as in `gradient`.
    What the search found there counts 1 - fade, and `fade` what came of the next position, in the same way: TD(lambda).
    """
    last = values.shape[0] - 1
    after = result
    for back in range(last + 1):
        ply = last - back
        if values[ply] != VALUE_NONE:
            value = float(values[ply] if ply & 1 == 0 else -values[ply])
            after = fade * after + (1.0 - fade) / (1.0 + np.exp(-value / scale))
        expected[ply] = after


@njit
def cross_entropy(cells, swap, features, kings, safeties, sides, targets, rows, scale, slopes):
    """Return the summed cross-entropy of the positions `rows`, and add its slopes to `slopes` unless that is empty.

    cells, slopes : float32[81 * FEATURES + SAFETIES + 1], centipawns: what kings see, their safety, and the tempo.
    swap : int64[FEATURES], a feature as the other side sees it.   targets : float32[n], black's result, 0 to 1.
    scale : centipawns of a value that wins with odds e : 1.   The other arrays are those of `collect`.
    """
    loss = 0.0
    safety = 81 * FEATURES
    tempo = safety + SAFETIES
    for index in range(rows.shape[0]):
        row = rows[index]
        black, white = int(kings[row, 0]) * FEATURES, int(kings[row, 1]) * FEATURES
        value = cells[tempo] * sides[row] + cells[safety + safeties[row, 0]] - cells[safety + safeties[row, 1]]
        for place in range(PIECES):
            feature = int(features[row, place])
            value += cells[black + feature] - cells[white + swap[feature]]
        expected = 1.0 / (1.0 + np.exp(-value / scale))
        target = targets[row]
        loss -= target * np.log(expected + 1e-9) + (1.0 - target) * np.log(1.0 - expected + 1e-9)
        if slopes.shape[0] > 0:
            slope = np.float32((expected - target) / scale)
            slopes[tempo] += slope * sides[row]
            slopes[safety + safeties[row, 0]] += slope
            slopes[safety + safeties[row, 1]] -= slope
            for place in range(PIECES):
                feature = int(features[row, place])
                slopes[black + feature] += slope
                slopes[white + swap[feature]] -= slope
    return loss
