"""`shogi-engine train`: trains an evaluation from scratch."""

import argparse
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from shogi_engine.cli.cluster import add_cluster
from shogi_engine.cli.common import add_command, add_threads, at_least_one, natural
from shogi_engine.training import STAGES

GAMES = ("shogi", "othello")
OWN_OPTIONS = (  # options that only one game has
    "architecture",
    "width",
    "batch",
    "rate",
    "refine",
    "result_share",
    "exact",
    "td_lambda",
    "penalty",
    "endings",
    "value_factor",
    "label_nodes",
    "label_share",
)


def fraction(text: str) -> float:
    """Return a number from 0 to 1, for argparse."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text!r}") from None
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text!r}")
    return number


def add_parser(commands: Any) -> None:
    """Add the command's arguments; those with a game's own default, or for one game only, are None if omitted."""
    parser = add_command(commands, "train", run, "Train an evaluation on games of the engine against itself.")
    parser.add_argument("game", choices=GAMES, metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the run; existing files are kept")
    parser.add_argument("--stage", choices=STAGES, help="run only this stage, of one generation")
    parser.add_argument("--generation", type=natural, default=0, help="number of the first generation")
    parser.add_argument("--generations", type=at_least_one, default=1, help="number of generations")
    parser.add_argument("--games", type=at_least_one, default=20_000, help="games per generation")
    parser.add_argument("--nodes", type=at_least_one, help="nodes per move of the games; default 1000, Othello 300")
    parser.add_argument("--seed", type=natural, default=1)
    parser.add_argument(
        "--labels",
        default="",
        metavar="WHAT",
        help="the evaluation that plays the games, by name or file; default: the previous generation's weights",
    )
    parser.add_argument("--name", default="", help="base name of the weights' files; default network, Othello weights")
    parser.add_argument("--epochs", type=at_least_one, help="passes over the positions; default 5, Othello 12")
    parser.add_argument(
        "--td-lambda",
        "--trust",
        type=fraction,
        metavar="S",
        help="lambda of TD(lambda): weight of later positions in a position's target, 0 to 1; default 0.5, Othello 0.8",
    )
    parser.add_argument(
        "--older-share",
        type=fraction,
        metavar="S",
        help="share of earlier generations' games that is used, 0 to 1; default 1",
    )
    parser.add_argument("--gate-games", type=at_least_one, default=400, help="games of the test match")
    parser.add_argument("--gate-nodes", type=at_least_one, default=20_000, help="nodes per move of the test match")
    parser.add_argument(
        "--noted", type=Path, help="Shogi: a psv file of positions with known values, whose ranking the report checks"
    )
    parser.add_argument(
        "--against",
        default="",
        metavar="WHAT",
        help="the opponent in the test match: an evaluation or a file; default: the evaluation that played the games",
    )
    _add_game_options(parser)
    add_cluster(parser, "files of games")
    add_threads(parser)


def _add_game_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for one game only."""
    shogi = parser.add_argument_group("Shogi")
    shogi.add_argument(
        "--architecture",
        metavar="NAME",
        help="own, or k-p: K-P 256x2-32-32, an nn.bin for YaneuraOu and related engines; default own",
    )
    shogi.add_argument("--width", type=at_least_one, help="neurons per side; default 256")
    shogi.add_argument("--batch", type=at_least_one, help="positions per step; default 4096")
    shogi.add_argument("--rate", type=fraction, metavar="R", help="initial learning rate; default 0.001")
    shogi.add_argument(
        "--refine", action="store_true", default=None, help="start from the network that labelled the last games"
    )
    shogi.add_argument(
        "--result-share",
        type=fraction,
        nargs=2,
        metavar="S",
        help="weight of game results in the first and in the last epoch; default 0 0.15",
    )
    shogi.add_argument(
        "--value-factor",
        type=float,
        metavar="F",
        help="multiply the network's values by F in the searches of the games, which narrows their margins; default 1",
    )
    shogi.add_argument(
        "--label-nodes",
        type=natural,
        metavar="N",
        help="nodes of a second search of a share of the quiet positions, the only ones with labels; default 0, off",
    )
    shogi.add_argument(
        "--label-share",
        type=fraction,
        metavar="S",
        help="share of the positions that --label-nodes searches; default 0.25",
    )
    othello = parser.add_argument_group("Othello")
    othello.add_argument(
        "--exact", type=natural, help="Othello: positions with at most N empty squares are solved; default 14"
    )
    othello.add_argument(
        "--penalty",
        type=natural,
        help="Othello: L2 penalty: a weight that occurs in N positions moves half as far as without it; default 300",
    )
    othello.add_argument(
        "--endings",
        type=natural,
        help="Othello: positions solved for the report, for each number of empty squares; default 25",
    )


def run(args: argparse.Namespace) -> int:
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


def plan_of(args: argparse.Namespace) -> Any:
    """Return the pipeline.Plan of the arguments. Raises ValueError for an option that the game does not have."""
    from shogi_engine.batch.streams import open_records
    from shogi_engine.training.pipeline import Plan
    from shogi_engine.training.recipe import load

    recipe = load(args.game)
    known = {field.name for kind in (recipe.data, recipe.training) for field in fields(kind)}
    for name in OWN_OPTIONS:
        if getattr(args, name) is not None and name not in known:
            raise ValueError(f"train: --{name.replace('_', '-')} is not an option of {args.game}")
    if args.noted is not None and recipe.compared is None:
        raise ValueError(f"train: --noted is not an option of {args.game}")
    return Plan(
        folder=args.folder,
        data=recipe.data(**given(args, recipe.data)),
        training=recipe.training(**given(args, recipe.training)),
        games=args.games,
        labels=args.labels,
        gate_games=args.gate_games,
        gate_nodes=args.gate_nodes,
        against=args.against,
        annotated=None if args.noted is None else open_records(args.noted, "psv"),
        threads=args.threads,
        cluster=args.cluster,
        name=args.name,
        command=f"shogi-engine {shlex.join(sys.argv[1:])}",
    )


def given(args: argparse.Namespace, kind: type) -> dict[str, Any]:
    """Return the fields of a dataclass that the arguments give."""
    found = {field.name: getattr(args, field.name, None) for field in fields(kind)}
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in found.items() if value is not None
    }


@contextmanager
def shown(plan: Any, title: str) -> Iterator[Any]:
    """Yield the plan with a progress bar, and the remaining time, on a terminal's stderr."""
    if not sys.stderr.isatty():
        yield plan
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, TextColumn("{task.fields[said]}"), console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=1.0, said="")
        yield replace(plan, progress=lambda done, said: progress.update(task, completed=done, said=said))
