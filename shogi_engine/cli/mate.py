"""`shogi-engine mate`: a mate by checks in a Shogi position, or a suite of mate problems."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shogi_engine.cli.common import (
    add_command,
    add_hash,
    add_json,
    at_least_one,
    progress_line,
    report,
    report_suite,
)
from shogi_engine.cli.compile_bar import compile_bar

if TYPE_CHECKING:
    from shogi_engine.forced_win import ForcedWin

MAX_MS = 10_000  # for each problem
HASH_MB = 256


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(
        commands, "mate", run, "Find a mate by checks in a Shogi position, or prove that there is none."
    )
    parser.add_argument("sfen", nargs="*", metavar="SFEN", help="the position; the side to move mates")
    parser.add_argument("--max-ms", type=at_least_one, default=MAX_MS, metavar="N", help=f"default {MAX_MS}")
    parser.add_argument("--shortest", action="store_true", help="then look for the shortest mate")
    parser.add_argument("--all", action="store_true", help="list the other first moves that mate")
    parser.add_argument("--tsume", action="store_true", help="the conventional length, without useless interpositions")
    parser.add_argument("--suite", metavar="FILE", help="check the answers of a file instead")
    add_hash(parser, HASH_MB)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Solve one problem, or check a suite."""
    if bool(args.suite) == bool(args.sfen):
        raise ValueError("mate needs either SFEN or --suite FILE")
    from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
    from shogi_engine.games.shogi.notation import parse_sfen
    from shogi_engine.suites.mate_suite import check, plain_sfen, read, values

    if args.suite:
        problems = read(args.suite)
        solver = MateSolver(args.hash)
        with compile_bar():
            solver.warmup()
        return report_suite(args, check(problems, solver, max_ms=args.max_ms, progress=progress_line("problem")))
    sfen = plain_sfen(" ".join(args.sfen))
    position = parse_sfen(sfen)
    solver = MateSolver(args.hash)
    with compile_bar():
        solver.warmup()
    progress = nodes_line()
    if args.tsume:
        found = solver.tsume(position, max_ms=args.max_ms, progress=progress)
    else:
        found = solver.solve(position, max_ms=args.max_ms, shortest=args.shortest, every=args.all, progress=progress)
    if progress:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    row = values(position, found)
    if args.all:
        row["solutions"] = [line_texts(position, moves) for moves in found.solutions]
    report(args, row, picture(sfen, found, args.tsume))
    return 1 if found.result == "timeout" else 0


def nodes_line() -> Callable[[int, float], None] | None:
    """Return a function that shows how far one search is, or None if stderr is no terminal."""
    if not sys.stderr.isatty():
        return None
    return lambda nodes, seconds: print(f"\r{nodes} nodes, {seconds:.0f} s", end="", file=sys.stderr, flush=True)


def headline(found: "ForcedWin[int]", tsume: bool) -> str:
    """Return the result in a few words."""
    if found.result == "nomate":
        return "no mate by checks"
    if found.result != "mate":
        return "nothing proven within the limits"
    words = f"mate in {found.length}" + (" without useless interpositions" if tsume else "")
    return words + {None: "", True: ", the shortest", False: ", not proven shortest"}[found.shortest]


def picture(sfen: str, found: "ForcedWin[int]", tsume: bool = False) -> str:
    """Return the problem, its answer and the position at the end as text."""
    from shogi_engine.games.shogi.board import Board
    from shogi_engine.games.shogi.mate.solver import line_texts
    from shogi_engine.games.shogi.notation import parse_sfen

    board = Board(sfen)
    speed = f"{found.nodes} nodes, {found.seconds:.2f} s"
    parts = [board.diagram(), f"{headline(found, tsume)}   ({speed})"]
    position = parse_sfen(sfen)
    for number, moves in enumerate(found.solutions or [found.moves]):
        texts = line_texts(position, moves)
        if number:
            parts.append(f"also, in {len(texts)}: {' '.join(texts)}")
        elif texts:
            parts.append("\n".join(numbered(texts)))
            for text in texts:
                board.push_usi(text)
    if found.moves:
        parts.append(board.diagram())
    return "\n\n".join(parts)


def numbered(texts: list[str]) -> list[str]:
    """Return moves with their numbers, the attacker's and the answer in one row."""
    rows = []
    for index in range(0, len(texts), 2):
        rows.append(f"{index + 1:>3}. {'  '.join(f'{text:<5}' for text in texts[index : index + 2])}".rstrip())
    return rows
