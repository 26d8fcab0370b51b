"""The networks that can be trained, in float32, and their conversion to integers and files. Each has its kernels.

    OwnNetwork        the engine's own
    StandardNetwork   of the standard format, nn.bin: K-P 256x2-32-32, which YaneuraOu and related engines read
    SfnnNetwork       of the standard format's kind SFNN: K-P, 15, 32, and nine stacks of layers by the kings. YaneuraOu
                      reads its file if it is built for the same sizes, for example SFNN_kp_256_15_32_k3k3.

In a file of the standard format an activation of 1 is 127 and a weight of 1 is 64. The weights of the last layer are
scaled so that the output divided by the usual FV_SCALE is in centipawns.
Source: the sizes and the initialisation of the standard one are those of nodchip's trainer for tanuki-,
https://github.com/nodchip/nnue-pytorch, after Yu Nasu's NNUE; SFNN's form is that of Stockfish's networks,
https://github.com/official-stockfish/nnue-pytorch, as nodchip and YaneuraOu use it for Shogi; no code was copied.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.evaluation import network as inputs
from shogi_engine.games.shogi.evaluation.network import VIEWS, WEIGHTS, WIDTH, Network, encode, quantise
from shogi_engine.games.shogi.evaluation.nnue_file import (
    BOARD,
    HAND,
    KING_STACKS,
    WIDTHS,
    Architecture,
    Layer,
    encode as encode_file,
    feature_set,
    feature_tables,
    load_network,
)
from shogi_engine.games.shogi.names import DEFAULT_SCALE
from shogi_engine.games.shogi.types import PAWN
from shogi_engine.jit import new_record, vectors
from shogi_engine.jit.vectors import CLIP_SHIFT, LARGEST_ACTIVATION, PRODUCT_LIMIT, PRODUCT_SHIFT, SQUARE_SHIFT
from shogi_engine.training.shogi import sfnn_kernels as sfnn, standard_kernels as kernels
from shogi_engine.training.shogi.games import SCALE, PositionBlock
from shogi_engine.training.shogi.kernels import FEATURE_TABLE, LANES
from shogi_engine.training.shogi.own_kernels import BIAS, OUTPUT, OUTPUT_BIAS, add_gradients, write_outputs

# ---- The engine's own network


NETWORK = "network"  # the evaluation's name
FACTORS = np.arange(0.5, 3, 0.02, dtype=np.float32)  # candidates for the factor of a refined network's outputs


@dataclass(frozen=True)
class OwnNetwork:
    """The engine's own networks of a given width. Raises ValueError if no kernel has this width."""

    width: int

    def __post_init__(self) -> None:
        if not (0 < self.width <= WIDTH and self.width % vectors.LANES == 0):
            raise ValueError(f"training: a width must be a multiple of {vectors.LANES} up to {WIDTH}, not {self.width}")

    @property
    def features(self) -> int:
        """The number of features."""
        return inputs.FEATURES

    @property
    def parameter_count(self) -> int:
        """The number of parameters, including the row of zeros."""
        return OUTPUT_BIAS * self.width + inputs.OUTPUT_BUCKETS

    @cached_property
    def feature_tables(self) -> tuple[Any, ...]:
        """The feature tables, records[FEATURE_TABLE], of which games use one or the other; held-out ones the first."""
        table = new_record(FEATURE_TABLE)
        table.pieces[:], table.hands[:], table.nothing = inputs.PIECES, inputs.HAND_FEATURES, inputs.FEATURES
        return (table,)

    def scratch(self) -> tuple[np.ndarray, ...]:
        """Return the kernels' scratch memory for a thread."""
        return np.zeros((2, self.width), dtype=np.float32), np.zeros(2 * self.width + LANES, dtype=np.float32)

    def beginning(self, seed: int) -> np.ndarray:
        """Return the parameters before the first step: small random numbers, the same in all output buckets."""
        width, random = self.width, np.random.default_rng([seed, 1])
        parameters = np.zeros(self.parameter_count, dtype=np.float32)
        parameters[: inputs.FEATURES * width] = random.normal(
            0, 1 / math.sqrt(inputs.FEATURES), inputs.FEATURES * width
        )
        output = random.normal(0, 1 / math.sqrt(2 * width), 2 * width)
        parameters[OUTPUT * width : OUTPUT_BIAS * width] = np.tile(output, inputs.OUTPUT_BUCKETS)
        return parameters

    def refining(self, labeller: str, sample: PositionBlock) -> np.ndarray | None:
        """Return the parameters of the network that labelled the games, by name or file; None for another evaluation.

        Its outputs are multiplied by the factor with which they fit the values in `sample` best. Searches of more nodes
        find larger values; without the factor, training would mostly enlarge the outputs.

        Raises ValueError if the file is missing or damaged, or its network is of another width.
        """
        network = labelling_network(labeller)
        if network is None:
            return None
        if network.width != self.width:
            raise ValueError(f"training: the network to refine has width {network.width}, not {self.width}")
        parameters, outputs = parameters_of(network), np.zeros(len(sample.scores), dtype=np.float32)
        self.write_outputs(parameters, sample.features, outputs, *self.scratch())
        targets = sample.targets(0)
        errors = [np.mean((1 / (1 + np.exp(-factor * outputs)) - targets) ** 2) for factor in FACTORS]
        parameters[OUTPUT * self.width :] *= FACTORS[int(np.argmin(errors))]
        return parameters

    def add_gradients(self, parameters: np.ndarray, *arguments: Any) -> float:
        """Return the loss, and add its gradient: see own_kernels.add_gradients."""
        return float(add_gradients(parameters, self.width, *arguments))

    def write_outputs(self, parameters: np.ndarray, *arguments: Any) -> None:
        """Write outputs: see own_kernels.write_outputs."""
        write_outputs(parameters, self.width, *arguments)

    def settle(self, parameters: np.ndarray) -> None:
        """Reset the row of zeros."""
        parameters[inputs.FEATURES * self.width : BIAS * self.width] = 0

    def sums(self, parameters: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Return the sums of the side to move before clipping, float32[n, width]."""
        rows = parameters[: BIAS * self.width].reshape(-1, self.width)
        bias = parameters[BIAS * self.width : OUTPUT * self.width]
        return np.stack([bias + rows[active].sum(axis=0) for active in features[:, 0]])

    def trained(self, parameters: np.ndarray) -> np.ndarray:
        """Return the trained parameters that have the trainer's limit, except the output bias."""
        own = parameters[: inputs.FEATURES * self.width], parameters[BIAS * self.width : OUTPUT_BIAS * self.width]
        return np.concatenate(own)

    def held_pieces(self, features: np.ndarray) -> np.ndarray:
        """Return the number of pieces in hand, int[n]."""
        return inputs.held_pieces(features[:, 0])

    def values(self, parameters: np.ndarray, features: np.ndarray) -> list[int]:
        """Return the integer network's values of positions, in centipawns."""
        network = quantised(parameters, self.width, {})
        return [network.output((own[own < inputs.FEATURES], other[other < inputs.FEATURES])) for own, other in features]

    def weights(self, parameters: np.ndarray, made: dict[str, Any]) -> bytes:
        """Return the network's file.

        Args:
            made: a note on how it was made
        """
        return encode(quantised(parameters, self.width, made))

    def made(self, file: Path) -> dict[str, Any]:
        """Return a network file's note on how it was made. Raises ValueError if it is missing or damaged."""
        return WEIGHTS.load(file).made


def quantised(parameters: np.ndarray, width: int, made: dict[str, Any]) -> Network:
    """Return a network from float parameters in the layout of own_kernels.

    Args:
        made: as in Network
    """
    rows, bias = (
        parameters[: inputs.FEATURES * width].reshape(inputs.FEATURES, width),
        parameters[BIAS * width : OUTPUT * width],
    )
    output = parameters[OUTPUT * width : OUTPUT_BIAS * width].reshape(inputs.OUTPUT_BUCKETS, 2, width)
    return replace(quantise(rows, bias, output, parameters[OUTPUT_BIAS * width :], SCALE), made=made)


def parameters_of(network: Network) -> np.ndarray:
    """Return the float parameters of a network: the inverse of `quantised`, except for rounding."""
    width = network.width
    parameters = np.zeros(OwnNetwork(width).parameter_count, dtype=np.float32)
    parameters[: inputs.FEATURES * width] = network.rows.reshape(-1) / network.qa
    parameters[BIAS * width : OUTPUT * width] = network.bias / network.qa
    scale = network.scale / SCALE  # the unit of the output
    parameters[OUTPUT * width : OUTPUT_BIAS * width] = network.output_weights.reshape(-1) * (scale / network.qb)
    parameters[OUTPUT_BIAS * width :] = network.output_bias * (scale * (1 << 16) / network.unit)
    return parameters


def labelling_network(labeller: str) -> Network | None:
    """Return the network that labelled the games, by name or file; None for another evaluation.

    Raises ValueError if the file is missing or damaged.
    """
    known = GAME.evaluations
    if known is None or labeller not in known:
        return WEIGHTS.load(Path(labeller))
    return WEIGHTS.shipped if labeller == NETWORK else None


# ---- The standard format


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
            fan_in, outputs = weights.shape
            weights[:] = random.normal(0, 1 / math.sqrt(fan_in), (fan_in, outputs))
            bias[:] = BEGINNING_BIAS * (1 - weights.sum(axis=0))
        return parameters

    @staticmethod
    def layers(parameters: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the layers as views: weights float32[inputs, outputs] and bias float32[outputs]."""
        found, at = [], kernels.WEIGHTS1
        for fan_in, outputs in kernels.LAYERS:
            bias = at + fan_in * outputs
            found.append((parameters[at:bias].reshape(fan_in, outputs), parameters[bias : bias + outputs]))
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
        bias, rows, layers = quantised_layers(parameters)
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
        bias, rows, layers = quantised_layers(parameters)
        return encode_file(SHAPE, bias, rows, [layers])


def quantised_layers(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Layer]]:
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


# ---- SFNN

SHORTCUT = np.float32(sfnn.UNIT / OUTPUT_UNIT)  # the file adds the sum to the output, in units of the output


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
        return Architecture(feature_set("K-P"), self.width, sfnn.USED, sfnn.SECOND, KING_STACKS)

    @property
    def first_stack(self) -> int:
        """The index of the first parameter of the first stack."""
        return (kernels.BIAS + 1) * self.width

    @property
    def parameter_count(self) -> int:
        """The number of parameters, including the row of zeros."""
        return self.first_stack + KING_STACKS * (self.width * sfnn.FIRST + sfnn.REST)

    def scratch(self) -> tuple[np.ndarray, ...]:
        """Return the kernels' scratch memory for a thread."""
        shapes = (2, self.width), self.width, sfnn.FIRST, sfnn.DUAL, sfnn.SECOND
        more = self.width, sfnn.DUAL, sfnn.FIRST, sfnn.SECOND, LANES
        return tuple(np.zeros(shape, dtype=np.float32) for shape in (*shapes, *more))

    def beginning(self, seed: int) -> np.ndarray:
        """Return the parameters before the first step: random, the same in all stacks, with sums of about a half."""
        random, parameters = np.random.default_rng([seed, 1]), np.zeros(self.parameter_count, dtype=np.float32)
        rows = kernels.FEATURES * self.width
        parameters[:rows] = random.normal(0, 1 / math.sqrt(kernels.FEATURES), rows)
        parameters[kernels.BIAS * self.width : self.first_stack] = BEGINNING_BIAS
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
            for outputs, fan_in in self.shape.layers:
                bias = at + fan_in * outputs
                found.append((parameters[at:bias].reshape(fan_in, outputs), parameters[bias : bias + outputs]))
                at = bias + outputs
            yield found

    def add_gradients(self, parameters: np.ndarray, *arguments: Any) -> float:
        """Return the loss, and add its gradient: see sfnn_kernels.add_gradients."""
        return float(sfnn.add_gradients(parameters, self.width, SHORTCUT, *arguments))

    def write_outputs(self, parameters: np.ndarray, features: np.ndarray, outputs: np.ndarray, *scratch: Any) -> None:
        """Write outputs: see sfnn_kernels.write_outputs, which needs only part of the scratch memory."""
        sfnn.write_outputs(parameters, self.width, SHORTCUT, features, outputs, *scratch[:5])

    def settle(self, parameters: np.ndarray) -> None:
        """Reset the row of zeros, and keep the last layers' weights within the file's range."""
        parameters[kernels.FEATURES * self.width : kernels.BIAS * self.width] = 0
        for *_, (weights, _bias) in self.stacks(parameters):
            np.clip(weights, -OUTPUT_LIMIT, OUTPUT_LIMIT, out=weights)

    def trained(self, parameters: np.ndarray) -> np.ndarray:
        """Return the trained parameters that have the trainer's limit."""
        layers = (weights.ravel() for *hidden, _ in self.stacks(parameters) for weights, _ in hidden)
        return np.concatenate([parameters[: kernels.FEATURES * self.width], *layers])

    def values(self, parameters: np.ndarray, features: np.ndarray) -> list[int]:
        """Return the integer network's values of positions, in centipawns, by numpy."""
        bias, rows, stacks = self.quantised(parameters)
        found = []
        for active in features:
            (bias1, first), (bias2, second), (bias3, output) = stacks[sfnn.stack_of(active)]
            products = []
            for side in active:
                sums = 2 * (bias + rows[side[side < kernels.FEATURES]].astype(np.int64).sum(axis=0)).clip(
                    0, PRODUCT_LIMIT // 2
                )
                products.append(sums[: self.width // 2] * sums[self.width // 2 :] >> PRODUCT_SHIFT)
            hidden = bias1 + first.astype(np.int64) @ np.concatenate(products)
            dual = np.concatenate([hidden[:-1] ** 2 >> SQUARE_SHIFT, hidden[:-1] >> CLIP_SHIFT])
            later = bias2 + second.astype(np.int64) @ dual.clip(0, LARGEST_ACTIVATION) >> CLIP_SHIFT
            value = bias3 + output.astype(np.int64) @ later.clip(0, LARGEST_ACTIVATION) + hidden[-1]
            found.append(int(value[0] / DEFAULT_SCALE))
        return found

    def weights(self, parameters: np.ndarray, made: dict[str, Any]) -> bytes:
        """Return the file nn.bin, which has no field for `made`."""
        return encode_file(self.shape, *self.quantised(parameters))

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
            for (bias, _), used in zip(layers, (sfnn.USED, sfnn.SECOND), strict=False):
                bias[:used] += WEIGHT // 2  # so that activations, which are rounded down, are rounded to the nearest
            stacks.append(layers)
        return whole[-1], whole[: kernels.FEATURES], stacks
