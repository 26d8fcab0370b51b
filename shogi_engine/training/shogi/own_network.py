"""The engine's own network as trained, in float32, and its conversion to integers."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.evaluation import network as inputs
from shogi_engine.games.shogi.evaluation.network import WEIGHTS, WIDTH, Network, encode, quantise
from shogi_engine.jit import new_record, vectors
from shogi_engine.training.shogi.games import SCALE, PositionBlock
from shogi_engine.training.shogi.kernels import FEATURE_TABLE, LANES
from shogi_engine.training.shogi.own_kernels import BIAS, OUTPUT, OUTPUT_BIAS, add_gradients, write_outputs

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
