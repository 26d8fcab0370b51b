"""Fits the pattern weights to labelled positions by least squares, and trains the network.

A penalty keeps the weights of rare configurations near those that labelled the games. Neighbouring phases share weights
through the knots of patterns.py. The problem is solved by conjugate gradients, scaled by how often a weight
occurs. Checkpoints are written atomically; a killed run continues from the last one with the same result. A run depends
only on its games, options, number of threads and initial weights.
Source: M. Hestenes, E. Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems" (1952).
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation import network as network_weights, patterns
from shogi_engine.games.othello.evaluation.network import FORMAT, ROW_LIMIT, WIDTH, Network
from shogi_engine.games.othello.evaluation.patterns import ACCUMULATOR, PHASES
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.weights import format_of
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit import new_record
from shogi_engine.jit.vectors import SQUARE_WEIGHT_LIMIT
from shogi_engine.training import recipe
from shogi_engine.training.adamw import AdamState, falling_rate, state_of, step
from shogi_engine.training.data import Losses, load_checkpoint, save_checkpoint
from shogi_engine.training.othello import kernels
from shogi_engine.training.othello.positions import (
    KNOT_SHAPE,
    NO_SPREAD,
    LabelledGames,
    LeastSquares,
    fit_spread,
    spread_table,
)
from shogi_engine.training.recipe import Progress, TrainingRequest

# ---- How Othello's weights are trained


PATTERNS, NETWORK = "patterns", "network"  # architectures, and the evaluations that use them
ARCHITECTURES = PATTERNS, NETWORK


@dataclass(frozen=True)
class TrainOptions(recipe.TrainOptions):
    """How weights are trained.

    Attributes:
        architecture: one of ARCHITECTURES
        epochs: the number of steps of conjugate gradients, each over all positions; for a network, of passes over them
        penalty: the strength of the L2 penalty, in positions: a pattern weight that occurs in this many positions moves
            half as far as without the penalty
        rate: AdamW's first learning rate, for a network; it falls along a cosine
        decay: AdamW's weight decay, for a network
        td_lambda: the share of a value that comes from later positions; the rest is from its own search
        endings: the number of positions for each number of empty squares in the report
        spread_positions: the number of positions in each group of phases for the spreads of Multi-ProbCut
    """

    architecture: str = PATTERNS
    epochs: int = 12
    penalty: float = 300.0
    rate: float = 2e-3
    decay: float = 0.5
    td_lambda: float = 0.8
    endings: int = 25
    spread_positions: int = 600

    def __post_init__(self) -> None:
        if self.architecture not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            raise ValueError(f"training: there is no architecture {self.architecture!r}; there are {known}")


# ---- Trains the network that corrects the pattern weights, batch by batch, on labelled positions
#
# A run depends only on its games, options and number of threads. After each epoch it writes a checkpoint atomically; a
# killed run continues from it with the same result.


LIMIT = ROW_LIMIT / network_weights.QA  # of parameters, so that no sum overflows int16
LAST_RATE = 1e-5
BATCH = 4096
FIRST_BIAS, FIRST_ROW, FIRST_OUTPUT = 0.3, 0.03, 0.05  # a constant, and standard deviations of random numbers
AT_ONCE = 1 << 18  # positions whose value by patterns is computed together


class NetworkPositions:
    """Labelled positions as the network sees them.

    Attributes:
        samples: record[SAMPLE][n]
        rows: uint16[n, ACTIVE], stored rows
        phases: uint8[n]
        targets: float32[n], of the network's outputs: what the pattern weights get wrong
    """

    def __init__(self, samples: np.ndarray, pool: ThreadPoolExecutor, threads: int) -> None:
        self.samples = samples
        self.rows = np.zeros((len(samples), kernels.ACTIVE), dtype=np.uint16)
        self.phases = np.zeros(len(samples), dtype=np.uint8)
        self.targets = np.zeros(len(samples), dtype=np.float32)
        knots = patterns.read(patterns.SHIPPED).arrays["knots"].astype(np.float32)
        for first in range(0, len(samples), AT_ONCE):
            here = slice(first, first + AT_ONCE)
            part, by_patterns = samples[here], np.zeros(len(samples[here]), dtype=np.float32)
            view, places = part.view(np.recarray), network_weights.file_rows()
            kernels.write_rows(view, places, new_record(ACCUMULATOR), self.rows[here], self.phases[here])
            problem = LeastSquares(part, pool, threads)
            by_patterns[problem.order] = problem.predict(knots)
            self.targets[here] = (part["value"] - by_patterns) / np.float32(kernels.UNIT)


class NetworkTrainer:
    """A run: games, options, threads and a file for checkpoints.

    Attributes:
        labeller: the evaluation that labelled the games, a name or a file
    """

    def __init__(
        self, games: LabelledGames, options: TrainOptions, checkpoint: Path, threads: int, labeller: str = "patterns"
    ) -> None:
        self.labeller = labeller
        self.options, self.checkpoint, self.game_count = options, checkpoint, games.games
        self._threads, self._pool = threads, ThreadPoolExecutor(threads)
        learning, held_out = games.split(options.seed, options.held_out)
        self.learning = NetworkPositions(learning, self._pool, threads)
        self.validation = NetworkPositions(held_out, self._pool, threads)
        self._seen = np.random.default_rng([options.seed, 1]).permutation(len(learning))[: len(held_out)]
        identity = {"options": options.text, "games": games.games, "positions": len(games.samples)}
        identity["base"] = network_weights.base()
        self.identity = json.dumps(identity)
        self._gradients = np.zeros((threads, kernels.PARAMETERS), dtype=np.float32)
        self.state = AdamState.load(checkpoint, self.identity) or state_of(self._beginning())

    def _beginning(self) -> np.ndarray:
        """Return the parameters before the first step."""
        random = np.random.default_rng([self.options.seed, 2])
        parameters = np.zeros(kernels.PARAMETERS, dtype=np.float32)
        parameters[: kernels.BIAS] = random.normal(0, FIRST_ROW, kernels.BIAS)
        parameters[kernels.BIAS : kernels.OUTPUT] = FIRST_BIAS
        parameters[kernels.OUTPUT :] = np.tile(random.normal(0, FIRST_OUTPUT, WIDTH), PHASES)
        return parameters

    @property
    def losses(self) -> list[Losses]:
        """The mean errors after each completed epoch, in discs."""
        return self.state.losses

    def run(self, progress: Progress | None = None, on_epoch: Callable[[Losses], object] | None = None) -> None:
        """Train to the end, from the checkpoint if there is one; a killed run loses its unfinished epoch.

        Args:
            on_epoch: called with the losses of each epoch
        """
        for epoch in range(len(self.losses), self.options.epochs):
            self._epoch(epoch, progress)
            losses = {"training": self._error(self.learning, self._seen), "validation": self._error(self.validation)}
            self.losses.append(losses)
            self.state.save(self.checkpoint, self.identity)
            if on_epoch is not None:
                on_epoch(losses)

    def _epoch(self, epoch: int, progress: Progress | None) -> None:
        """Train on every position once, in this epoch's random order."""
        order = np.random.default_rng([self.options.seed, 3, epoch]).permutation(len(self.learning.targets))
        order = order.astype(np.int32)
        batches = max(len(order) // BATCH, 1)  # the remainder is left for the next epoch
        for number in range(batches):
            done = (epoch + number / batches) / self.options.epochs
            self._batch(order[number * BATCH : (number + 1) * BATCH], falling_rate(self.options.rate, LAST_RATE, done))
            if progress is not None:
                progress(done, f"epoch {epoch + 1}/{self.options.epochs}")

    def _batch(self, batch: np.ndarray, rate: float) -> None:
        """Take one step."""
        state, learning, parts = self.state, self.learning, np.array_split(batch, self._threads)

        def gradients(thread: int) -> None:
            arguments = state.parameters, learning.rows, learning.phases, learning.targets
            kernels.add_gradients(*arguments, parts[thread], self._gradients[thread], *kernels.scratch())

        list(self._pool.map(gradients, range(self._threads)))
        state.steps += 1
        bounds = np.linspace(0, len(state.parameters), self._threads + 1).astype(int)
        numbers = len(batch), np.float32(rate), np.float32(self.options.decay), state.steps, np.float32(LIMIT)

        def move(thread: int) -> None:
            arrays = state.parameters, state.first_moments, state.second_moments, self._gradients
            step(*arrays, int(bounds[thread]), int(bounds[thread + 1]), *numbers)

        list(self._pool.map(move, range(self._threads)))

    def _error(self, positions: NetworkPositions, chosen: np.ndarray | slice = slice(None)) -> float:
        """Return the mean error of positions in discs."""
        rows, phases, targets = (array[chosen] for array in (positions.rows, positions.phases, positions.targets))
        outputs = np.zeros(len(rows), dtype=np.float32)
        kernels.write_outputs(self.state.parameters, rows, phases, outputs, kernels.scratch()[0])
        return float(np.mean(np.abs(outputs - targets))) * kernels.UNIT / DISC

    @property
    def held_out(self) -> np.ndarray:
        """The held-out samples, record[SAMPLE][n]."""
        return self.validation.samples

    def network(self, made: dict[str, Any], spread: np.ndarray = NO_SPREAD) -> Network:
        """Return the network of the current parameters, in integers."""
        parameters, qa = self.state.parameters, network_weights.QA
        rows, bias, output = (part.reshape(-1, WIDTH) for part in np.split(parameters, [kernels.BIAS, kernels.OUTPUT]))
        largest = max(float(np.abs(output).max()), 1e-6)
        whole = [np.rint(part * qa).clip(-ROW_LIMIT, ROW_LIMIT).astype(np.int16) for part in (rows, bias)]
        outputs = np.rint(output * (SQUARE_WEIGHT_LIMIT / largest)).astype(np.int16)
        return Network(whole[0], whole[1], outputs, kernels.UNIT * largest / SQUARE_WEIGHT_LIMIT, spread, made)

    def weights(self, made: dict[str, Any]) -> bytes:
        """Fit the spreads of Multi-ProbCut, and return the file of the network with them."""
        evaluator = Evaluator(GAME.evaluation("network"), self.network({}))
        found = fit_spread(evaluator, self.held_out, self.options.spread_positions, self.options.seed)
        return network_weights.encode(self.network({**made, "spread": found.measured}, spread_table(found.model)))

    def facts(self) -> dict[str, float]:
        """Return what a report says of the parameters."""
        rows = np.abs(self.state.parameters[: kernels.BIAS].reshape(-1, WIDTH)).max(axis=1)
        return {
            "rows not zero": float(np.mean(np.rint(rows * network_weights.QA) > 0)),
            "at their limit": float(np.mean(np.abs(self.state.parameters) >= LIMIT)),
        }


CHECKPOINT_EPOCHS = 5
LARGEST = 32767  # weights are int16


@dataclass
class TrainerState:
    """The contents of a checkpoint: arrays of conjugate gradients, float32[KNOTS, n] each, and losses by epoch."""

    weights: np.ndarray
    residual: np.ndarray
    direction: np.ndarray
    losses: list[Losses]

    def save(self, file: Path, identity: str) -> None:
        """Write a checkpoint; see `save_checkpoint`."""
        arrays = {"weights": self.weights, "residual": self.residual, "direction": self.direction}
        save_checkpoint(file, identity, self.losses, arrays)

    @classmethod
    def load(cls, file: Path, identity: str) -> "TrainerState | None":
        """Return the contents of a checkpoint; see `load_checkpoint`."""
        found = load_checkpoint(file, identity)
        return found and cls(**found[0], losses=found[1])


class Trainer:
    """A run: games, options, threads, a file for checkpoints, and the initial weights, int16[KNOTS, n].

    Attributes:
        labeller: the evaluation that labelled the games, a name or a file
    """

    def __init__(
        self,
        games: LabelledGames,
        options: TrainOptions,
        checkpoint: Path,
        threads: int,
        beginning: np.ndarray,
        labeller: str = PATTERNS,
    ) -> None:
        self.labeller = labeller
        self.options, self.checkpoint, self.game_count, self.before = options, checkpoint, games.games, beginning
        self._pool, self._threads = ThreadPoolExecutor(threads), threads
        learning, held_out = games.split(options.seed, options.held_out)
        self.learning, self.validation = self.problem(learning), self.problem(held_out)
        some = np.random.default_rng([options.seed, 1]).permutation(len(learning))[: len(held_out)]
        self._seen = self.problem(learning[some])
        identity = {"options": options.text, "games": games.games, "positions": len(games.samples)}
        identity["beginning"] = sha256(beginning.tobytes()).hexdigest()
        self.identity = json.dumps(identity)
        self._state = TrainerState.load(checkpoint, self.identity)

    def problem(self, samples: np.ndarray) -> LeastSquares:
        """Return the problem of some samples."""
        return LeastSquares(samples, self._pool, self._threads)

    @property
    def state(self) -> TrainerState:
        """The current state of the run."""
        if self._state is None:
            weights = self.before.astype(np.float32)
            residual = self.learning.gather(self.learning.values - self.learning.predict(weights))
            self._state = TrainerState(weights, residual, self._scale * residual, [])
        return self._state

    @property
    def held_out(self) -> np.ndarray:
        """The held-out samples, record[SAMPLE][n]."""
        return self.validation.samples

    @property
    def losses(self) -> list[Losses]:
        """The mean errors after each completed epoch, in discs."""
        return self.state.losses

    @cached_property
    def _scale(self) -> np.ndarray:
        """The factors of the gradient: smaller for weights that occur often."""
        ones = np.ones(len(self.learning.values), dtype=np.float32)
        return np.asarray(1 / (self.learning.gather(ones) + np.float32(self.options.penalty)))

    def run(self, progress: Progress | None = None, on_epoch: Callable[[Losses], object] | None = None) -> None:
        """Train to the end, from the checkpoint if there is one.

        Args:
            on_epoch: called with the losses of each epoch
        """
        epochs = self.options.epochs
        for epoch in range(len(self.losses), epochs):
            self._epoch()
            problems = {"training": self._seen, "validation": self.validation}
            weights = self.state.weights
            losses = {name: mean_error(problem, problem.predict(weights)) for name, problem in problems.items()}
            self.losses.append(losses)
            if (epoch + 1) % CHECKPOINT_EPOCHS == 0 or epoch + 1 == epochs:
                self.state.save(self.checkpoint, self.identity)
            if progress is not None:
                progress((epoch + 1) / epochs, f"epoch {epoch + 1}/{epochs}, error {losses['validation']:.3f}")
            if on_epoch is not None:
                on_epoch(losses)

    def _epoch(self) -> None:
        """Take a step of conjugate gradients."""
        state, problem = self.state, self.learning
        product = _product(state.residual, self._scale * state.residual)
        if product == 0:
            return
        image = problem.gather(problem.predict(state.direction)) + np.float32(self.options.penalty) * state.direction
        length = np.float32(product / _product(state.direction, image))
        state.weights += length * state.direction
        state.residual -= length * image
        step = self._scale * state.residual
        state.direction = step + np.float32(_product(state.residual, step) / product) * state.direction

    def rounded(self) -> np.ndarray:
        """Return the weights in the form of the file, int16[KNOTS, n]."""
        rounded: np.ndarray = np.clip(np.rint(self.state.weights), -LARGEST, LARGEST).astype(np.int16)
        return rounded

    def weights(self, made: dict[str, Any]) -> bytes:
        """Fit the spreads of Multi-ProbCut, and return the file of the weights with them."""
        knots, options = self.rounded(), self.options
        weights = patterns.Weights(patterns.by_phase(knots), NO_SPREAD)
        evaluator = Evaluator(GAME.evaluation(PATTERNS), weights)
        found = fit_spread(evaluator, self.held_out, options.spread_positions, options.seed)
        return patterns.encode(knots, spread_table(found.model), {**made, "spread": found.measured})

    def facts(self) -> dict[str, float]:
        """Return what a report says of the weights."""
        knots = self.rounded()
        return {
            "not zero": float(np.mean(knots != 0)),
            "moved": float(np.mean(knots != self.before)),
            "at their limit": float(np.mean(np.abs(knots.astype(int)) >= LARGEST)),
        }


def _product(first: np.ndarray, second: np.ndarray) -> float:
    """Return the inner product."""
    return float(np.vdot(first.astype(np.float64), second))


def mean_error(problem: LeastSquares, values: np.ndarray) -> float:
    """Return the mean absolute error of values, float32[n], in discs."""
    return float(np.mean(np.abs(values - problem.values))) / DISC


def new_trainer(request: TrainingRequest) -> "Trainer | NetworkTrainer":
    """Return the trainer of a request. Raises ValueError if there are no games."""
    options: TrainOptions = request.options
    games = LabelledGames.load(request.folders, options.older_share, options.td_lambda)
    if options.architecture == NETWORK:
        return NetworkTrainer(games, options, request.checkpoint, request.threads, request.labeller)
    beginning, file = np.zeros(KNOT_SHAPE, dtype=np.int16), Path(request.labeller)
    if request.labeller in (PATTERNS, NETWORK) or format_of(file) == FORMAT:
        beginning = patterns.read(patterns.SHIPPED).arrays["knots"]
    elif file.exists():
        beginning = patterns.read(file).arrays["knots"]
    return Trainer(games, options, request.checkpoint, request.threads, beginning, request.labeller)
