"""Tune parameters of the search or the evaluation by playing: simultaneous perturbation stochastic approximation.

    python -m tools.tuning.spsa state.json --parameters futility_margin,lmr_base,lmr_pv --iterations 2000 --nodes 5000
    python -m tools.tuning.spsa state.json                       # continue a stopped run

Each iteration moves all parameters at once, each up or down at random, and also in the opposite directions. The two
settings play pairs of games (shogi_engine/match), and every parameter moves a little towards the winner's. The
whole state is written after each iteration, so a run depends only on its arguments, not on interruptions or workers.
A parameter is a name of `shogi-engine match --list`, or `name=START:LEAST:MOST:STEP` to replace the declared numbers;
STEP is the perturbation in the last iteration. Printed: the iteration and the values, on stderr; at the end, the
settings for `shogi-engine match engine:SETTINGS engine`, which should confirm them. Source: J. Spall,
https://www.jhuapl.edu/SPSA/; the constants are fishtest's.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shogi_engine import games
from shogi_engine.cli.common import CLUSTER
from shogi_engine.common.files import write_whole
from shogi_engine.engine import parameters
from shogi_engine.interface.game import Game as GameRules
from shogi_engine.jobs import Pool
from shogi_engine.match import OpeningFile, OpeningPlan, Terms
from shogi_engine.play.game import Game
from shogi_engine.play.players import EnginePlayer, Settings, play
from shogi_engine.types.limits import Limit

# ---- Pairs of games between two settings of this build's parameters, here or on a cluster


TERMS = Terms(max_plies=320, resign=(3000, 2))
Pair = tuple[Settings, Settings, int]  # two settings and the number of their pair of games


@dataclass(frozen=True)
class PairGames:
    """Makes workers that play pairs of games at `nodes` per move; a pair depends on number, openings and settings."""

    openings: OpeningPlan
    nodes: int

    def __call__(self) -> "PairWorker":
        """Return a worker."""
        return PairWorker(self)


class PairWorker:
    """Plays pairs of games."""

    def __init__(self, plan: PairGames) -> None:
        self._game, limit = plan.openings.game, Limit(nodes=plan.nodes)
        self._players = EnginePlayer(self._game, limit), EnginePlayer(self._game, limit)
        self._openings = OpeningFile(plan.openings)

    def do(self, pair: Pair) -> int:
        """Return games won minus games lost by the first settings."""
        *settings, number = pair
        one, other = self._players
        for player, own in zip(self._players, settings, strict=True):
            player.configure(own)
        won = 0
        for colour, sides in enumerate(((one, other), (other, one))):
            game = Game.begin(self._game, "", self._openings[number].split(), terms=TERMS)
            winner = play(game, sides).winner
            won += 0 if winner is None else 1 if winner == colour else -1
        return won

    def close(self) -> None:
        """Do nothing: a pair of games takes seconds and is not interrupted."""


class PairPlayer:
    """Plays pairs of games in threads or on a cluster: `with PairPlayer(...) as player`. See `jobs.Pool`."""

    def __init__(self, game: str, *, nodes: int, seed: int, threads: int = 1, cluster: str = "") -> None:
        self._pool = Pool(PairGames(OpeningPlan.of(game, seed=seed), nodes), threads, cluster, name="pairs")

    def __enter__(self) -> "PairPlayer":
        self._pool.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.__exit__(*failure)

    def play(self, first: Settings, second: Settings, pairs: range) -> int:
        """Return games won minus games lost by `first` in those pairs."""
        return sum(won for _, won in self.results([(first, second, pair) for pair in pairs]))

    def results(self, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, int]]:
        """Yield each pair, as it is finished, and the games won minus games lost by its first settings."""
        return self._pool.results(pairs)


ALPHA, GAMMA = 0.602, 0.101
RATE = 0.002  # fishtest's
EVERY = 25  # iterations between two points of the history


@dataclass
class Tuned:
    """A parameter being tuned: its value is real; games use a nearby integer."""

    name: str
    start: float
    least: float
    most: float
    step: float
    value: float


@dataclass
class SpsaState:
    """The complete state of a run."""

    settings: dict[str, Any]
    parameters: list[Tuned]
    iteration: int
    history: list[list[float]]

    def save(self, path: Path) -> None:
        """Write to `path` atomically."""
        write_whole(path, json.dumps(asdict(self)).encode())

    @classmethod
    def load(cls, path: Path) -> "SpsaState":
        """Return the state that `save` wrote. Raises OSError, ValueError."""
        try:
            content = json.loads(path.read_text())
            content["parameters"] = [Tuned(**each) for each in content["parameters"]]
            return cls(**content)
        except (TypeError, KeyError) as fault:
            raise ValueError(f"{path} is not a state of this tool: {fault!r}") from None


def whole(value: float, rng: random.Random) -> int:
    """Round `value` up or down at random, so that the mean is `value`."""
    below = int(value // 1)
    return below + (rng.random() < value - below)


def perturbed(state: SpsaState) -> tuple[list[int], list[float], list[Settings]]:
    """Return this iteration's signs, distances, and the two settings that play (moved with the signs, and against)."""
    rng = random.Random(f"{state.settings['seed']} {state.iteration}")
    left = (state.settings["iterations"] / (state.iteration + 1)) ** GAMMA
    signs = [rng.choice((-1, 1)) for _ in state.parameters]
    distances = [each.step * left for each in state.parameters]
    sides: list[Settings] = []
    for direction in (1, -1):
        moved = {}
        for each, sign, distance in zip(state.parameters, signs, distances, strict=True):
            value = min(max(each.value + direction * sign * distance, each.least), each.most)
            moved[each.name] = whole(value, rng)
        sides.append(moved)
    return signs, distances, sides


