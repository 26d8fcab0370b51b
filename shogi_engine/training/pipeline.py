"""The stages that make an evaluation's weights from scratch, and generations. Existing files are kept.

FOLDER/gen0/data/piece-SEED-NUMBER.npz      games labelled by the first evaluation; in gen1 by gen0's weights
FOLDER/gen0/NAME.checkpoint.npz             training, after the last epoch
FOLDER/gen0/NAME.bin                        the weights
FOLDER/gen0/NAME.report.json, .html         the report
FOLDER/gen0/NAME.gate.json                  scores against the evaluation that labelled the games
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.files import json_of, locked, write_whole
from shogi_engine.common.match_statistics import Estimate, estimate, pentanomial
from shogi_engine.common.threads import results_on_threads
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jobs import Pool
from shogi_engine.pages import render
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training import STAGES, recipe as recipes
from shogi_engine.training.data import (
    UNBALANCED,
    DataOptions,
    Losses,
    OpeningSampler,
    SearchState,
    Workbench,
    is_made,
    new_terms,
    play_from,
    shard_path,
)
from shogi_engine.training.game_kernels import ABANDONED, LONGEST
from shogi_engine.training.recipe import (
    Progress,
    Report,
    Trainer,
    TrainingRecipe,
    TrainingRequest,
    TrainOptions,
)

# ---- The stage `gate`: a match between two evaluations at equal nodes, in this process, to test if the new one is
# better
#
# The evaluations' speeds are ignored. Games come in pairs: each opening is played twice, with colours swapped. A
# pair depends only on the seed, its number, the evaluations and the nodes.


TABLE_MB = 8  # of each player: searches are longer than those of training games

GamesPlayed = Callable[[int, int], None]  # called with the numbers of games played and in total


@dataclass(frozen=True)
class GateResult:
    """The result of a match.

    Attributes:
        scores: the first player's scores, 1, 1/2 or 0, by game number; games 2 n and 2 n + 1 are a pair
    """

    scores: dict[int, float]

    @property
    def estimate(self) -> Estimate:
        """The Elo difference and its confidence interval, from the pairs."""
        return estimate(pentanomial(self.scores))

    def __str__(self) -> str:
        wins, draws, losses = (list(self.scores.values()).count(score) for score in (1.0, 0.5, 0.0))
        return f"{wins}-{draws}-{losses}, {self.estimate}"


class Pairing:
    """A thread's two players.

    Attributes:
        decided: the value that ends a game; see game_kernels.TERMS
    """

    def __init__(
        self,
        recipe: TrainingRecipe,
        first: Evaluator,
        second: Evaluator,
        nodes: int,
        seed: int,
        openings: OpeningSampler,
    ) -> None:
        game, self.decided = recipe.game, recipe.gate_decided
        self.players = tuple(SearchState(each, TranspositionTable(TABLE_MB), game) for each in (first, second))
        self.nodes, self.seed, self.openings = nodes, seed, openings
        self._moves, self._values = np.zeros(LONGEST, dtype=np.uint32), np.zeros(LONGEST, dtype=np.int16)
        self._start = game.parse_position(game.start)

    def play(self, pair: int) -> tuple[float, float]:
        """Return the first player's scores in the two games of a pair."""
        random = np.random.default_rng([self.seed, pair])
        terms = new_terms(self.nodes, self.decided)
        result = ABANDONED
        while result == ABANDONED:
            self.openings.draw(random, terms, self._moves)
            result = self._game(self.players, terms, random)
        terms.given, terms.balance = terms.opening, UNBALANCED  # the second game of an opening is always played
        second = self._game(self.players[::-1], terms, random)
        if second == ABANDONED:  # impossible: in the first game the same opening did not end the game
            raise RuntimeError(f"pair {pair}: the second game ended in the opening")
        return (1 + result) / 2, (1 - second) / 2

    def _game(self, players: tuple[SearchState, ...], terms: Any, random: np.random.Generator) -> int:
        """Return the result for players[0], which is black."""
        for player in players:
            player.new_game()
        return play_from(self._start, players, random, terms, self._moves, self._values)[0]


