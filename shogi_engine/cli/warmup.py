"""`shogi-engine warmup`: compiles and caches the kernels that searches need."""

import argparse
import time
from typing import Any

from shogi_engine import games
from shogi_engine.cli.common import add_command, add_json, report
from shogi_engine.cli.progress import progress_bar
from shogi_engine.language import Message


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "warmup", run)
    parser.add_argument("games", nargs="*", metavar="GAME", help=Message("default: {0}", " ".join(games.NAMES)))
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make each game ready."""
    from shogi_engine.engine import Engine

    names = args.games or list(games.NAMES)
    began = time.perf_counter()
    for name in names:
        with progress_bar(), Engine(name) as engine:
            engine.warmup()
            engine.evaluate()
            engine.perft(1)
            engine.load_solver()
            if games.has(name, "board.entries"):
                games.board_entries(name).warmup()
    seconds = time.perf_counter() - began
    report(args, {"games": names, "seconds": seconds}, f"{', '.join(names)}: ready after {seconds:.1f} s")
    return 0
