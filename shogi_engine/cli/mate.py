"""`shogi-engine mate`: finds mates by checks in Shogi positions (an SFEN or a file), or checks a suite of problems."""

import argparse
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import language
from shogi_engine.cli.cluster import add_cluster
from shogi_engine.cli.common import (
    add_command,
    add_hash,
    add_json,
    add_threads,
    at_least_one,
    progress_line,
    report,
    report_suite,
)
from shogi_engine.cli.compile_bar import compile_bar
from shogi_engine.cli.outputs import check_outputs
from shogi_engine.cli.terminal.screen import WESTERN, notation_for, pieces_for
from shogi_engine.language import plural
from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.cli.mate_answer import MateAnswer
    from shogi_engine.suites.mate_jobs import Found, Question

MAX_MS = 10_000  # for each problem
HASH_MB = 256
NOTATIONS = ("usi", "japanese", "western")
STANDARD = "-"  # stdin
BOARD_BARS = 8  # between the ranks of an SFEN


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(
        commands, "mate", run, "Find a mate by checks in a Shogi position, or prove that there is none."
    )
    parser.add_argument(
        "sfen",
        nargs="*",
        metavar="SFEN",
        help=(
            "the position; the side to move mates. Or a file of positions (SFEN lines, KIF, BOD ...); - for "
            "standard input"
        ),
    )
    parser.add_argument("--max-ms", type=at_least_one, default=MAX_MS, help="time limit for each problem in ms")
    parser.add_argument("--shortest", action="store_true", help="after the first mate, look for the shortest")
    parser.add_argument("--all", action="store_true", help="also list the other first moves that mate")
    parser.add_argument(
        "--alternatives",
        action="store_true",
        help="also list the other first moves that mate as quickly as the shortest",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="for composers: check for no mate, a shorter mate, another solution, pieces left over",
    )
    parser.add_argument(
        "--tsume", action="store_true", help="find the conventional length, without useless interpositions"
    )
    parser.add_argument(
        "--notation",
        choices=NOTATIONS,
        help="notation of the moves; default usi, or japanese if the language is Japanese",
    )
    parser.add_argument(
        "--diagram",
        action="store_true",
        help="draw all positions with kanji; by default, only a single SFEN is drawn, with letters",
    )
    parser.add_argument("--kif", metavar="OUT", help="write the problems with their answers as KIF")
    parser.add_argument("--suite", metavar="FILE", help="check the answers in a file instead")
    add_hash(parser, HASH_MB)
    add_threads(parser)
    add_cluster(parser, "problems")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Solve the problems, or check a suite."""
    if bool(args.suite) == bool(args.sfen):
        raise ValueError("mate needs either SFEN or --suite FILE")
    check_outputs("mate", {"--kif": args.kif}, [args.suite, *args.sfen])
    from shogi_engine.games.shogi.notation.sfen import parse_sfen
    from shogi_engine.suites.mate_suite import check, plain_sfen, questions, read

    args.notation = notation_for(sys.stdout, args.notation or ("japanese" if language.current() == "ja" else "usi"))
    if args.notation == "japanese":
        language.use("ja")
    if args.suite:
        problems = read(args.suite)
        return report_suite(args, check(problems, found_of(args, questions(problems)), progress_line("problem")))
    if is_file(args.sfen):
        given = list(positions_of(args.sfen[0]))
        many = True
    else:
        given, many = [(plain_sfen(" ".join(args.sfen)), 0)], False
    sfens = [sfen for sfen, _plies in given]
    for sfen in sfens:
        parse_sfen(sfen)
    if args.check:
        from shogi_engine.cli.mate_check import check as check_problems

        return check_problems(args, given)
    return solve_many(args, sfens) if many else solve_one(args, sfens[0])


def is_file(words: list[str]) -> bool:
    """Tell whether the argument is a file of positions or means stdin.

    Raises ValueError if it is neither a file nor an SFEN.
    """
    if len(words) != 1 or words[0] == STANDARD or Path(words[0]).is_file():
        return len(words) == 1
    if " " not in words[0].strip() and words[0] != "startpos" and words[0].count("/") != BOARD_BARS:
        raise ValueError(f"mate: {words[0]} is neither a file nor an SFEN")
    return False


def positions_of(name: str) -> Iterator[tuple[str, int]]:
    """Yield the SFEN of each problem in a file of any record format, and the length of its solution in plies, or 0.

    A record that begins with a game's starting position is a game, and its last position is the problem. Any other
    record begins with the problem, and its moves are a solution. Raises OSError, ValueError.
    """
    from shogi_engine import records
    from shogi_engine.games.shogi.records.handicaps import handicap_name

    source = io.BytesIO(sys.stdin.buffer.read()) if name == STANDARD else open(name, "rb")  # noqa: SIM115
    with source:
        try:
            for record in records.read(source, game="shogi", name=name):
                if handicap_name(record.start):
                    yield record.board().sfen(), 0
                else:
                    yield record.start, len(record.moves)
        except records.RecordError as fault:
            raise ValueError(f"{name}: {fault}") from None


def found_of(args: argparse.Namespace, questions: "list[Question]") -> "Iterator[Found]":
    """Yield the result of each problem in turn, with a line of progress if only one is solved at a time."""
    from shogi_engine.games.shogi.mate.solver import MateSolver
    from shogi_engine.jobs import Pool, in_order
    from shogi_engine.suites.mate_jobs import MateMaker, answer

    maker = MateMaker(args.hash, args.max_ms)
    if not args.cluster:
        with compile_bar():
            maker.warm_up()
    if args.cluster or args.threads > 1:
        with Pool(maker, args.threads, args.cluster, name="mates") as pool:
            yield from in_order(pool.results(questions), lambda question: question.number)
        return
    solver, progress = MateSolver(args.hash), nodes_line()
    for question in questions:
        yield answer(solver, question, args.max_ms, progress)
        if progress:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def answers(args: argparse.Namespace, sfens: list[str]) -> "Iterator[MateAnswer]":
    """Yield the answer to each problem in turn."""
    from shogi_engine.cli.mate_answer import MateAnswer
    from shogi_engine.games.shogi.notation.sfen import parse_sfen
    from shogi_engine.suites.mate_jobs import Question

    every, shortest = args.all or args.alternatives, args.shortest or args.alternatives
    asked = [Question(number, sfen, shortest, every, args.tsume) for number, sfen in enumerate(sfens)]
    for sfen, (found, others) in zip(sfens, found_of(args, asked), strict=True):
        yield MateAnswer(sfen, parse_sfen(sfen), found, others)


def nodes_line() -> Callable[[int, float], None] | None:
    """Return a function that shows a search's progress, or None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    words = _("{nodes} nodes, {seconds:.0f} s")
    return lambda nodes, seconds: print(
        f"\r{words.format(nodes=nodes, seconds=seconds)}", end="", file=sys.stderr, flush=True
    )


