"""Shared by the training of Shogi's networks: sums of rows and their gradients, in float32.

Parameters are in one array, `parameters`, and the gradient of the loss in another, `gradients`. First come the rows of
the features [features + 1, width], the last one zero for absent features, then the bias [width].
"""

import numpy as np

from shogi_engine.games.shogi.evaluation.network import ACTIVE, VIEWS, write_features
from shogi_engine.games.shogi.types import POSITION, SQUARES, UNDO
from shogi_engine.interface.game import VALUE_NONE, do_move, is_in_check, is_quiet, undo_move
from shogi_engine.jit import njit, record_dtype
from shogi_engine.jit.random_numbers import random_below
from shogi_engine.search.context import begin_game, play_move, write_root_moves
from shogi_engine.training.game_kernels import CHANCES, LONGEST, think

# ---- The positions of games as network features, which FEATURE_TABLE numbers


# What `write_features` takes: how a network numbers its features.
FEATURE_TABLE = record_dtype(
    [("pieces", np.uint16, (VIEWS, 32, SQUARES)), ("hands", np.uint16, (32,)), ("nothing", np.uint16)]
)
# A feature table, a position, and the moves to undo.
REPLAY = record_dtype([("table", FEATURE_TABLE), ("pos", POSITION), ("undo", UNDO, (LONGEST + 1,))])


@njit
def write_position(pos, table, features):
    """Write the features of `pos` for both sides, mover first, to `features`, uint16[2, ACTIVE], the rest `nothing`."""
    for place in range(2):
        write_features(pos, int(pos.side) ^ place, table.pieces, table.hands, table.nothing, features[place])


@njit
def write_positions(replay, games, first, begins, moves, values, results, largest, features, scores, outcomes, plies):
    """Write the quiet positions of games to the rows of four arrays; return (the game to continue with, rows written).

    A position is quiet if it was searched, is not in check, |value| <= largest, and the move chosen neither captures
    nor promotes.

    Args:
        replay: record[REPLAY], at the start of a game before and after the call
        games: int64[n], numbers of games; from `first` on, as many as fit are used
        begins: int64[games + 1], a game has moves[begins[game] : begins[game + 1]]
        moves, values, results: as in training.data
        features: uint16[rows, 2, ACTIVE], out, as `write_position`
        scores: int16[rows], out, for the side to move
        outcomes: int8[rows], out, 1, 0, -1 for the side to move
        plies: int16[rows], out, the number of moves made before
    """
    pos, row = replay.pos, 0
    for index in range(first, games.shape[0]):
        begin, end = begins[games[index]], begins[games[index] + 1]
        if row + end - begin > scores.shape[0]:
            return index, row
        for place in range(begin, end):
            value, ply = int(values[place]), place - begin
            if value != VALUE_NONE and abs(value) <= largest and not is_in_check(pos) and is_quiet(pos, moves[place]):
                write_position(pos, replay.table, features[row])
                scores[row], plies[row] = value, ply
                outcomes[row] = -results[games[index]] if ply & 1 else results[games[index]]
                row += 1
            do_move(pos, moves[place], replay.undo[ply])
        for back in range(end - begin):
            ply = end - begin - 1 - back
            undo_move(pos, moves[begin + ply], replay.undo[ply])
    return games.shape[0], row


@njit
def relabel(ctx, state, moves, values, nodes, share):
    """Search a random share of a game's quiet positions anew; the others have no value afterwards.

    Args:
        ctx: a context whose position is the start of the game
        state: uint64[1], in-out, the state of random_below
        moves: uint32[plies]
        values: int16[plies], in-out, for the side to move
        nodes: the nodes of each search
        share: the share, in units of 1 / CHANCES
    """
    begin_game(ctx)
    for ply in range(moves.shape[0]):
        known, values[ply] = int(values[ply]), VALUE_NONE
        quiet = known != VALUE_NONE and not is_in_check(ctx.pos) and is_quiet(ctx.pos, moves[ply])
        if quiet and random_below(state, CHANCES) < share:
            write_root_moves(ctx)
            value = int(think(ctx, nodes))
            if is_quiet(ctx.pos, ctx.root_moves[0]):
                values[ply] = value
        play_move(ctx, moves[ply])


AT_ONCE = 4  # rows added at once
LANES = 16  # sums computed in parallel


@njit
def add_rows(parameters, bias_row, width, active, sums):
    """Write the sum of the bias, which is a row, and the rows `active`, uint16[ACTIVE], to `sums`, float32[width]."""
    bias = parameters[bias_row * width : bias_row * width + width]
    for j in range(width):
        sums[j] = bias[j]
    for place in range(0, ACTIVE, AT_ONCE):
        begin = int(active[place]) * width, int(active[place + 1]) * width
        begin2 = int(active[place + 2]) * width, int(active[place + 3]) * width
        row0, row1 = parameters[begin[0] : begin[0] + width], parameters[begin[1] : begin[1] + width]
        row2, row3 = parameters[begin2[0] : begin2[0] + width], parameters[begin2[1] : begin2[1] + width]
        for j in range(width):
            sums[j] += (row0[j] + row1[j]) + (row2[j] + row3[j])


@njit
def add_row_gradients(gradients, bias_row, width, active, inner):
    """Add `inner`, float32[width], the gradient by the sums of `add_rows`, to those of bias and rows `active`."""
    bias = gradients[bias_row * width : bias_row * width + width]
    for j in range(width):
        bias[j] += inner[j]
    for place in range(ACTIVE):
        first = int(active[place]) * width
        into = gradients[first : first + width]
        for j in range(width):
            into[j] += inner[j]
