"""A network of the standard format, nn.bin, as trained: K-P 256x2-32-32, which YaneuraOu and related engines read.

In the file an activation of 1 is 127 and a weight of 1 is 64. The weights of the last layer are scaled so that the
output divided by the usual FV_SCALE is in centipawns.
Source: the sizes and the initialisation are those of nodchip's trainer for tanuki-,
https://github.com/nodchip/nnue-pytorch, after Yu Nasu's NNUE; no code was copied.
"""

import math
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.network import VIEWS
from shogi_engine.games.shogi.evaluation.nnue_file import (
    BOARD,
    HAND,
    Architecture,
    Layer,
    encode,
    feature_set,
    feature_tables,
    load_network,
)
from shogi_engine.games.shogi.names import DEFAULT_SCALE
from shogi_engine.games.shogi.types import PAWN
from shogi_engine.jit import new_record
from shogi_engine.jit.layers import CLIP_SHIFT, LARGEST_ACTIVATION
from shogi_engine.training.shogi import standard_kernels as kernels
from shogi_engine.training.shogi.games import SCALE, PositionBlock
from shogi_engine.training.shogi.kernels import FEATURE_TABLE, LANES

SHAPE = Architecture(feature_set("K-P"), kernels.WIDTH, kernels.FIRST, kernels.SECOND)
BEGINNING_BIAS = 0.5  # of every sum, so that activations start in the middle of their range
WEIGHT = 1 << CLIP_SHIFT  # a weight of 1 in the file
OUTPUT_UNIT = SCALE * DEFAULT_SCALE  # an output of 1 in the file
OUTPUT_LIMIT = 127 * LARGEST_ACTIVATION / OUTPUT_UNIT  # of the last layer's weights, int8 in the file


