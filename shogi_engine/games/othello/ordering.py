"""The order of Othello's moves, and their slots in the history tables.

The position after a move predicts its value better than the histories of moves. Far from the leaves the evaluation
predicts better than the number of replies. Killer moves do not help. Measurements: docs/notebook/tuning-log.md.

Ordering computes the position after each move, so it also prefetches their table entries.
"""

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games.othello.bitboard import CORNERS, neighbours, odd_quadrants
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.position import search_key
from shogi_engine.games.othello.types import PASS, POSITION, move_square, placed_disc
from shogi_engine.interface.game import evaluate, provides
from shogi_engine.jit import popcount
from shogi_engine.search.context import USE_TT, make_move, unmake_move
from shogi_engine.search.history import BEFORE_ROOT
from shogi_engine.search.tt import prefetch_cluster


@provides(POSITION)
def score_moves(ctx, start, count):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    odd = odd_quadrants(ALL ^ own ^ opponent)
    with_value = ctx.frames[BEFORE_ROOT + ctx.ply].depth >= ctx.params.order_value_depth
    with_table = (
        ctx.frames[BEFORE_ROOT + ctx.ply].depth > 1 and ctx.search_flags & USE_TT != 0
    )  # leaves do not probe it
    other_side = ctx.pos.side ^ ONE
    for index in range(start, start + count):
        move = ctx.moves[index]
        if move == PASS:
            ctx.scores[index] = 0
            continue
        square = move_square(move)
        disc = placed_disc(move)
        flipped = flips(own, opponent, square)
        mine, theirs = own ^ flipped ^ disc, opponent ^ flipped
        if with_table:
            prefetch_cluster(ctx, search_key(theirs, mine, other_side) ^ ctx.tt_key_salt)
        answers = mobility(theirs, mine)
        value = np.int64(ctx.params.order_squares[square])
        value -= ctx.params.order_mobility * (popcount(answers) + popcount(answers & CORNERS))
        value -= ctx.params.order_potential * popcount(neighbours(mine) & ~(mine | theirs))
        if odd & disc != ZERO:
            value += ctx.params.order_parity
        if with_value:
            make_move(ctx, move)
            value -= ctx.params.order_value * evaluate(ctx)
            unmake_move(ctx, move)
        ctx.scores[index] = value


@provides(POSITION)
def history_slot(pos, move):
    return np.int64(pos.side) << 8 | np.int64(move)
