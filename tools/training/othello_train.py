"""Train Othello's pattern weights from nothing: `python -m tools.training.othello_train WORK --output weights.bin`.

Each generation plays games against itself, the first one with the evaluation by hand-made features, the others with
the weights of the one before. A game begins with random moves (few or many; they are left out), some later moves are
random too, and the last plies are solved exactly. A position's label is exact there; before, it is a mixture of its
own search, of the searches later in the game and of the end. All openings of a few moves are added, each once up to
symmetry, with searched labels. The weights are fitted by least squares with a penalty on leaving the generation
before (the first: zero), so that rare configurations stay near it; the weights of a phase are shared with its
neighbours through the knots of weights.py. Solved by conjugate gradients, scaled by how often a weight occurs. At the
end positions of the games left out are searched to several depths, and the spreads of Multi-ProbCut fitted.

Everything made lies in WORK, and what is there is not made again: an interrupted run goes on where it was. The same
arguments make the same weights. Losses by phase, of positions trained on and of games left out, are in WORK/loss.json.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.evaluation import Evaluator
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation import pattern_weights as weights
from shogi_engine.games.othello.evaluation.pattern_layout import PHASES, SPREAD_DEPTHS, SPREAD_GROUPS, SPREAD_PHASES
from shogi_engine.games.othello.evaluation.patterns import ACCUMULATOR, shallow_depth
from shogi_engine.games.othello.types import DISC
from shogi_engine.jit import new_record
from shogi_engine.search.context import DEEPER, FINISH, TABLE, new_context
from shogi_engine.search.history import Histories, forget
from shogi_engine.search.tt import TranspositionTable
from tools.training.othello_kernels import (
    FEATURES,
    LINE,
    MOST_PLIES,
    SAMPLE,
    apply_weights,
    expand,
    gather_errors,
    label,
    play_games,
    values_by_depth,
    write_features,
)

MADE_BY = "tools/training/othello_train.py"  # in the files of weights
CHUNK = 500  # games to a file
TEST_EVERY = 20  # one game of so many is left out of the fit
HASH_MB = 4
SPREAD_DEPTH = 8  # the deepest search that spreads are fitted to
OPENING_GAME = 1  # the "game" of the enumerated openings: one that is trained on

NO_SPREAD = np.zeros((SPREAD_GROUPS, SPREAD_DEPTHS), dtype=np.int32)


@dataclass(frozen=True)
class Generation:
    """How one generation plays: see othello_kernels.play_game. openings : moves of the enumerated openings, 0 for none.

    keep : later generations learn from all its positions, not only from those that it solved
    penalty : of the fit, in samples: a weight seen so often moves half as far as the samples alone would have it.
    """

    games: int
    depth: int
    exact: int
    explore: int
    trust: int
    openings: int
    opening_depth: int
    penalty: float
    iterations: int
    keep: bool = False
    spread_samples: int = 100  # of each group of phases, for the spreads


GENERATIONS = (
    Generation(16000, 3, 12, 80, 950, 0, 0, 30.0, 40),
    Generation(30000, 4, 12, 80, 850, 7, 5, 30.0, 40, keep=True),
    Generation(40000, 4, 12, 60, 800, 8, 6, 30.0, 40),
)
TINY = (Generation(40, 1, 6, 80, 950, 0, 0, 30.0, 10), Generation(40, 2, 6, 80, 850, 3, 2, 30.0, 10))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def save(path: Path, array: np.ndarray) -> None:
    """Write an array so that a file that is there is whole."""
    aside = path.with_suffix(".tmp.npy")
    np.save(aside, array)
    aside.replace(path)


def random_plies(rng: np.random.Generator, games: int) -> np.ndarray:
    """Return int64[games]: how many random moves each game begins with, mostly few."""
    few, some, many = rng.integers(6, 17, games), rng.integers(16, 31, games), rng.integers(30, 49, games)
    kind = rng.random(games)
    return np.where(kind < 0.5, few, np.where(kind < 0.75, some, many)).astype(np.int64)


class Player:
    """A context that searches with given weights (int16 by phase, or None for the hand-made features)."""

    def __init__(self, by_phase: np.ndarray | None) -> None:
        self.table = TranspositionTable(HASH_MB)
        self.histories = Histories(GAME)
        self.stop = np.zeros(1, dtype=np.uint64)
        if by_phase is None:
            self.evaluator = GAME.evaluation("features").load()
        else:
            self.evaluator = Evaluator(GAME.evaluation("patterns"), weights.Weights(by_phase, NO_SPREAD))
        self.ctx = new_context(GAME, self.histories, self.evaluator)
        self.ctx.search_flags = TABLE | DEEPER | FINISH
        self.ctx.stop_address = self.stop.ctypes.data
        self.ctx.tt_address, self.ctx.tt_clusters = self.table.address, self.table.clusters

    def forget(self) -> None:
        """Begin anew, so that what follows does not depend on what was before."""
        self.table.clear()
        forget(self.ctx)
        self.ctx.generation = 0

    def games(self, plan: Generation, seed: list[int], first_game: int, games: int) -> np.ndarray:
        """Return the samples of some games."""
        self.forget()
        rng = np.random.default_rng(seed)
        state = rng.integers(1, 1 << 63, 1, dtype=np.uint64)
        samples: Any = np.zeros(games * MOST_PLIES, dtype=SAMPLE).view(np.recarray)
        line: Any = np.zeros(MOST_PLIES, dtype=LINE).view(np.recarray)
        start = GAME.parse_position(GAME.start)
        how = plan.depth, plan.exact, plan.explore, plan.trust
        plies = random_plies(rng, games)
        count = play_games(self.ctx, state, start.own, start.opponent, plies, *how, line, samples, first_game)
        return samples[:count].copy()

    def openings(self, plan: Generation) -> np.ndarray:
        """Return samples of all openings of up to plan.openings moves."""
        self.forget()
        start = GAME.parse_position(GAME.start)
        boards = np.array([[start.own, start.opponent]], dtype=np.uint64)
        found = [boards]
        for _ in range(plan.openings):
            children = np.zeros((len(boards) * 24, 2), dtype=np.uint64)
            boards = np.unique(children[: expand(boards, len(boards), children)], axis=0)
            found.append(boards)
        boards = np.concatenate(found)
        samples: Any = np.zeros(len(boards), dtype=SAMPLE).view(np.recarray)
        samples.own, samples.opponent, samples.game = boards[:, 0], boards[:, 1], OPENING_GAME
        label(self.ctx, samples, plan.opening_depth, 0)
        return samples


def generate(work: Path, number: int, plan: Generation, seed: int, player: Player) -> list[np.ndarray]:
    """Return the samples of a generation; made if they are not there."""
    parts = []
    if plan.openings:
        path = work / f"openings{number}.npy"
        if not path.exists():
            save(path, player.openings(plan))
        parts.append(np.load(path))
    began, made = time.process_time(), 0
    for first in range(0, plan.games, CHUNK):
        path = work / f"games{number}-{first:06}.npy"
        if not path.exists():
            games = min(CHUNK, plan.games - first)
            save(path, player.games(plan, [seed, number, first], first, games))
            made += games
            say(f"generation {number}: {first + games} games, {time.process_time() - began:.0f} s")
        parts.append(np.load(path))
    return parts


def empties_of(samples: np.ndarray) -> np.ndarray:
    """Return int64[n]: the empty squares of each sample."""
    return 64 - np.bitwise_count(samples["own"] | samples["opponent"]).astype(np.int64)


def phases_of(samples: np.ndarray) -> np.ndarray:
    """Return int64[n]: the phase of each sample."""
    return (np.maximum(64 - empties_of(samples), 4) - 4) >> 1


class Problem:
    """The least-squares problem of some samples."""

    def __init__(self, samples: np.ndarray) -> None:
        samples = samples[np.argsort(phases_of(samples), kind="stable")]
        self.phases = phases_of(samples)
        self.knots = np.minimum(self.phases // weights.KNOT_STEP, weights.KNOTS - 2)
        self.shares = ((self.phases - weights.KNOT_STEP * self.knots) / weights.KNOT_STEP).astype(np.float32)
        self.values = samples["value"].astype(np.float32)
        self.features = np.zeros((len(samples), FEATURES), dtype=np.int32)
        view: Any = samples.view(np.recarray)
        write_features(view, weights.file_places(), new_record(ACCUMULATOR), self.features)
        self.shape = (weights.KNOTS, weights.file_weights())

    def predict(self, knots: np.ndarray) -> np.ndarray:
        """Return float32[n]: what the weights float32[KNOTS, n] say of each sample."""
        values = np.zeros(len(self.values), dtype=np.float32)
        apply_weights(self.features, self.knots, self.shares, knots, values)
        return values

    def gather(self, errors: np.ndarray) -> np.ndarray:
        """Return the transposed product: float32[KNOTS, n]."""
        sums = np.zeros(self.shape, dtype=np.float32)
        gather_errors(self.features, self.knots, self.shares, errors, sums)
        return sums

    def losses(self, knots: np.ndarray) -> dict[int, dict[str, float]]:
        """Return by phase the number of samples, the mean absolute and the root mean square error in discs."""
        errors = (self.predict(knots) - self.values) / DISC
        found = {}
        for phase in range(PHASES):
            here = errors[self.phases == phase]
            if len(here):
                rms = float(np.sqrt(np.mean(here.astype(np.float64) ** 2)))
                found[phase] = {"samples": len(here), "mae": float(np.mean(np.abs(here))), "rms": rms}
        return found


def fit(problem: Problem, test: Problem, prior: np.ndarray, plan: Generation) -> tuple[np.ndarray, list[dict]]:
    """Return the weights and the losses after each few iterations of conjugate gradients, which begin at `prior`."""
    current = prior.copy()
    ones = np.ones(len(problem.values), dtype=np.float32)
    scale = 1 / (problem.gather(ones) + np.float32(plan.penalty))
    residual = problem.gather(problem.values - problem.predict(current))
    step = scale * residual
    direction = step.copy()
    product = float(np.vdot(residual.astype(np.float64), step))
    curve = []
    for iteration in range(1, plan.iterations + 1):
        image = problem.gather(problem.predict(direction)) + np.float32(plan.penalty) * direction
        length = product / float(np.vdot(direction.astype(np.float64), image))
        current += np.float32(length) * direction
        residual -= np.float32(length) * image
        step = scale * residual
        before, product = product, float(np.vdot(residual.astype(np.float64), step))
        direction = step + np.float32(product / before) * direction
        if iteration % 10 == 0 or iteration == plan.iterations:
            mae = [float(np.mean(np.abs(each.predict(current) - each.values))) / DISC for each in (problem, test)]
            curve.append({"iteration": iteration, "train_mae": mae[0], "test_mae": mae[1]})
            say(f"  iteration {iteration}: mean absolute error {mae[0]:.3f}, of games left out {mae[1]:.3f}")
    return current, curve


def solved(samples: np.ndarray, exact: int) -> np.ndarray:
    """Return those of `samples` that are labelled exactly."""
    return samples[empties_of(samples) <= exact]


def train(work: Path, plans: tuple[Generation, ...], seed: int) -> dict[str, Any]:
    """Train all generations and return the losses; the last weights are WORK/weights<number>.bin."""
    work.mkdir(parents=True, exist_ok=True)
    knots = np.zeros((weights.KNOTS, weights.file_weights()), dtype=np.float32)
    losses: dict[str, Any] = {"seed": seed, "generations": []}
    earlier: list[np.ndarray] = []
    player = Player(None)
    for number, plan in enumerate(plans, 1):
        began = time.process_time()
        parts = generate(work, number, plan, seed, player)
        path, record = work / f"weights{number}.bin", work / f"loss{number}.json"
        if not (path.exists() and record.exists()):
            samples = np.concatenate(parts + earlier)
            left_out = samples["game"] % TEST_EVERY == 0
            problem, test = Problem(samples[~left_out]), Problem(samples[left_out])
            say(f"generation {number}: fitting {len(problem.values)} positions")
            fitted, curve = fit(problem, test, knots, plan)
            rounded = np.clip(np.rint(fitted), -32767, 32767).astype(np.int16)
            outcome = {
                "plan": vars(plan),
                "cpu_seconds": time.process_time() - began,
                "curve": curve,
                "train": problem.losses(rounded.astype(np.float32)),
                "test": test.losses(rounded.astype(np.float32)),
            }
            weights.write(path, rounded, NO_SPREAD, f"{MADE_BY}, seed {seed}, generation {number}")
            record.write_text(json.dumps(outcome), encoding="utf-8")
        earlier += parts if plan.keep else [solved(part, plan.exact) for part in parts]
        losses["generations"].append(json.loads(record.read_text(encoding="utf-8")))
        read, _ = weights.read(path)
        knots = read.astype(np.float32)
        player = Player(weights.by_phase(read))
    losses["spread"] = fit_spread(player, parts[-plans[-1].games // CHUNK :], plans[-1].spread_samples)
    spread = spread_table(losses["spread"]["model"])
    weights.write(work / "weights.bin", read, spread, f"{MADE_BY}, seed {seed}")
    (work / "loss.json").write_text(json.dumps(losses, indent=1), encoding="utf-8")
    return losses


def fit_spread(player: Player, parts: list[np.ndarray], count: int) -> dict[str, Any]:
    """Return how well shallow searches of games left out tell deeper ones, measured and as a model.

    count : positions of each group of phases.
    measured : by group and depth the regression deep = slope * shallow + offset and the standard deviation around
    deep = shallow, in hundredths of a disc.
    model : its logarithm is the group's constant + a * (plies left out) + b * (plies searched).
    """
    samples = np.concatenate(parts)
    samples = samples[(samples["game"] % TEST_EVERY == 0) & (empties_of(samples) >= SPREAD_DEPTH)]
    rng = np.random.default_rng(0)
    measured, rows, logs = [], [], []
    player.forget()
    for group in range(SPREAD_GROUPS):
        chosen = samples[phases_of(samples) // SPREAD_PHASES == group]
        chosen = chosen[rng.permutation(len(chosen))[:count]]
        values = np.zeros((len(chosen), SPREAD_DEPTH + 1), dtype=np.int32)
        values_by_depth(player.ctx, chosen.view(np.recarray), values)
        for depth in range(3, SPREAD_DEPTH + 1):
            if len(chosen) < 10:
                continue
            shallow, deep = values[:, shallow_depth(depth)].astype(float), values[:, depth].astype(float)
            slope, offset = np.polyfit(shallow, deep, 1) if np.ptp(shallow) else (1.0, 0.0)
            spread = float(np.sqrt(np.mean((deep - shallow) ** 2)))
            measured.append({"group": group, "depth": depth, "slope": slope, "offset": offset, "spread": spread})
            constants = [float(group == other) for other in range(SPREAD_GROUPS)]
            rows.append([*constants, depth - shallow_depth(depth), shallow_depth(depth)])
            logs.append(np.log(max(spread, 1.0)))
    model = np.linalg.lstsq(np.array(rows), np.array(logs), rcond=None)[0].tolist()
    groups = sorted({each["group"] for each in measured})
    nearest = [min((abs(known - group), known) for known in groups)[1] for group in range(SPREAD_GROUPS)]
    return {"measured": measured, "model": [model[group] for group in nearest] + model[SPREAD_GROUPS:]}


def spread_table(model: list[float]) -> np.ndarray:
    """Return int32[SPREAD_GROUPS, SPREAD_DEPTHS] by the model of `fit_spread`; depths below 3 have none."""
    table = np.zeros((SPREAD_GROUPS, SPREAD_DEPTHS), dtype=np.int32)
    *constants, left_out, searched = model
    for group, constant in enumerate(constants):
        for depth in range(3, SPREAD_DEPTHS):
            shallow = shallow_depth(depth)
            table[group, depth] = np.exp(constant + left_out * (depth - shallow) + searched * shallow)
    return table


def plot(losses: dict[str, Any], path: Path) -> None:
    """Draw the mean absolute error by discs on the board, of each generation's training and unseen positions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for number, generation in enumerate(losses["generations"], 1):
        for kind, style in (("train", ":"), ("test", "-")):
            found = generation[kind]
            discs = [4 + 2 * int(phase) for phase in found]
            errors = [each["mae"] for each in found.values()]
            axes.plot(discs, errors, style, color=f"C{number}", label=f"generation {number}, {kind}")
    axes.set_xlabel("discs on the board")
    axes.set_ylabel("mean absolute error (discs)")
    axes.legend()
    figure.savefig(path, dpi=100)


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit status."""
    parser = argparse.ArgumentParser(description="Train Othello's pattern weights from nothing.")
    parser.add_argument("work", type=Path, metavar="WORK", help="folder for what is made on the way")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to copy the last weights")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--tiny", action="store_true", help="a few games only, to see that everything runs")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the losses (needs matplotlib)")
    args = parser.parse_args(arguments)
    plans = TINY if args.tiny else GENERATIONS
    losses = train(args.work, plans, args.seed)
    if args.plot:
        plot(losses, args.plot)
    if args.output:
        args.output.write_bytes((args.work / "weights.bin").read_bytes())
    last = losses["generations"][-1]["curve"][-1]
    print(f"mean absolute error {last['train_mae']:.2f} discs, of games left out {last['test_mae']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
