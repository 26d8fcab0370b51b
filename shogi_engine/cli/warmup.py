"""`shogi-engine warmup`: compiles and caches the kernels that searches need."""

import argparse
import time
from dataclasses import asdict
from typing import Any

from shogi_engine import games
from shogi_engine.cli.common import add_command, add_json, report
from shogi_engine.cli.progress import progress_bar
from shogi_engine.language import Message

WARMUP = "from shogi_engine.__main__ import main; raise SystemExit(main(['warmup', *{games!r}]))"


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "warmup", run)
    parser.add_argument("games", nargs="*", metavar="GAME", help=Message("default: {0}", " ".join(games.NAMES)))
    parser.add_argument("--target", metavar="CPU", help="compile for CPUs of this kind, e.g. x86-64-v3; needs --out")
    parser.add_argument("--out", metavar="DIR", help="the folder for the kernels compiled with --target")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make each game ready."""
    if args.target or args.out:
        return build(args)
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


def build(args: argparse.Namespace) -> int:
    """Compile for another type of CPU, into a folder."""
    from shogi_engine.jit.workshop.targets import build_kernels

    if not (args.target and args.out):
        raise ValueError("warmup: --target and --out go together")
    built = build_kernels(args.target, args.out, WARMUP.format(games=list(args.games)))
    text = f"{built.target}: {built.files} files, {built.bytes} bytes in {built.folder} after {built.seconds:.1f} s"
    report(args, asdict(built), text)
    return 0