def play_match(
    recipe: TrainingRecipe,
    first: Evaluator,
    second: Evaluator,
    games: int,
    *,
    nodes: int = 20_000,
    seed: int = 1,
    threads: int = 1,
    openings: OpeningSampler | None = None,
    record: Path | None = None,
    progress: GamesPlayed | None = None,
) -> GateResult:
    """Play at least `games` games between two evaluations of a game.

    Args:
        games: the least number of games; an even number is played
        nodes: the nodes searched for each move
        openings: how games begin, None for the recipe's openings
        record: a file for the scores, from which a stopped match continues

    Raises:
        ValueError: `record` is from another match
    """
    openings = openings or recipe.gate_openings
    identity = f"{first.describe()} | {second.describe()} | nodes {nodes}, seed {seed}, {openings}"
    scores = _read_record(record, identity)
    pairs = -(-games // 2)
    missing = [pair for pair in range(pairs) if 2 * pair not in scores]

    def player(_: int) -> Callable[[int], tuple[float, float]]:
        return Pairing(recipe, first, second, nodes, seed, openings).play

    for pair, result in results_on_threads(player, missing, threads, "gate"):
        scores[2 * pair], scores[2 * pair + 1] = result
        if record is not None:
            write_whole(record, json.dumps({"match": identity, "scores": scores}, sort_keys=True).encode())
        if progress is not None:
            progress(len(scores), 2 * pairs)
    return GateResult({game: scores[game] for game in range(2 * pairs)})


def _read_record(record: Path | None, identity: str) -> dict[int, float]:
    """Return the scores of a stopped match. Raises ValueError if the file is from another match."""
    if record is None or not record.exists():
        return {}
    try:
        stored = json_of(record.read_text(encoding="utf-8"))
        same, scores = stored["match"] == identity, {int(game): float(s) for game, s in stored["scores"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise ValueError(f"gate: {record} cannot be read ({fault})") from None
    if not same:
        raise ValueError(f"gate: {record} is from another match: {stored['match']}")
    return scores


# ---- Files of training data, made by threads of this process or by workers of a Ray cluster, with equal contents


ShardsMade = Callable[[int, int], None]  # called with the numbers of finished shards and in total


def missing_shards(folder: Path, options: DataOptions, shards: int) -> list[int]:
    """Return the numbers of the missing shards. Raises ValueError if one was made with other options."""
    return [number for number in range(shards) if not is_made(shard_path(folder, options.seed, number), options)]


class ShardWorker:
    """Makes shards; an item is the number of a shard."""

    def __init__(self, options: DataOptions) -> None:
        self._workbench = Workbench(options)

    def do(self, number: int) -> bytes:
        """Return the contents of a shard's file."""
        return self._workbench.shard(number)

    def close(self) -> None:
        """Do nothing: a shard takes seconds and is not interrupted."""


@dataclass(frozen=True)
class ShardMaker:
    """Makes ShardWorkers."""

    options: DataOptions

    def __call__(self) -> ShardWorker:
        """Return a worker."""
        return ShardWorker(self.options)


def make_data(
    folder: Path,
    options: DataOptions,
    games: int,
    threads: int = 1,
    cluster: str = "",
    progress: ShardsMade | None = None,
) -> None:
    """Make the missing shards in `folder`, for at least that many games in total.

    Args:
        games: the least number of games in all shards together
        threads: the number of threads of this process, or of workers if the cluster is 'local'
        cluster: see `jobs.Pool`; '' for none

    Raises:
        ValueError: an existing shard was made with other options
        OSError: a shard cannot be written, or another process makes shards of this seed here
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f"piece-{options.seed}"):
        _make_missing(folder, options, games, threads, cluster, progress)


def _make_missing(
    folder: Path, options: DataOptions, games: int, threads: int, cluster: str, progress: ShardsMade | None
) -> None:
    for rest in folder.glob(f".piece-{options.seed}-*.tmp"):
        rest.unlink(missing_ok=True)
    shards = -(-games // options.piece_games)
    numbers = missing_shards(folder, options, shards)
    done = shards - len(numbers)
    if progress is not None:
        progress(done, shards)
    if not numbers:
        return
    with Pool(ShardMaker(options), threads, cluster, name="self-play") as pool:
        for number, content in pool.results(numbers):
            write_whole(shard_path(folder, options.seed, number), content)
            done += 1
            if progress is not None:
                progress(done, shards)


# ---- The report of a training run as an HTML page


def page(report: Report) -> str:
    """Return the report as a page: the problems, then each fact as a table, below its curves if it has any."""
    facts = {
        name: fact if isinstance(fact, list) else [fact]
        for name, fact in report.facts.items()
        if name not in ("made", "problems")
    }
    made, problems = json.dumps(report.facts["made"], indent=1), report.facts["problems"]
    return render("training.html", title=report.title, made=made, problems=problems, facts=facts, curves=report.curves)


WHOLE = ("data", "train", "report", "gate")  # the stages of a whole generation
OUTPUTS = {"train": "bin", "export": "bin", "report": "report.json", "gate": "gate.json"}
ENOUGH_ELO = 15  # the first generation that gains less is the last


@dataclass(frozen=True)
class Plan:
    """The plan of a run.

    Attributes:
        game: the name of the game
        data: how games are played, except for the evaluation
        training: the training options of the game's recipe
        labels: the evaluation that plays the games, a name or a file; '' for the weights of the previous
            generation, or for the recipe's first evaluation in generation 0
        name: the base name of the weights' files, so that several can be trained on the same games; '' for the recipe's
        command: a command to record in the weights' file
        against: the opponent in the stage `gate`, a name or a file; '' for the evaluation that labelled the games
        annotated: records of positions with known values, for comparison in the report; None for none
        cluster: see shogi_engine.jobs.Pool
        progress: called with the progress of a stage
    """

    folder: Path
    data: DataOptions
    training: TrainOptions
    games: int = 20_000
    labels: str = ""
    gate_games: int = 400
    gate_nodes: int = 20_000
    against: str = ""
    annotated: Any = None
    threads: int = 1
    cluster: str = ""
    name: str = ""
    command: str = "shogi-engine train"
    progress: Progress | None = None

    @property
    def recipe(self) -> TrainingRecipe:
        """The game's part."""
        return recipes.load(self.data.game_name)

    def generation_folder(self, generation: int) -> Path:
        """Return the folder of a generation."""
        return self.folder / f"gen{generation}"

    def file(self, generation: int, ending: str) -> Path:
        """Return a file of this plan's weights."""
        return self.generation_folder(generation) / f"{self.name or self.recipe.name}.{ending}"

    def labeller(self, generation: int) -> str:
        """Return the evaluation that labels a generation's games: a name or a file."""
        return self.labels or (str(self.file(generation - 1, "bin")) if generation else self.recipe.first)

    def disk_use(self) -> int:
        """Return the approximate size of a generation on disk, in bytes."""
        return self.games * self.recipe.game_bytes + self.recipe.training_bytes(self.training)


def make_games(plan: Plan, generation: int) -> None:
    """Stage `data`. Raises ValueError, for example if the weights that label the games are missing."""
    plan.recipe.named_evaluator(plan.labeller(generation))  # raises ValueError with the reason if the file is damaged
    evaluation, file = plan.recipe.named_evaluation(plan.labeller(generation))
    options = replace(plan.data, evaluation=evaluation, weights=file.read_bytes() if file else None)

    def progress(done: int, whole: int) -> None:
        if plan.progress is not None:
            plan.progress(done / whole, f"{done * options.piece_games} games")

    make_data(plan.generation_folder(generation) / "data", options, plan.games, plan.threads, plan.cluster, progress)


def trainer(plan: Plan, generation: int) -> Trainer:
    """Return the trainer of a generation, in the state of its checkpoint. Raises ValueError if there are no games."""
    folders = [plan.generation_folder(number) / "data" for number in range(generation + 1)]
    checkpoint = plan.file(generation, "checkpoint.npz")
    return plan.recipe.trainer(
        TrainingRequest(folders, plan.training, checkpoint, plan.threads, plan.labeller(generation))
    )


def train(
    plan: Plan, generation: int, on_epoch: Callable[[Losses], object] | None = None, learner: Trainer | None = None
) -> None:
    """Stage `train`: train to the end, and write the weights.

    Args:
        on_epoch: called with the losses of each epoch
        learner: the generation's trainer, to avoid reading the games again
    """
    learner = learner or trainer(plan, generation)
    learner.run(plan.progress, on_epoch)
    export(plan, generation, learner)


def export(plan: Plan, generation: int, learner: Trainer | None = None) -> str:
    """Stage `export`: write the weights of the last checkpoint, and return their description."""
    run = learner or trainer(plan, generation)
    made = {
        "command": plan.command,
        "generation": generation,
        "seed": plan.training.seed,
        "epochs": len(run.losses),
        "games": run.game_count,
        "training": json.loads(plan.training.text),
        "licence": "the engine's own: MIT",
    }
    file = plan.file(generation, "bin")
    write_whole(file, run.weights(made))
    return plan.recipe.named_evaluator(str(file)).describe()


def report(plan: Plan, generation: int, learner: Trainer | None = None) -> list[str]:
    """Stage `report`: write the report; return the problems found."""
    recipe, file = plan.recipe, plan.file(generation, "bin")
    found = recipe.report(learner or trainer(plan, generation), file)
    if recipe.compared is not None and plan.annotated is not None:
        now, before = (recipe.named_evaluator(what) for what in (str(file), plan.labeller(generation)))
        found.facts["by values noted"] = recipe.compared(now, before, plan.annotated)
    write_whole(plan.file(generation, "report.json"), json.dumps(found.facts, indent=1).encode())
    write_whole(plan.file(generation, "report.html"), page(found).encode())
    problems: list[str] = found.facts["problems"]
    return problems


def gate(plan: Plan, generation: int) -> GateResult:
    """Stage `gate`: play against the evaluation that labelled the games, at equal nodes."""

    def progress(done: int, whole: int) -> None:
        if plan.progress is not None:
            plan.progress(done / whole, f"{done} games")

    recipe, against = plan.recipe, plan.against or plan.labeller(generation)
    return play_match(
        recipe,
        recipe.named_evaluator(str(plan.file(generation, "bin"))),
        recipe.named_evaluator(against),
        plan.gate_games,
        nodes=plan.gate_nodes,
        seed=plan.training.seed,
        threads=plan.threads,
        record=plan.file(generation, "gate.json"),
        progress=progress,
    )


@contextmanager
def claimed(plan: Plan, generation: int, stage: str) -> Iterator[None]:
    """Lock a stage's output during the block. Raises OSError, and ValueError if a file there is not of a run."""
    if stage == "data":  # locks its shards itself
        yield
        return
    file = plan.file(generation, OUTPUTS[stage])
    file.parent.mkdir(parents=True, exist_ok=True)
    with locked(file):
        if file.exists() and stage in ("train", "export"):
            plan.recipe.named_evaluator(str(file))
        if file.exists() and stage == "report" and "problems" not in _facts(file):
            raise ValueError(f"training: {file} is not a report, so it is not replaced; remove it")
        yield


def _facts(file: Path) -> Any:
    """Return the content of a report, '' if it is none."""
    try:
        return json_of(file.read_text(encoding="utf-8"))
    except ValueError:
        return ""


def run(
    plan: Plan,
    generations: int = 1,
    *,
    first: int = 0,
    stages: Sequence[str] = WHOLE,
    on_line: Callable[[str], object] | None = None,
    around: Callable[[Plan, str], AbstractContextManager[Plan]] = lambda plan, title: nullcontext(plan),
) -> GateResult | None:
    """Make generations, except what already exists; return the result of the last match, None without one.

    A generation that gains less than ENOUGH_ELO is the last.

    Args:
        first: the first generation's number
        stages: the stages of each generation, some of STAGES
        on_line: called with a line of text after each stage and epoch
        around: `around(plan, title)` returns a context manager for a stage that yields the plan to use; for example
            to show a progress bar

    Raises:
        ValueError: for example, the weights that label the games are missing
        OSError: a file cannot be written, or another process makes it
    """
    unknown = set(stages) - set(STAGES)
    if unknown:
        raise ValueError(f"there is no stage {min(unknown)!r}; there are {', '.join(STAGES)}")
    tell = on_line or (lambda line: None)
    outcome = None
    for generation in range(first, first + generations):
        learner: Trainer | None = None
        for stage in stages:
            title = f"generation {generation}, {stage}"
            with claimed(plan, generation, stage), around(plan, title) as shown:
                if stage in ("train", "report"):
                    learner = learner or trainer(shown, generation)
                if stage == "data":
                    make_games(shown, generation)
                    said = f"{plan.games} games in {plan.generation_folder(generation) / 'data'}"
                elif stage == "train":
                    train(shown, generation, lambda losses: tell(losses_text(losses)), learner)
                    said = str(plan.file(generation, "bin"))
                elif stage == "export":
                    said = export(shown, generation)
                elif stage == "report":
                    problems = report(shown, generation, learner)
                    looks = "; ".join(problems) or "nothing"
                    said = f"{plan.file(generation, 'report.html')}; looks wrong: {looks}"
                else:
                    outcome = gate(shown, generation)
                    said = str(outcome)
            tell(f"{title}: {said}")
        if outcome is not None and "train" in stages and outcome.estimate.elo < ENOUGH_ELO:
            tell(f"generation {generation} gains less than {ENOUGH_ELO} Elo: the last one")
            break
    return outcome


def losses_text(losses: Losses) -> str:
    """Return an epoch's losses as text."""
    return ", ".join(f"{name} {loss:.6f}" for name, loss in losses.items())
