"""Othello's evaluation by patterns: a sum of weights, one for the configuration of each instance of each pattern.

The numbers of all instances are kept for each ply of the line. A move updates them by adding a row
of ROWS for each disc that was placed or flipped.
"""

import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.bits import ALL, ONE, ZERO
from shogi_engine.games import weights
from shogi_engine.games.othello.bitboard import SYMMETRIES, neighbours, odd_quadrant_marks, transform_square
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.position import terminal_value
from shogi_engine.games.othello.types import POSITION
from shogi_engine.games.weights import PackagedWeights, Shapes, layout_of
from shogi_engine.interface.game import provides_evaluation, update_line
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import address_of, ctz, lanes, load_i16, njit, popcount, record_dtype
from shogi_engine.jit.lanes import load as load_vector, traced

# ---- The patterns of Othello's evaluation: their squares, their instances on the board, and the layout of their
# weights
#
# A pattern is a list of at most ten squares. Their contents form a number in base 3 (0 empty, 1 a disc of the side to
# move, 2 the other side's; the first square counts 1, the next 3 ...). The images of a pattern under the board's
# symmetries are its instances, which share its weights. A few counts (mobility, empty squares next to discs, odd
# quadrants) are further features, with a weight for each number. Each phase of the game, two discs long, has its own
# weights.
#
# Sources: Michael Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for Othello" (1997),
# for the idea. The choice of patterns is similar to that of Edax (https://github.com/abulmo/edax-reversi) and Egaroucid
# (https://www.egaroucid.nyanyan.dev).


PHASES = 31  # of two discs each: 4 and 5 discs, 6 and 7, ... 64
PHASE_OF_DISCS = np.maximum(np.arange(65) - 4, 0) // 2  # by the number of discs

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
COUNT_SIZE = 64  # weights for each count


