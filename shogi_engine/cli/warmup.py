"""`shogi-engine warmup`: compiles and caches the kernels that searches need."""

import time

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.common import positional, report
from shogi_engine.cli.progress import progress_bar
from shogi_engine.language import Message


class Arguments(common.Arguments):
    """The games."""

    games: list[str] = positional("GAME", Message("default: {0}", " ".join(games.NAMES)), nargs="*")
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Make each game ready."""
    from shogi_engine.engine import Engine

    names = args.games or list(games.NAMES)
    began = time.perf_counter()
    for name in names:
        with progress_bar(), Engine(name) as engine:
            engine.warmup()
            board = engine.board()
            engine.evaluate(board)
            engine.perft(board, 1)
            engine.load_solver()
            games.warm_board(name)
    seconds = time.perf_counter() - began
    report(args.json, {"games": names, "seconds": seconds}, f"{', '.join(names)}: ready after {seconds:.1f} s")
    return 0
