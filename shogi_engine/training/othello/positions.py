"""The labelled positions of games, and their pattern features."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation import pattern_weights
from shogi_engine.games.othello.evaluation.pattern_layout import PHASE_OF_DISCS
from shogi_engine.games.othello.evaluation.patterns import ACCUMULATOR
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.jit import new_record
from shogi_engine.training.data import read_shards
from shogi_engine.training.othello.kernels import (
    FEATURES,
    REPLAY,
    SAMPLE,
    apply_weights,
    gather_errors,
    write_features,
    write_samples,
)

PERMILLE = 1000
KNOT_SHAPE = (pattern_weights.KNOTS, pattern_weights.file_weights())


@dataclass(frozen=True)
class Games:
    """The labelled positions of games.

    Attributes:
        samples: record[SAMPLE][n], sorted by game
        games: the number of games
    """

    samples: np.ndarray
    games: int

    @classmethod
    def load(cls, folders: Sequence[Path], older_share: float, td_lambda: float) -> "Games":
        """Return the samples of shards. Raises ValueError; see data.read_shards.

        Args:
            td_lambda: as in TrainOptions
        """
        replay, start, parts, games = new_record(REPLAY), GAME.parse_position(GAME.start), [], 0
        for shard in chain.from_iterable(read_shards(folders, older_share)):
            samples: Any = np.zeros(len(shard["moves"]), dtype=SAMPLE).view(np.recarray)
            begins = np.concatenate([[0], np.cumsum(shard["lengths"], dtype=np.int64)])
            exact = json.loads(str(shard["options"]))["exact"]
            arguments = shard["moves"], shard["values"], begins, exact, round(td_lambda * PERMILLE)
            parts.append(samples[: write_samples(replay, start, *arguments, samples)])
            parts[-1].game += games
            games += len(shard["lengths"])
        return cls(np.concatenate(parts), games)

    def split(self, seed: int, held_out: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples to learn from, and those of the held-out games (the share `held_out`, at least one)."""
        count = max(round(held_out * self.games), 1)
        out = np.zeros(self.games, dtype=bool)
        out[np.random.default_rng([seed, self.games]).permutation(self.games)[:count]] = True
        held = out[self.samples["game"]]
        return self.samples[~held], self.samples[held]


def empties_of(samples: np.ndarray) -> np.ndarray:
    """Return int64[n]: the empty squares of each sample."""
    return np.asarray(SQUARES - np.bitwise_count(samples["own"] | samples["opponent"]).astype(np.int64))


def phases_of(samples: np.ndarray) -> np.ndarray:
    """Return int64[n]: the phase of each sample."""
    return np.asarray(PHASE_OF_DISCS[SQUARES - empties_of(samples)])


class Problem:
    """The least-squares problem of some samples, sorted by phase; threads share its products.

    Attributes:
        order: int64[n], the places of the sorted samples among the given ones
        values: float32[n], hundredths of a disc
        knots: int64[n], the knot at or below each sample's phase
        shares: float32[n], the weight of the next knot
    """

    def __init__(self, samples: np.ndarray, pool: ThreadPoolExecutor, threads: int) -> None:
        self.order = np.argsort(phases_of(samples), kind="stable")
        self.samples = samples = samples[self.order]
        self._pool = pool
        phases, step = phases_of(samples), pattern_weights.KNOT_STEP
        self.knots = np.minimum(phases // step, pattern_weights.KNOTS - 2)
        self.shares = ((phases - step * self.knots) / step).astype(np.float32)
        self.values = samples["value"].astype(np.float32)
        self.features = np.zeros((len(samples), FEATURES), dtype=np.int32)
        bounds = np.linspace(0, len(samples), threads + 1).astype(int).tolist()
        self._parts = [slice(first, last) for first, last in zip(bounds, bounds[1:], strict=False)]
        places = pattern_weights.file_places()
        self._map(lambda part: write_features(self._view(part), places, new_record(ACCUMULATOR), self.features[part]))

    def _map(self, work: Any) -> list[Any]:
        return list(self._pool.map(work, self._parts))

    def _view(self, part: slice) -> Any:
        view: Any = self.samples[part].view(np.recarray)
        return view

    def predict(self, weights: np.ndarray) -> np.ndarray:
        """Return float32[n]: the value by the weights, float32[KNOTS, n], of each sample."""
        values = np.zeros(len(self.values), dtype=np.float32)
        self._map(
            lambda part: apply_weights(self.features[part], self.knots[part], self.shares[part], weights, values[part])
        )
        return values

    def gather(self, errors: np.ndarray) -> np.ndarray:
        """Return the transposed product: float32[KNOTS, n]."""

        def work(part: slice) -> np.ndarray:
            sums = np.zeros(KNOT_SHAPE, dtype=np.float32)
            gather_errors(self.features[part], self.knots[part], self.shares[part], errors[part], sums)
            return sums

        parts = self._map(work)
        for other in parts[1:]:
            parts[0] += other
        found: np.ndarray = parts[0]
        return found
