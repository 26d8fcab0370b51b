"""`shogi-engine trace`: prints the tree of a small search."""

import argparse
from typing import Any

from shogi_engine.cli.common import add_command, add_game, add_json, add_position, report
from shogi_engine.common.files import write_whole
from shogi_engine.games import typed_moves

DEPTHS = (2, 3, 4)


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "trace", run, "Print the tree of a small search, to see how alpha-beta works.")
    add_game(parser)
    add_position(parser)
    parser.add_argument(
        "--depth", type=int, choices=DEPTHS, default=2, metavar="N", help="depth in plies: 2 (default), 3 or 4"
    )
    parser.add_argument(
        "--reduce", action="store_true", help="use late move reductions: fewer nodes, but less reliable"
    )
    parser.add_argument("--dot", metavar="FILE", help="write the tree for Graphviz")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Search the position and print the tree."""
    from shogi_engine.engine import Engine
    from shogi_engine.engine.results import score_of
    from shogi_engine.textbook.trace import Tracer, dot, tree_dict, tree_lines

    with Engine(args.game, hash_mb=1) as engine:
        engine.set_position(args.position, typed_moves(engine.game, args.position, args.moves))
        tree = Tracer(engine.game, reduce=args.reduce).trace(engine.position, args.depth)
    if args.dot:
        write_whole(args.dot, dot(tree).encode())
    score, line, counts = score_of(engine.game, tree.root.value), tree.root.pv(), tree.counts()
    values = {
        "game": engine.game.name,
        "position": engine.position_text,
        "depth": args.depth,
        "value": tree.root.value,
        "score": score.values(),
        "pv": line,
        **counts,
        "minimax_value": tree.minimax_value,
    }
    if args.json:
        values["tree"] = tree_dict(tree.root)
    head = f"{score}   {' '.join(line)}"
    counted = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if name != "minimax_nodes"
    )
    plain = f"plain minimax: {score_of(engine.game, tree.minimax_value)}, {tree.minimax_nodes} nodes"
    report(args, values, "\n".join([*tree_lines(tree.root), "", head, counted, plain]))
    return 0
