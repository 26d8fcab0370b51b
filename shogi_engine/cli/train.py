"""`shogi-engine train`: from nothing to a network."""

import argparse
from pathlib import Path
from typing import Any

from shogi_engine.cli.common import add_command, add_threads, at_least_one, natural, progress_line

STAGES = ("data",)


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "train", run, "Make a network from the engine's own games.")
    parser.add_argument("game", choices=("shogi",), metavar="GAME", help="shogi")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="what is there is not made again")
    parser.add_argument("--stage", choices=STAGES, help="this stage alone")
    parser.add_argument("--generation", type=natural, default=0, metavar="N", help="FOLDER/genN; default 0")
    parser.add_argument("--games", type=at_least_one, default=20_000, metavar="N")
    parser.add_argument("--nodes", type=at_least_one, default=1000, metavar="N", help="a move, default 1000")
    parser.add_argument("--seed", type=natural, default=1, metavar="N")
    parser.add_argument("--evaluation", default="king-piece", metavar="NAME", help="labels, default king-piece")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="of that evaluation")
    add_threads(parser)


def run(args: argparse.Namespace) -> int:
    """Make what is missing."""
    from shogi_engine.training.data import GAME_BYTES, DataOptions
    from shogi_engine.training.jobs import make_data

    weights = args.weights.read_bytes() if args.weights else None
    options = DataOptions(nodes=args.nodes, seed=args.seed, evaluation=args.evaluation, weights=weights)
    folder = args.folder / f"gen{args.generation}" / "data"
    print(f"{args.games} games: about {args.games * GAME_BYTES / 1e6:.1f} MB in {folder}", flush=True)
    make_data(folder, options, args.games, args.threads, progress_line("pieces"))
    return 0
