"""`shogi-engine solve`: finds the exact score of an Othello position near the end of the game, or checks a suite."""

import argparse
from typing import Any

from shogi_engine.cli.common import (
    add_command,
    add_hash,
    add_json,
    add_threads,
    progress_line,
    report,
    report_suite,
)
from shogi_engine.cli.compile_bar import compile_bar
from shogi_engine.common.text import nodes_per_second
from shogi_engine.language import mark
from shogi_engine.language import translate as _

COMPILE_TASK = "othello endings"
RESULTS = (mark("loss"), mark("draw"), mark("win"))


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "solve", run, "Find the exact score of a position near the end of the game.")
    parser.add_argument("game", choices=("othello",), metavar="GAME", help="othello")
    parser.add_argument(
        "--position", default="", metavar="POS", help="64 squares (X, O or -) from a1, then the side to move (X or O)"
    )
    parser.add_argument("--wld", action="store_true", help="find only who wins: the score is 1, 0 or -1")
    parser.add_argument("--suite", metavar="FILE", help="check the scores in a file instead")
    add_threads(parser)
    add_hash(parser, 256)  # MB; endings of 26 or more empty squares take an eighth fewer nodes than with 64 MB
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Solve one position, or check a suite."""
    if bool(args.suite) == bool(args.position):
        raise ValueError("solve needs either --position POS or --suite FILE")
    if args.suite and args.wld:
        raise ValueError("solve: the scores of a suite are exact; --wld is for a single position")
    from shogi_engine.games.othello import GAME
    from shogi_engine.games.othello.endgame.solver import Solver
    from shogi_engine.jit import compiling

    if args.suite:
        from shogi_engine.suites.endgame_suite import check, read

        endings = read(args.suite)
        solver = Solver(GAME, hash_mb=args.hash, threads=args.threads)
        with compile_bar(), compiling(COMPILE_TASK):
            solver.warmup()
        return report_suite(args, check(endings, solver, progress_line("position")))
    from shogi_engine.games.othello.notation import format_move, parse_obf

    position = parse_obf(args.position)
    solver = Solver(GAME, hash_mb=args.hash, threads=args.threads)
    with compile_bar(), compiling(COMPILE_TASK):
        solver.warmup()
    solved = solver.solve(position, wld=args.wld, pv=not args.wld, progress=progress_line("root move"))
    values: dict[str, Any] = {
        "score": solved.score,
        "move": format_move(position, solved.move) if solved.move else None,
        "nodes": solved.nodes,
        "seconds": solved.seconds,
        "nps": nodes_per_second(solved.nodes, solved.seconds),
    }
    if args.wld:
        values["result"] = RESULTS[solved.score + 1]
    else:
        values["pv"] = [format_move(position, move) for move in solved.pv]
    score = _(values["result"]) if args.wld else _("{value} discs").format(value=f"{solved.score:+d}")
    effort = _("{nodes} nodes, {seconds:.3f} s").format(nodes=solved.nodes, seconds=solved.seconds)
    text = f"{score}, {values['move'] or _('the game is over')}   {effort}"
    report(args, values, "\n".join([text, *([" ".join(values["pv"])] if values.get("pv") else [])]))
    return 0
