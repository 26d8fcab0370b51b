"""`shogi-engine search`: finds the best moves of one position."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from shogi_engine.cli.common import (
    add_command,
    add_game,
    add_json,
    add_search,
    at_least_one,
    report,
    search_limits,
)
from shogi_engine.cli.compile_bar import compile_bar
from shogi_engine.common.text import nodes_per_second
from shogi_engine.games import typed_moves
from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.engine.results import PvInfo


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "search", run, "Search one position.")
    add_game(parser)
    add_search(parser)
    parser.add_argument("--multipv", type=at_least_one, default=1, help="number of best moves to show")
    add_json(parser)


def show(info: "PvInfo") -> None:
    """Print a line of the running search."""
    where = _("depth {depth:>2} {score} {bound} nodes {nodes} {seconds:.2f} s").format(
        depth=info.depth, score=info.score, bound=info.bound, nodes=info.nodes, seconds=info.time
    )
    print(f"{where}  {' '.join(info.pv)}", file=sys.stderr)


def run(args: argparse.Namespace) -> int:
    """Search the position."""
    from shogi_engine.engine import Engine

    limits = search_limits(args)
    with Engine(args.game, hash_mb=args.hash, threads=args.threads) as engine:
        with compile_bar():
            engine.set_position(args.position, typed_moves(engine.game, args.position, args.moves))
            engine.warmup()
        result = engine.search(**limits, multipv=args.multipv, on_info=show if sys.stderr.isatty() else None)
    values: dict[str, Any] = {
        "bestmove": result.bestmove or None,
        "score": result.score.values(),
        "depth": result.depth,
        "nodes": result.nodes,
        "seconds": result.seconds,
        "nps": nodes_per_second(result.nodes, result.seconds),
        "pv": result.pv,
    }
    if args.multipv > 1:
        values["lines"] = [{"score": line.score.values(), "depth": line.depth, "pv": line.pv} for line in result.lines]
    lines = [f"{line.score}   {' '.join(line.pv)}" for line in result.lines]
    effort = _("depth {depth}, {nodes} nodes, {seconds:.2f} s").format(
        depth=result.depth, nodes=result.nodes, seconds=result.seconds
    )
    head = f"{result.bestmove or _('no legal move')}   {effort}"
    report(args, values, "\n".join([head, *lines]))
    return 0 if result.bestmove else 1
