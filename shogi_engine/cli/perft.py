"""`shogi-engine perft`: count the leaves of the tree of legal moves, or check a suite of such counts."""

from typing import Any

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.common import flag, option, positional
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.text import nodes_per_second


class Arguments(common.Arguments):
    """A position or a suite, and how its leaves are counted."""

    game: str | None = common.game_argument("?")
    depth: int | None = positional("DEPTH", "depth in plies", nargs="?", type=int)
    position: str = common.POSITION
    divide: bool = flag("show the leaves below each move")
    no_bulk: bool = flag("make the moves of the last ply too, instead of only counting them")
    free_pass: bool = flag("do not count passes as plies")
    threads: int = common.THREADS
    suite: str | None = option("check the counts in a file instead", metavar="FILE")
    max_nodes: int | None = option("skip counts of the suite larger than N", type=common.at_least_one)
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Count one position, or check a suite."""
    if args.suite:
        return run_suite(args, args.suite)
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
    common.report(args.json, values, f"{result.nodes} nodes, {result.seconds:.3f} s, {values['nps']} nodes/s")
    return 0


def run_suite(args: Arguments, suite: str) -> int:
    """Check a suite; the file says how passes count, so --free-pass and --divide are ignored."""
    if args.game or args.position:
        raise ValueError("perft: with --suite, game and positions come from the file")
    from shogi_engine.suites import check_perft, read_perft

    game, cases = read_perft(suite)
    with progress_bar("position") as line:
        bulk, most = not args.no_bulk, args.max_nodes
        outcome = check_perft(game, cases, max_nodes=most, bulk=bulk, threads=args.threads, progress=line.count)
    return common.report_suite(args.json, outcome)
