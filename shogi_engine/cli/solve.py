"""`shogi-engine solve`, or `mate`: solves mate problems of Shogi and endings of Othello, or checks a suite of them."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import games, language
from shogi_engine.cli import common
from shogi_engine.cli.common import flag, option, positional
from shogi_engine.cli.progress import ProgressBar, progress_bar
from shogi_engine.cli.terminal import WESTERN, notation_for, pieces_for
from shogi_engine.common.text import nodes_per_second
from shogi_engine.common.threads import results_on_threads
from shogi_engine.language import InputError, Message, mark, plural, translate as _

if TYPE_CHECKING:
    from shogi_engine.cli.mate_answer import MateAnswer
    from shogi_engine.suites import Found, MateRequest

RESULTS = (mark("loss"), mark("draw"), mark("win"))
# Both games' defaults; endings of 26 or more empty squares take an eighth fewer nodes than with 64 MB.
HASH_MB = 256
MAX_MS = 10_000  # for each problem of Shogi
BOARD_BARS = 8  # between the ranks of an SFEN
SHOGI, OTHELLO = "Shogi", "Othello"  # the headings of their options


class Arguments(common.Arguments):
    """The problems, and what is asked about them."""

    position: list[str] = positional(
        "[GAME] POSITION",
        "Shogi (default): an SFEN whose side to move mates, or a file of problems (SFENs, KIF, BOD ...), - for "
        "standard input. Othello: 64 squares (X, O or -) from a1, then the side to move (X or O)",
        nargs="*",
    )
    other: str = option("the same", "--position", default="", metavar="POS")
    max_ms: int | None = option(
        Message("time limit for each problem in ms; default {0}", MAX_MS), group=SHOGI, type=common.at_least_one
    )
    shortest: bool = flag("after the first mate, look for the shortest", SHOGI)
    all: bool = flag("also list the other first moves that mate; with --shortest, those that mate as quickly", SHOGI)
    check: bool = flag("for composers: check for no mate, a shorter mate, another solution, pieces left over", SHOGI)
    tsume: bool = flag("find the conventional length, without useless interpositions", SHOGI)
    notation: str = common.notation_option(SHOGI)
    diagram: bool = flag("draw all positions with kanji; by default, only a single SFEN is drawn, with letters", SHOGI)
    out: str | None = option("write the problems with their answers as KIF", group=SHOGI, metavar="FILE")
    cluster: str = common.CLUSTER._replace(group=SHOGI)
    wld: bool = flag("find only who wins: the score is 1, 0 or -1", OTHELLO)
    suite: str | None = option("check the answers in a file instead", metavar="FILE")
    hash: int = common.hash_option(HASH_MB)
    threads: int = common.THREADS
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Solve positions, or check a suite."""
    words = args.position
    game = words.pop(0) if words and words[0] in games.NAMES else games.NAMES[0]
    words += [args.other] if args.other else []
    if args.check and not words:
        raise InputError("solve --check needs a position, or a file of problems")
    if bool(args.suite) == bool(words):
        raise InputError("solve needs either a position or --suite FILE")
    for name in Arguments.of_group(OTHELLO if game == "shogi" else SHOGI):
        if getattr(args, name):
            raise InputError("solve: --{0} is not for {1}", name.replace("_", "-"), game)
    return run_shogi(args, words) if game == "shogi" else run_othello(args, words)


def run_othello(args: Arguments, words: list[str]) -> int:
    """Solve one position, or check a suite."""
    if args.suite and args.wld:
        raise InputError("solve: the scores of a suite are exact; --wld is for a single position")
    from shogi_engine.games.othello import GAME
    from shogi_engine.games.othello.endgame.solver import Solver
    from shogi_engine.games.othello.notation import format_move, parse_obf
    from shogi_engine.suites import check_endgame, read_endgame

    endings = read_endgame(args.suite) if args.suite else []
    position = None if args.suite else parse_obf(" ".join(words))
    solver = Solver(GAME, hash_mb=args.hash, threads=args.threads)
    with progress_bar():
        solver.warmup()
    if position is None:
        with progress_bar("position") as line:
            outcome = check_endgame(endings, solver, line.count)
        return common.report_suite(args.json, outcome)
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
    common.report(args.json, values, "\n".join([text, *([" ".join(values["pv"])] if values.get("pv") else [])]))
    return 0


# ---- mates by checks, in an SFEN or a file


def run_shogi(args: Arguments, words: list[str]) -> int:
    """Solve the problems of `words`, an SFEN or the name of a file, or check a suite."""
    common.check_outputs(args.command, {"--out": args.out}, [args.suite, *words])
    from shogi_engine.games.shogi.sfen import parse_sfen
    from shogi_engine.suites import check_mate, plain_sfen, questions, read_mate

    args.notation = notation_for(sys.stdout, args.notation or ("japanese" if language.current() == "ja" else "usi"))
    if args.notation == "japanese":
        language.use("ja")
    if args.suite:
        problems = read_mate(args.suite)
        with progress_bar("problem") as line:
            outcome = check_mate(problems, found_of(args, questions(problems), line), line.count)
        return common.report_suite(args.json, outcome)
    if is_file(words):
        given = list(positions_of(words[0]))
        many = True
    else:
        given, many = [(plain_sfen(" ".join(words)), 0)], False
    sfens = [sfen for sfen, _plies in given]
    for sfen in sfens:
        parse_sfen(sfen)
    if args.check:
        return check_problems(args, given)
    return solve_many(args, sfens) if many else solve_one(args, sfens[0])


