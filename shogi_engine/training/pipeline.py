"""The stages from nothing to a network, and generations of them. What is made already is not made again.

FOLDER/gen0/data/piece-SEED-NUMBER.npz      games labelled by king-piece; those of gen1 by gen0's network, ...
FOLDER/gen0/NAME.checkpoint.npz             training, after the last epoch
FOLDER/gen0/NAME.bin                        the network
FOLDER/gen0/NAME.report.json, .html         what to look at
FOLDER/gen0/NAME.gate.json                  games against the evaluation that labelled
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shogi_engine.games.shogi.evaluation.network_weights import Network, encode, load
from shogi_engine.training.data import GAME_BYTES, DataOptions, named_evaluation, named_evaluator, write_whole
from shogi_engine.training.games import Games
from shogi_engine.training.gate import Outcome, play_match
from shogi_engine.training.jobs import make_data
from shogi_engine.training.report import examine, page
from shogi_engine.training.trainer import Trainer, TrainOptions, parameter_count

ENOUGH_ELO = 15  # a generation that gains less is the last
BLOCK_MB = 100  # memory of a block of positions, about
FIRST = "king-piece"  # labels generation 0

Progress = Callable[[float, str], None]  # called with the share of the stage that is done, 0 to 1, and what to say


@dataclass(frozen=True)
class Plan:
    """What a run is to make.

    data : how games are played, but for the evaluation.   labels : the evaluation that plays them, a name or a file;
    '': the network of the generation before, FIRST for generation 0.
    name : of the network, so that several can be trained on the same games.   command : for the network's file.
    against : the gate's other side, a name or a file; '': the evaluation that labelled the games.
    cluster : see shogi_engine.jobs.Pool.   progress : called with how far a stage is.
    """

    folder: Path
    games: int = 20_000
    data: DataOptions = DataOptions()
    training: TrainOptions = TrainOptions()
    labels: str = ""
    gate_games: int = 400
    gate_nodes: int = 5000
    against: str = ""
    threads: int = 1
    cluster: str = ""
    name: str = "network"
    command: str = "shogi-engine train shogi"
    progress: Progress | None = None

    def generation_folder(self, generation: int) -> Path:
        """Return where a generation lies."""
        return self.folder / f"gen{generation}"

    def file(self, generation: int, ending: str) -> Path:
        """Return a file of this plan's network."""
        return self.generation_folder(generation) / f"{self.name}.{ending}"

    def labeller(self, generation: int) -> str:
        """Return what labels a generation's games: a name or a file."""
        return self.labels or (str(self.file(generation - 1, "bin")) if generation else FIRST)

    def disk_use(self) -> int:
        """Return the bytes that a generation takes, about."""
        parameters = parameter_count(self.training.width)
        return self.games * GAME_BYTES + parameters * (3 * 4 + 2)


def make_games(plan: Plan, generation: int) -> None:
    """Stage `data`. Raises ValueError, for one if the network that has to label is missing."""
    named_evaluator(plan.labeller(generation))  # refuses a damaged file with its reason
    evaluation, file = named_evaluation(plan.labeller(generation))
    options = replace(plan.data, evaluation=evaluation, weights=file.read_bytes() if file else None)

    def progress(done: int, whole: int) -> None:
        if plan.progress is not None:
            plan.progress(done / whole, f"{done * options.piece_games} games")

    make_data(plan.generation_folder(generation) / "data", options, plan.games, plan.threads, plan.cluster, progress)


def trainer(plan: Plan, generation: int) -> Trainer:
    """Return the trainer of a generation, where its checkpoint has it. Raises ValueError if there are no games."""
    folders = [plan.generation_folder(number) / "data" for number in range(generation + 1)]
    games = Games.load(folders, plan.training.older_share)
    return Trainer(games, plan.training, plan.file(generation, "checkpoint.npz"), plan.threads)


def train(plan: Plan, generation: int, told: Callable[[dict[str, float]], None] | None = None) -> None:
    """Stage `train`: train to the end, and write the network. told : called with each epoch's losses."""
    run = trainer(plan, generation)
    run.run(plan.progress, told)
    export(plan, generation, run)


def export(plan: Plan, generation: int, run: Trainer | None = None) -> Network:
    """Stage `export`: write the network as the last checkpoint has it, and return it."""
    run = run or trainer(plan, generation)
    made = {
        "command": plan.command,
        "generation": generation,
        "seed": plan.training.seed,
        "epochs": len(run.state.losses),
        "games": len(run.games),
        "training": json.loads(plan.training.text),
        "licence": "the engine's own: MIT",
    }
    network = run.network(made)
    write_whole(plan.file(generation, "bin"), encode(network))
    return network


def report(plan: Plan, generation: int) -> list[str]:
    """Stage `report`: write what to look at; return what looks wrong."""
    run = trainer(plan, generation)
    facts = examine(run, load(plan.file(generation, "bin")))
    write_whole(plan.file(generation, "report.json"), json.dumps(facts, indent=1).encode())
    write_whole(plan.file(generation, "report.html"), page(facts).encode())
    found: list[str] = facts["problems"]
    return found


def gate(plan: Plan, generation: int) -> Outcome:
    """Stage `gate`: play against the evaluation that labelled the games, at equal nodes."""

    def progress(done: int, whole: int) -> None:
        if plan.progress is not None:
            plan.progress(done / whole, f"{done} games")

    first, second = named_evaluator(str(plan.file(generation, "bin"))), plan.against or plan.labeller(generation)
    return play_match(
        first,
        named_evaluator(second),
        plan.gate_games,
        nodes=plan.gate_nodes,
        seed=plan.training.seed,
        threads=plan.threads,
        record=plan.file(generation, "gate.json"),
        progress=progress,
    )


def may_go_on(outcome: Outcome) -> bool:
    """Tell whether another generation is worth its time."""
    return outcome.estimate.elo >= ENOUGH_ELO
