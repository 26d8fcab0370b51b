"""`shogi-engine solve`, or `mate`: solves mate problems of Shogi and endings of Othello, or checks a suite of them."""

import argparse
from typing import Any

from shogi_engine import games
from shogi_engine.cli import common, mate
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.text import nodes_per_second
from shogi_engine.language import InputError, Message, mark
from shogi_engine.language import translate as _

RESULTS = (mark("loss"), mark("draw"), mark("win"))
# Both games' defaults; endings of 26 or more empty squares take an eighth fewer nodes than with 64 MB.
HASH_MB = 256


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = common.add_command(commands, "solve", run)
    parser.add_argument(
        "position",
        nargs="*",
        metavar="[GAME] POSITION",
        help=(
            "Shogi (default): an SFEN whose side to move mates, or a file of problems (SFENs, KIF, BOD ...), - for "
            "standard input. Othello: 64 squares (X, O or -) from a1, then the side to move (X or O)"
        ),
    )
    parser.add_argument("--position", dest="other", default="", metavar="POS", help="the same")
    shogi = parser.add_argument_group("Shogi")
    shogi.add_argument(
        "--max-ms",
        type=common.at_least_one,
        help=Message("time limit for each problem in ms; default {0}", mate.MAX_MS),
    )
    shogi.add_argument("--shortest", action="store_true", help="after the first mate, look for the shortest")
    shogi.add_argument(
        "--all",
        action="store_true",
        help="also list the other first moves that mate; with --shortest, those that mate as quickly",
    )
    shogi.add_argument(
        "--check",
        action="store_true",
        help="for composers: check for no mate, a shorter mate, another solution, pieces left over",
    )
    shogi.add_argument(
        "--tsume", action="store_true", help="find the conventional length, without useless interpositions"
    )
    common.add_notation(shogi)
    shogi.add_argument(
        "--diagram",
        action="store_true",
        help="draw all positions with kanji; by default, only a single SFEN is drawn, with letters",
    )
    shogi.add_argument("--out", metavar="FILE", help="write the problems with their answers as KIF")
    common.add_cluster(shogi)
    othello = parser.add_argument_group("Othello")
    othello.add_argument("--wld", action="store_true", help="find only who wins: the score is 1, 0 or -1")
    parser.add_argument("--suite", metavar="FILE", help="check the answers in a file instead")
    common.add_hash(parser, HASH_MB)
    common.add_threads(parser)
    common.add_json(parser)
    parser.set_defaults(foreign={"shogi": ("wld",), "othello": [each.dest for each in shogi._group_actions]})


def run(args: argparse.Namespace) -> int:
    """Solve positions, or check a suite."""
    words = args.position
    game = words.pop(0) if words and words[0] in games.NAMES else games.NAMES[0]
    words += [args.other] if args.other else []
    if args.check and not words:
        raise InputError("solve --check needs a position, or a file of problems")
    if bool(args.suite) == bool(words):
        raise InputError("solve needs either a position or --suite FILE")
    for name in args.foreign[game]:
        if getattr(args, name):
            raise InputError("solve: --{0} is not for {1}", name.replace("_", "-"), game)
    return mate.run(args, words) if game == "shogi" else run_othello(args, words)


def run_othello(args: argparse.Namespace, words: list[str]) -> int:
    """Solve one position, or check a suite."""
    if args.suite and args.wld:
        raise InputError("solve: the scores of a suite are exact; --wld is for a single position")
    from shogi_engine.games.othello import GAME
    from shogi_engine.games.othello.endgame.solver import Solver
    from shogi_engine.games.othello.notation import format_move, parse_obf
    from shogi_engine.suites import endgame

    endings = endgame.read(args.suite) if args.suite else []
    position = None if args.suite else parse_obf(" ".join(words))
    solver = Solver(GAME, hash_mb=args.hash, threads=args.threads)
    with progress_bar():
        solver.warmup()
    if position is None:
        with progress_bar("position") as line:
            outcome = endgame.check(endings, solver, line.count)
        return common.report_suite(args, outcome)
    with progress_bar("root move") as line:
        solved = solver.solve(position, wld=args.wld, pv=not args.wld, progress=line.count)
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
    score = _(RESULTS[solved.score + 1]) if args.wld else _("{value} discs").format(value=f"{solved.score:+d}")
    effort = _("{nodes} nodes, {seconds:.3f} s").format(nodes=solved.nodes, seconds=solved.seconds)
    text = f"{score}, " + (values["move"] or _("the game is over")) + f"   {effort}"
    common.report(args, values, "\n".join([text, *([" ".join(values["pv"])] if values.get("pv") else [])]))
    return 0
