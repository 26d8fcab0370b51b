"""The weights of the network: their sizes, their file, the computation, and their place in memory for the kernels.

    accumulator of a side = bias + the sum of the rows of its active features                 int16[width], unit 1/qa
    output = output_bias + sum of square(accumulator) * output_weights, the side to move's first
    square(x) = (clip(x, 0, qa) << shift)^2 >> 16                                   squared clipped ReLU, below 2^14
    value in centipawns = output * multiplier / 2^SHIFT, rounded down

The output's weights and bias are those of the position's output bucket; the multiplier undoes the units. Each network
has its own units, as large as its weights allow: qa, one less than a power of two, and qb for the output weights.
network_features.py numbers features and output buckets. The file, all little-endian:

    magic 8 bytes | version, header size uint32 | feature set, 16 bytes, ASCII, padded with 0
    features, width, buckets, qa, qb uint32 | scale int32 | size of the text uint32
    the text, JSON, UTF-8: how it was made
    rows int16[features, width] | bias int16[width] | output_weights int16[buckets, 2, width]
    output_bias int64[buckets]
    SHA-256 of all before it, 32 bytes

`shogi-engine train` makes it. The engine's own network is FILE.
"""

import functools
import hashlib
import json
import struct
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.json_text import json_of
from shogi_engine.games.shogi.evaluation import network_features as inputs
from shogi_engine.jit.vectors import LANES, SQUARE_WEIGHT_LIMIT, aligned_zeros

FILE = Path(__file__).with_name("network.bin")
MAGIC, VERSION = b"shogiNNW", 2
HEADER = struct.Struct("<8sII16sIIIIIiI")
DIGEST = hashlib.sha256().digest_size
QAS = (2047, 1023, 511, 255)
QB_RANGE = 64, 4096
SHIFT = 32
WIDTH = 256  # the constant length of the kernels' loops; narrower networks are padded with zeros
SCALE_LIMIT = 1 << 16


