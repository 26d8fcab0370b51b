"""`shogi-engine tsume`: mate problems in the terminal; the engine defends, gives hints, and records progress."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shogi_engine.cli import common, terminal
from shogi_engine.cli.common import at_least_one, check_outputs, flag, option, positional, write_problems
from shogi_engine.cli.progress import progress_bar
from shogi_engine.cli.terminal import default_pieces, draw, plain
from shogi_engine.language import InputError, translate as _
from shogi_engine.tsume import GRADES, Problem, Progress, as_records, as_text, daily, heading, problems, title

LENGTHS = range(1, 12, 2)


class Arguments(common.Arguments):
    """Which problems are solved or written."""

    number: int | None = positional(
        "N", "number of the problem; default: the next unsolved one", nargs="?", type=at_least_one
    )
    daily: bool = flag("the problem of the day")
    length: int | None = option("only problems of this length: 1, 3 ... 11", type=int, choices=LENGTHS, metavar="PLIES")
    grade: int | None = option(
        "only problems of this difficulty, 1 (easy) to 10", type=int, choices=range(1, GRADES + 1), metavar="N"
    )
    progress: bool = flag("only show how many problems you have solved")
    out: Path | None = option(
        "only write these problems: as records (.kif ...), as a page to print (.html), else as lines",
        type=Path,
        metavar="FILE",
    )


def run(args: Arguments) -> int:
    """Give problems until the user leaves."""
    solved, some = Progress(), problems(args.length, args.grade)
    if args.progress:
        print("\n".join(progress_lines(solved)))
        return 0
    if args.out:
        write(args.out, args, solved, some)
        return 0
    problem: Problem | None = first_problem(args, solved, some)
    desk = Desk(solved, pieces=default_pieces(sys.stdout))
    with progress_bar():
        desk.prepare()
    try:
        while problem is not None and desk.give(problem):
            problem = solved.next_of(each for each in some if each is not problem)
    except EOFError:
        pass
    return 0


def write(out: Path, args: Arguments, solved: Progress, some: tuple[Problem, ...]) -> None:
    """Write the problem that the arguments name, or all those of a length and grade."""
    check_outputs("tsume", {"--out": out})
    if args.daily or args.number is not None or not some:
        some = (first_problem(args, solved, some),)
    print(write_problems(out, as_records(some), heading(some), as_text(some)))


def first_problem(args: Arguments, progress: Progress, some: tuple[Problem, ...]) -> Problem:
    """Return the problem to begin with. Raises ValueError if there is none."""
    if args.daily:
        return daily()
    if args.number is not None:
        if args.number > len(problems()):
            raise InputError("tsume: there are only {0} problems; there is no number {1}", len(problems()), args.number)
        return problems()[int(args.number) - 1]
    if not some:
        raise InputError("tsume: there is no problem of this length and grade")
    return progress.next_of(some) or some[0]


def progress_lines(progress: Progress) -> list[str]:
    """Return lines with the number of solved problems of each length."""
    words = _("{length} plies: {solved} of {count} solved")
    rows = []
    for length in LENGTHS:
        some = problems(length)
        rows.append(words.format(length=length, solved=progress.count(some), count=len(some)))
    return rows


class Desk(terminal.Desk):
    """Gives mate problems; the rest as in `terminal.Desk`."""

    def __init__(
        self,
        progress: Progress,
        read: Callable[[str], str] = input,
        show: Callable[[str], object] = print,
        pieces: str = "western",
    ) -> None:
        super().__init__(read, show, pieces)
        self.progress = progress
        self._notation = "japanese" if pieces == "kanji" else "usi"

    def prepare(self) -> None:
        """Compile the kernels that a problem needs."""
        from shogi_engine.cli.mate_answer import written
        from shogi_engine.games.shogi.board import Board
        from shogi_engine.games.shogi.mate.solver import MateSolver

        self._board, self._written = Board, written
        self._solver = MateSolver()
        self._solver.warmup()

    def give(self, problem: Problem) -> bool:
        """Give a problem until it is solved or skipped; return False if the user leaves."""
        board, helped = self._board(problem.sfen), 0
        self.show(title(problem))
        self.show(plain(draw("shogi", board, self._look)))

        def attempt(line: str) -> bool:
            solved = self._is_solved_by(problem, board, line)
            if solved:
                self.progress.solve(problem, helped=helped > 0)
                self.show(_("Solved.") if helped == 0 else _("Solved, with a hint."))
            return solved

        def hint() -> str:
            nonlocal helped
            helped += 1
            return self._hint(problem, board, helped)

        def answer() -> None:
            self.show(" ".join(self._written(problem.sfen, problem.moves, self._notation)))

        return self._solve(attempt, hint, answer)

    def _is_solved_by(self, problem: Problem, board: Any, line: str) -> bool:
        """Make the move and the reply, if the move is right; tell whether it mates."""
        made = len(board.move_stack)
        try:
            move = board.push_text(line)
        except ValueError as fault:
            self.show(_(str(fault)))
            return False
        if board.is_checkmate():
            return True
        reply = self._reply(board, problem.length - made - 1) if board.is_check() else None
        if reply is None:
            board.pop()
            self.progress.fail(problem)
            self.show(_("{move} is not the solution.").format(move=board.text(move, self._notation)))
            return False
        self.show(f"{board.text(reply, self._notation)}")
        board.push(reply)
        self.show(plain(draw("shogi", board, self._look)))
        return False

    def _reply(self, board: Any, left: int) -> Any:
        """Return the longest defence, None if there is one that avoids mate within `left` plies."""
        best, longest = None, -1
        for reply in board.legal_moves:
            board.push(reply)
            found = self._solver.solve(board._pos, limit=left - 1, shortest=True)
            board.pop()
            if not found:
                return None
            if found.length > longest:
                best, longest = reply, found.length
        return best

    def _hint(self, problem: Problem, board: Any, count: int) -> str:
        """Return the target square of the next move; the second time, the move itself."""
        text = str(board.text(board.find_mate(shortest=True).moves[0], self._notation))
        if count % 2 == 0:
            return text
        return _("The move goes to {square}.").format(square=text[1:3] if self._notation == "japanese" else text[2:4])
