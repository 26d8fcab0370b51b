"""`shogi-engine warmup`: compile and cache what searches need."""

import argparse
import time
from typing import Any

from shogi_engine import games
from shogi_engine.cli.common import add_command, add_json, report


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "warmup", run, "Compile and cache everything, so that later starts are quick.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"default: {' '.join(games.NAMES)}")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make each game ready."""
    from shogi_engine.engine import Engine

    names = args.games or list(games.NAMES)
    began = time.perf_counter()
    for name in names:
        with Engine(name) as engine:
            engine.warmup()
            engine.evaluate()
            engine.perft(1)
            engine.load_solver(wait=True)
    seconds = time.perf_counter() - began
    report(args, {"games": names, "seconds": seconds}, f"{', '.join(names)}: ready after {seconds:.1f} s")
    return 0
