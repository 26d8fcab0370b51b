"""Othello's evaluation, and the order in which moves are tried.

A position is worth what its patterns are (patterns.py); or, if the parameters name no weights, what eight features
say: mobility, corners and what stands next to them, stable discs, parity, discs. A feature counts for the side to move
less for the other side; its weight, in hundredths of a disc, moves with the empty squares from the opening's to the
end's (params.FEATURES).
"""

import numpy as np

from shogi_engine.bits import ALL, ZERO
from shogi_engine.game import provides
from shogi_engine.games.othello.bitboard import (
    C_SQUARES,
    CORNERS,
    FILE_A,
    FILE_H,
    RANK_1,
    RANK_8,
    X_SQUARES,
    neighbours,
    odd_quadrants,
)
from shogi_engine.games.othello.evaluation.patterns import pattern_value
from shogi_engine.games.othello.movegen import flips, mobility
from shogi_engine.games.othello.rules import terminal_value
from shogi_engine.games.othello.types import DISC, PASS, POSITION, move_square, placed_disc
from shogi_engine.jit import njit, popcount

MOST = 64 * DISC  # no position is worth more
BORDER = FILE_A | FILE_H | RANK_1 | RANK_8
# Squares that have less than 1, 2 and 4 squares beyond them to the south-east, and to the south-west.
EAST_2, EAST_4 = np.uint64(0xC0C0C0C0C0C0C0C0), np.uint64(0xF0F0F0F0F0F0F0F0)
WEST_2, WEST_4 = np.uint64(0x0303030303030303), np.uint64(0x0F0F0F0F0F0F0F0F)
SOUTH_2, SOUTH_4 = np.uint64(0xFFFF000000000000), np.uint64(0xFFFFFFFF00000000)
NORTH_2, NORTH_4 = np.uint64(0x000000000000FFFF), np.uint64(0x00000000FFFFFFFF)
NOT_A, NOT_H = ~FILE_A, ~FILE_H
S1, S2, S4, S7, S8, S9 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(7), np.uint64(8), np.uint64(9)
S14, S16, S18, S28, S32, S36, S56 = (np.uint64(n) for n in (14, 16, 18, 28, 32, 36, 56))


@njit
def full_ranks(occupied):
    """Return the squares of all ranks without an empty square."""
    full = occupied & occupied >> S4
    full &= full >> S2
    full &= full >> S1
    return (full & FILE_A) * RANK_1


@njit
def full_files(occupied):
    """Return the squares of all files without an empty square."""
    full = occupied & (occupied >> S32 | occupied << S32)
    full &= full >> S16 | full << (S56 - S8)
    return full & (full >> S8 | full << S56)


@njit
def full_diagonals(occupied):
    """Return the squares of all full diagonals that run as a1-h8 does, and of all that run as h1-a8 does."""
    down = occupied & (occupied >> S9 | FILE_H | RANK_8)
    down &= down >> S18 | EAST_2 | SOUTH_2
    down &= down >> S36 | EAST_4 | SOUTH_4
    up = occupied & (occupied << S9 | FILE_A | RANK_1)
    up &= up << S18 | WEST_2 | NORTH_2
    up &= up << S36 | WEST_4 | NORTH_4
    falling = down & up
    down = occupied & (occupied >> S7 | FILE_A | RANK_8)
    down &= down >> S14 | WEST_2 | SOUTH_2
    down &= down >> S28 | WEST_4 | SOUTH_4
    up = occupied & (occupied << S7 | FILE_H | RANK_1)
    up &= up << S14 | EAST_2 | NORTH_2
    up &= up << S28 | EAST_4 | NORTH_4
    return falling, down & up


@njit
def stable_discs(own, opponent):
    """Return discs of `own` (uint64) that no further play can flip; there may be more.

    A disc is stable if along each of its four lines the line is full, or ends beside the disc, or the disc has a
    stable neighbour of its own colour.
    """
    occupied = own | opponent
    ranks = full_ranks(occupied) | FILE_A | FILE_H
    files = full_files(occupied) | RANK_1 | RANK_8
    falling, rising = full_diagonals(occupied)
    falling |= BORDER
    rising |= BORDER
    stable = own & ranks & files & falling & rising
    before = ZERO
    while stable != before:
        before = stable
        right, left = (stable & NOT_H) << S1, (stable & NOT_A) >> S1
        stable |= (
            own
            & (ranks | right | left)
            & (files | stable << S8 | stable >> S8)
            & (falling | right << S8 | left >> S8)
            & (rising | left << S8 | right >> S8)
        )
    return stable


@njit
def weigh(weights, empties, units):
    """Return `units` times a feature's weight with `empties` empty squares, times 60."""
    return units * (np.int64(weights[0]) * empties + np.int64(weights[1]) * (60 - empties))


@njit
def feature_value(ctx):
    """Return the value of ctx.pos by the eight features."""
    own, opponent = ctx.pos.own, ctx.pos.opponent
    params = ctx.params
    empty = ~(own | opponent)
    empties = popcount(empty)
    by_corner = neighbours(empty & CORNERS)
    x_squares, c_squares = by_corner & X_SQUARES, by_corner & C_SQUARES
    moves = popcount(mobility(own, opponent)) - popcount(mobility(opponent, own))
    potential = popcount(neighbours(opponent) & empty) - popcount(neighbours(own) & empty)
    stable = popcount(stable_discs(own, opponent)) - popcount(stable_discs(opponent, own))
    value = weigh(params.mobility, empties, moves)
    value += weigh(params.potential, empties, potential)
    value += weigh(params.corners, empties, popcount(own & CORNERS) - popcount(opponent & CORNERS))
    value += weigh(params.x_squares, empties, popcount(own & x_squares) - popcount(opponent & x_squares))
    value += weigh(params.c_squares, empties, popcount(own & c_squares) - popcount(opponent & c_squares))
    value += weigh(params.stable, empties, stable)
    value += weigh(params.discs, empties, popcount(own) - popcount(opponent))
    value += weigh(params.parity, empties, 1 if empties & 1 else -1)
    return value // 60 if value >= 0 else -(-value // 60)


@provides(POSITION)
def evaluate(ctx):
    if ctx.params.weights == ZERO:
        return feature_value(ctx)
    own, opponent = ctx.pos.own, ctx.pos.opponent
    own_moves, opponent_moves = mobility(own, opponent), mobility(opponent, own)
    if own_moves | opponent_moves == ZERO:
        return terminal_value(ctx)
    return min(max(pattern_value(ctx, own_moves, opponent_moves), -MOST), MOST)


@provides(POSITION)
def score_moves(ctx, start, count):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    odd = odd_quadrants(ALL ^ own ^ opponent)
    for index in range(start, start + count):
        move = ctx.moves[index]
        if move == PASS:
            ctx.scores[index] = 0
            continue
        square = move_square(move)
        disc = placed_disc(move)
        turned = flips(own, opponent, square)
        mine, theirs = own ^ turned ^ disc, opponent ^ turned
        answers = mobility(theirs, mine)
        value = np.int64(ctx.params.order_squares[square])
        value -= ctx.params.order_mobility * (popcount(answers) + popcount(answers & CORNERS))
        value -= ctx.params.order_potential * popcount(neighbours(mine) & ~(mine | theirs))
        if odd & disc != ZERO:
            value += ctx.params.order_parity
        ctx.scores[index] = value


@provides(POSITION)
def history_slot(pos, move):
    return np.int64(pos.side) << 8 | np.int64(move)
