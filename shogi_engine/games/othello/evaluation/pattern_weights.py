"""The file of pattern weights: written by training, read when the evaluation is first used.

The file has the weights at a few points of the game ("knots"); the phases between two knots are interpolated on
reading. Configurations that are equal by a pattern's own symmetry are stored once. Layout: a line of JSON (the pattern
layout's digest, how the weights were made, the spreads of `probcut`, a SHA-256 of weights and spreads), then
int16[KNOTS, file_weights()] compressed with zlib.
"""

import functools
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello.bitboard import SYMMETRIES, transform_square
from shogi_engine.games.othello.evaluation import weights_file
from shogi_engine.games.othello.evaluation.pattern_layout import (
    COUNT_SIZE,
    COUNTS,
    INSTANCE_SQUARES,
    PATTERN_SQUARES,
    PHASE_WEIGHTS,
    PHASES,
    SPREAD_DEPTHS,
    SPREAD_GROUPS,
    STARTS,
    pattern_squares,
)

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


def layout() -> str:
    """Return a digest of the patterns and counts; a file with another digest is refused."""
    text = repr((FORMAT, INSTANCE_SQUARES, COUNTS, COUNT_SIZE, PHASES, KNOT_STEP))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def encode(knots: np.ndarray, spread: np.ndarray, made: dict[str, Any]) -> bytes:
    """Return the file of weights int16[KNOTS, file_weights()] and spreads int[SPREAD_GROUPS, SPREAD_DEPTHS].

    Args:
        made: how they were made, for users to read
    """
    header = {"format": FORMAT, "layout": layout(), "shape": list(knots.shape), "made": made}
    return weights_file.encode(header | {"spread": spread.tolist()}, spread.tolist(), knots)


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights and the spreads of a file, in the form that `encode` takes.

    Raises ValueError with one line saying what is wrong with the file, OSError if it cannot be read.
    """
    return _read(path)[:2]


def _read(path: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the same, and how they were made."""
    try:
        header, payload = weights_file.split(path)
        known = (header["format"], header["layout"], header["shape"])
        spread = header["spread"]
    except (ValueError, KeyError):
        raise ValueError(f"{path}: not a file of Othello weights") from None
    shape = (KNOTS, file_weights())
    if known != (FORMAT, layout(), list(shape)):
        raise ValueError(f"{path}: the weights are for the patterns of another version; train new ones")
    try:
        knots = weights_file.numbers_of(header, spread, payload, shape)
        spreads = np.array(spread, dtype=np.int32).reshape(SPREAD_GROUPS, SPREAD_DEPTHS)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{path}: the weights are damaged (their SHA-256 is wrong)") from None
    return knots, spreads, dict(header.get("made", {}))


def read_made(path: Path) -> dict[str, Any]:
    """Return the description, in a valid file of weights, of how they were made."""
    return _read(path)[2]


def by_phase(knots: np.ndarray) -> np.ndarray:
    """Expand a file's weights to int16[PHASES, PHASE_WEIGHTS], as the kernels need them."""
    weights = np.empty((PHASES, PHASE_WEIGHTS), dtype=np.int16)
    for phase in range(PHASES):
        knot, part = divmod(phase, KNOT_STEP)
        here = knots[knot].astype(np.int32) * (KNOT_STEP - part)
        if part:
            here += knots[knot + 1].astype(np.int32) * part
        weights[phase] = np.floor_divide(here + KNOT_STEP // 2, KNOT_STEP).astype(np.int16)[file_places()]
    return weights


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


@functools.cache
def shipped() -> Weights:
    """Return the weights that the package ships. They stay in memory forever, as contexts hold their address."""
    return load(SHIPPED)


def load(file: Path) -> Weights:
    """Return the weights of a file. Raises ValueError with one line saying what is wrong with it."""
    try:
        knots, spread, made = _read(file)
    except OSError as fault:
        raise ValueError(f"evaluation weights: {file} cannot be read ({fault.strerror})") from None
    return Weights(by_phase(knots), spread, file.name, made)


def load_weights(file: Path | None) -> Weights:
    """Return the weights of `file`, the shipped ones for None. Raises ValueError as `load` does."""
    return shipped() if file is None else load(file)
