"""Trains a network's parameters, batch by batch, on the values and results of positions.

A run depends only on its games, options and number of threads. After each epoch it writes a checkpoint atomically; a
killed run continues from it with the same result.
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

from shogi_engine.training import recipe
from shogi_engine.training.adamw import AdamState, falling_rate, state_of, step
from shogi_engine.training.recipe import Progress, TrainingRequest
from shogi_engine.training.shogi.games import Games, PositionBlock
from shogi_engine.training.shogi.networks import OwnNetwork, SfnnNetwork, StandardNetwork
from shogi_engine.training.shogi.standard_kernels import WIDTH

LIMIT = 1.98  # of parameters, so that the sums fit int16 in the coarsest unit
LAST_RATE = 1e-5
BLOCK_POSITIONS = 1 << 19  # minimum number shuffled together, so that 500 batches do not all come from a few games
SAMPLE_GAMES = 1000  # to which the outputs of a refined network are fitted
OWN, STANDARD, SFNN = "own", "k-p", "sfnn"  # architectures
ARCHITECTURES = OWN, STANDARD, SFNN


@dataclass(frozen=True)
class TrainOptions(recipe.TrainOptions):
    """How a network is trained. Raises ValueError for an unknown architecture or width.

    Attributes:
        architecture: one of ARCHITECTURES
        width: the width of the sums; fixed for k-p
        rate: AdamW's first learning rate; it falls to LAST_RATE along a cosine
        decay: AdamW's weight decay, from scratch
        refine: start from the network that labelled the last games, if there is one, instead of random parameters
        parts: refine it with each of this many parts of the games by itself, and take the mean
        result_share: the weight, 0 to 1, of the game's result against the searched value: (first epoch, last epoch)
        quiet_ends: also learn from the searches of positions that are not quiet, at their quiet ends
        td_lambda: the share of a position's value that comes from later positions; the rest is from its own search
    """

    architecture: str = OWN
    width: int = 256
    epochs: int = 5
    batch: int = 4096
    rate: float = 1e-3
    decay: float = 0.1
    result_share: tuple[float, float] = (0.0, 0.15)
    td_lambda: float = 0.5
    refine: bool = False
    parts: int = 1
    quiet_ends: bool = False
    held_out: float = 0.03

    def __post_init__(self) -> None:
        _ = self.model
        if self.parts < 1 or self.parts > 1 and not self.refine:
            raise ValueError(f"training: parts is 1 or, with refine=true, more; not {self.parts}")

    @cached_property
    def model(self) -> OwnNetwork | StandardNetwork | SfnnNetwork:
        """The network that is trained."""
        if self.architecture not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            raise ValueError(f"training: there is no architecture {self.architecture!r}; there are {known}")
        if self.architecture == OWN:
            return OwnNetwork(self.width)
        if self.architecture == SFNN:
            return SfnnNetwork(self.width)
        if self.width != WIDTH:
            raise ValueError(f"training: architecture {STANDARD} has width {WIDTH}, not {self.width}")
        return StandardNetwork()


class Trainer:
    """A run: games, options, threads and a file for checkpoints.

    Args:
        first: the initial parameters, None for random
        split: the games to learn from and those held out, by default as `Games.split` chooses them
    """

    def __init__(
        self,
        games: Games,
        options: TrainOptions,
        checkpoint: Path,
        threads: int = 1,
        first: AdamState | None = None,
        split: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self.games, self.options, self.checkpoint, self.threads = games, options, checkpoint, threads
        self.learning, self.held_out = split or games.split(options.seed, options.held_out)
        self.model = options.model
        first = first or state_of(self.model.beginning(options.seed))
        identity = {"options": options.text, "games": len(games), "moves": len(games.moves)}
        identity["beginning"] = sha256(first.parameters.tobytes()).hexdigest()
        self.identity = json.dumps(identity)
        self.state = AdamState.load(checkpoint, self.identity) or first
        self._gradients = np.zeros((threads, self.model.parameter_count), dtype=np.float32)
        self._scratch = [self.model.scratch() for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    @property
    def losses(self) -> list[dict[str, float]]:
        """The losses of the completed epochs."""
        return self.state.losses

    @property
    def game_count(self) -> int:
        """The number of games, including those held out and those left out."""
        return len(self.games)

    @cached_property
    def validation(self) -> PositionBlock:
        """The positions of the held-out games."""
        begins = self.games.begins
        size = int((begins[self.held_out + 1] - begins[self.held_out]).sum())
        return next(self.games.blocks(self.held_out, size, self.model.feature_tables[:1]))[1]

    def result_share(self, epoch: int) -> float:
        """Return the weight of results in an epoch."""
        first, last = self.options.result_share
        return first + (last - first) * epoch / max(self.options.epochs - 1, 1)

    def run(
        self, progress: Progress | None = None, on_epoch: Callable[[dict[str, float]], object] | None = None
    ) -> None:
        """Train to the end, starting from the checkpoint if there is one; a killed run loses its unfinished epoch.

        Args:
            on_epoch: called with the losses of each epoch at its end
        """
        for epoch in range(len(self.state.losses), self.options.epochs):
            loss = self._epoch(epoch, progress)
            self.state.losses.append({"training": loss, **self.losses_now(self.result_share(epoch))})
            self.state.save(self.checkpoint, self.identity)
            if on_epoch is not None:
                on_epoch(self.state.losses[-1])

    def _epoch(self, epoch: int, progress: Progress | None) -> float:
        """Train on every position once, in this epoch's random order; return the mean loss."""
        options = self.options
        random = np.random.default_rng([options.seed, 2, epoch])
        games, share = random.permutation(self.learning), self.result_share(epoch)
        total, positions, before = 0.0, 0, 0
        size = max(BLOCK_POSITIONS, options.batch)
        for done, block in self.games.blocks(games, size, self.model.feature_tables, epoch):
            targets = block.targets(share)
            order = random.permutation(len(targets)).astype(np.int32)
            batches = max(len(order) // options.batch, 1)  # the remainder is left for the next epoch
            for number in range(batches):
                batch = order[number * options.batch : (number + 1) * options.batch]
                if len(batch) == 0:
                    continue
                part = (before + (done - before) * number / batches) / len(games)
                total += self._batch(block, targets, batch, self._rate((epoch + part) / options.epochs))
                positions += len(batch)
                if progress is not None:
                    text = f"epoch {epoch + 1}/{options.epochs}, loss {total / positions:.5f}"
                    progress((epoch + part) / options.epochs, text)
            before = done
        return total / max(positions, 1)

    def _rate(self, done: float) -> float:
        """Return the learning rate after a share of the run."""
        return falling_rate(self.options.rate, LAST_RATE, done)

    def _batch(self, block: PositionBlock, targets: np.ndarray, batch: np.ndarray, rate: float) -> float:
        """Take one step; return the summed loss of the batch."""
        state, options = self.state, self.options
        parts = np.array_split(batch, self.threads)

        def gradients(thread: int) -> float:
            arguments = block.features, targets, parts[thread], self._gradients[thread], *self._scratch[thread]
            return self.model.add_gradients(state.parameters, *arguments)

        loss = sum(self._pool.map(gradients, range(self.threads)))
        state.steps += 1
        bounds = np.linspace(0, len(state.parameters), self.threads + 1).astype(int)
        decay = np.float32(0 if options.refine else options.decay)  # else a refined network loses what it knows
        numbers = len(batch), np.float32(rate), decay, state.steps, np.float32(LIMIT)

        def move(thread: int) -> None:
            arrays = state.parameters, state.first_moments, state.second_moments, self._gradients
            step(*arrays, int(bounds[thread]), int(bounds[thread + 1]), *numbers)

        list(self._pool.map(move, range(self.threads)))
        self.model.settle(state.parameters)
        return loss

    def outputs(self, block: PositionBlock) -> np.ndarray:
        """Return the network's outputs for positions, float32[n]; times SCALE they are centipawns."""
        outputs = np.zeros(len(block.scores), dtype=np.float32)
        parts = np.array_split(np.arange(len(outputs)), self.threads)

        def work(thread: int) -> None:
            if len(parts[thread]):
                here = slice(int(parts[thread][0]), int(parts[thread][-1]) + 1)
                arguments = block.features[here], outputs[here], *self._scratch[thread]
                self.model.write_outputs(self.state.parameters, *arguments)

        list(self._pool.map(work, range(self.threads)))
        return outputs

    def losses_now(self, result_share: float) -> dict[str, float]:
        """Return the losses on the held-out games: against the targets, the values alone, and the results alone."""
        chances = 1 / (1 + np.exp(-self.outputs(self.validation)))
        shares = {"validation": result_share, "values": 0.0, "results": 1.0}
        targets = {name: self.validation.targets(share) for name, share in shares.items()}
        return {name: float(np.mean((chances - targets[name]) ** 2)) for name in targets}

    def weights(self, made: dict[str, Any]) -> bytes:
        """Return the network's file.

        Args:
            made: a note on how it was made, if the format has one
        """
        return self.model.weights(self.state.parameters, made)


class MeanTrainer(Trainer):
    """A run whose network is the mean of others: each refines the same network with one part of the games.

    The mean keeps what they have in common, and only a part of what each has learnt by heart from its games. Sources:
    M. Wortsman et al., "Model soups", arXiv:2203.05482, for the mean of refined networks; B. McMahan et al.,
    arXiv:1602.05629, for networks that learn parts.
    """

    def __init__(self, games: Games, options: TrainOptions, checkpoint: Path, threads: int, first: AdamState) -> None:
        self.first = first.parameters.copy()
        super().__init__(games, options, checkpoint, threads, first)
        if options.parts > len(self.learning):
            raise ValueError(f"training: {len(self.learning)} games to learn from cannot have {options.parts} parts")

    def run(
        self, progress: Progress | None = None, on_epoch: Callable[[dict[str, float]], object] | None = None
    ) -> None:
        """Train to the end; the last epoch of each part has the losses of the mean so far."""
        options, state = self.options, self.state
        for part in range(len(state.losses) // options.epochs, options.parts):

            def partly(done: float, text: str, part: int = part) -> None:
                if progress is not None:
                    progress((part + done) / options.parts, f"part {part + 1}/{options.parts}, {text}")

            file = self.checkpoint.with_suffix(f".part{part + 1}.npz")
            split = self.learning[part :: options.parts], self.held_out
            one = Trainer(self.games, options, file, self.threads, state_of(self.first.copy()), split)
            one.validation = self.validation
            one.run(partly, on_epoch)
            state.parameters = (state.parameters * part + one.state.parameters) / np.float32(part + 1)
            losses = {"training": one.losses[-1]["training"], **self.losses_now(self.result_share(options.epochs - 1))}
            state.losses += [*one.losses[:-1], losses]
            state.save(self.checkpoint, self.identity)
            file.unlink(missing_ok=True)
            if on_epoch is not None:
                on_epoch(losses)


def new_trainer(request: TrainingRequest) -> Trainer:
    """Return the trainer of a request.

    Raises ValueError if there are no games, or no network to refine.
    """
    options = request.options
    ends_by = recipe.load("shogi").named_evaluator(request.labeller) if options.quiet_ends else None
    games = Games.load(request.folders, options.older_share, ends_by, request.threads).with_later_values(
        options.td_lambda
    )
    first = None
    if options.refine:
        sample = games.split(options.seed, options.held_out)[0][:SAMPLE_GAMES]
        positions = int(games.lengths[sample].sum())
        first = options.model.refining(
            request.labeller, next(games.blocks(sample, positions, options.model.feature_tables[:1]))[1]
        )
    if options.parts > 1:
        if first is None:
            raise ValueError(f"training: parts refine a network, and {request.labeller} is none")
        return MeanTrainer(games, options, request.checkpoint, request.threads, state_of(first))
    return Trainer(games, options, request.checkpoint, request.threads, None if first is None else state_of(first))
