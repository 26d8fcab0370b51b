"""`shogi-engine solve` for Shogi: finds mates by checks in an SFEN or a file, or checks a suite of problems."""

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import language
from shogi_engine.cli.common import STANDARD, check_outputs, report, report_suite
from shogi_engine.cli.progress import Progress, progress_bar
from shogi_engine.cli.terminal import WESTERN, notation_for, pieces_for
from shogi_engine.common.threads import results_on_threads
from shogi_engine.language import InputError, plural
from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.cli.mate_answer import MateAnswer
    from shogi_engine.suites.mate import Found, Question

MAX_MS = 10_000  # for each problem
BOARD_BARS = 8  # between the ranks of an SFEN


def run(args: argparse.Namespace, words: list[str]) -> int:
    """Solve the problems of `words`, an SFEN or the name of a file, or check a suite."""
    args.max_ms = args.max_ms or MAX_MS
    check_outputs(args.command, {"--out": args.out}, [args.suite, *words])
    from shogi_engine.games.shogi.sfen import parse_sfen
    from shogi_engine.suites.mate import check, plain_sfen, questions, read

    args.notation = notation_for(sys.stdout, args.notation or ("japanese" if language.current() == "ja" else "usi"))
    if args.notation == "japanese":
        language.use("ja")
    if args.suite:
        problems = read(args.suite)
        with progress_bar("problem") as line:
            outcome = check(problems, found_of(args, questions(problems), line), line.count)
        return report_suite(args, outcome)
    if is_file(words):
        given = list(positions_of(words[0]))
        many = True
    else:
        given, many = [(plain_sfen(" ".join(words)), 0)], False
    sfens = [sfen for sfen, _plies in given]
    for sfen in sfens:
        parse_sfen(sfen)
    if args.check:
        from shogi_engine.cli.mate_answer import check as check_problems

        return check_problems(args, given)
    return solve_many(args, sfens) if many else solve_one(args, sfens[0])


def is_file(words: list[str]) -> bool:
    """Tell whether the argument is a file of positions or means stdin.

    Raises ValueError if it is neither a file nor an SFEN.
    """
    if len(words) != 1 or words[0] == STANDARD or Path(words[0]).is_file():
        return len(words) == 1
    if " " not in words[0].strip() and words[0] != "startpos" and words[0].count("/") != BOARD_BARS:
        raise InputError("{0} is neither a file nor an SFEN", words[0])
    return False


def positions_of(name: str) -> Iterator[tuple[str, int]]:
    """Yield the SFEN of each problem in a file of any record format, and the length of its solution in plies, or 0.

    A record that begins with a game's starting position is a game, and its last position is the problem. Any other
    record begins with the problem, and its moves are a solution. Raises OSError, ValueError.
    """
    from shogi_engine import records
    from shogi_engine.study import is_problem

    source = io.BytesIO(sys.stdin.buffer.read()) if name == STANDARD else open(name, "rb")  # noqa: SIM115
    with source:
        try:
            for record in records.read(source, game="shogi", name=name):
                if is_problem(record):
                    yield record.start, len(record.moves)
                else:
                    yield record.board().sfen(), 0
        except records.RecordError as fault:
            raise InputError("{0}: {1}", name, fault) from None


def found_of(args: argparse.Namespace, questions: "list[Question]", line: Progress) -> "Iterator[Found]":
    """Yield the result of each problem in turn, with progress in `line` if only one is solved at a time."""
    from shogi_engine.games.shogi.mate.solver import MateSolver
    from shogi_engine.jobs import Pool, in_order
    from shogi_engine.suites.mate import MateMaker, answer

    maker = MateMaker(args.hash, args.max_ms)
    if args.cluster or args.threads > 1:
        with Pool(maker, args.threads, args.cluster, name="mates") as pool:
            yield from in_order(pool.results(questions), lambda question: question.number)
        return
    solver = MateSolver(args.hash)
    solver.warmup(solutions=True)

    def solved(question: "Question") -> "Found":
        return answer(solver, question, maker.max_ms, line.search)

    # The main thread only waits: in a kernel it would notice no signal.
    for _question, found in results_on_threads(lambda _thread: solved, questions, 1, "mate", solver.stop):
        line.close()
        yield found


def answers(args: argparse.Namespace, sfens: list[str]) -> "Iterator[MateAnswer]":
    """Yield the answer to each problem in turn."""
    from shogi_engine.cli.mate_answer import MateAnswer
    from shogi_engine.games.shogi.sfen import parse_sfen
    from shogi_engine.suites.mate import Question

    asked = [Question(number, sfen, args.shortest, args.all, args.tsume) for number, sfen in enumerate(sfens)]
    with progress_bar() as line:
        for sfen, (found, others) in zip(sfens, found_of(args, asked, line), strict=True):
            yield MateAnswer(sfen, parse_sfen(sfen), found, others)


def row_of(args: argparse.Namespace, answer: "MateAnswer") -> dict[str, Any]:
    """Return an answer for JSON."""
    row = answer.values()
    return row | ({"solutions": answer.lines()} if args.all else {})


def solve_one(args: argparse.Namespace, sfen: str) -> int:
    """Solve one problem; status 1 if nothing is proven."""
    (answer,) = answers(args, [sfen])
    if args.out:
        write_kif(args.out, [answer])
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
        if args.out and done:
            write_kif(args.out, done)
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
