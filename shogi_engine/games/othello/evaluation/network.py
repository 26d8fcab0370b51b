"""Othello's evaluation by a network of patterns: it corrects the value of the pattern weights.

The configuration of each instance of some patterns selects a row of WIDTH numbers. The sum of the rows is clipped,
squared and weighed by the phase. The numbers of the instances are those that patterns.py keeps for
each ply; the rows are summed anew for each position, as a move changes most of them.
"""

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games import weights
from shogi_engine.games.othello.evaluation import patterns
from shogi_engine.games.othello.evaluation.patterns import (
    INSTANCE_SQUARES,
    PHASES,
    SPREAD_DEPTHS,
    SPREAD_GROUPS,
    pattern_squares,
)
from shogi_engine.games.othello.movegen import mobility
from shogi_engine.games.othello.position import terminal_value
from shogi_engine.games.othello.types import POSITION
from shogi_engine.games.weights import PackagedWeights, Shapes, layout_of
from shogi_engine.interface.game import provides_evaluation
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import address_of, njit, record_dtype, vectors
from shogi_engine.jit.intrinsics import emitted
from shogi_engine.jit.vectors import SQUARE_WEIGHT_LIMIT, aligned_copy

# ---- The file of Othello's network: rows for patterns, and a layer for each phase, which correct the pattern weights
#
# sums = bias of the phase + the row of the configuration of each instance            int16[WIDTH], unit 1 / QA
#     value = the value by patterns + sum of square(sums) * output weights of the phase       hundredths of a disc
#     square(x) = (clip(x, 0, QA) << SHIFT)^2 >> 16    squared clipped ReLU, below 2^14
#
# PATTERNS are those of `pattern_layout` whose configurations have rows, with few squares so that all rows stay in the
# processor's caches. Configurations that are equal by a pattern's own symmetry share a row and are stored once.
# The file also has the unit of the output weights, the spreads of `probcut`, and a digest of the pattern weights
# that it corrects.


FORMAT = "othello-network-1"
SHIPPED = Path(__file__).resolve().parent / "network.bin"
WIDTH = 32  # one vector of int16
QA, SHIFT = 255, 7
SQUARE_MOST = (QA << SHIFT) ** 2 >> 16  # the square of an activation of 1
MULTIPLIER_SHIFT = 32
PATTERNS = {  # pattern of the layout: how many of its squares count, the first ones
    "edge_2x": 8,  # the edge alone
    "corner_3x3": 9,
    "rank_2": 8,
    "rank_3": 8,
    "rank_4": 8,
    "diagonal_8": 8,
    "diagonal_7": 7,
    "diagonal_6": 6,
    "diagonal_5": 5,
    "diagonal_4": 4,
}


def _starts() -> dict[str, int]:
    """Return the first row of each pattern; under the key "", the number of all rows."""
    starts, end = {}, 0
    for name, squares in PATTERNS.items():
        starts[name] = end
        end += 3**squares
    return starts | {"": end}


STARTS = _starts()
ROWS = STARTS[""]
# By instance: its number in an accumulator, how many configurations have rows, and the first of them.
INPUTS = [
    (slot, 3 ** PATTERNS[name], STARTS[name]) for slot, (name, _) in enumerate(INSTANCE_SQUARES) if name in PATTERNS
]
ROW_LIMIT = 32767 // (len(INPUTS) + 1)  # no sum of rows and a bias overflows


@functools.cache
def file_rows() -> np.ndarray:
    """Return int32[ROWS]: the index of each row among the stored ones."""
    classes = np.arange(ROWS)
    for name, count in PATTERNS.items():
        smallest = patterns.smallest_equal(pattern_squares(name)[:count])
        classes[STARTS[name] : STARTS[name] + 3**count] = STARTS[name] + smallest
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def stored_rows() -> int:
    """Return the number of stored rows."""
    return int(file_rows().max()) + 1


