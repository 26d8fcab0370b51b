"""`shogi-engine tsume`: mate problems in the terminal; the engine defends, gives hints, and records progress."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shogi_engine import games, tsume
from shogi_engine.cli import common
from shogi_engine.cli.common import at_least_one, check_outputs, flag, option, positional, write_problems
from shogi_engine.cli.progress import progress_bar
from shogi_engine.cli.terminal import Desk, default_pieces
from shogi_engine.language import InputError, plural, translate as _, translate_fault

LENGTHS = range(1, 12, 2)


class Arguments(common.Arguments):
    """Which problems are solved or written."""

    number: int | None = positional(
        "N", "number of the problem; default: the next unsolved one", nargs="?", type=at_least_one
    )
    daily: bool = flag("the problem of the day")
    length: int | None = option("only problems of this length: 1, 3 ... 11", type=int, choices=LENGTHS, metavar="PLIES")
    grade: int | None = option(
        "only problems of this difficulty, 1 (easy) to 10", type=int, choices=range(1, tsume.GRADES + 1), metavar="N"
    )
    progress: bool = flag("only show how many problems you have solved")
    out: Path | None = option(
        "only write these problems: as records (.kif ...), as a page to print (.html), else as lines",
        type=Path,
        metavar="FILE",
    )


def run(args: Arguments) -> int:
    """Give problems until the user leaves."""
    solved, some = tsume.Progress(), tsume.problems(args.length, args.grade)
    if args.progress:
        print("\n".join(progress_lines(solved)))
        return 0
    if args.out:
        write(args.out, args, solved, some)
        return 0
    problem: tsume.Problem | None = first_problem(args, solved, some)
    from shogi_engine.engine import Engine

    desk, engine = Desk(pieces=default_pieces(sys.stdout)), Engine("shogi", hash_mb=16)
    with progress_bar():
        engine.warmup_mate()
    try:
        while problem is not None and give(desk, engine, problem, solved):
            problem = solved.next_of(each for each in some if each is not problem)
    except EOFError:
        pass
    return 0


def write(out: Path, args: Arguments, solved: tsume.Progress, some: tuple[tsume.Problem, ...]) -> None:
    """Write the problem that the arguments name, or all those of a length and grade."""
    check_outputs("tsume", {"--out": out})
    if args.daily or args.number is not None or not some:
        some = (first_problem(args, solved, some),)
    print(write_problems(out, tsume.as_records(some), tsume.heading(some), tsume.as_text(some)))


def first_problem(args: Arguments, progress: tsume.Progress, some: tuple[tsume.Problem, ...]) -> tsume.Problem:
    """Return the problem to begin with. Raises ValueError if there is none."""
    if args.daily:
        return tsume.daily()
    if args.number is not None:
        if args.number > len(tsume.problems()):
            raise InputError(
                "tsume: there are only {0} problems; there is no number {1}", len(tsume.problems()), args.number
            )
        return tsume.problems()[int(args.number) - 1]
    if not some:
        raise InputError("tsume: there is no problem of this length and grade")
    return progress.next_of(some) or some[0]


def progress_lines(progress: tsume.Progress) -> list[str]:
    """Return lines with the number of solved problems of each length."""
    rows = []
    for length in LENGTHS:
        some = tsume.problems(length)
        words = plural("{length} ply: {solved} of {count} solved", "{length} plies: {solved} of {count} solved", length)
        rows.append(words.format(length=length, solved=progress.count(some), count=len(some)))
    return rows


def give(desk: Desk, engine: Any, problem: tsume.Problem, progress: tsume.Progress) -> bool:
    """Give a problem until it is solved or skipped; return False if the user leaves."""
    exercise, start = (
        tsume.Exercise(lengths={(): problem.length}),
        games.game_module("shogi", "board").Board(problem.sfen),
    )

    def note(noted: Callable[[], None]) -> None:
        try:
            noted()
        except OSError as fault:
            desk.show(translate_fault(fault))

    def wrong(move: str) -> tuple[str, ...]:
        note(lambda: progress.fail(problem))
        return ()

    desk.show(tsume.title(problem))
    stays = desk.solve(exercise, "shogi", start.copy(), engine, wrong)
    if exercise.status == tsume.SOLVED:
        note(lambda: progress.solve(problem, exercise.helped))
        desk.show(_("Solved, with a hint.") if exercise.helped else _("Solved."))
    elif exercise.status == tsume.ANSWERED:
        desk.show(desk.text(start, problem.moves))
    return stays
