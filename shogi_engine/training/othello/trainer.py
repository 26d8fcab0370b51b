"""Fits the pattern weights to labelled positions by least squares; network_trainer.py trains the network.

A penalty keeps the weights of rare configurations near those that labelled the games. Neighbouring phases share weights
through the knots of pattern_weights.py. The problem is solved by conjugate gradients, scaled by how often a weight
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
from shogi_engine.games.othello.evaluation import pattern_weights
from shogi_engine.games.othello.evaluation.network_weights import is_network
from shogi_engine.games.othello.names import DISC
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.training.checkpoint import load_checkpoint, save_checkpoint
from shogi_engine.training.othello.network_trainer import NetworkTrainer
from shogi_engine.training.othello.options import NETWORK, PATTERNS, TrainOptions
from shogi_engine.training.othello.positions import KNOT_SHAPE, Games, Problem
from shogi_engine.training.othello.spread import NO_SPREAD, fit_spread, spread_table
from shogi_engine.training.recipe import Losses, Progress, TrainingRequest

CHECKPOINT_EPOCHS = 5
LARGEST = 32767  # weights are int16


@dataclass
class State:
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
    def load(cls, file: Path, identity: str) -> "State | None":
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
        games: Games,
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
        self._state = State.load(checkpoint, self.identity)

    def problem(self, samples: np.ndarray) -> Problem:
        """Return the problem of some samples."""
        return Problem(samples, self._pool, self._threads)

    @property
    def state(self) -> State:
        """The current state of the run."""
        if self._state is None:
            weights = self.before.astype(np.float32)
            residual = self.learning.gather(self.learning.values - self.learning.predict(weights))
            self._state = State(weights, residual, self._scale * residual, [])
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
        weights = pattern_weights.Weights(pattern_weights.by_phase(knots), NO_SPREAD)
        evaluator = Evaluator(GAME.evaluation(PATTERNS), weights)
        found = fit_spread(evaluator, self.held_out, options.spread_positions, options.seed)
        return pattern_weights.encode(knots, spread_table(found.model), {**made, "spread": found.measured})

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


def mean_error(problem: Problem, values: np.ndarray) -> float:
    """Return the mean absolute error of values, float32[n], in discs."""
    return float(np.mean(np.abs(values - problem.values))) / DISC


def new_trainer(request: TrainingRequest) -> "Trainer | NetworkTrainer":
    """Return the trainer of a request. Raises ValueError if there are no games."""
    options: TrainOptions = request.options
    games = Games.load(request.folders, options.older_share, options.td_lambda)
    if options.architecture == NETWORK:
        return NetworkTrainer(games, options, request.checkpoint, request.threads, request.labeller)
    beginning, file = np.zeros(KNOT_SHAPE, dtype=np.int16), Path(request.labeller)
    if request.labeller in (PATTERNS, NETWORK) or is_network(file):
        beginning = pattern_weights.read(pattern_weights.SHIPPED)[0]
    elif file.exists():
        beginning = pattern_weights.read(file)[0]
    return Trainer(games, options, request.checkpoint, request.threads, beginning, request.labeller)