def advance(state: SpsaState, signs: list[int], distances: list[float], won: float) -> None:
    """Move the values.

    Args:
        won: games won minus games lost by the setting that was moved with the signs
    """
    iterations = state.settings["iterations"]
    stability = 0.1 * iterations
    decline = ((stability + iterations) / (stability + state.iteration + 1)) ** ALPHA
    for each, sign, distance in zip(state.parameters, signs, distances, strict=True):
        gain = state.settings.get("rate", RATE) * each.step**2 * decline / distance**2
        each.value = min(max(each.value + gain * distance * sign * won, each.least), each.most)
    state.iteration += 1
    if state.iteration % EVERY == 0 or state.iteration == iterations:
        state.history.append([state.iteration, *(round(each.value, 3) for each in state.parameters)])


def tune(
    state: SpsaState, path: Path, play: Callable[[Settings, Settings, int], float], until: int | None = None
) -> None:
    """Iterate to the end, or to iteration `until`.

    play(first, second, number) -> games won minus lost by `first`, in iteration `number`.
    """
    end = state.settings["iterations"] if until is None else min(until, state.settings["iterations"])
    while state.iteration < end:
        signs, distances, (first, second) = perturbed(state)
        won = play(first, second, state.iteration)
        advance(state, signs, distances, won)
        state.save(path)
        if state.iteration % EVERY == 0 or sys.stderr.isatty():
            values = ", ".join(f"{each.name} {each.value:.1f}" for each in state.parameters)
            print(f"{state.iteration} of {state.settings['iterations']}: {values}", file=sys.stderr, flush=True)


def parse_parameters(game: GameRules, text: str) -> list[Tuned]:
    """Return the parameters to tune. Raises ValueError."""
    declared, known = parameters.tunable(game), parameters.defaults(game)
    tuned = []
    for part in text.split(","):
        name, _, numbers = part.strip().partition("=")
        if numbers:
            if name not in known:
                raise ValueError(f"there is no parameter {name!r}")
            start, least, most, step = map(float, numbers.split(":"))
        elif name in declared:
            each = declared[name]
            start, least, most, step = each.default, each.least, each.most, each.step
        else:
            raise ValueError(f"{name!r} has no declared range; give name=START:LEAST:MOST:STEP")
        if not (least <= start <= most and step > 0):
            raise ValueError(f"{name}: expected LEAST <= START <= MOST and a STEP above 0")
        tuned.append(Tuned(name, start, least, most, step, start))
    return tuned


def begin(arguments: argparse.Namespace) -> SpsaState:
    """Return the state of the file, or a new one. Raises ValueError and OSError."""
    if arguments.state.exists():
        state = SpsaState.load(arguments.state)
        if arguments.parameters:
            raise ValueError(f"{arguments.state} already exists: without --parameters the run continues")
        return state
    if not arguments.parameters:
        raise ValueError(f"there is no {arguments.state}: --parameters begins a run")
    names = ("game", "iterations", "nodes", "pairs", "seed", "rate")
    settings = {name: getattr(arguments, name) for name in names}
    for name in ("iterations", "nodes", "pairs"):
        if settings[name] < 1:
            raise ValueError(f"--{name} must be at least 1")
    return SpsaState(settings, parse_parameters(games.load(arguments.game), arguments.parameters), 0, [])


def main(words: list[str] | None = None) -> int:
    """Tune and print the settings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=Path, help="the run's file")
    parser.add_argument("--parameters", help="name,name=START:LEAST:MOST:STEP,...: begins a run")
    parser.add_argument("--game", default="shogi")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=2, help="pairs of games per iteration")
    parser.add_argument("--nodes", type=int, default=5000, help="a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--rate",
        type=float,
        default=RATE,
        help="the last iteration's step for one game won, in STEPs; default %(default)s",
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cluster", **CLUSTER.settings)
    parser.add_argument("--until", type=int, help="stop after this many iterations in total; the run can be continued")
    arguments = parser.parse_args(words)
    try:
        state = begin(arguments)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    settings, threads = state.settings, max(arguments.threads, 1)
    numbers = {"nodes": settings["nodes"], "seed": settings["seed"], "threads": threads}
    with PairPlayer(settings["game"], **numbers, cluster=arguments.cluster) as player:

        def play(first: Settings, second: Settings, number: int) -> float:
            return player.play(first, second, range(number * settings["pairs"], (number + 1) * settings["pairs"]))

        tune(state, arguments.state, play, arguments.until)
    print(",".join(f"{each.name}={round(each.value)}" for each in state.parameters))
    return 0


if __name__ == "__main__":
    sys.exit(main())