def pattern_squares(name: str) -> list[int]:
    """Return the squares of a pattern as numbers."""
    return ["abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1) for square in PATTERN_SQUARES[name].split()]


def images(squares: list[int]) -> list[list[int]]:
    """Return the images of a pattern that are distinct sets of squares, the pattern itself first."""
    found: dict[frozenset[int], list[int]] = {}
    for symmetry in range(SYMMETRIES):
        image = [transform_square(square, symmetry) for square in squares]
        found.setdefault(frozenset(image), image)
    return list(found.values())


INSTANCE_SQUARES = [(name, image) for name in PATTERN_SQUARES for image in images(pattern_squares(name))]
INSTANCES = len(INSTANCE_SQUARES)
SLOTS = 64  # numbers in an accumulator: a power of two for vector instructions; those beyond INSTANCES are 0

# The spread of `probcut` is stored by group of phases and by depth; the last depth is also used for all greater ones.
SPREAD_GROUPS, SPREAD_PHASES, SPREAD_DEPTHS = 8, 4, 16


def _pattern_starts() -> dict[str, int]:
    """Return the offset of each feature's weights within a phase; under the key "", the number of all its weights."""
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
    """Return uint16[64, SLOTS]: what a disc on a square adds to each instance's number, 0 if outside it."""
    rows = np.zeros((64, SLOTS), dtype=np.uint16)
    for instance, (_, squares) in enumerate(INSTANCE_SQUARES):
        for place, square in enumerate(squares):
            rows[square, instance] = 3**place
    return rows


ROWS = _rows()
INSTANCE_STARTS = np.array([STARTS[name] for name, _ in INSTANCE_SQUARES] + [0] * (SLOTS - INSTANCES), dtype=np.int64)


# ---- The file of pattern weights: written by training, read when the evaluation is first used
#
# The file has the weights at a few points of the game ("knots"), int16[KNOTS, file_weights()]; the phases between two
# knots are interpolated on reading. Configurations that are equal by a pattern's own symmetry are stored once. It also
# has the spreads of `probcut`.


FORMAT = "othello-patterns-1"
SHIPPED = Path(__file__).resolve().parent / "weights.bin"
KNOT_STEP = 3  # phases from one knot to the next
KNOTS = (PHASES - 1) // KNOT_STEP + 1


def _mirror(squares: list[int]) -> list[int] | None:
    """Return the order of a pattern's squares under a symmetry that maps it onto itself; None if there is none."""
    for symmetry in range(1, SYMMETRIES):
        image = [transform_square(square, symmetry) for square in squares]
        if image != squares and set(image) == set(squares):
            return [image.index(square) for square in squares]
    return None


def smallest_equal(squares: list[int]) -> np.ndarray:
    """Return, for each configuration of the pattern, the smallest configuration equal to it by symmetry."""
    numbers = np.arange(3 ** len(squares))
    order = _mirror(squares)
    if order is None:
        return numbers
    mirrored = np.zeros_like(numbers)
    for place, other in enumerate(order):
        mirrored += numbers // 3**place % 3 * 3**other
    return np.minimum(numbers, mirrored)


@functools.cache
def file_places() -> np.ndarray:
    """Return int32[PHASE_WEIGHTS]: the index of each weight of a phase within a knot of the file."""
    classes = np.arange(PHASE_WEIGHTS)
    for name in PATTERN_SQUARES:
        squares = pattern_squares(name)
        classes[STARTS[name] : STARTS[name] + 3 ** len(squares)] = STARTS[name] + smallest_equal(squares)
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def file_weights() -> int:
    """Return the number of weights in a knot of the file."""
    return int(file_places().max()) + 1


def _shapes() -> Shapes:
    return {"knots": (np.int16, (KNOTS, file_weights())), "spread": (np.int32, (SPREAD_GROUPS, SPREAD_DEPTHS))}


def _layout() -> str:
    return layout_of(INSTANCE_SQUARES, COUNTS, COUNT_SIZE, PHASES, KNOT_STEP)


def encode(knots: np.ndarray, spread: np.ndarray, made: dict[str, Any]) -> bytes:
    """Return the file of weights int16[KNOTS, file_weights()] and spreads int32[SPREAD_GROUPS, SPREAD_DEPTHS].

    Args:
        made: how they were made, for users to read
    """
    return weights.encode(FORMAT, _layout(), {"made": made}, {"knots": knots, "spread": spread.astype(np.int32)})


def read(file: Path) -> weights.WeightsFile:
    """Return the contents of a file, in the form that `encode` takes.

    Raises ValueError with one line saying what is wrong with the file, OSError if it cannot be read.
    """
    return weights.decode(file.read_bytes(), file, FORMAT, _layout(), _shapes())


def by_phase(knots: np.ndarray) -> np.ndarray:
    """Expand a file's weights to int16[PHASES, PHASE_WEIGHTS], as the kernels need them."""
    table = np.empty((PHASES, PHASE_WEIGHTS), dtype=np.int16)
    for phase in range(PHASES):
        knot, part = divmod(phase, KNOT_STEP)
        here = knots[knot].astype(np.int32) * (KNOT_STEP - part)
        if part:
            here += knots[knot + 1].astype(np.int32) * part
        table[phase] = np.floor_divide(here + KNOT_STEP // 2, KNOT_STEP).astype(np.int16)[file_places()]
    return table


@dataclass(frozen=True)
class Weights:
    """The weights of the patterns.

    Attributes:
        table: int16[PHASES, PHASE_WEIGHTS], hundredths of a disc
        spread: int32[SPREAD_GROUPS, SPREAD_DEPTHS]
        source: a description of their origin
        made: how they were made, as JSON values
    """

    table: np.ndarray
    spread: np.ndarray
    source: str = "not from a file"
    made: dict[str, Any] = field(default_factory=dict)

    def fill(self, params: Any) -> None:
        """Write the address of the table and the spreads to `params`."""
        params.weights, params.spread = self.table.ctypes.data, self.spread

    def describe(self) -> str:
        """Return the size of the table and its source."""
        return f"{PHASES} x {PHASE_WEIGHTS} weights, {self.source}"


def decode(content: bytes, file: Path) -> Weights:
    """Return the weights of a file's content. Raises ValueError with one line saying what is wrong with it."""
    found = weights.decode(content, file, FORMAT, _layout(), _shapes())
    return Weights(by_phase(found.arrays["knots"]), found.arrays["spread"], file.name, found.header["made"])


WEIGHTS = PackagedWeights(SHIPPED, decode)

MOST = 64 * DISC  # the largest value of a position
FEW_DISCS = 3

# The numbers of all instances: for the side to move, and with the discs of both sides counted as 1.
ACCUMULATOR = record_dtype([("numbers", np.uint16, (SLOTS,)), ("occupied", np.uint16, (SLOTS,))])

EVALUATION = Evaluation(
    "patterns",
    POSITION,
    accumulator=ACCUMULATOR,
    fields=(
        ("weights", np.uint64),  # the address of Weights.table
        ("spread", np.int32, (SPREAD_GROUPS, SPREAD_DEPTHS)),  # of `probcut`, by phase and depth
    ),
    load_weights=WEIGHTS.of,
)


@njit
def refresh_numbers(own, opponent, accumulator):
    """Write the numbers of all instances for a position.

    Args:
        own, opponent: uint64, bitboards
        accumulator: record[ACCUMULATOR], out
    """
    for instance in range(SLOTS):
        accumulator.numbers[instance] = 0
        accumulator.occupied[instance] = 0
    discs = own | opponent
    while discs != ZERO:
        square = ctz(discs)
        worth = 2 if opponent >> np.uint64(square) & ONE != ZERO else 1
        for instance in range(SLOTS):
            accumulator.numbers[instance] += worth * ROWS[square, instance]
            accumulator.occupied[instance] += ROWS[square, instance]
        discs &= discs - ONE


@njit
def update_numbers(before, after, disc, flipped):
    """Compute the numbers after a move from those before it, which are from the other side's point of view.

    A number n becomes 3 o - n for the other side, where o counts every disc once.

    Args:
        before: record[ACCUMULATOR], in
        after: record[ACCUMULATOR], out
        disc: uint64, the placed disc, 0 for a pass
        flipped: uint64, the flipped discs
    """
    if disc != ZERO:
        square = ctz(disc)
        for instance in range(SLOTS):
            after.occupied[instance] = before.occupied[instance] + ROWS[square, instance]
            turned_over = 3 * before.occupied[instance] - before.numbers[instance]
            after.numbers[instance] = turned_over + 2 * ROWS[square, instance]
        while flipped != ZERO:
            square = ctz(flipped)
            for instance in range(SLOTS):
                after.numbers[instance] += ROWS[square, instance]
            flipped &= flipped - ONE
    else:
        for instance in range(SLOTS):
            after.occupied[instance] = before.occupied[instance]
            after.numbers[instance] = 3 * before.occupied[instance] - before.numbers[instance]


def sum_of_weights(weights, numbers):
    """Return the sum of the weights of all instances, as two's complement.

    The loop is unrolled, so that each weight takes one load: LLVM would gather weights into vectors, at several
    instructions each.

    Args:
        weights: the address of a phase's weights
        numbers: the address of an accumulator's numbers
    """
    total = 0
    for first in range(0, INSTANCES, 4):
        four = load_vector(numbers + 2 * first, 0)
        for instance in range(first, min(first + 4, INSTANCES)):
            number = four >> 16 * (instance - first) & 0xFFFF
            total = lanes.load_i16(weights + (2 * number + 2 * int(INSTANCE_STARTS[instance]))) + total
    return total


traced_sum_of_weights = traced(sum_of_weights)


@njit
def phase_of(own, opponent):
    """Return the phase, 0..PHASES - 1, of a position."""
    return PHASE_OF_DISCS[popcount(own | opponent)]


@njit
def shallow_depth(depth):
    """Return the depth of a search that predicts one of `depth` plies (at least 3): about half, of the same parity."""
    return 2 * (depth // 4) + (depth & 1)


@njit
def count_features(own, opponent, own_moves, opponent_moves):
    """Return the numbers of a position's five count features; for the arguments see `pattern_value`."""
    empty = ALL ^ (own | opponent)
    return (
        COUNTS_START + popcount(own_moves),
        COUNTS_START + COUNT_SIZE + popcount(opponent_moves),
        COUNTS_START + 2 * COUNT_SIZE + popcount(neighbours(own) & empty),
        COUNTS_START + 3 * COUNT_SIZE + popcount(neighbours(opponent) & empty),
        COUNTS_START + 4 * COUNT_SIZE + popcount(odd_quadrant_marks(empty)),
    )


@njit
def pattern_value(ctx, own_moves, opponent_moves):
    """Return the value of ctx.pos by the weights at ctx.evaluation.weights, in hundredths of a disc.

    Args:
        own_moves, opponent_moves: uint64, the `mobility` of each side
    """
    update_line(ctx)
    own, opponent = ctx.pos.own, ctx.pos.opponent
    weights = ctx.evaluation.weights + np.uint64(2 * PHASE_WEIGHTS * phase_of(own, opponent))
    accumulator = ctx.accumulators[ctx.ply]
    value = np.int64(traced_sum_of_weights(weights, address_of(accumulator.numbers)))
    for number in count_features(own, opponent, own_moves, opponent_moves):
        value += load_i16(weights + np.uint64(2 * number))
    return value


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    refresh_numbers(ctx.pos.own, ctx.pos.opponent, ctx.accumulators[ply])


@njit
def update_ply(ctx, ply):
    """Compute the numbers of a ply from those of the ply before; see `update_accumulator`."""
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    update_numbers(ctx.accumulators[ply - 1], ctx.accumulators[ply], undo.disc, undo.flips)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    update_ply(ctx, ply)


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    own_moves, opponent_moves = mobility(own, opponent), mobility(opponent, own)
    if own_moves | opponent_moves == ZERO:
        return terminal_value(ctx)
    return min(max(pattern_value(ctx, own_moves, opponent_moves), -MOST), MOST)


@njit
def predicted(ctx, depth):
    """Return the depth and the spread of a search that predicts one of `depth` plies, (0, 0) for none."""
    if min(popcount(ctx.pos.own), popcount(ctx.pos.opponent)) <= FEW_DISCS:
        return np.int64(0), np.int64(0)  # a side might soon be wiped out, which a shallow search would miss
    phase = phase_of(ctx.pos.own, ctx.pos.opponent)
    spread = ctx.evaluation.spread[phase // SPREAD_PHASES, min(depth, SPREAD_DEPTHS - 1)]
    return shallow_depth(depth), int(spread)


@provides_evaluation(EVALUATION)
def probcut(ctx, depth):
    return predicted(ctx, depth)
