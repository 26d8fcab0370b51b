"""`shogi-engine analyse`: an Othello position's moves or a game's score graph."""

import argparse
from typing import Any

from shogi_engine.cli.common import (
    add_command,
    add_hash,
    add_json,
    add_position,
    at_least_one,
    progress_line,
    pyplot,
    report,
)
from shogi_engine.cli.compile_bar import compile_bar
from shogi_engine.games import typed_moves


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(
        commands, "analyse", run, "Othello: value all moves of a position, or all positions of a game in a file."
    )
    parser.add_argument("game", choices=("othello",), metavar="GAME", help="othello")
    parser.add_argument("file", nargs="?", metavar="FILE", help="GGF, WTHOR (.wtb) or a transcript a line")
    add_position(parser)
    parser.add_argument("--number", type=at_least_one, default=1, metavar="N", help="which game of the file, default 1")
    parser.add_argument("--level", type=int, default=10, metavar="N", help="0 to 21, default 10")
    add_hash(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw the game's graph (PNG, SVG ...; needs matplotlib)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Analyse a position, or a game of a file."""
    if bool(args.file) == bool(args.position or args.moves):
        raise ValueError("analyse needs either a FILE, or --position or --moves")
    if args.plot and not args.file:
        raise ValueError("analyse: --plot draws a game of a FILE")
    from shogi_engine import analysis, records
    from shogi_engine.engine import Engine

    plt = pyplot() if args.plot else None
    loaded = records.load(args.file, game=args.game) if args.file else []
    if args.file and args.number > len(loaded):
        raise ValueError(f"{args.file}: there are {len(loaded)} games, no number {args.number}")
    with Engine(args.game, hash_mb=args.hash) as engine:
        engine.check_level(args.level)
        engine.set_position(args.position, typed_moves(engine.game, args.position, args.moves))
        with compile_bar():
            engine.warmup()
        if not args.file:
            hints = analysis.hints(engine, args.level)
            values: dict[str, Any] = {"position": engine.position_text, "hints": [vars(hint) for hint in hints]}
            report(args, values, analysis.hint_table(hints))
            return 0
        record = loaded[args.number - 1]
        points = analysis.graph(engine, record.start, record.moves, args.level, progress_line("move"))
    if plt is not None:
        analysis.plot(points, args.plot, plt)
    graph = [{**vars(point), "loss": point.loss} for point in points]
    worst = [point.ply for point in analysis.worst(points)]
    report(args, {"tags": _tags(record), "graph": graph, "worst": worst}, analysis.graph_table(points))
    return 0


def _tags(record: Any) -> dict[str, str]:
    """Return the names and headers of a record."""
    names = {name: value for name, value in zip(("PB", "PW"), record.names, strict=True) if value}
    return {**names, **record.headers}