def row_of(args: argparse.Namespace, answer: "MateAnswer") -> dict[str, Any]:
    """Return an answer for JSON."""
    row = answer.values()
    if args.all:
        row["solutions"] = answer.lines()
    if args.alternatives:
        row["alternatives"] = answer.lines()[1:]
    return row


def solve_one(args: argparse.Namespace, sfen: str) -> int:
    """Solve one problem; status 1 if nothing is proven."""
    (answer,) = answers(args, [sfen])
    if args.kif:
        write_kif(args.kif, [answer])
    drawn = pieces_for(sys.stdout) if args.diagram or args.notation == "japanese" else WESTERN
    report(args, row_of(args, answer), answer.text(args.notation, drawn, args.tsume))
    return 1 if answer.found.result == "timeout" else 0


def solve_many(args: argparse.Namespace, sfens: list[str]) -> int:
    """Solve the problems of a file, each within --max-ms; status 1 if one of them remains unproven."""
    done: list[MateAnswer] = []
    rows = []
    try:
        for number, answer in enumerate(answers(args, sfens), 1):
            done.append(answer)
            rows.append({"sfen": answer.sfen, **row_of(args, answer)})
            if not args.json:
                text = answer.text(args.notation, pieces_for(sys.stdout) if args.diagram else "", args.tsume)
                print(f"{number}. {answer.sfen}\n\n{text}\n", flush=True)
    finally:  # keep the results after Ctrl-C
        if args.kif and done:
            write_kif(args.kif, done)
    counts = {
        name: sum(row["result"] == result for row in rows)
        for name, result in (("mates", "mate"), ("nomates", "nomate"), ("timeouts", "timeout"))
    }
    nodes, seconds = (sum(getattr(answer.found, name) for answer in done) for name in ("nodes", "seconds"))
    mates = plural("{mates} mate", "{mates} mates", counts["mates"]).format(**counts)
    others = _("{nomates} without mate, {timeouts} not proven   ({seconds:.2f} s)").format(**counts, seconds=seconds)
    text = _("{mates}, {others}").format(mates=mates, others=others)
    report(args, {**counts, "results": rows, "nodes": nodes, "seconds": seconds}, text)
    return 1 if counts["timeouts"] else 0


def write_kif(path: str, answers: "list[MateAnswer]") -> None:
    """Write the problems with their answers."""
    from shogi_engine import records

    records.save([answer.record() for answer in answers], path, format="kif")
