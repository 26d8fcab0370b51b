"""The weights of the king-piece evaluation: their layout, their file, and the table that the kernels read.

Each king has a perspective: all pieces as its owner sees them from their side of the board. `table[king, feature]` is
the value of a feature for the owner of the king on that square, in 1/UNIT centipawns. A position's value is the sum of
the features in the perspective of the side to move, less the sum of those in the other perspective. A feature is

* a piece on the board, piece * 81 + square, where piece is (0 own, 1 the enemy's) << 4 | kind, both kings included;
* the n-th piece of a kind in a hand, HAND_BASE + ((0 own, 1 the enemy's) << 3 | kind) * HAND_COUNTS + n.

For white, squares are counted from the other end (80 - square). Row NO_KING is for a side that has no king. The
mirror image of a position has the same value, so the file contains only the kings on files 9 to 5.

Row SAFETY contains what a sum over pieces cannot express: the safety of a king, at index (attackers * GUARDS + guards)
    *
HAND_PRESSURES + pressure. Attackers are enemy pieces near the king (bitboard.NEAR_KING); guards are its own silvers and
gold-like pieces next to it; pressure is the enemy's hand, with its pieces weighted by HAND_PRESSURE_WEIGHTS.
"""

import functools
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.files import write_whole
from shogi_engine.games.shogi.types import NO_SQUARE, SQUARES

HAND_BASE = 32 * SQUARES
HAND_COUNTS = 19  # 0 to 18 pieces of a kind
FEATURES = HAND_BASE + 16 * HAND_COUNTS
NO_KING = NO_SQUARE
SAFETY = NO_KING + 1
ROWS = SAFETY + 1
UNIT = 8

ATTACKERS, GUARDS, HAND_PRESSURES = 8, 4, 12  # the number of values of each; larger values count as the largest
SAFETIES = ATTACKERS * GUARDS * HAND_PRESSURES
HAND_PRESSURE_WEIGHTS = (0, 0, 1, 1, 2, 2, 2, 3)  # by kind: none, P L N S G B R

FILE = Path(__file__).with_name("king_piece.npz")
MIRROR = np.arange(SQUARES).reshape(9, 9)[:, ::-1].ravel()  # by square, its mirror image
STORED_ROWS = np.array([square for square in range(SQUARES) if square % 9 <= 4] + [NO_KING, SAFETY])


def mirror_features() -> np.ndarray:
    """Return int64[FEATURES]: by feature, the same one on the mirrored board."""
    mirrored = np.arange(FEATURES)
    mirrored[:HAND_BASE] = (np.arange(32)[:, None] * SQUARES + MIRROR).ravel()
    return mirrored


@dataclass(frozen=True)
class Weights:
    """The weights of the evaluation king-piece.

    Attributes:
        table: int16[ROWS, FEATURES], 1/UNIT centipawns, row by row
        tempo: centipawns for the side to move
        source: a description of their origin
    """

    table: np.ndarray
    tempo: int
    source: str = "not from a file"

    @property
    def address(self) -> int:
        """The address of the table, for kernels; it is valid as long as this object exists."""
        return self.table.ctypes.data

    def fill(self, params: Any) -> None:
        """Write the address of the table to `params`, and the tempo if they have one."""
        params.table = self.address
        if "tempo" in params.dtype.names:
            params.tempo = self.tempo

    def describe(self) -> str:
        """Return the size of the table and its source."""
        return f"{ROWS} x {FEATURES} weights, {self.source}"


def save(file: Path, weights: Weights) -> None:
    """Write weights that are the same for mirrored boards."""
    rows = weights.table[STORED_ROWS]
    steps = np.diff(rows, axis=0, prepend=np.int16(0))  # neighbouring rows are similar, so differences compress better
    content = io.BytesIO()
    np.savez_compressed(content, rows=steps, tempo=np.int32(weights.tempo))
    write_whole(file, content.getvalue())


def load(file: Path) -> Weights:
    """Return the weights that `save` wrote. Raises ValueError, which names the file, if it is missing or wrong."""
    try:
        with np.load(file, allow_pickle=False) as content:
            steps, tempo = content["rows"], int(content["tempo"])
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as fault:
        raise ValueError(f"evaluation weights: {file} cannot be read ({fault})") from None
    if steps.shape != (len(STORED_ROWS), FEATURES) or steps.dtype != np.int16:
        wanted = f"int16 {(len(STORED_ROWS), FEATURES)}"
        raise ValueError(f"evaluation weights: {file} contains {steps.dtype} {steps.shape}, not {wanted}")
    rows = np.cumsum(steps, axis=0, dtype=np.int16)
    table = np.zeros((ROWS, FEATURES), dtype=np.int16)
    table[STORED_ROWS] = rows
    right = np.array([square for square in range(SQUARES) if square % 9 > 4])
    table[right] = table[MIRROR[right]][:, mirror_features()]
    return Weights(table, tempo, file.name)


@functools.cache
def shipped() -> Weights:
    """Return the weights that came with the package; raises ValueError as `load`."""
    return load(FILE)


def load_weights(file: Path | None) -> Weights:
    """Return the weights of `file`, those that came with the package for None; raises ValueError as `load`."""
    return shipped() if file is None else load(file)
