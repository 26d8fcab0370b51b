"""A network's file in the standard format of Shogi, nn.bin: HalfKP 256x2-32-32.

Little-endian: u32 version, u32 hash, u32 length and as many bytes of text that names the architecture; then, each after
an u32 hash, the feature transformer, int16 bias[WIDTH] and int16 weight[FEATURES][WIDTH], and the layers, for each
int32 bias[outputs] and int8 weight[outputs][inputs].

Trainers differ in the text and in the hashes, and some leave out the last two hashes. So the size decides what a file
holds, and other differences are remarks only.

Source: YaneuraOu's evaluate_nnue.cpp, https://github.com/yaneurao/YaneuraOu; nnue-pytorch's serialize.py,
https://github.com/nodchip/nnue-pytorch.
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.eval_options import read_scale
from shogi_engine.games.shogi.evaluation.halfkp import FEATURES
from shogi_engine.jit.vectors import aligned_copy

WIDTH = 256  # of a side's accumulator
LAYERS = ((32, 2 * WIDTH), (32, 32), (1, 32))  # outputs and inputs of each
ARCHITECTURE = "HalfKP 256x2-32-32"

HEADER = struct.Struct("<III")
VERSION, FILE_HASH, TRANSFORMER_HASH, LAYERS_HASH = 0x7AF32F16, 0x3E5AA6EE, 0x5D69D7B8, 0x63337156
TRANSFORMER_BYTES = 2 * WIDTH * (1 + FEATURES)
LAYERS_BYTES = sum(outputs * (4 + inputs) for outputs, inputs in LAYERS)
PAYLOAD_BYTES = TRANSFORMER_BYTES + LAYERS_BYTES  # and 4 for each of the last two hashes
USUAL_BYTES = 64_217_066  # a file with the text that YaneuraOu writes
LONGEST_TEXT = 100  # characters of a file's text that a message quotes


@dataclass(frozen=True, eq=False)
class Network:
    """The weights of a file, and the file, mapped, that the largest of them lie in.

    bias : int16[WIDTH]    rows : int16[FEATURES, WIDTH]
    biases, weights : by layer, int32[outputs] and int8[outputs, inputs]
    fv_scale : what the network's output is divided by, from eval_options.txt    remarks : what is unusual
    """

    file: Path
    bias: np.ndarray
    rows: np.ndarray
    biases: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]
    fv_scale: int
    remarks: tuple[str, ...]

    def fill(self, params: Any) -> None:
        """Write the addresses of the weights and the scale to `params`."""
        params.bias, params.rows = self.bias.ctypes.data, self.rows.ctypes.data
        params.biases[:] = [bias.ctypes.data for bias in self.biases]
        params.weights[:] = [weight.ctypes.data for weight in self.weights]
        params.fv_scale = self.fv_scale

    def describe(self) -> str:
        """Return the file, its architecture, and what is unusual about it."""
        return ", ".join([str(self.file), ARCHITECTURE, *self.remarks])


def load_network(file: Path | None) -> Network:
    """Return the network of `file`, mapped into memory. Raises ValueError if it is missing or of another kind."""
    if file is None:
        raise ValueError("evaluation nnue: no network comes with the engine; it needs a file nn.bin")
    try:
        with file.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as fault:  # ValueError: an empty file can not be mapped
        raise ValueError(f"evaluation nnue: {file} can not be read ({fault})") from None
    begin, has_hashes, remarks = _examine(file, content)
    transformer = begin + 4 * has_hashes
    layers = transformer + TRANSFORMER_BYTES + 4 * has_hashes
    rows = np.frombuffer(content, "<i2", FEATURES * WIDTH, transformer + 2 * WIDTH).reshape(FEATURES, WIDTH)
    biases, weights = [], []
    for outputs, inputs in LAYERS:
        biases.append(aligned_copy(np.frombuffer(content, "<i4", outputs, layers)))
        layers += 4 * outputs
        weights.append(aligned_copy(np.frombuffer(content, np.int8, outputs * inputs, layers).reshape(outputs, inputs)))
        layers += outputs * inputs
    return Network(
        file,
        aligned_copy(np.frombuffer(content, "<i2", WIDTH, transformer)),
        rows if rows.ctypes.data % 2 == 0 else aligned_copy(rows),
        tuple(biases),
        tuple(weights),
        read_scale(file.parent),
        remarks,
    )


def _examine(file: Path, content: mmap.mmap) -> tuple[int, bool, tuple[str, ...]]:
    """Return where the header ends, whether the last two hashes are there, and remarks. Raises ValueError."""
    size = len(content)
    version, file_hash, length = HEADER.unpack_from(content) if size >= HEADER.size else (0, 0, 0)
    begin = HEADER.size + length
    has_hashes = size == begin + PAYLOAD_BYTES + 8
    known = version == VERSION
    text = content[HEADER.size : begin][:LONGEST_TEXT].decode("ascii", errors="replace") if known else ""
    if not known or not (has_hashes or size == begin + PAYLOAD_BYTES):
        found = f"found {size} bytes, version {version:#x}" + (f", {text!r}" if text else "")
        usual = f"{USUAL_BYTES} bytes as a rule, {PAYLOAD_BYTES} after the header, version {VERSION:#x}"
        raise ValueError(f"evaluation nnue: {file} is no such network: expected {ARCHITECTURE}, {usual}; {found}")
    remarks = []
    if "HalfKP" not in text:
        remarks.append(f"its header says {text!r}")
    hashes = [(file_hash, FILE_HASH)]
    if has_hashes:
        for place, usual_hash in ((begin, TRANSFORMER_HASH), (begin + 4 + TRANSFORMER_BYTES, LAYERS_HASH)):
            hashes.append((int.from_bytes(content[place : place + 4], "little"), usual_hash))
    else:
        remarks.append("without hashes of its parts")
    remarks += [f"hash {found:#x} instead of {usual:#x}" for found, usual in hashes if found != usual]
    return begin, has_hashes, tuple(remarks)
