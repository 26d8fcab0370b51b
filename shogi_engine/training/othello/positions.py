"""The labelled positions of games, and their pattern features."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.search import solve_all
from shogi_engine.games.othello.evaluation import patterns
from shogi_engine.games.othello.evaluation.patterns import (
    ACCUMULATOR,
    PHASE_OF_DISCS,
    SPREAD_DEPTHS,
    SPREAD_GROUPS,
    SPREAD_PHASES,
    shallow_depth,
)
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.interface.game import VALUE_INFINITE, refresh_line
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit import new_record
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import PV, USE_DEEPER_ENTRIES, USE_SOLVERS, USE_TT, set_root
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training import data
from shogi_engine.training.data import SearchState, read_shards
from shogi_engine.training.game_kernels import NO_LIMIT
from shogi_engine.training.othello.kernels import (
    FEATURES,
    REPLAY,
    SAMPLE,
    apply_weights,
    gather_errors,
    write_boards,
    write_features,
    write_samples,
)

# ---- How Othello games are played for training: random openings, some random moves, exactly solved endings


OPENINGS = data.Openings((4, 20), late_share=0.3, late_plies=(21, 44), explore=0.06)


@dataclass(frozen=True)
class DataOptions(data.DataOptions):
    """How Othello games are played.

    Attributes:
        exact: positions with at most this many empty squares have exact values
    """

    game_name: ClassVar[str] = "othello"

    evaluation: str = "features"
    openings: data.OpeningSampler = OPENINGS
    piece_games: int = 500
    exact: int = 14

    def label(self, player: data.SearchState, start: Any, moves: np.ndarray, values: np.ndarray) -> None:
        """Replace the values of endgame positions by exact ones, in place."""
        replay, (own, opponent) = new_record(REPLAY), np.zeros((2, len(moves)), dtype=np.uint64)
        replay.pos = start
        write_boards(replay, moves, own, opponent)
        places = np.flatnonzero(np.bitwise_count(own | opponent) >= SQUARES - self.exact)[::-1]
        scores = np.zeros(len(places), dtype=np.int8)
        player.ctx.stopped, player.ctx.node_limit = 0, NO_LIMIT
        solve_all(player.ctx, own[places], opponent[places], scores)  # backwards, so that the table helps
        values[places] = DISC * scores.astype(np.int16)


PERMILLE = 1000
KNOT_SHAPE = (patterns.KNOTS, patterns.file_weights())


@dataclass(frozen=True)
class LabelledGames:
    """The labelled positions of games.

    Attributes:
        samples: record[SAMPLE][n], sorted by game
        games: the number of games
    """

    samples: np.ndarray
    games: int

    @classmethod
    def load(cls, folders: Sequence[Path], older_share: float, td_lambda: float) -> "LabelledGames":
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


class LeastSquares:
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
        phases, step = phases_of(samples), patterns.KNOT_STEP
        self.knots = np.minimum(phases // step, patterns.KNOTS - 2)
        self.shares = ((phases - step * self.knots) / step).astype(np.float32)
        self.values = samples["value"].astype(np.float32)
        self.features = np.zeros((len(samples), FEATURES), dtype=np.int32)
        bounds = np.linspace(0, len(samples), threads + 1).astype(int).tolist()
        self._parts = [slice(first, last) for first, last in zip(bounds, bounds[1:], strict=False)]
        places = patterns.file_places()
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


# ---- The spreads of Multi-ProbCut: how well shallow searches with given weights predict deeper ones


TABLE_MB = 8
FIRST_DEPTH = 3  # ProbCut is not used at smaller depths
DEEPEST = 8  # the deepest search that spreads are fitted to
FEWEST = 10  # the fewest positions of a group for an estimate
LOPSIDED = 16 * DISC  # larger values jump from depth to depth, and are left out of the fit
NO_SPREAD = np.zeros((SPREAD_GROUPS, SPREAD_DEPTHS), dtype=np.int32)


@dataclass(frozen=True)
class Spreads:
    """The spreads of Multi-ProbCut, and what they were fitted to.

    Attributes:
        measured: by group and depth, the regression deep = slope * shallow + offset, and the standard deviation around
            deep = shallow, in hundredths of a disc
        model: log(spread) = the group's constant + a * (plies left out) + b * (plies searched)
    """

    measured: list[dict[str, float]]
    model: list[float]


def player_of(evaluator: Evaluator) -> SearchState:
    """Return a player that searches without Multi-ProbCut."""
    player = SearchState(evaluator, TranspositionTable(TABLE_MB), GAME)
    player.ctx.search_flags = USE_TT | USE_DEEPER_ENTRIES | USE_SOLVERS
    return player


def search_values(player: SearchState, samples: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return int32[n, last - first + 1], the values of searches of each sample, `first` to `last` plies deep."""
    ctx, position = player.ctx, GAME.parse_position(GAME.start)
    values = np.zeros((len(samples), last - first + 1), dtype=np.int32)
    ctx.node_limit = NO_LIMIT
    for index, sample in enumerate(samples):
        position.own, position.opponent = sample["own"], sample["opponent"]
        set_root(ctx, position)
        refresh_line(ctx)
        ctx.stopped = 0
        for depth in range(1, last + 1):
            ctx.root_depth = depth
            window = np.int64(-VALUE_INFINITE), np.int64(VALUE_INFINITE)
            value = int(search(ctx, *window, depth, np.int64(PV), np.int64(0)))
            if depth >= first:
                values[index, depth - first] = value
    return values


