"""The spreads of Multi-ProbCut: how well shallow searches with given weights predict deeper ones."""

from dataclasses import dataclass

import numpy as np

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation.pattern_layout import SPREAD_DEPTHS, SPREAD_GROUPS, SPREAD_PHASES
from shogi_engine.games.othello.evaluation.patterns import shallow_depth
from shogi_engine.games.othello.names import DISC
from shogi_engine.interface.evaluation import Evaluator
from shogi_engine.interface.game import VALUE_INFINITE, refresh_line
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import PV, USE_DEEPER_ENTRIES, USE_SOLVERS, USE_TT, set_root
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import SearchState
from shogi_engine.training.game_kernels import NO_LIMIT
from shogi_engine.training.othello.positions import empties_of, phases_of

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