@functools.cache
def base() -> str:
    """Return a digest of the pattern weights of the package, which a network corrects."""
    return hashlib.sha256(patterns.SHIPPED.read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Network:
    """A network; the module describes it.

    Attributes:
        rows: int16[stored_rows(), WIDTH]
        bias, output: int16[PHASES, WIDTH]
        unit: hundredths of a disc for an activation of 1 with the output weight 1
        spread: int32[SPREAD_GROUPS, SPREAD_DEPTHS]
        made: how it was made, as JSON values
        source: a description of its origin
    """

    rows: np.ndarray
    bias: np.ndarray
    output: np.ndarray
    unit: float
    spread: np.ndarray
    made: dict[str, Any]
    source: str = "not from a file"

    @property
    def multiplier(self) -> int:
        """The factor that turns an output into hundredths of a disc, times 2^MULTIPLIER_SHIFT."""
        return round(self.unit * (1 << MULTIPLIER_SHIFT) / SQUARE_MOST)

    @functools.cached_property
    def memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows, bias and output weights, aligned; valid as long as this object exists."""
        return aligned_copy(self.rows[file_rows()]), aligned_copy(self.bias), aligned_copy(self.output)

    def fill(self, params: Any) -> None:
        """Write the addresses and numbers to `params`."""
        patterns.WEIGHTS.shipped.fill(params)
        params.rows, params.bias, params.output = (array.ctypes.data for array in self.memory)
        params.multiplier, params.spread = self.multiplier, self.spread

    def describe(self) -> str:
        """Return the size and the source."""
        return f"{len(INPUTS)} of {ROWS} rows -> {WIDTH} -> {PHASES}, {self.source}"

    def correction(self, numbers: np.ndarray, phase: int) -> int:
        """Return what is added to the value by patterns, computed with numpy.

        Args:
            numbers: the numbers of all instances, as in an accumulator
        """
        active = [int(numbers[slot]) % count + start for slot, count, start in INPUTS]
        sums = self.bias[phase].astype(np.int64) + self.rows[file_rows()[active]].astype(np.int64).sum(axis=0)
        squares = (sums.clip(0, QA) << SHIFT) ** 2 >> 16
        return int((squares * self.output[phase].astype(np.int64)).sum()) * self.multiplier >> MULTIPLIER_SHIFT


def _layout() -> str:
    return layout_of(INPUTS, WIDTH, PHASES, QA)


def encode(network: Network) -> bytes:
    """Return the file of a network."""
    arrays = {name: getattr(network, name) for name in ("rows", "bias", "output")}
    arrays |= {"unit": np.float64(network.unit), "spread": network.spread.astype(np.int32)}
    return weights.encode(FORMAT, _layout(), {"base": base(), "made": network.made}, arrays)


def decode(content: bytes, file: Path) -> Network:
    """Return the network of a file's content. Raises ValueError with one line saying what is wrong with it."""
    phases = np.int16, (PHASES, WIDTH)
    spread = np.int32, (SPREAD_GROUPS, SPREAD_DEPTHS)
    shapes: Shapes = {"rows": (np.int16, (stored_rows(), WIDTH)), "bias": phases, "output": phases}
    found = weights.decode(content, file, FORMAT, _layout(), {**shapes, "unit": (np.float64, ()), "spread": spread})
    rows, bias, output = (found.arrays[name] for name in ("rows", "bias", "output"))
    unit = float(found.arrays["unit"])
    if found.header.get("base") != base():
        raise weights.refusal(file, "corrects other pattern weights than the package's; train a new network")
    most = [int(np.abs(array.astype(np.int64)).max()) for array in (rows, bias, output)]
    if max(most[:2]) > ROW_LIMIT or most[2] > SQUARE_WEIGHT_LIMIT or not 0 < unit < 1 << 16:
        raise weights.refusal(file, "has numbers beyond the range of the kernels")
    return Network(rows, bias, output, unit, found.arrays["spread"], found.header["made"], file.name)


WEIGHTS = PackagedWeights(SHIPPED, decode)


class PatternsAlone:
    """No network: the values are those of the package's pattern weights."""

    def fill(self, params: Any) -> None:
        """Write the addresses and numbers of the pattern weights to `params`."""
        patterns.WEIGHTS.shipped.fill(params)

    def describe(self) -> str:
        """Return the description of the pattern weights."""
        return patterns.WEIGHTS.shipped.describe()


ROW_BYTES = 2 * WIDTH
CACHE = record_dtype([("memory", np.uint8, (ROW_BYTES + vectors.ALIGNMENT,))])  # the sums of the current position

EVALUATION = Evaluation(
    "network",
    POSITION,
    accumulator=patterns.ACCUMULATOR,
    cache=CACHE,
    fields=(
        *patterns.EVALUATION.fields,
        ("rows", np.uint64),  # the addresses of Network.memory; 0 for the patterns alone
        ("bias", np.uint64),
        ("output", np.uint64),
        ("multiplier", np.int64),
    ),
    load_weights=WEIGHTS.of,
)


def sum_of_rows(out: Any, bias: Any, rows: Any, numbers: Any) -> None:
    """Write the sum of the bias and the rows of all instances to `out`, int16[WIDTH].

    Args:
        numbers: the address of an accumulator's numbers
    """
    found = vectors.array_at(numbers, patterns.SLOTS, np.uint16)
    sums = vectors.array_at(bias, WIDTH, np.int16).copy()
    for slot, count, start in INPUTS:
        place = int(rows) + (int(found[slot]) % count + start) * ROW_BYTES
        sums += vectors.array_at(place, WIDTH, np.int16)
    vectors.array_at(out, WIDTH, np.int16)[:] = sums


emitted(sum_of_rows, f"{__name__}_code:sum_of_rows")


@njit
def correction(ctx):
    """Return what the network adds to the value of ctx.pos by patterns, whose numbers are up to date."""
    phase = patterns.phase_of(ctx.pos.own, ctx.pos.opponent)
    sums = vectors.align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data))
    offset = np.uint64(ROW_BYTES * phase)
    numbers = address_of(ctx.accumulators[ctx.ply].numbers)
    sum_of_rows(sums, ctx.evaluation.bias + offset, ctx.evaluation.rows, numbers)
    total = vectors.screlu_dot_i16(sums, ctx.evaluation.output + offset, np.int64(QA), np.int64(SHIFT), np.int64(WIDTH))
    return total * ctx.evaluation.multiplier >> MULTIPLIER_SHIFT


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    patterns.refresh_numbers(ctx.pos.own, ctx.pos.opponent, ctx.accumulators[ply])


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    patterns.update_ply(ctx, ply)


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    own, opponent = ctx.pos.own, ctx.pos.opponent
    own_moves, opponent_moves = mobility(own, opponent), mobility(opponent, own)
    if own_moves | opponent_moves == ZERO:
        return terminal_value(ctx)
    value = patterns.pattern_value(ctx, own_moves, opponent_moves)
    if ctx.evaluation.rows != ZERO:
        value += correction(ctx)
    return min(max(value, -patterns.MOST), patterns.MOST)


@provides_evaluation(EVALUATION)
def probcut(ctx, depth):
    return patterns.predicted(ctx, depth)
