"""The weights of the network: their numbers, their file, what they compute, and where the kernels find them.

    accumulator of a side = bias + the sum of the rows of the features active for it          int16[width], unit 1/qa
    output = output_bias + sum of square(accumulator) * output_weights, the side to move's first
    square(x) = (clip(x, 0, qa) << shift)^2 >> 16                                   squared clipped ReLU, below 2^14
    value in centipawns = output * multiplier / 2^SHIFT, rounded down

where multiplier undoes the units. qa, one less than a power of two, and qb, the unit of output weights, are each
network's own: as large as its weights allow. network_features.py numbers the features. The file, all little-endian:

    magic 8 bytes | version, header size uint32 | feature set, 16 bytes, ASCII, padded with 0
    features, width, qa, qb uint32 | scale int32 | size of the text uint32 | the text, JSON, UTF-8: how it was made
    rows int16[features, width] | bias int16[width] | output_weights int16[2, width] | output_bias int64
    SHA-256 of all before it, 32 bytes

`shogi-engine train` makes it. The engine's own is FILE.
"""

import functools
import hashlib
import json
import struct
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.network_features import ACTIVE, FEATURE_SET, FEATURES
from shogi_engine.jit.vectors import LANES, SQUARE_WEIGHT_LIMIT, aligned_zeros

FILE = Path(__file__).with_name("network.bin")
MAGIC, VERSION = b"shogiNNW", 1
HEADER = struct.Struct("<8sII16sIIIIiI")
DIGEST = hashlib.sha256().digest_size
QAS = (2047, 1023, 511, 255)
QB_RANGE = 64, 4096
SHIFT = 32
WIDTH = 256  # of the kernels, whose loops have a constant length: narrower networks are filled up with zeros
SCALE_LIMIT = 1 << 16


