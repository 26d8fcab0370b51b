"""Reads networks in the standard format of Shogi, nn.bin; nnue_architectures.py lists the supported ones.

Little-endian: u32 version, u32 hash, u32 length and as many bytes of text that names the architecture. In the plain
kind two parts follow, each after a u32 hash: the feature transformer, int16 bias[width] and int16 weight[rows][width];
and three layers, each int32 bias[outputs] and int8 weight[outputs][inputs in multiples of 32]. In SFNN there follow the
transformer's hash, its bias and its weights, each compressed (nnue_leb128.py); and for each stack a u32 hash and three
such layers.

Trainers write different texts and hashes, and some omit the last two hashes. The size therefore determines the
architecture; other differences only cause remarks.

Source: YaneuraOu's evaluate_nnue.cpp, https://github.com/yaneurao/YaneuraOu; nnue-pytorch's serialize.py,
https://github.com/nodchip/nnue-pytorch.
"""

import struct
import weakref
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.eval_options import read_scale
from shogi_engine.games.shogi.evaluation.nnue_architectures import (
    SFNN_TEXT,
    WIDTHS,
    Architecture,
    in_file,
    names_king_stacks,
    plain_architecture,
    sfnn_architecture,
    text_remark,
)
from shogi_engine.games.shogi.evaluation.nnue_features import FeatureTables, feature_tables
from shogi_engine.games.shogi.evaluation.nnue_leb128 import decompress
from shogi_engine.games.shogi.evaluation.weights_file import NNUE_VERSION
from shogi_engine.jit.layers import arrange_layer
from shogi_engine.jit.vectors import ALIGNMENT, aligned_copy, aligned_zeros

HEADER = struct.Struct("<III")
COMPRESSED = b"COMPRESSED_LEB128"  # precedes the u32 size, in bytes, of a compressed block
LAYERS = 3
READ_TEXT, LONGEST_TEXT = (
    2000,
    100,
)  # maximum number of characters of a file's text that are read, and that a message quotes
READ = "HalfKP, K-P, HalfKA or HalfKPE9 with layers such as 256x2-32-32, or SFNN with 9 or 1 layer stacks"


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a file; the rows of the plain kind are the file's bytes as read.

    Attributes:
        bias: int16[width]
        rows: int16[rows, width], both twice the file's numbers in SFNN
        biases, weights: by layer and then by stack, as jit.layers.arrange_layer returns them; for the last layer
            int32[stacks, 1] and int8[stacks, inputs in multiples of ALIGNMENT]
        tables: the rows of the features
        remarks: what is unusual about the file
    """

    architecture: Architecture
    bias: np.ndarray
    rows: np.ndarray
    biases: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]
    tables: FeatureTables
    remarks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """A file's contents, and the divisor of its output, from eval_options.txt."""

    file: Path
    contents: Contents
    fv_scale: int

    def enlarged(self, factor: float) -> "Network":
        """Return the network with its values multiplied by about `factor`, as the divisor is whole."""
        return replace(self, fv_scale=max(round(self.fv_scale / factor), 1))

    def fill(self, params: Any) -> None:
        """Write the addresses of the weights, the sizes and the scale to `params`."""
        held, shape, features = self.contents, self.contents.architecture, self.contents.architecture.features
        params.bias, params.rows = held.bias.ctypes.data, held.rows.ctypes.data
        params.biases[:] = [bias.ctypes.data for bias in held.biases]
        params.weights[:] = [weight.ctypes.data for weight in held.weights]
        params.blocks[:] = [weight.shape[-2] - 1 for weight in held.weights[:-1]]
        params.groups[:] = [weight.shape[-3] for weight in held.weights[:-1]]
        params.pieces, params.view_bytes = held.tables.pieces.ctypes.data, held.tables.pieces[0].nbytes
        params.kings[:], params.mirrored[:] = held.tables.kings, held.tables.mirrored
        params.width, params.row_bytes = shape.width, 2 * shape.width
        params.first, params.second, params.stacks = shape.first, shape.second, shape.stacks
        params.listed, params.by_king, params.attacked = features.listed, features.kings > 1, features.attacked
        params.fv_scale = self.fv_scale

    def describe(self) -> str:
        """Return the file, its architecture, and what is unusual about it."""
        return ", ".join([str(self.file), str(self.contents.architecture), *self.contents.remarks])


_loaded: "weakref.WeakValueDictionary[tuple, Contents]" = weakref.WeakValueDictionary()  # by file, time and size


def load_network(file: Path | None) -> Network:
    """Return the network of `file`; all engines of this process share one copy.

    Raises ValueError if it is missing or of another kind.
    """
    if file is None:
        raise ValueError("evaluation nnue: no network comes with the engine; it needs a file nn.bin")
    try:
        state = file.stat()
        key = file.resolve(), state.st_mtime_ns, state.st_size
        contents = _loaded.get(key)
        if contents is None:
            with file.open("rb") as stream:  # not mapped: a file that changes in place would change or end the search
                content = stream.read(state.st_size)
    except (OSError, ValueError) as fault:
        raise ValueError(f"evaluation nnue: {file} cannot be read ({fault})") from None
    if contents is None:
        contents = _loaded[key] = _Reader(file, content).contents()
    return Network(file, contents, read_scale(file.parent))


