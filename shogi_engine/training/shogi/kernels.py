"""The positions of games as network features, which FEATURE_TABLE numbers, and the quiet ends of searches.

A position that is not quiet stands at the end of a line of captures: what quiescence search finds there is the static
value of the line's last position, its quiet end. Such an end learns the value of the search in place of the position.
Source: the idea is that of qsearch_psv in rshogi, https://github.com/SH11235/rshogi; no code was copied.
"""

import numpy as np

from shogi_engine.games.shogi.evaluation.network import ACTIVE, VIEWS, write_features
from shogi_engine.games.shogi.records.kakinoki import handicap
from shogi_engine.games.shogi.sfen import START
from shogi_engine.games.shogi.types import POSITION, SQUARES, UNDO
from shogi_engine.interface.game import (
    MOVE_NONE,
    VALUE_INFINITE,
    VALUE_NONE,
    do_move,
    is_in_check,
    is_quiet,
    key,
    refresh_line,
    undo_move,
)
from shogi_engine.jit import njit, record_dtype
from shogi_engine.jit.random_numbers import random_below
from shogi_engine.search.context import begin_game, make_move, play_move, unmake_move, write_root_moves
from shogi_engine.search.quiescence import quiescence
from shogi_engine.search.selectivity import is_decisive
from shogi_engine.search.tt import lookup
from shogi_engine.training.game_kernels import CHANCES, NO_LIMIT, think

# Where games start, by the numbers in training data: the usual position, and handicaps.
STARTS = (
    START,
    *map(handicap, ("lance", "right-lance", "bishop", "rook", "rook-lance", "2-piece", "4-piece", "6-piece")),
)
LINE_MOVES = 16  # the most moves to a quiet end
NO_END = -1
SALT_STEP = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two searches have the same keys

# What `write_features` takes: how a network numbers its features.
FEATURE_TABLE = record_dtype(
    [("pieces", np.uint16, (VIEWS, 32, SQUARES)), ("hands", np.uint16, (32,)), ("nothing", np.uint16)]
)
# Two feature tables, of which games use one or the other by the parity of their number and `turn`; the positions where
# games start, a position, and the moves of a line to undo.
REPLAY = record_dtype(
    [
        ("tables", FEATURE_TABLE, (2,)),
        ("turn", np.int64),
        ("starts", POSITION, (len(STARTS),)),
        ("pos", POSITION),
        ("undo", UNDO, (LINE_MOVES,)),
    ]
)


@njit
def write_position(pos, table, features):
    """Write the features of `pos` for both sides, mover first, to `features`, uint16[2, ACTIVE], the rest `nothing`."""
    for place in range(2):
        write_features(pos, int(pos.side) ^ place, table.pieces, table.hands, table.nothing, features[place])


@njit
def write_line(ctx, line):
    """Write the moves from ctx.pos to its quiet end to `line`; return their number, or NO_END.

    Each step asks quiescence search with an open window, and follows the move that it stores in the table. There is no
    end if a mate is found, or if the line is longer than `line`.

    Args:
        ctx: a context with empty histories and no limit
        line: uint32[LINE_MOVES], out
    """
    ctx.ply = ctx.nodes = ctx.stopped = 0
    refresh_line(ctx)
    count = end = 0
    while end == 0:
        ctx.tt_key_salt += SALT_STEP  # the table knows nothing of this search
        value = int(quiescence(ctx, -VALUE_INFINITE, VALUE_INFINITE, 0))
        _, move, _, _, _, _, _ = lookup(ctx, key(ctx.pos) ^ ctx.tt_key_salt, True)
        if is_decisive(value) or move != MOVE_NONE and count == LINE_MOVES:
            end = NO_END
        elif move == MOVE_NONE:
            end = 1
        else:
            make_move(ctx, move)
            line[count] = move
            count += 1
    for back in range(count):
        unmake_move(ctx, line[count - 1 - back])
    return count if end == 1 else NO_END


@njit
def write_ends(ctx, moves, values, ends, lines):
    """Write the quiet ends of a game's searches that chose a capture or a promotion; return the moves in `lines`.

    Where the line begins with the move that was played, or in check, there is none: the next position of the game has
    the same end, and a search of its own.

    Args:
        ctx: as in `write_line`; its position is the start of the game
        moves: uint32[plies]
        values: int16[plies]
        ends: uint8[plies], out, 1 + the number of moves to the position's end, or 0
        lines: uint32[LINE_MOVES * (plies + 1)], out, the moves to the ends, one line after another
    """
    begin_game(ctx)
    ctx.node_limit = NO_LIMIT
    written = 0
    for ply in range(moves.shape[0]):
        value, move = int(values[ply]), moves[ply]
        ends[ply] = 0
        if not is_decisive(value) and not is_in_check(ctx.pos) and not is_quiet(ctx.pos, move):
            line = lines[written : written + LINE_MOVES]
            count = write_line(ctx, line)
            if count == 0 or count > 0 and line[0] != move:
                ends[ply] = 1 + count
                written += count
        play_move(ctx, move)
    return written


@njit
def write_positions(
    replay, games, first, largest, begins, moves, values, results, starts, ends, line_begins, lines,
    features, scores, outcomes, plies,
):  # fmt: skip
    """Write the quiet positions and the quiet ends of games to the rows of four arrays.

    A position is quiet if it was searched, is not in check, |value| <= largest, and the move chosen neither captures
    nor promotes. Returns (the game to continue with, rows written).

    Args:
        replay: record[REPLAY]
        games: int64[n], numbers of games; from `first` on, as many as fit are used
        begins: int64[games + 1], a game has moves[begins[game] : begins[game + 1]]
        moves, values, results, starts: as in training.data
        ends: uint8[plies], as `write_ends` writes them
        line_begins: int64[games + 1], the same for `lines`
        features: uint16[rows, 2, ACTIVE], out, as `write_position`
        scores: int16[rows], out, for the side to move
        outcomes: int8[rows], out, 1, 0, -1 for the side to move
        plies: int16[rows], out, the number of moves made before, without those of a line
    """
    pos, row = replay.pos, 0
    for index in range(first, games.shape[0]):
        game = games[index]
        begin, end, at = begins[game], begins[game + 1], line_begins[game]
        if row + end - begin > scores.shape[0]:
            return index, row
        replay.pos = replay.starts[starts[game]]
        for place in range(begin, end):
            value, ply, count = int(values[place]), place - begin, max(int(ends[place]) - 1, 0)
            usual = value != VALUE_NONE and abs(value) <= largest
            if usual and (ends[place] or not is_in_check(pos) and is_quiet(pos, moves[place])):
                for step in range(count):
                    do_move(pos, lines[at + step], replay.undo[step])
                write_position(pos, replay.tables[game + replay.turn & 1], features[row])
                sign = -1 if count & 1 else 1
                scores[row], plies[row] = sign * value, ply
                outcomes[row] = sign * results[game] * (-1 if ply & 1 else 1)
                row += 1
                for step in range(count):
                    undo_move(pos, lines[at + count - 1 - step], replay.undo[count - 1 - step])
            at += count
            do_move(pos, moves[place], replay.undo[0])
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


# ---- Shared by the training of Shogi's networks: sums of rows and their gradients, in float32
#
# Parameters are in one array, `parameters`, and the gradient of the loss in another, `gradients`. First come the rows
# of the features [features + 1, width], the last one zero for absent features, then the bias [width].


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
