"""A network of the standard format's kind SFNN as trained: K-P, 15, 32, and nine stacks of layers by the kings.

YaneuraOu reads its file if it is built for the same sizes, for example SFNN_kp_256_15_32_k3k3.
Source: the form is that of Stockfish's networks, https://github.com/official-stockfish/nnue-pytorch, as nodchip and
YaneuraOu use it for Shogi; no code was copied.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shogi_engine.games.shogi.evaluation.nnue_file import KING_STACKS, WIDTHS, Architecture, Layer, encode, feature_set
from shogi_engine.games.shogi.names import DEFAULT_SCALE
from shogi_engine.jit.layers import (
    CLIP_SHIFT,
    LARGEST_ACTIVATION,
    PRODUCT_LIMIT,
    PRODUCT_SHIFT,
    SQUARE_SHIFT,
)
from shogi_engine.training.shogi import sfnn_kernels as kernels
from shogi_engine.training.shogi.kernels import LANES
from shogi_engine.training.shogi.standard_kernels import BIAS, FEATURES
from shogi_engine.training.shogi.standard_network import (
    BEGINNING_BIAS,
    OUTPUT_LIMIT,
    OUTPUT_UNIT,
    WEIGHT,
    KingPieceNetwork,
)

SHORTCUT = np.float32(kernels.UNIT / OUTPUT_UNIT)  # the file adds the sum to the output, in units of the output


@dataclass(frozen=True)
class SfnnNetwork(KingPieceNetwork):
    """SFNN K-P of a given width. Raises ValueError if no kernel has this width."""

    width: int

    def __post_init__(self) -> None:
        if self.width not in WIDTHS:
            raise ValueError(f"training: a width of sfnn is a multiple of 64 up to {WIDTHS[-1]}, not {self.width}")

    @cached_property
    def shape(self) -> Architecture:
        """The architecture of the file."""
        return Architecture(feature_set("K-P"), self.width, kernels.USED, kernels.SECOND, KING_STACKS)

    @property
    def first_stack(self) -> int:
        """The index of the first parameter of the first stack."""
        return (BIAS + 1) * self.width

    @property
    def parameter_count(self) -> int:
        """The number of parameters, including the row of zeros."""
        return self.first_stack + KING_STACKS * (self.width * kernels.FIRST + kernels.REST)

    def scratch(self) -> tuple[np.ndarray, ...]:
        """Return the kernels' scratch memory for a thread."""
        shapes = (2, self.width), self.width, kernels.FIRST, kernels.DUAL, kernels.SECOND
        more = self.width, kernels.DUAL, kernels.FIRST, kernels.SECOND, LANES
        return tuple(np.zeros(shape, dtype=np.float32) for shape in (*shapes, *more))

    def beginning(self, seed: int) -> np.ndarray:
        """Return the parameters before the first step: random, the same in all stacks, with sums of about a half."""
        random, parameters = np.random.default_rng([seed, 1]), np.zeros(self.parameter_count, dtype=np.float32)
        rows = FEATURES * self.width
        parameters[:rows] = random.normal(0, 1 / math.sqrt(FEATURES), rows)
        parameters[BIAS * self.width : self.first_stack] = BEGINNING_BIAS
        first, *others = self.stacks(parameters)
        for weights, _ in first[:-1]:
            weights[:] = random.normal(0, 1 / math.sqrt(len(weights)), weights.shape)
        for stack in others:
            for (weights, _), (same, _) in zip(stack, first, strict=True):
                weights[:] = same
        return parameters

    def stacks(self, parameters: np.ndarray) -> Iterator[list[tuple[np.ndarray, np.ndarray]]]:
        """Yield each stack's layers as views: weights float32[inputs, outputs] and bias float32[outputs]."""
        at = self.first_stack
        for _ in range(KING_STACKS):
            found = []
            for outputs, inputs in self.shape.layers:
                bias = at + inputs * outputs
                found.append((parameters[at:bias].reshape(inputs, outputs), parameters[bias : bias + outputs]))
                at = bias + outputs
            yield found

    def add_gradients(self, parameters: np.ndarray, *arguments: Any) -> float:
        """Return the loss, and add its gradient: see sfnn_kernels.add_gradients."""
        return float(kernels.add_gradients(parameters, self.width, SHORTCUT, *arguments))

    def write_outputs(self, parameters: np.ndarray, features: np.ndarray, outputs: np.ndarray, *scratch: Any) -> None:
        """Write outputs: see sfnn_kernels.write_outputs, which needs only part of the scratch memory."""
        kernels.write_outputs(parameters, self.width, SHORTCUT, features, outputs, *scratch[:5])

    def settle(self, parameters: np.ndarray) -> None:
        """Reset the row of zeros, and keep the last layers' weights within the file's range."""
        parameters[FEATURES * self.width : BIAS * self.width] = 0
        for *_, (weights, _bias) in self.stacks(parameters):
            np.clip(weights, -OUTPUT_LIMIT, OUTPUT_LIMIT, out=weights)

    def trained(self, parameters: np.ndarray) -> np.ndarray:
        """Return the trained parameters that have the trainer's limit."""
        layers = (weights.ravel() for *hidden, _ in self.stacks(parameters) for weights, _ in hidden)
        return np.concatenate([parameters[: FEATURES * self.width], *layers])

    def values(self, parameters: np.ndarray, features: np.ndarray) -> list[int]:
        """Return the integer network's values of positions, in centipawns, by numpy."""
        bias, rows, stacks = self.quantised(parameters)
        found = []
        for active in features:
            (bias1, first), (bias2, second), (bias3, output) = stacks[kernels.stack_of(active)]
            products = []
            for side in active:
                sums = 2 * (bias + rows[side[side < FEATURES]].astype(np.int64).sum(axis=0)).clip(0, PRODUCT_LIMIT // 2)
                products.append(sums[: self.width // 2] * sums[self.width // 2 :] >> PRODUCT_SHIFT)
            hidden = bias1 + first.astype(np.int64) @ np.concatenate(products)
            dual = np.concatenate([hidden[:-1] ** 2 >> SQUARE_SHIFT, hidden[:-1] >> CLIP_SHIFT])
            later = bias2 + second.astype(np.int64) @ dual.clip(0, LARGEST_ACTIVATION) >> CLIP_SHIFT
            value = bias3 + output.astype(np.int64) @ later.clip(0, LARGEST_ACTIVATION) + hidden[-1]
            found.append(int(value[0] / DEFAULT_SCALE))
        return found

    def weights(self, parameters: np.ndarray, made: dict[str, Any]) -> bytes:
        """Return the file nn.bin, which has no field for `made`."""
        return encode(self.shape, *self.quantised(parameters))

    def quantised(self, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[list[Layer]]]:
        """Return bias, rows and stacks of layers of integers, for nnue_writer."""
        whole = np.rint(parameters[: self.first_stack].reshape(-1, self.width) * LARGEST_ACTIVATION).astype(np.int16)
        units = WEIGHT, WEIGHT, OUTPUT_UNIT / LARGEST_ACTIVATION
        stacks = []
        for stack in self.stacks(parameters):
            layers = []
            for (weights, bias), unit in zip(stack, units, strict=True):
                rounded = np.rint(weights.T * unit).clip(-127, 127).astype(np.int8)
                layers.append((np.rint(bias * unit * LARGEST_ACTIVATION).astype(np.int32), rounded))
            for (bias, _), used in zip(layers, (kernels.USED, kernels.SECOND), strict=False):
                bias[:used] += WEIGHT // 2  # so that activations, which are rounded down, are rounded to the nearest
            stacks.append(layers)
        return whole[-1], whole[:FEATURES], stacks