class _Reader:
    """Reads a file from its beginning. Every method raises ValueError if the content is not as expected."""

    def __init__(self, file: Path, content: bytes) -> None:
        self.file, self.content, self.at = file, content, 0
        self.hashes: list[int] = []
        self.version, self.text = 0, ""

    def contents(self) -> Contents:
        """Return the file's contents."""
        if len(self.content) < HEADER.size:
            raise self.refusal("no header")
        self.version, file_hash, length = HEADER.unpack_from(self.content)
        if self.version != NNUE_VERSION:
            raise self.refusal(f"which is not {NNUE_VERSION:#x}")
        if length > len(self.content) - HEADER.size:
            raise self.refusal(f"a text of {length} bytes")
        self.at = HEADER.size + length
        self.text = self.content[HEADER.size : self.at][:READ_TEXT].decode("ascii", errors="replace")
        self.hashes.append(file_hash)
        compressed = self.content[self.at + 4 : self.at + 4 + len(COMPRESSED)] == COMPRESSED
        return self._sfnn() if compressed or self.text.startswith(SFNN_TEXT) else self._plain()

    def refusal(self, reason: str) -> ValueError:
        """Return the error that gives `reason` and describes what was found."""
        found = f"{len(self.content)} bytes, version {self.version:#x}" + (
            f", {self.text[:LONGEST_TEXT]!r}" if self.text else ""
        )
        return ValueError(
            f"evaluation nnue: {self.file} cannot be read as a network: expected {READ}; found {found}, {reason}"
        )

    def _take(self, dtype: str, count: int) -> np.ndarray:
        """Return the next `count` numbers, and move past them."""
        size = count * np.dtype(dtype).itemsize
        if size > len(self.content) - self.at:
            raise self.refusal("it ends too early")
        array = np.frombuffer(self.content, dtype, count, self.at)
        self.at += size
        return array

    def _take_hash(self) -> None:
        self.hashes.append(int(self._take("<u4", 1)[0]))

    def _plain(self) -> Contents:
        found = plain_architecture(len(self.content) - self.at)
        if found is None:
            raise self.refusal("a size that no such network has")
        shape, has_hashes = found
        if has_hashes:
            self._take_hash()
        elif self.content.find(shape.hashes[1].to_bytes(4, "little"), HEADER.size, self.at + 4) >= 0:
            raise self.refusal("which lack 8 bytes")
        bias = aligned_copy(self._take("<i2", shape.width))
        rows = self._take("<i2", shape.features.rows * shape.width).reshape(-1, shape.width)
        if rows.ctypes.data % rows.itemsize:
            rows = aligned_copy(rows)
        remarks = [] if has_hashes else ["without hashes of its parts"]
        return self._with_layers(shape, bias, rows, has_hashes, remarks)

    def _sfnn(self) -> Contents:
        self._take_hash()
        bias = self._take_compressed(WIDTHS[-1])
        if len(bias) not in WIDTHS:
            raise self.refusal(f"SFNN of {len(bias)} sums")
        rows = self._take_compressed(None)
        count, rest = divmod(len(rows), len(bias))
        left = len(self.content) - self.at
        shape = None if rest else sfnn_architecture(count, len(bias), left)
        if shape is None:
            raise self.refusal(f"SFNN of {len(rows)} weights for {len(bias)} sums, and {left} bytes of layers")
        remarks = [] if shape.stacks == 1 or names_king_stacks(self.text) else ["stacks taken to be by the kings"]
        return self._with_layers(shape, bias, rows.reshape(count, len(bias)), True, remarks)

    def _take_compressed(self, most: int | None) -> np.ndarray:
        """Return the int16 numbers of a compressed block, at most `most`, each doubled."""
        if self._take("u1", len(COMPRESSED)).tobytes() != COMPRESSED:
            raise self.refusal("weights that are not compressed as in SFNN")
        coded = self._take("u1", int(self._take("<u4", 1)[0]))
        numbers = len(coded) - int(np.count_nonzero(coded >> 7))
        if most is not None and numbers > most:
            raise self.refusal(f"SFNN of {numbers} sums")
        out = aligned_zeros(numbers, np.int16)
        if decompress(coded, out, 1) != numbers:
            raise self.refusal("numbers that are not LEB128 of int16")
        return out

    def _with_layers(
        self, shape: Architecture, bias: np.ndarray, rows: np.ndarray, has_hashes: bool, remarks: list[str]
    ) -> Contents:
        """Read the layers, which follow, and return everything."""
        stacks = []
        for _ in range(shape.stacks or 1):
            if has_hashes:
                self._take_hash()
            stacks.append([self._take_layer(outputs, inputs) for outputs, inputs in shape.layers])
        layers = list(zip(*stacks, strict=True))
        biases = tuple(aligned_copy(np.stack([bias for bias, _ in layer])) for layer in layers)
        weights = tuple(aligned_copy(np.stack([weights for _, weights in layer])) for layer in layers)
        usual = dict(zip(self.hashes, (*shape.hashes, *shape.hashes[2:] * shape.stacks), strict=False))
        remarks += [f"hash {found:#x} instead of {each:#x}" for found, each in usual.items() if found != each]
        remark = text_remark(self.text[:LONGEST_TEXT], shape)
        if remark:
            remarks.append(remark)
        tables = feature_tables(shape.features)
        return Contents(shape, bias, rows, biases, weights, tables, tuple(remarks))

    def _take_layer(self, outputs: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a layer's bias and weights in the form of `Contents`."""
        bias = self._take("<i4", outputs)
        weights = self._take("i1", outputs * in_file(inputs)).reshape(outputs, -1)[:, :inputs]
        if outputs > 1:
            return arrange_layer(bias, weights)
        return bias, np.pad(weights[0], (0, -inputs % ALIGNMENT))