def fit_spread(evaluator: Evaluator, samples: np.ndarray, count: int, seed: int) -> Spreads:
    """Return the spreads of searches with an evaluation, from `count` samples of each group of phases."""
    samples = samples[(empties_of(samples) >= DEEPEST) & (np.abs(samples["value"]) <= LOPSIDED)]
    random, player = np.random.default_rng([seed, 3]), player_of(evaluator)
    measured, rows, logs = [], [], []
    for group in range(SPREAD_GROUPS):
        chosen = samples[phases_of(samples) // SPREAD_PHASES == group]
        if len(chosen) < FEWEST:
            continue
        chosen = chosen[random.permutation(len(chosen))[:count]]
        values = search_values(player, chosen, 1, DEEPEST)
        for depth in range(FIRST_DEPTH, DEEPEST + 1):
            searched = shallow_depth(depth)
            shallow, deep = values[:, searched - 1].astype(float), values[:, depth - 1].astype(float)
            slope, offset = np.polyfit(shallow, deep, 1) if np.ptp(shallow) else (1.0, 0.0)
            spread = float(np.sqrt(np.mean((deep - shallow) ** 2)))
            fitted = {"slope": round(float(slope), 4), "offset": round(float(offset), 2), "spread": round(spread, 2)}
            measured.append({"group": group, "depth": depth, **fitted})
            rows.append([*(float(group == other) for other in range(SPREAD_GROUPS)), depth - searched, searched])
            logs.append(np.log(max(spread, 1.0)))
    if not rows:
        raise ValueError("training: too few positions to fit the spreads of Multi-ProbCut; play more games")
    model = np.linalg.lstsq(np.array(rows), np.array(logs), rcond=None)[0].tolist()
    groups = sorted({int(each["group"]) for each in measured})
    nearest = [min((abs(known - group), known) for known in groups)[1] for group in range(SPREAD_GROUPS)]
    return Spreads(measured, [model[group] for group in nearest] + model[SPREAD_GROUPS:])


def spread_table(model: list[float]) -> np.ndarray:
    """Return int32[SPREAD_GROUPS, SPREAD_DEPTHS] by the model of `Spreads`; depths below FIRST_DEPTH have none."""
    table = np.zeros((SPREAD_GROUPS, SPREAD_DEPTHS), dtype=np.int32)
    *constants, left_out, searched = model
    for group, constant in enumerate(constants):
        for depth in range(FIRST_DEPTH, SPREAD_DEPTHS):
            shallow = shallow_depth(depth)
            table[group, depth] = np.exp(constant + left_out * (depth - shallow) + searched * shallow)
    return table
