"""Othello's evaluation by patterns: the value is a sum of weights, one for how the discs lie on each pattern's squares.

A pattern is a list of at most ten squares; how they are filled is a number in base 3 (0 empty, 1 a disc of the side to
move, 2 the other side's; the first square counts 1, the next 3 ...). Its images under the board's symmetries are
further places ("lanes") with the same weights. A few counts (mobility, empty squares next to discs, odd quadrants) are
features with a weight for each number. The weights belong to a phase of the game, two discs long.

The numbers of all lanes are kept for each ply of the line and brought up to date by difference: a row of ROWS for each
disc that was placed or turned. Sources: Michael Buro, "Experiments with Multi-ProbCut and a New High-Quality
Evaluation Function for Othello" (1997), for the idea; the choice of patterns is near that of Edax
(https://github.com/abulmo/edax-reversi) and Egaroucid (https://www.egaroucid.nyanyan.dev).
"""

import numpy as np

from shogi_engine.bits import ALL, ONE, ZERO
from shogi_engine.game import provides
from shogi_engine.games.othello.bitboard import SYMMETRIES, neighbours, odd_quadrant_marks, transform_square
from shogi_engine.games.othello.types import LANES, POSITION, SPREAD_DEPTHS, SPREAD_PHASES
from shogi_engine.jit import ctz, load_i16, njit, popcount

FEW_DISCS = 3
PHASES = 31  # of two discs: 4 and 5 discs, 6 and 7, ... 64

PATTERN_SQUARES = {
    "edge_2x": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "edge_block": "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "corner_2x5": "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "corner_3x3": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "corner_angle": "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
    "corner_triangle": "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "rank_2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "rank_3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "rank_4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal_8": "a1 b2 c3 d4 e5 f6 g7 h8",
    "diagonal_7": "b1 c2 d3 e4 f5 g6 h7",
    "diagonal_6": "c1 d2 e3 f4 g5 h6",
    "diagonal_5": "d1 e2 f3 g4 h5",
    "diagonal_4": "e1 f2 g3 h4",
}
COUNTS = ("own_moves", "opponent_moves", "own_frontier", "opponent_frontier", "odd_quadrants")  # further features
COUNT_SIZE = 64  # weights of each