@dataclass(frozen=True)
class Network:
    """Quantised weights; the module describes them.

    Attributes:
        made: how the network was made, as JSON values
        source: a description of its origin
    """

    rows: np.ndarray
    bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray
    qa: int
    qb: int
    scale: int
    made: dict[str, Any] = field(default_factory=dict)
    source: str = "not from a file"

    def enlarged(self, factor: float) -> "Network":
        """Return the network with its values multiplied by `factor`."""
        return replace(self, scale=round(self.scale * factor))

    @property
    def width(self) -> int:
        """The number of neurons of each side."""
        return len(self.bias)

    @property
    def shift(self) -> int:
        """15 minus the number of bits of qa."""
        return 15 - self.qa.bit_length()

    @property
    def unit(self) -> int:
        """The integer that represents an output of 1, times 2^16."""
        return (self.qa << self.shift) ** 2 * self.qb

    @property
    def multiplier(self) -> int:
        """The factor that turns an output into centipawns, times 2^SHIFT."""
        return ((self.scale << SHIFT + 16) + self.unit // 2) // self.unit

    @functools.cached_property
    def memory(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows, bias, output weights and output bias, WIDTH wide and aligned; valid as long as this object exists."""
        rows, bias, output_weights = (
            aligned_zeros((*array.shape[:-1], WIDTH), np.int16) for array in (self.rows, self.bias, self.output_weights)
        )
        for array, weights in ((rows, self.rows), (bias, self.bias), (output_weights, self.output_weights)):
            array[..., : self.width] = weights
        return rows, bias, output_weights, np.ascontiguousarray(self.output_bias, dtype=np.int64)

    def fill(self, params: Any) -> None:
        """Write the addresses and the numbers to `params`."""
        params.rows, params.bias, params.output_weights, params.output_bias = (
            array.ctypes.data for array in self.memory
        )
        params.qa, params.shift, params.multiplier = self.qa, self.shift, self.multiplier

    def describe(self) -> str:
        """Return the size and the source."""
        made = "".join(f", {name} {self.made[name]}" for name in ("command", "seed", "generation") if name in self.made)
        return f"({inputs.FEATURES} -> {self.width})x2 -> {inputs.OUTPUT_BUCKETS}, {self.source}{made}"

    def output(self, active: tuple[np.ndarray, np.ndarray]) -> int:
        """Return the value in centipawns, computed with numpy.

        Args:
            active: the active features of the side to move, and of the other side
        """
        bucket = inputs.HELD_BUCKETS[inputs.held_pieces(active[0])]
        total = int(self.output_bias[bucket])
        for features, weights in zip(active, self.output_weights[bucket], strict=True):
            accumulator = self.bias.astype(np.int64) + self.rows[features].astype(np.int64).sum(axis=0)
            squares = (accumulator.clip(0, self.qa) << self.shift) ** 2 >> 16
            total += int((squares * weights.astype(np.int64)).sum())
        return total * self.multiplier >> SHIFT


def quantise(rows: np.ndarray, bias: np.ndarray, output: np.ndarray, output_bias: np.ndarray, scale: float) -> Network:
    """Return the network of float weights, quantised in the finest units in which no sum overflows.

    Args:
        scale: centipawns for an output of 1
        rows: float[FEATURES, width]
        bias: float[width]
        output: float[OUTPUT_BUCKETS, 2, width]
        output_bias: float[OUTPUT_BUCKETS]
    """
    largest = np.sort(np.abs(rows), axis=0)[-inputs.ACTIVE :].sum(axis=0) + np.abs(bias)
    fitting = [qa for qa in QAS if (largest.max() * qa) + inputs.ACTIVE < np.iinfo(np.int16).max]
    qa = fitting[0] if fitting else QAS[-1]
    qb = int(np.clip(SQUARE_WEIGHT_LIMIT / max(float(np.abs(output).max()), 1e-6), *QB_RANGE))
    whole = [np.rint(array).astype(np.int16) for array in (rows * qa, bias * qa, output * qb)]
    network = Network(
        whole[0], whole[1], whole[2], np.zeros(inputs.OUTPUT_BUCKETS, np.int64), qa, qb, max(round(scale), 1)
    )
    return replace(network, output_bias=np.rint(output_bias * (network.unit / (1 << 16))).astype(np.int64))


def encode(network: Network) -> bytes:
    """Return the file of a network."""
    text = json.dumps(network.made, sort_keys=True).encode()
    header = HEADER.pack(
        MAGIC,
        VERSION,
        HEADER.size,
        inputs.FEATURE_SET.encode(),
        inputs.FEATURES,
        network.width,
        inputs.OUTPUT_BUCKETS,
        network.qa,
        network.qb,
        network.scale,
        len(text),
    )
    arrays = (network.rows, network.bias, network.output_weights)
    body = b"".join(np.ascontiguousarray(array).astype("<i2").tobytes() for array in arrays)
    content = header + text + body + network.output_bias.astype("<i8").tobytes()
    return content + hashlib.sha256(content).digest()


def decode(content: bytes, name: str) -> Network:
    """Return the network of a file's content. Raises ValueError that gives `name`, and what was expected and found."""

    def refuse(what: str) -> ValueError:
        return ValueError(f"evaluation network: {name} {what}")

    if len(content) < HEADER.size + DIGEST or content[: len(MAGIC)] != MAGIC:
        raise refuse("is not a network of this engine")
    fields = HEADER.unpack_from(content)
    _, version, header, features_name, features, width, buckets, qa, qb, scale, text_size = fields
    if version != VERSION or header != HEADER.size:
        raise refuse(f"has version {version}; this engine reads {VERSION}")
    if hashlib.sha256(content[:-DIGEST]).digest() != content[-DIGEST:]:
        raise refuse("is damaged: its checksum is wrong")
    found = features_name.rstrip(b"\0").decode("ascii", "replace"), features, buckets
    if found != (inputs.FEATURE_SET, inputs.FEATURES, inputs.OUTPUT_BUCKETS):
        raise refuse(
            f"has the features and buckets {found}, not {(inputs.FEATURE_SET, inputs.FEATURES, inputs.OUTPUT_BUCKETS)}"
        )
    if not (0 < width <= WIDTH and width % LANES == 0):
        raise refuse(f"has width {width}; it must be a multiple of {LANES} up to {WIDTH}")
    if not (qa in QAS and QB_RANGE[0] <= qb <= QB_RANGE[1] and 0 < scale < SCALE_LIMIT):
        raise refuse(f"has units {qa} and {qb} and scale {scale}, beyond the range of the kernels")
    sizes = [features * width, width, buckets * 2 * width]
    expected = HEADER.size + text_size + 2 * sum(sizes) + 8 * buckets + DIGEST
    if len(content) != expected:
        raise refuse(f"has {len(content)} bytes, not {expected}")
    place = HEADER.size + text_size
    numbers = np.frombuffer(content, dtype="<i2", count=sum(sizes), offset=place).astype(np.int16)
    rows, bias, output = np.split(numbers, np.cumsum(sizes)[:-1])
    output_bias = np.frombuffer(content, "<i8", count=buckets, offset=place + 2 * sum(sizes)).astype(np.int64)
    if np.abs(output.astype(np.int64)).max() > SQUARE_WEIGHT_LIMIT:
        raise refuse("has output weights beyond the range of the kernels")
    made = json_of(content[HEADER.size : place])
    source = f"{name} {content[-DIGEST:].hex()[:8]}"
    weights = rows.reshape(features, width), bias, output.reshape(buckets, 2, width), output_bias
    return Network(*weights, qa, qb, scale, made, source)


def load(file: Path) -> Network:
    """Return the network of `file`. Raises ValueError, naming the file, if it is missing or damaged."""
    try:
        content = file.read_bytes()
    except OSError as fault:
        raise ValueError(f"evaluation network: {file} cannot be read ({fault.strerror})") from None
    return decode(content, file.name)


@functools.cache
def shipped() -> Network:
    """Return the network that came with the package; raises ValueError as `load`."""
    return load(FILE)


def load_weights(file: Path | None) -> Network:
    """Return the network of `file`, the one that came with the package for None; raises ValueError as `load`."""
    return shipped() if file is None else load(file)
