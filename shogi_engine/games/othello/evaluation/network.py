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
from shogi_engine.games.othello.evaluation import patterns, weights_file
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
from shogi_engine.interface.game import provides_evaluation
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import address_of, njit, record_dtype, vectors
from shogi_engine.jit.plain import emitted
from shogi_engine.jit.vectors import SQUARE_WEIGHT_LIMIT, aligned_copy

# ---- The file of Othello's network: rows for patterns, and a layer for each phase, which correct the pattern weights
#
# sums = bias of the phase + the row of the configuration of each instance            int16[WIDTH], unit 1 / QA
#     value = the value by patterns + sum of square(sums) * output weights of the phase       hundredths of a disc
#     square(x) = (clip(x, 0, QA) << SHIFT)^2 >> 16    squared clipped ReLU, below 2^14
#
# PATTERNS are those of `pattern_layout` whose configurations have rows, with few squares so that all rows stay in the
# processor's caches. Configurations that are equal by a pattern's own symmetry share a row and are stored once.
# Layout: a line of JSON (the digest of the pattern weights that it corrects, how it was made, the unit of the output
# weights, the spreads of `probcut`, a SHA-256), then int16[stored rows, WIDTH], bias int16[PHASES, WIDTH] and output
# weights int16[PHASES, WIDTH], compressed with zlib.


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


def layout() -> str:
    """Return a digest of the patterns; a file with another digest is refused."""
    text = repr((FORMAT, INPUTS, WIDTH, PHASES, QA))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
        patterns.shipped().fill(params)
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


def _covered(header: dict[str, Any]) -> list[Any]:
    """Return the part of a header that the SHA-256 covers."""
    return [header[name] for name in ("layout", "base", "unit", "spread")]


def encode(network: Network) -> bytes:
    """Return the file of a network."""
    header = {"format": FORMAT, "layout": layout(), "base": base(), "unit": network.unit, "made": network.made}
    header["spread"] = network.spread.tolist()
    return weights_file.encode(header, _covered(header), np.concatenate([network.rows, network.bias, network.output]))


def is_network(path: Path) -> bool:
    """Tell whether a file begins like one of a network."""
    try:
        with path.open("rb") as file:
            return FORMAT.encode() in file.read(100)
    except OSError:
        return False


def read(path: Path) -> Network:
    """Return the network of a file.

    Raises ValueError with one line saying what is wrong with the file, OSError if it cannot be read.
    """
    try:
        header, payload = weights_file.split(path)
        known, covered = (header["format"], header["layout"]), _covered(header)
        spread, made = np.array(header["spread"], dtype=np.int32), dict(header["made"])
        unit = float(header["unit"])
    except (ValueError, KeyError, TypeError, OverflowError):
        raise ValueError(f"{path}: not a network for Othello") from None
    if known != (FORMAT, layout()):
        raise ValueError(f"{path}: the network is for the patterns of another version; train a new one")
    sizes = [stored_rows(), PHASES, PHASES]
    try:
        numbers = weights_file.numbers_of(header, covered, payload, (sum(sizes), WIDTH))
        spread = spread.reshape(SPREAD_GROUPS, SPREAD_DEPTHS)
    except ValueError:
        raise ValueError(f"{path}: the network is damaged (its SHA-256 is wrong)") from None
    if header["base"] != base():
        raise ValueError(f"{path}: the network corrects other pattern weights than the package's; train a new one")
    rows, bias, output = np.split(numbers, np.cumsum(sizes)[:-1])
    most = [int(np.abs(array.astype(np.int64)).max()) for array in (rows, bias, output)]
    if max(most[:2]) > ROW_LIMIT or most[2] > SQUARE_WEIGHT_LIMIT or not 0 < unit < 1 << 16:
        raise ValueError(f"{path}: the network has numbers beyond the range of the kernels")
    return Network(rows, bias, output, unit, spread, made, path.name)


class PatternsAlone:
    """No network: the values are those of the package's pattern weights."""

    def fill(self, params: Any) -> None:
        """Write the addresses and numbers of the pattern weights to `params`."""
        patterns.shipped().fill(params)

    def describe(self) -> str:
        """Return the description of the pattern weights."""
        return patterns.shipped().describe()


@functools.cache
def shipped() -> Network:
    """Return the network that the package ships. It stays in memory forever, as contexts hold its addresses."""
    return load(SHIPPED)


def load(file: Path) -> Network:
    """Return the network of a file. Raises ValueError with one line saying what is wrong with it."""
    try:
        return read(file)
    except OSError as fault:
        raise ValueError(f"evaluation network: {file} cannot be read ({fault.strerror})") from None


def load_weights(file: Path | None) -> Network:
    """Return the network of `file`, the shipped one for None. Raises ValueError as `load` does."""
    return shipped() if file is None else load(file)


ROW_BYTES = 2 * WIDTH
CACHE = record_dtype([("memory", np.uint8, (ROW_BYTES + vectors.ALIGNMENT,))])  # the sums of the current position

EVALUATION = Evaluation(
    "network",
    POSITION,
    accumulator=patterns.ACCUMULATOR,
    cache=CACHE,
    fields=(
        *patterns.EVALUATION.fields,
        ("rows", np.uint64),  # the addresses of network_weights.Network.memory; 0 for the patterns alone
        ("bias", np.uint64),
        ("output", np.uint64),
        ("multiplier", np.int64),
    ),
    load_weights=load_weights,
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
