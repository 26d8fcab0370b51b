"""How Breakthrough's table is learnt, in numpy: logistic regression of winning chances on the squares of the stones.

`shogi-engine train breakthrough FOLDER` plays games, learns from them, and plays a match against what played them.
"""

import json
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from shogi_engine.games import weights
from shogi_engine.interface.game import VALUE_MAX
from shogi_engine.training import data
from shogi_engine.training.recipe import Progress, TrainingRecipe, TrainingRequest

from . import GAME, LAYOUT, SIZE, TURNED

SQUARES = np.arange(SIZE * SIZE)
START = np.where(SQUARES < 2 * SIZE, 1, np.where(SQUARES >= 6 * SIZE, -1, 0)).astype(np.int8)  # 1 is X, -1 is O
LEFT, MIRROR = SQUARES[SQUARES % SIZE < SIZE // 2], SIZE - 1  # square ^ MIRROR is as good as square
ODDS = 200  # the value that means odds of e : 1
PENALTY = 10.0  # of large values: a square that is rarely reached is worth little


@dataclass(frozen=True)
class DataOptions(data.DataOptions):
    """How games are played: as by default."""

    game_name: ClassVar[str] = GAME.name


def boards_of(moves: np.ndarray) -> np.ndarray:
    """Return int8[n, 64]: the board before each move of a game."""
    boards, board = np.zeros((len(moves), len(SQUARES)), dtype=np.int8), START.copy()
    for ply, move in enumerate(moves.tolist()):
        boards[ply] = board
        board[move & 63], board[move >> 6] = board[move >> 6], 0
    return boards


def positions_of(shard: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the quiet positions of a shard: float32[n, 32], X's chances of winning, and the games' numbers."""
    moves, values, lengths = shard["moves"], shard["values"], shard["lengths"]
    games, ends = np.repeat(np.arange(len(lengths)), lengths), np.cumsum(lengths)
    boards = np.concatenate([boards_of(game) for game in np.split(moves, ends[:-1])])
    begins = np.isin(np.arange(len(moves)), ends - lengths)
    captures = boards[np.arange(len(moves)), moves & 63] != 0
    quiet = ~captures & (begins | ~np.roll(captures, 1)) & (np.abs(values.astype(int)) <= VALUE_MAX)
    stones = (boards == 1).astype(np.float32) - (boards == -1)[:, SQUARES ^ TURNED]  # as each side sees its own
    sides = np.where((np.arange(len(moves)) - (ends - lengths)[games]) % 2, -1, 1)
    chances = 1 / (1 + np.exp(-values / ODDS * sides)) / 2 + (shard["results"][games] + 1) / 4
    return (stones[:, LEFT] + stones[:, LEFT ^ MIRROR])[quiet], chances[quiet], games[quiet]


class Trainer:
    """A run, an epoch of which is a step of Newton's method."""

    def __init__(self, request: TrainingRequest) -> None:
        self._epochs, self._checkpoint = request.options.epochs, request.checkpoint
        shards = [*chain.from_iterable(data.read_shards(request.folders, request.options.older_share))]
        self.game_count = sum(len(shard["lengths"]) for shard in shards)
        parts, known = [], 0
        for shard in shards:
            stones, chances, games = positions_of(shard)
            parts.append((stones, chances, games + known))
            known += len(shard["lengths"])
        stones, chances, games = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.random.default_rng(request.options.seed).permutation(self.game_count)
        out = (order < max(request.options.held_out * self.game_count, 1))[games]
        self._sets = {"training": (stones[~out], chances[~out]), "validation": (stones[out], chances[out])}
        self._identity = json.dumps([request.options.text, self.game_count, len(games)])
        found = data.load_checkpoint(self._checkpoint, self._identity)
        arrays, self.losses = found or ({"values": np.zeros(len(LEFT), dtype=np.float32)}, [])
        self._values = arrays["values"]  # logarithms of odds

    def run(self, progress: Progress | None = None, on_epoch: Any = None) -> None:
        """Train to the end."""
        stones, chances = self._sets["training"]
        for epoch in range(len(self.losses), self._epochs):
            found = 1 / (1 + np.exp(-stones @ self._values))
            slope = stones.T @ (chances - found) - PENALTY * self._values
            curvature = (stones.T * (found * (1 - found))) @ stones + PENALTY * np.eye(len(LEFT))
            self._values = self._values + np.linalg.solve(curvature, slope)
            self.losses.append({name: self._loss(*each) for name, each in self._sets.items()})
            data.save_checkpoint(self._checkpoint, self._identity, self.losses, {"values": self._values})
            if progress is not None:
                progress((epoch + 1) / self._epochs, f"epoch {epoch + 1}/{self._epochs}")
            if on_epoch is not None:
                on_epoch(self.losses[-1])

    def _loss(self, stones: np.ndarray, chances: np.ndarray) -> float:
        """Return the mean cross-entropy."""
        sums = stones @ self._values
        return float(np.mean(np.logaddexp(0, sums) - chances * sums))

    def weights(self, made: dict[str, Any]) -> bytes:
        """Return a file of the values."""
        values = np.zeros(len(SQUARES), dtype=np.int32)
        values[LEFT] = values[LEFT ^ MIRROR] = np.rint(ODDS * self._values)
        return weights.encode(GAME.name, LAYOUT, {"made": made}, {"values": values})


RECIPE = TrainingRecipe(data=DataOptions, trainer=Trainer)
