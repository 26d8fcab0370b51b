"""`shogi-engine train`: trains an evaluation from scratch."""

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.common import Setting, at_least_one, game_name, natural, option, positional, true_or_false
from shogi_engine.cli.progress import progress_bar
from shogi_engine.language import InputError, Message
from shogi_engine.training import STAGES

fraction = common.real(0, 1)


def first_and_last(text: str) -> tuple[float, float]:
    """Return the two shares of 'S:S', for argparse."""
    first, _colon, last = text.partition(":")
    return fraction(first), fraction(last)


SETTINGS = {  # fields of Plan, and of the recipes' DataOptions and TrainOptions
    "settings of both games": (
        Setting("nodes=N", at_least_one, "nodes per move of the games; default 1000, Othello 300"),
        Setting("seed=N", natural, "seed of the random numbers; default 1"),
        Setting("epochs=N", at_least_one, "passes over the positions; default 5, Othello 12"),
        Setting("td_lambda=S", fraction, "lambda of TD(lambda): weight of later positions in a target, 0 to 1; "
                "default 0.5, Othello 0.8"),
        Setting("older_share=S", fraction, "share of earlier generations' games that is used, 0 to 1; default 1"),
        Setting("gate_games=N", at_least_one, "games of the test match; default 400"),
        Setting("gate_nodes=N", at_least_one, "nodes per move of the test match; default 20000"),
    ),
    "settings of Shogi": (
        Setting("architecture=NAME", str, "own; or k-p or sfnn: an nn.bin for YaneuraOu and related engines, K-P "
                "256x2-32-32 or SFNN K-P with 15-32; default own"),
        Setting("width=N", at_least_one, "neurons per side; default 256"),
        Setting("batch=N", at_least_one, "positions per step; default 4096"),
        Setting("rate=R", fraction, "initial learning rate; default 0.001"),
        Setting("quiet_ends=true", true_or_false, "learn from searches that chose a capture or a promotion, too: at "
                "the end of their quiescence search"),
        Setting("refine=true", true_or_false, "start from the network that labelled the last games"),
        Setting("parts=N", at_least_one, "with refine=true: refine it with each of N parts of the games by itself, and "
                "take the mean; default 1"),
        Setting("result_share=S:S", first_and_last, "weight of game results in the first and in the last epoch; "
                "default 0:0.15"),
        Setting("value_factor=F", common.real(0.01, 100), "multiply the network's values by F in the searches of the "
                "games, which narrows their margins"),
        Setting("decided=N", at_least_one, "centipawns that end a game when both sides have found them twice; default "
                "1200"),
        Setting("handicap_share=S", fraction, "share of games that start from a handicap; default 0"),
        Setting("label_nodes=N", natural, "nodes of a second search of some quiet positions, the only ones with "
                "labels; default 0, off"),
        Setting("label_share=S", fraction, "share of the positions that label_nodes searches; default 0.25"),
    ),
    "settings of Othello": (
        Setting("architecture=NAME", str, "patterns, or network: rows for patterns that correct the package's pattern "
                "weights; default patterns"),
        Setting("rate=R", fraction, "initial learning rate of a network; default 0.002"),
        Setting("exact=N", natural, "positions with at most N empty squares are solved; default 14"),
        Setting("penalty=N", natural, "L2 penalty: a weight that occurs in N positions moves half as far as without "
                "it; default 300"),
        Setting("endings=N", natural, "positions solved for the report, for each number of empty squares; default 25"),
    ),
}  # fmt: skip


class Arguments(common.Arguments):
    """The folder of a run, and what is made in it."""

    game: str = positional("GAME", Message("{0} or {1}", *games.NAMES), type=game_name)
    folder: Path = positional("FOLDER", "folder of the run; existing files are kept", type=Path)
    stage: str | None = option("run only this stage, of one generation", choices=STAGES)
    generation: int = option("number of the first generation", type=natural, default=0)
    generations: int = option("number of generations", type=at_least_one, default=1)
    games: int = option("games per generation", type=at_least_one, default=20_000)
    labels: str = option(
        "the evaluation that plays the games, by name or file; default: the previous generation's weights",
        default="",
        metavar="WHAT",
    )
    name: str = option("base name of the weights' files; default network, Othello weights", default="")
    against: str = option(
        "the opponent in the test match: an evaluation or a file; default: the evaluation that played the games",
        default="",
        metavar="WHAT",
    )
    noted: Path | None = option(
        "Shogi: a psv file of positions with known values, whose ranking the report checks", type=Path
    )
    cluster: str = common.CLUSTER
    threads: int = common.THREADS
    set: dict[str, Any] = common.settings_option(**SETTINGS)


def run(args: Arguments) -> int:
    """Run the stages that are not done yet."""
    from shogi_engine.training import pipeline

    plan = plan_of(args)
    last = args.generation + (1 if args.stage else args.generations)
    free = shutil.disk_usage(existing(args.folder)).free
    need = plan.disk_use() * (last - args.generation)
    print(f"{args.folder}: about {need / 1e6:.0f} MB; {free / 1e6:.0f} MB are free", flush=True)
    if need > free:
        raise ValueError(f"train: {args.folder} has no room for {need / 1e6:.0f} MB")
    stages = (args.stage,) if args.stage else pipeline.WHOLE

    def told(line: str) -> None:
        print(line, flush=True)

    pipeline.run(plan, last - args.generation, first=args.generation, stages=stages, on_line=told, around=shown)
    return 0


def existing(folder: Path) -> Path:
    """Return the folder, or its nearest existing parent."""
    return next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())


def plan_of(args: Arguments) -> Any:
    """Return the pipeline.Plan of the arguments. Raises ValueError for an option that the game does not have."""
    from shogi_engine.batch.games import open_records
    from shogi_engine.training.pipeline import Plan
    from shogi_engine.training.recipe import load

    recipe = load(args.game)
    names = {each.dest for listed in SETTINGS.values() for each in listed}
    owners = [names & {field.name for field in fields(kind)} for kind in (Plan, recipe.data, recipe.training)]
    own = ", ".join(sorted(set.union(*owners)))
    for name in args.set:
        if not any(name in owner for owner in owners):
            raise InputError("train: {0!r} is not a setting of {1}; there are {2}", name, args.game, own)
    gate, data, training = ({name: value for name, value in args.set.items() if name in owner} for owner in owners)
    if args.noted is not None and recipe.compared is None:
        raise ValueError(f"train: --noted is not an option of {args.game}")
    return Plan(
        folder=args.folder,
        data=recipe.data(**data),
        training=recipe.training(**training),
        games=args.games,
        labels=args.labels,
        **gate,
        against=args.against,
        annotated=None if args.noted is None else open_records(args.noted, "psv"),
        threads=args.threads,
        cluster=args.cluster,
        name=args.name,
        command=f"shogi-engine {shlex.join(sys.argv[1:])}",
    )


@contextmanager
def shown(plan: Any, title: str) -> Iterator[Any]:
    """Yield the plan, with a progress bar on a terminal."""
    with progress_bar(title) as line:
        yield replace(plan, progress=line.share)
