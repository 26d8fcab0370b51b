"""Write a network's file in the standard format of Shogi, nn.bin: see nnue_file.py."""

import struct
from collections.abc import Sequence

import numpy as np

from shogi_engine.games.shogi.evaluation.nnue_architectures import Architecture, in_file
from shogi_engine.games.shogi.evaluation.nnue_file import COMPRESSED
from shogi_engine.games.shogi.evaluation.nnue_leb128 import compress
from shogi_engine.games.shogi.evaluation.weights_file import NNUE_VERSION

Layer = tuple[np.ndarray, np.ndarray]  # bias int32[outputs], weights int8[outputs, inputs]


def encode(shape: Architecture, bias: np.ndarray, rows: np.ndarray, stacks: Sequence[Sequence[Layer]]) -> bytes:
    """Return the file of a network.

    Args:
        bias: int16[width]
        rows: int16[rows, width]
        stacks: the layers; the plain kind has one stack
    """
    file_hash, transformer_hash, layers_hash = shape.hashes
    text = shape.text.encode("ascii")
    parts = [struct.pack("<III", NNUE_VERSION, file_hash, len(text)), text, struct.pack("<I", transformer_hash)]
    for numbers in (bias, rows):
        if shape.stacks:
            coded = compress(numbers.ravel())
            parts += [COMPRESSED, struct.pack("<I", len(coded)), coded]
        else:
            parts.append(numbers.astype("<i2").tobytes())
    for layers in stacks:
        parts.append(struct.pack("<I", layers_hash))
        for (outputs, inputs), (layer_bias, weights) in zip(shape.layers, layers, strict=True):
            padded = np.zeros((outputs, in_file(inputs)), dtype=np.int8)
            padded[:, :inputs] = weights
            parts += [layer_bias.astype("<i4").tobytes(), padded.tobytes()]
    return b"".join(parts)
