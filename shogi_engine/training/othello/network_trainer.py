"""Trains the network that corrects the pattern weights, batch by batch, on labelled positions.

A run depends only on its games, options and number of threads. After each epoch it writes a checkpoint atomically; a
killed run continues from it with the same result.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation import network_weights, pattern_weights
from shogi_engine.games.othello.evaluation.network_weights import ROW_LIMIT, WIDTH, Network
from shogi_engine.games.othello.evaluation.pattern_layout import PHASES
from shogi_engine.games.othello.evaluation.patterns import ACCUMULATOR
from shogi_engine.games.othello.names import DISC
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.jit import new_record
from shogi_engine.jit.vectors import SQUARE_WEIGHT_LIMIT
from shogi_engine.training.adamw import State, falling_rate, state_of, step
from shogi_engine.training.othello import network_kernels as kernels
from shogi_engine.training.othello.options import TrainOptions
from shogi_engine.training.othello.positions import Games, Problem
from shogi_engine.training.othello.spread import NO_SPREAD, fit_spread, spread_table
from shogi_engine.training.recipe import Losses, Progress

LIMIT = ROW_LIMIT / network_weights.QA  # of parameters, so that no sum overflows int16
LAST_RATE = 1e-5
BATCH = 4096
FIRST_BIAS, FIRST_ROW, FIRST_OUTPUT = 0.3, 0.03, 0.05  # a constant, and standard deviations of random numbers
AT_ONCE = 1 << 18  # positions whose value by patterns is computed together


class Positions:
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
        knots = pattern_weights.read(pattern_weights.SHIPPED)[0].astype(np.float32)
        for first in range(0, len(samples), AT_ONCE):
            here = slice(first, first + AT_ONCE)
            part, by_patterns = samples[here], np.zeros(len(samples[here]), dtype=np.float32)
            view, places = part.view(np.recarray), network_weights.file_rows()
            kernels.write_rows(view, places, new_record(ACCUMULATOR), self.rows[here], self.phases[here])
            problem = Problem(part, pool, threads)
            by_patterns[problem.order] = problem.predict(knots)
            self.targets[here] = (part["value"] - by_patterns) / np.float32(kernels.UNIT)


class NetworkTrainer:
    """A run: games, options, threads and a file for checkpoints.

    Attributes:
        labeller: the evaluation that labelled the games, a name or a file
    """

    def __init__(
        self, games: Games, options: TrainOptions, checkpoint: Path, threads: int, labeller: str = "patterns"
    ) -> None:
        self.labeller = labeller
        self.options, self.checkpoint, self.game_count = options, checkpoint, games.games
        self._threads, self._pool = threads, ThreadPoolExecutor(threads)
        learning, held_out = games.split(options.seed, options.held_out)
        self.learning = Positions(learning, self._pool, threads)
        self.validation = Positions(held_out, self._pool, threads)
        self._seen = np.random.default_rng([options.seed, 1]).permutation(len(learning))[: len(held_out)]
        identity = {"options": options.text, "games": games.games, "positions": len(games.samples)}
        identity["base"] = network_weights.base()
        self.identity = json.dumps(identity)
        self._gradients = np.zeros((threads, kernels.PARAMETERS), dtype=np.float32)
        self.state = State.load(checkpoint, self.identity) or state_of(self._beginning())

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
            kernels.add_gradients(*arguments, parts[thread], self._gradients[thread])

        list(self._pool.map(gradients, range(self._threads)))
        state.steps += 1
        bounds = np.linspace(0, len(state.parameters), self._threads + 1).astype(int)
        numbers = len(batch), np.float32(rate), np.float32(self.options.decay), state.steps, np.float32(LIMIT)

        def move(thread: int) -> None:
            arrays = state.parameters, state.first_moments, state.second_moments, self._gradients
            step(*arrays, int(bounds[thread]), int(bounds[thread + 1]), *numbers)

        list(self._pool.map(move, range(self._threads)))

    def _error(self, positions: Positions, chosen: np.ndarray | slice = slice(None)) -> float:
        """Return the mean error of positions in discs."""
        rows, phases, targets = (array[chosen] for array in (positions.rows, positions.phases, positions.targets))
        outputs = np.zeros(len(rows), dtype=np.float32)
        kernels.write_outputs(self.state.parameters, rows, phases, outputs)
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