class KingPieceNetwork:
    """Networks with the features K-P, of a given width: rows, then the bias, then layers."""

    width: int
    features = kernels.FEATURES

    @cached_property
    def feature_tables(self) -> tuple[Any, ...]:
        """The feature tables, records[FEATURE_TABLE]: the board as it is, and its mirror image.

        There are separate rows for the mirror image of a position, whose value is the same. Every game is seen as it is
        in one epoch and as its mirror image in the next, half of the games each way at a time: a network that saw only
        one of them for an epoch would forget the other.
        """
        found, tables = [], feature_tables(SHAPE.features)
        for mirrored in (0, 1):
            table = new_record(FEATURE_TABLE)
            for view in range(VIEWS):
                table.pieces[view] = tables.pieces[view & ~1 | mirrored]
            for kind, firsts in HAND.items():
                table.hands[[kind, 16 | kind]] = firsts
            table.nothing = kernels.FEATURES
            found.append(table)
        return tuple(found)

    def refining(self, labeller: str, sample: PositionBlock) -> np.ndarray | None:
        """Raise ValueError: a run of this architecture starts from random parameters."""
        raise ValueError(f"training: networks of standard formats cannot be refined ({labeller})")

    def sums(self, parameters: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Return the sums of the side to move before clipping, float32[n, width]."""
        rows = parameters[: (kernels.BIAS + 1) * self.width].reshape(-1, self.width)
        bias, rows = rows[-1], rows[:-1]
        return np.stack([bias + rows[active].sum(axis=0) for active in features[:, 0]])

    def held_pieces(self, features: np.ndarray) -> np.ndarray:
        """Return the number of pieces in hand, int[n]."""
        return np.asarray((features[:, 0] < BOARD[PAWN]).sum(axis=-1))

    def made(self, file: Path) -> dict[str, Any]:
        """Return a description of a file. Raises ValueError if it is missing or damaged."""
        return {"file": load_network(file).describe()}


class StandardNetwork(KingPieceNetwork):
    """K-P 256x2-32-32."""

    width, parameter_count, shape = kernels.WIDTH, kernels.PARAMETERS, SHAPE

    def scratch(self) -> tuple[np.ndarray, ...]:
        """Return the kernels' scratch memory for a thread."""
        return tuple(
            np.zeros(shape, dtype=np.float32)
            for shape in (2 * kernels.WIDTH, (2, kernels.FIRST), 2 * kernels.WIDTH, (2, kernels.FIRST), LANES)
        )

    def beginning(self, seed: int) -> np.ndarray:
        """Return the parameters before the first step: random, such that activations are about a half."""
        random, parameters = np.random.default_rng([seed, 1]), np.zeros(kernels.PARAMETERS, dtype=np.float32)
        parameters[: kernels.FEATURES * kernels.WIDTH] = random.normal(
            0, 1 / math.sqrt(kernels.FEATURES), kernels.FEATURES * kernels.WIDTH
        )
        parameters[kernels.BIAS * kernels.WIDTH : kernels.WEIGHTS1] = BEGINNING_BIAS
        for weights, bias in self.layers(parameters)[:-1]:
            inputs, outputs = weights.shape
            weights[:] = random.normal(0, 1 / math.sqrt(inputs), (inputs, outputs))
            bias[:] = BEGINNING_BIAS * (1 - weights.sum(axis=0))
        return parameters

    @staticmethod
    def layers(parameters: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the layers as views: weights float32[inputs, outputs] and bias float32[outputs]."""
        found, at = [], kernels.WEIGHTS1
        for inputs, outputs in kernels.LAYERS:
            bias = at + inputs * outputs
            found.append((parameters[at:bias].reshape(inputs, outputs), parameters[bias : bias + outputs]))
            at = bias + outputs
        return found

    def add_gradients(self, *arguments: Any) -> float:
        """Return the loss, and add its gradient: see standard_kernels.add_gradients."""
        return float(kernels.add_gradients(*arguments))

    def write_outputs(self, *arguments: Any) -> None:
        """Write outputs: see standard_kernels.write_outputs, which needs only part of the scratch memory."""
        kernels.write_outputs(*arguments[:5])

    def settle(self, parameters: np.ndarray) -> None:
        """Reset the row of zeros, and keep the last layer's weights within the file's range."""
        parameters[kernels.FEATURES * kernels.WIDTH : kernels.BIAS * kernels.WIDTH] = 0
        np.clip(
            parameters[kernels.OUTPUT : kernels.OUTPUT_BIAS],
            -OUTPUT_LIMIT,
            OUTPUT_LIMIT,
            out=parameters[kernels.OUTPUT : kernels.OUTPUT_BIAS],
        )

    def trained(self, parameters: np.ndarray) -> np.ndarray:
        """Return the trained parameters that have the trainer's limit."""
        return np.concatenate(
            [parameters[: kernels.FEATURES * kernels.WIDTH], parameters[kernels.BIAS * kernels.WIDTH : kernels.OUTPUT]]
        )

    def values(self, parameters: np.ndarray, features: np.ndarray) -> list[int]:
        """Return the integer network's values of positions, in centipawns, by numpy."""
        bias, rows, layers = quantised(parameters)
        found = []
        for active in features:
            sums = [bias + rows[side[side < kernels.FEATURES]].astype(np.int64).sum(axis=0) for side in active]
            values = np.concatenate(sums)
            for layer_bias, weights in layers:
                values = layer_bias + weights.astype(np.int64) @ values.clip(0, LARGEST_ACTIVATION)
                values = values if len(values) == 1 else values >> CLIP_SHIFT
            found.append(int(values[0] / DEFAULT_SCALE))
        return found

    def weights(self, parameters: np.ndarray, made: dict[str, Any]) -> bytes:
        """Return the file nn.bin, which has no field for `made`."""
        bias, rows, layers = quantised(parameters)
        return encode(SHAPE, bias, rows, [layers])


def quantised(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Layer]]:
    """Return bias, rows and layers of integers, for nnue_writer."""
    rows = np.rint(
        parameters[: kernels.FEATURES * kernels.WIDTH].reshape(kernels.FEATURES, kernels.WIDTH) * LARGEST_ACTIVATION
    ).astype(np.int16)
    bias = np.rint(parameters[kernels.BIAS * kernels.WIDTH : kernels.WEIGHTS1] * LARGEST_ACTIVATION).astype(np.int16)
    layers, units = [], (WEIGHT, WEIGHT, OUTPUT_UNIT / LARGEST_ACTIVATION)
    for (weights, layer_bias), unit in zip(StandardNetwork.layers(parameters), units, strict=True):
        whole = np.rint(weights.T * unit).clip(-127, 127).astype(np.int8)
        layers.append((np.rint(layer_bias * unit * LARGEST_ACTIVATION).astype(np.int32), whole))
    return bias, rows, layers