def is_file(words: list[str]) -> bool:
    """Tell whether the argument is a file of positions or means stdin.

    Raises ValueError if it is neither a file nor an SFEN.
    """
    if len(words) != 1 or words[0] == common.STANDARD or Path(words[0]).exists():
        return len(words) == 1
    if " " not in words[0].strip() and words[0] != "startpos" and words[0].count("/") != BOARD_BARS:
        raise InputError("{0} is neither a file nor an SFEN", words[0])
    return False


def positions_of(name: str) -> Iterator[tuple[str, int]]:
    """Yield the SFEN of each problem in a file of any record format, and the length of its solution in plies, or 0.

    The file may be packed, an archive or a folder, as for `records.iterate`. A record that begins with a game's
    starting position is a game, and its last position is the problem. Any other record begins with the problem, and
    its moves are a solution. Raises OSError, ValueError.
    """
    from shogi_engine import records
    from shogi_engine.study import is_problem

    try:
        if name == common.STANDARD:
            found = records.read(io.BytesIO(sys.stdin.buffer.read()), game="shogi")
        else:
            found = records.iterate(name, game="shogi")
        for record in found:
            yield (record.start, len(record.moves)) if is_problem(record) else (record.board().sfen(), 0)
    except records.RecordError as fault:
        raise InputError("{0}: {1}", name, fault) if name == common.STANDARD else fault from None


def found_of(args: Arguments, questions: "list[MateRequest]", line: ProgressBar) -> "Iterator[Found]":
    """Yield the result of each problem in turn, with progress in `line` if only one is solved at a time."""
    from shogi_engine.games.shogi.mate.solver import MateSolver
    from shogi_engine.jobs import Pool, in_order
    from shogi_engine.suites import MateMaker, answer

    maker = MateMaker(args.hash, args.max_ms or MAX_MS)
    if args.cluster or args.threads > 1:
        with Pool(maker, args.threads, args.cluster, name="mates") as pool:
            yield from in_order(pool.results(questions), lambda question: question.number)
        return
    solver = MateSolver(args.hash)
    solver.warmup(solutions=True)

    def solved(question: "MateRequest") -> "Found":
        return answer(solver, question, maker.max_ms, line.search)

    # The main thread only waits: in a kernel it would notice no signal.
    for _question, found in results_on_threads(lambda _thread: solved, questions, 1, "mate", solver.stop):
        line.close()
        yield found


def answers(args: Arguments, sfens: list[str]) -> "Iterator[MateAnswer]":
    """Yield the answer to each problem in turn."""
    from shogi_engine.cli.mate_answer import MateAnswer
    from shogi_engine.games.shogi.sfen import parse_sfen
    from shogi_engine.suites import MateRequest

    asked = [MateRequest(number, sfen, args.shortest, args.all, args.tsume) for number, sfen in enumerate(sfens)]
    with progress_bar() as line:
        for sfen, (found, others) in zip(sfens, found_of(args, asked, line), strict=True):
            yield MateAnswer(sfen, parse_sfen(sfen), found, others)


def row_of(args: Arguments, answer: "MateAnswer") -> dict[str, Any]:
    """Return an answer for JSON."""
    row = answer.values()
    return row | ({"solutions": answer.lines()} if args.all else {})


def solve_one(args: Arguments, sfen: str) -> int:
    """Solve one problem; status 1 if nothing is proven."""
    (answer,) = answers(args, [sfen])
    if args.out:
        write_kif(args.out, [answer])
    drawn = pieces_for(sys.stdout) if args.diagram or args.notation == "japanese" else WESTERN
    common.report(args.json, row_of(args, answer), answer.text(args.notation, drawn, args.tsume))
    return 1 if answer.found.result == "timeout" else 0


def solve_many(args: Arguments, sfens: list[str]) -> int:
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
    common.report(args.json, {**counts, "results": rows, "nodes": nodes, "seconds": seconds}, text)
    return 1 if counts["timeouts"] else 0


def write_kif(path: str, answers: "list[MateAnswer]") -> None:
    """Write the problems with their answers."""
    from shogi_engine import records

    records.save([answer.record() for answer in answers], path, format="kif")


def check_problems(args: Arguments, problems: list[tuple[str, int]]) -> int:
    """Check problems, each with the plies of its author's solution or 0; status 1 if one has a flaw or no mate."""
    from shogi_engine.cli.mate_answer import examined, sentences
    from shogi_engine.games.shogi.mate.solver import MateSolver

    solver = MateSolver(args.hash)
    with progress_bar():
        solver.warmup(solutions=True)
    rows = []
    for number, (sfen, plies) in enumerate(problems, 1):
        rows.append(row := examined(solver, sfen, plies, args.max_ms or MAX_MS))
        if not args.json:
            heading = f"{number}. {sfen}\n" if len(problems) > 1 else ""
            print(heading + "\n".join(sentences(row, args.notation)), flush=True)
    if args.json:
        common.report(True, {"results": rows}, "")
    return 1 if any(row["flaws"] or row["result"] != "mate" for row in rows) else 0
