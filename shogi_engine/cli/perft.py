"""`shogi-engine perft`: count the leaves of the tree of legal moves, or check a suite of such counts."""

import argparse
from typing import Any

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.text import nodes_per_second


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = common.add_command(commands, "perft", run)
    common.add_game(parser, "?")
    parser.add_argument("depth", nargs="?", type=int, metavar="DEPTH", help="depth in plies")
    common.add_position(parser, moves=False)
    parser.add_argument("--divide", action="store_true", help="show the leaves below each move")
    parser.add_argument(
        "--no-bulk", action="store_true", help="make the moves of the last ply too, instead of only counting them"
    )
    parser.add_argument("--free-pass", action="store_true", help="do not count passes as plies")
    common.add_threads(parser)
    parser.add_argument("--suite", metavar="FILE", help="check the counts in a file instead")
    parser.add_argument("--max-nodes", type=common.at_least_one, help="skip counts of the suite larger than N")
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Count one position, or check a suite."""
    if args.suite:
        return run_suite(args)
    if args.game is None or args.depth is None:
        raise ValueError("perft needs GAME and DEPTH, or --suite FILE")
    from shogi_engine.perft import perft

    game = games.load(args.game)
    text = args.position or game.start
    position = game.parse_position(text)
    with progress_bar("root move") as line:
        result = perft(
            game,
            position,
            args.depth,
            bulk=not args.no_bulk,
            free_pass=args.free_pass,
            threads=args.threads,
            progress=line.count,
        )
    values: dict[str, Any] = {
        "game": game.name,
        "position": text,
        "depth": args.depth,
        "nodes": result.nodes,
        "seconds": result.seconds,
        "nps": nodes_per_second(result.nodes, result.seconds),
    }
    if args.divide:
        for move, nodes in result.divide.items():
            print(f"{move}: {nodes}")
        values["divide"] = result.divide
    common.report(args, values, f"{result.nodes} nodes, {result.seconds:.3f} s, {values['nps']} nodes/s")
    return 0


def run_suite(args: argparse.Namespace) -> int:
    """Check a suite; the file says how passes count, so --free-pass and --divide are ignored."""
    if args.game or args.position:
        raise ValueError("perft: with --suite, game and positions come from the file")
    from shogi_engine.suites.perft import check, read

    game, cases = read(args.suite)
    options = {"max_nodes": args.max_nodes, "bulk": not args.no_bulk, "threads": args.threads}
    with progress_bar("position") as line:
        outcome = check(game, cases, progress=line.count, **options)
    return common.report_suite(args, outcome)