@dataclass(frozen=True)
class Network:
    """Quantised weights, as the module says.   made : how, JSON's values.   source : where from, for people."""

    rows: np.ndarray
    bias: np.ndarray
    output_weights: np.ndarray
    output_bias: int
    qa: int
    qb: int
    scale: int
    made: dict[str, Any] = field(default_factory=dict)
    source: str = "not from a file"

    @property
    def width(self) -> int:
        """Neurons of each side."""
        return len(self.bias)

    @property
    def shift(self) -> int:
        """By how many bits qa falls short of 15."""
        return 15 - self.qa.bit_length()

    @property
    def unit(self) -> int:
        """An output of 1, times 2^16."""
        return (self.qa << self.shift) ** 2 * self.qb

    @property
    def multiplier(self) -> int:
        """Turns an output into centipawns: see SHIFT."""
        return ((self.scale << SHIFT + 16) + self.unit // 2) // self.unit

    @functools.cached_property
    def memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, bias and output weights, WIDTH wide and aligned for vectors; they live as long as this object."""
        rows, bias, output_weights = (
            aligned_zeros((*array.shape[:-1], WIDTH), np.int16) for array in (self.rows, self.bias, self.output_weights)
        )
        rows[:, : self.width], bias[: self.width], output_weights[:, : self.width] = (
            self.rows,
            self.bias,
            self.output_weights,
        )
        return rows, bias, output_weights

    def fill(self, params: Any) -> None:
        """Write the addresses and the numbers to `params`."""
        params.rows, params.bias, params.output_weights = (array.ctypes.data for array in self.memory)
        params.output_bias, params.multiplier = np.int64(self.output_bias).view(np.uint64), self.multiplier
        params.qa, params.shift = self.qa, self.shift

    def describe(self) -> str:
        """Return the size and the source."""
        made = "".join(f", {name} {self.made[name]}" for name in ("command", "seed", "generation") if name in self.made)
        return f"({FEATURES} -> {self.width})x2 -> 1, {self.source}{made}"

    def output(self, active: tuple[np.ndarray, np.ndarray]) -> int:
        """Return the value in centipawns, by numpy; active : features of the side to move, and of the other."""
        total = int(self.output_bias)
        for features, weights in zip(active, self.output_weights, strict=True):
            accumulator = self.bias.astype(np.int64) + self.rows[features].astype(np.int64).sum(axis=0)
            squares = (accumulator.clip(0, self.qa) << self.shift) ** 2 >> 16
            total += int((squares * weights.astype(np.int64)).sum())
        return total * self.multiplier >> SHIFT


def quantise(rows: np.ndarray, bias: np.ndarray, output: np.ndarray, output_bias: float, scale: float) -> Network:
    """Return the network of float weights, in the finest units in which no sum overflows; scale : as Network's.

    rows : float[FEATURES, width]    bias : float[width]    output : float[2, width]
    """
    largest = np.sort(np.abs(rows), axis=0)[-ACTIVE:].sum(axis=0) + np.abs(bias)
    fitting = [qa for qa in QAS if (largest.max() * qa) + ACTIVE < np.iinfo(np.int16).max]
    qa = fitting[0] if fitting else QAS[-1]
    qb = int(np.clip(SQUARE_WEIGHT_LIMIT / max(float(np.abs(output).max()), 1e-6), *QB_RANGE))
    whole = [np.rint(array).astype(np.int16) for array in (rows * qa, bias * qa, output * qb)]
    network = Network(whole[0], whole[1], whole[2], 0, qa, qb, max(round(scale), 1))
    return replace(network, output_bias=round(output_bias * network.unit / (1 << 16)))


def encode(network: Network) -> bytes:
    """Return the file of a network."""
    text = json.dumps(network.made, sort_keys=True).encode()
    header = HEADER.pack(
        MAGIC,
        VERSION,
        HEADER.size,
        FEATURE_SET.encode(),
        FEATURES,
        network.width,
        network.qa,
        network.qb,
        network.scale,
        len(text),
    )
    arrays = (network.rows, network.bias, network.output_weights)
    body = b"".join(np.ascontiguousarray(array).astype("<i2").tobytes() for array in arrays)
    content = header + text + body + struct.pack("<q", network.output_bias)
    return content + hashlib.sha256(content).digest()


def decode(content: bytes, name: str) -> Network:
    """Return the network of a file's content. Raises ValueError, naming it, with what was expected and what found."""

    def refuse(what: str) -> ValueError:
        return ValueError(f"evaluation network: {name} {what}")

    if len(content) < HEADER.size + DIGEST or content[: len(MAGIC)] != MAGIC:
        raise refuse("is no network of this engine")
    fields = HEADER.unpack_from(content)
    _, version, header, features_name, features, width, qa, qb, scale, text_size = fields
    if version != VERSION or header != HEADER.size:
        raise refuse(f"has version {version}; this engine reads {VERSION}")
    if hashlib.sha256(content[:-DIGEST]).digest() != content[-DIGEST:]:
        raise refuse("is damaged: its checksum is another")
    found = features_name.rstrip(b"\0").decode("ascii", "replace"), features
    if found != (FEATURE_SET, FEATURES):
        raise refuse(f"has the features {found}, not {(FEATURE_SET, FEATURES)}")
    if not (0 < width <= WIDTH and width % LANES == 0):
        raise refuse(f"has width {width}; one is a multiple of {LANES} up to {WIDTH}")
    if not (qa in QAS and QB_RANGE[0] <= qb <= QB_RANGE[1] and 0 < scale < SCALE_LIMIT):
        raise refuse(f"has units {qa} and {qb} and scale {scale}, beyond what the kernels multiply")
    sizes = [features * width, width, 2 * width]
    expected = HEADER.size + text_size + 2 * sum(sizes) + 8 + DIGEST
    if len(content) != expected:
        raise refuse(f"has {len(content)} bytes, not {expected}")
    place = HEADER.size + text_size
    numbers = np.frombuffer(content, dtype="<i2", count=sum(sizes), offset=place).astype(np.int16)
    rows, bias, output = np.split(numbers, np.cumsum(sizes)[:-1])
    (output_bias,) = struct.unpack_from("<q", content, place + 2 * sum(sizes))
    if np.abs(output.astype(np.int64)).max() > SQUARE_WEIGHT_LIMIT:
        raise refuse("has output weights beyond what the kernels multiply")
    made = json.loads(content[HEADER.size : place])
    source = f"{name} {content[-DIGEST:].hex()[:8]}"
    return Network(
        rows.reshape(features, width), bias, output.reshape(2, width), output_bias, qa, qb, scale, made, source
    )


def load(file: Path) -> Network:
    """Return the network of `file`. Raises ValueError, naming the file, if it is missing or damaged."""
    try:
        content = file.read_bytes()
    except OSError as fault:
        raise ValueError(f"evaluation network: {file} can not be read ({fault.strerror})") from None
    return decode(content, file.name)


@functools.cache
def shipped() -> Network:
    """Return the network that came with the package; raises ValueError as `load`."""
    return load(FILE)


def load_weights(file: Path | None) -> Network:
    """Return the network of `file`, the one that came with the package for None; raises ValueError as `load`."""
    return shipped() if file is None else load(file)
