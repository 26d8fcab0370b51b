"""The file of Othello's network: rows for patterns, and a layer for each phase, which correct the pattern weights.

    sums = bias of the phase + the row of the configuration of each instance            int16[WIDTH], unit 1 / QA
    value = the value by patterns + sum of square(sums) * output weights of the phase       hundredths of a disc
    square(x) = (clip(x, 0, QA) << SHIFT)^2 >> 16                                       squared clipped ReLU, below 2^14

PATTERNS are those of `pattern_layout` whose configurations have rows, with few squares so that all rows stay in the
processor's caches. Configurations that are equal by a pattern's own symmetry share a row and are stored once.
Layout: a line of JSON (the digest of the pattern weights that it corrects, how it was made, the unit of the output
weights, the spreads of `probcut`, a SHA-256), then int16[stored rows, WIDTH], bias int16[PHASES, WIDTH] and output
weights int16[PHASES, WIDTH], compressed with zlib.
"""

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello.evaluation import pattern_weights, weights_file
from shogi_engine.games.othello.evaluation.pattern_layout import (
    INSTANCE_SQUARES,
    PHASES,
    SPREAD_DEPTHS,
    SPREAD_GROUPS,
    pattern_squares,
)
from shogi_engine.jit.vectors import SQUARE_WEIGHT_LIMIT, aligned_copy

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
        smallest = pattern_weights.smallest_equal(pattern_squares(name)[:count])
        classes[STARTS[name] : STARTS[name] + 3**count] = STARTS[name] + smallest
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def stored_rows() -> int:
    """Return the number of stored rows."""
    return int(file_rows().max()) + 1


@functools.cache
def base() -> str:
    """Return a digest of the pattern weights of the package, which a network corrects."""
    return hashlib.sha256(pattern_weights.SHIPPED.read_bytes()).hexdigest()[:16]


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
        pattern_weights.shipped().fill(params)
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
        pattern_weights.shipped().fill(params)

    def describe(self) -> str:
        """Return the description of the pattern weights."""
        return pattern_weights.shipped().describe()


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