def pattern_squares(name: str) -> list[int]:
    """Return the squares of a pattern as numbers."""
    return ["abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1) for square in PATTERN_SQUARES[name].split()]


def images(squares: list[int]) -> list[list[int]]:
    """Return the images of a pattern that are different sets of squares, itself first."""
    found: dict[frozenset[int], list[int]] = {}
    for symmetry in range(SYMMETRIES):
        image = [transform_square(square, symmetry) for square in squares]
        found.setdefault(frozenset(image), image)
    return list(found.values())


LANE_SQUARES = [(name, image) for name in PATTERN_SQUARES for image in images(pattern_squares(name))]
INSTANCES = len(LANE_SQUARES)


def _pattern_starts() -> dict[str, int]:
    """Return where in a phase each feature's weights begin, and under "" how many weights a phase has."""
    starts, end = {}, 0
    for name in PATTERN_SQUARES:
        starts[name] = end
        end += 3 ** len(pattern_squares(name))
    for name in COUNTS:
        starts[name] = end
        end += COUNT_SIZE
    return starts | {"": end}


STARTS = _pattern_starts()
PHASE_WEIGHTS = STARTS[""]
COUNTS_START = STARTS[COUNTS[0]]


def _rows() -> np.ndarray:
    """Return uint16[64, LANES]: what a disc on a square counts in each lane, 0 where the square is no part of it."""
    rows = np.zeros((64, LANES), dtype=np.uint16)
    for lane, (_, squares) in enumerate(LANE_SQUARES):
        for place, square in enumerate(squares):
            rows[square, lane] = 3**place
    return rows


ROWS = _rows()
LANE_STARTS = np.array([STARTS[name] for name, _ in LANE_SQUARES] + [0] * (LANES - INSTANCES), dtype=np.int64)


@njit
def write_numbers(own, opponent, accumulator):
    """Write the numbers of all lanes for a position.

    own, opponent : uint64, bitboards.   accumulator : record[ACCUMULATOR], out.
    """
    for lane in range(LANES):
        accumulator.numbers[lane] = 0
        accumulator.occupied[lane] = 0
    discs = own | opponent
    while discs != ZERO:
        square = ctz(discs)
        worth = 2 if opponent >> np.uint64(square) & ONE != ZERO else 1
        for lane in range(LANES):
            accumulator.numbers[lane] += worth * ROWS[square, lane]
            accumulator.occupied[lane] += ROWS[square, lane]
        discs &= discs - ONE


@njit
def advance_numbers(before, after, disc, turned):
    """Write the numbers after a move from those before it, which the other side looked at.

    before, after : record[ACCUMULATOR], in and out.   disc, turned : uint64, placed (0: a pass) and turned.
    A number n becomes 3 o - n for the other side, where o counts every disc once.
    """
    if disc != ZERO:
        square = ctz(disc)
        for lane in range(LANES):
            after.occupied[lane] = before.occupied[lane] + ROWS[square, lane]
            after.numbers[lane] = 3 * before.occupied[lane] - before.numbers[lane] + 2 * ROWS[square, lane]
        while turned != ZERO:
            square = ctz(turned)
            for lane in range(LANES):
                after.numbers[lane] += ROWS[square, lane]
            turned &= turned - ONE
    else:
        for lane in range(LANES):
            after.occupied[lane] = before.occupied[lane]
            after.numbers[lane] = 3 * before.occupied[lane] - before.numbers[lane]


@njit
def phase_of(own, opponent):
    """Return the phase, 0..PHASES - 1, of a position."""
    return (max(popcount(own | opponent), 4) - 4) >> 1


@njit
def shallow_depth(depth):
    """Return how deep a search tells what one of `depth` plies, at least 3, would find: about half, the same parity."""
    return 2 * (depth // 4) + (depth & 1)


@njit
def catch_up(ctx):
    """Bring the numbers of ctx.ply up to date from the last ply that has them."""
    for ply in range(ctx.computed_ply + 1, ctx.ply + 1):
        undo = ctx.undo[ctx.game_ply - 1 - (ctx.ply - ply)]
        advance_numbers(ctx.accumulators[ply - 1], ctx.accumulators[ply], undo.disc, undo.flips)
    ctx.computed_ply = ctx.ply


@njit
def pattern_value(ctx, own_moves, opponent_moves):
    """Return the value of ctx.pos by the weights at ctx.params.weights, in hundredths of a disc.

    own_moves, opponent_moves : uint64, what `mobility` finds for either side.
    """
    catch_up(ctx)
    own, opponent = ctx.pos.own, ctx.pos.opponent
    empty = ALL ^ (own | opponent)
    weights = ctx.params.weights + np.uint64(2 * PHASE_WEIGHTS * phase_of(own, opponent))
    accumulator = ctx.accumulators[ctx.ply]
    value = 0
    for lane in range(INSTANCES):
        value += load_i16(weights + np.uint64(2 * (LANE_STARTS[lane] + np.int64(accumulator.numbers[lane]))))
    counts = weights + np.uint64(2 * COUNTS_START)
    value += load_i16(counts + np.uint64(2 * popcount(own_moves)))
    value += load_i16(counts + np.uint64(2 * (COUNT_SIZE + popcount(opponent_moves))))
    value += load_i16(counts + np.uint64(2 * (2 * COUNT_SIZE + popcount(neighbours(own) & empty))))
    value += load_i16(counts + np.uint64(2 * (3 * COUNT_SIZE + popcount(neighbours(opponent) & empty))))
    return value + load_i16(counts + np.uint64(2 * (4 * COUNT_SIZE + popcount(odd_quadrant_marks(empty)))))


@provides(POSITION)
def probcut(ctx, depth):
    if min(popcount(ctx.pos.own), popcount(ctx.pos.opponent)) <= FEW_DISCS:
        return np.int64(0), np.int64(0)  # a side may soon be wiped out, which a shallow search does not see coming
    phase = phase_of(ctx.pos.own, ctx.pos.opponent)
    spread = ctx.params.spread[phase // SPREAD_PHASES, min(depth, SPREAD_DEPTHS - 1)]
    return shallow_depth(depth), int(spread)


@provides(POSITION)
def refresh_accumulator(ctx):
    write_numbers(ctx.pos.own, ctx.pos.opponent, ctx.accumulators[0])
    ctx.computed_ply = 0
