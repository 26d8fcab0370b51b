"""Tsume: the package's mate problems, one for each day, and a record of which problems the user has solved.

    from shogi_engine import tsume
    problem = tsume.daily()
    print(problem.sfen, problem.length, problem.grade, problem.moves)

`docs/mates.md` describes how they were made and checked.

`Exercise` is a problem that is being solved, of any kind: what each move was worth, what an engine must find out, and
what it answers. It has no thread, no engine and no board of its own. Positions are named by the moves to them from a
record's start.

    exercise = Exercise()
    exercise.begin()
    while exercise.ask:
        reply = exercise.answered(exercise.ask.work(engine, board))  # of the position after `exercise.ask.moves`
"""

import contextlib
import datetime
import functools
import json
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from shogi_engine.common.files import data_folder, json_of, locked, write_whole
from shogi_engine.common.threads import Search
from shogi_engine.language import InputError, Message, mark, translate
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import Limit

# ---- The problems, easiest first, and the one of a day. Standard library only


FILE = Path(__file__).with_name("problems.txt")
GRADES = 10
DAILY_LENGTHS = range(3, 10)  # plies of the daily problems
_SHUFFLE = 20260  # the seed of the order of the daily problems


@dataclass(frozen=True)
class Problem:
    """A mate problem; black mates. It has one solution, and some longest defence leaves black no piece in hand.

    Attributes:
        number: from 1, the easiest first
        length: plies of the mate
        grade: 1 (easy) to GRADES, as measured
        source: 'composed', or 'game' if it comes from a game of this engine
        moves: the solution, in USI
    """

    number: int
    sfen: str
    length: int
    grade: int
    source: str
    moves: tuple[str, ...]

    @property
    def key(self) -> str:
        """The name under which progress is kept: numbers may change between versions."""
        return self.sfen


class Solvable(Protocol):
    """Something of which progress is kept."""

    @property
    def key(self) -> str:
        """The name under which it is kept."""


@functools.cache
def problems(length: int | None = None, grade: int | None = None) -> tuple[Problem, ...]:
    """Return the problems, optionally only those of a length or a grade."""
    if length is not None or grade is not None:
        return tuple(each for each in problems() if length in (None, each.length) and grade in (None, each.grade))
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(_problem(number, line) for number, line in enumerate(lines, 1))


def _problem(number: int, line: str) -> Problem:
    grade, length, source, sfen, moves = line.split("\t")
    return Problem(number, sfen, int(length), int(grade), source, tuple(moves.split()))


@functools.cache
def daily_problems() -> tuple[Problem, ...]:
    """Return the problems of days, from one whose ordinal is a multiple of their number on."""
    some = [each for each in problems() if each.length in DAILY_LENGTHS]
    random.Random(_SHUFFLE).shuffle(some)
    return tuple(some)


def daily(day: datetime.date | None = None) -> Problem:
    """Return the problem of a day, by default today: the same everywhere; none repeats before all were used."""
    some = daily_problems()
    return some[(day or datetime.date.today()).toordinal() % len(some)]


# ---- Mate problems as files: a line each with the position and the solution, and records


TITLE = mark("No. {number}: mate in {length}, grade {grade}")
HEADINGS = (mark("Tsume"), mark("Tsume: mate in {length}"))


def title(problem: Problem, language: str = "") -> str:
    """Return a problem's number, plies and grade as text."""
    words = translate(TITLE, language)
    return words.format(number=problem.number, length=problem.length, grade=problem.grade)


def heading(problems: Iterable[Problem], language: str = "") -> str:
    """Return the title of a page of problems."""
    lengths = {each.length for each in problems}
    same = len(lengths) == 1
    return translate(HEADINGS[same], language).format(length=min(lengths, default=0))


def as_text(problems: Iterable[Problem]) -> str:
    """Return a line for each problem: the SFEN, a tab, and the solution, its moves separated by blanks."""
    return "".join(f"{each.sfen}\t{' '.join(each.moves)}\n" for each in problems)


def as_records(problems: Iterable[Problem], language: str = "") -> list[GameRecord]:
    """Return the problems as records, whose moves are the solution."""
    made = []
    for each in problems:
        made.append(GameRecord.from_moves("shogi", each.moves, start=each.sfen, comments={0: title(each, language)}))
    return made


# ---- Progress: which problems the user has solved, in a file of the user's folder. Standard library and platformdirs


NAME = "tsume.json"
TIMEOUT = 5.0  # seconds to wait for another process that writes the file


class Progress:
    """The problems that were solved: tsume, and lessons.

    Several processes can use a file. One that cannot be read counts as empty, and is not overwritten. What cannot be
    written is known until the end of the process.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or data_folder() / NAME
        self._rows: dict[str, dict[str, Any]] = {}
        with contextlib.suppress(OSError, ValueError):
            self._rows = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        """Return the file's rows. Raises OSError, and ValueError if it is damaged."""
        try:
            found = json_of(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        if not isinstance(found, dict) or not all(isinstance(row, dict) for row in found.values()):
            raise ValueError(self.file)
        return found

    def is_solved(self, problem: Solvable) -> bool:
        """Tell whether the problem was solved, with or without help."""
        return "solved" in self._rows.get(problem.key, {})

    def solve(self, problem: Solvable, helped: bool = False) -> None:
        """Note that the problem was solved. Raises OSError if it cannot be written.

        Args:
            helped: by a hint
        """
        self._note(problem, {"solved": datetime.date.today().isoformat(), "helped": helped})

    def fail(self, problem: Solvable) -> None:
        """Note a wrong move. Raises OSError if it cannot be written."""
        self._note(problem, {})

    def count(self, some: Iterable[Solvable]) -> int:
        """Return how many of the problems in `some` were solved."""
        return sum(map(self.is_solved, some))

    def next_of(self, some: Iterable[Problem]) -> Problem | None:
        """Return the first problem in `some` that was not solved, None if all were."""
        return next((each for each in some if not self.is_solved(each)), None)

    def _note(self, problem: Solvable, solution: dict[str, Any]) -> None:
        """Note a solution, or a wrong move if it is empty, together with what other processes have noted meanwhile."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.file, TIMEOUT):
                rows = with_note(self._rows | self._read(), problem.key, solution)
                write_whole(self.file, json.dumps(rows, indent=1).encode())
                self._rows = rows
        except (OSError, ValueError) as fault:
            self._rows = with_note(self._rows, problem.key, solution)
            if isinstance(fault, OSError):
                raise
            raise OSError(Message("{0} is damaged, and nothing is written to it", self.file)) from None


def with_note(rows: dict[str, dict[str, Any]], key: str, solution: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return `rows` with a solution, or with one more wrong move if it is empty."""
    row = rows.get(key, {})
    return rows | {key: row | (solution or {"wrong": int(row.get("wrong", 0)) + 1})}


__all__ = ["FILE", "GRADES", "Problem", "Progress", "as_records", "as_text", "daily", "heading", "problems", "title"]


# ---- A problem that is being solved


Moves = tuple[str, ...]

# What is known of the user's last move. A mate: RIGHT mates fastest, LONGER mates later, LOST lets the king escape.
SEARCHING, YOURS, RIGHT, LONGER, DEFENDING, SOLVED, NO_MATE, UNKNOWN, LOST = (
    *("searching", "yours", "right", "longer", "defending", "solved", "no mate", "unknown", "lost"),
)
# A Task: DONE is the best move, GOOD about as good, WRONG is refuted; ANSWERED: the solution was shown
REFUTING, WRONG, DONE, GOOD, ANSWERED, RETRY = ("refuting", "wrong", "done", "good", "answered", "retry")
WAITING = (SEARCHING, DEFENDING, REFUTING)  # for an engine
OVER = (DONE, GOOD, SOLVED, ANSWERED)

PROVE_SECONDS = 10.0  # for the problem
REPLY_SECONDS = 4.0  # for each defence
DEFENCE_SECONDS = 12.0  # for all of them, once one was unresolved


def prove(engine: Any, board: Any, search: Search[Any] | None = None) -> Any:
    """Look for the shortest mate in a Board's position."""
    return engine.mate(board, Limit(PROVE_SECONDS), shortest=True, search=search)


def best_defence(
    engine: Any, board: Any, search: Search[Any] | None = None, *, find: Callable[[Any], Any] | None = None
) -> tuple[str, int | None]:
    """Return the reply that holds out longest against a mate by checks, and the plies to mate after it.

    The plies are 0 if it is proven that there is no mate, None if no mate was found.

    Args:
        board: has the defence to move; the reply is '' if there is none
        search: ends this when it is stopped
        find: looks for a mate in a Board's position; None from it counts as a proof that there is none
    """
    best, longest, unproven = "", -1, ""
    end, after = time.monotonic() + DEFENCE_SECONDS, board.copy()
    for move in board.legal_moves:
        if (search and search.stopped) or (unproven and time.monotonic() > end):
            break
        reply = str(move)
        after.push(move)
        found = find(after) if find else engine.mate(after, Limit(REPLY_SECONDS), shortest=True, search=search)
        after.pop()
        if found is None or found.result == "nomate":
            return reply, 0
        if not found:
            unproven = unproven or reply
        elif found.length > longest:
            best, longest = reply, found.length
    return (unproven, None) if unproven else (best, longest)


class Question(NamedTuple):
    """What an engine must find out: `work(engine, board, search)`, with a Board of the position after some moves.

    Attributes:
        waiting: the status meanwhile
    """

    waiting: str
    moves: Moves
    work: Callable[..., Any]


class Verdict(NamedTuple):
    """What a move was worth: a status, '' for no change, and the line after it, of which the first move is made."""

    status: str
    line: Sequence[str] = ()


class Task(Protocol):
    """What is to be done in a problem that is more than a mate by checks. Its moves are those from the problem on.

    Attributes:
        wrong: whether a wrong move was tried, or the solution shown
    """

    wrong: bool

    @property
    def line(self) -> Sequence[str]:
        """The solution."""

    def tried(self, moves: Moves, board: Any) -> Verdict | None:
        """Return what the last move was worth, None if an engine must find it out."""

    def reply(self, engine: Any, board: Any) -> Verdict:
        """Find it out, of the position after the move."""

    def hint(self, moves: Moves) -> str:
        """Return the next move, '' if there is none to be hinted at."""

    def mates(self, moves: Moves) -> bool:
        """Tell whether these moves have begun a mate, which is solved like tsume."""


@dataclass
class Exercise:
    """A problem that is being solved.

    Attributes:
        root: the moves to the problem
        status: of the user's last move
        lengths: plies of the shortest mate after some moves, where known
        helped: by a hint or the solution
        task: None for a mate by checks
        ask: the question that is open
        refuted: the moves up to a wrong one, and the line after it
    """

    root: Moves = ()
    status: str = YOURS
    lengths: dict[Moves, int] = field(default_factory=dict)
    helped: bool = False
    task: Task | None = None
    ask: Question | None = None
    refuted: tuple[Moves, Sequence[str]] | None = None

    @property
    def over(self) -> bool:
        """Whether a task was done or its solution shown; moves are then free."""
        return self.task is not None and self.status in OVER

    def begin(self) -> None:
        """Have it proven that there is a mate."""
        self._ask(SEARCHING, self.root, prove)

    def check(self, moves: Moves, board: Any, move: str) -> None:
        """Raise ValueError if the user may not make this move: while an engine is asked, or in a mate without check."""
        self._check_turn()
        if not self.over and self._mates(moves) and not board.gives_check(board.parse_text(move)):
            raise InputError("this move gives no check")

    def moved(self, moves: Moves, board: Any) -> Moves:
        """Judge the user's last move; return the moves after it, unless there is a question now.

        Args:
            board: the position after it
        """
        self.ask = None
        own = moves[len(self.root) :]
        if self.over:
            return ()
        if self._mates(moves):
            return self._attacked(moves, board)
        if self.task is None or not own:
            return ()
        verdict = self.task.tried(own, board)
        if verdict is not None:
            return self._judged(moves, verdict)
        task = self.task
        return self._ask(REFUTING, moves, lambda engine, board, search=None: task.reply(engine, board))

    def answered(self, found: Any) -> Moves:
        """Use what an engine has found; return the moves after those of the question."""
        ask, self.ask = self.ask, None
        if ask is None:
            return ()
        if ask.waiting == DEFENDING:
            return self._defended(ask.moves, *found)
        if ask.waiting == REFUTING:
            return self._judged(ask.moves, found)
        self.status = {"mate": YOURS, "nomate": NO_MATE}.get(found.result, UNKNOWN)
        self.lengths[self.root] = found.length
        return ()

    def failed(self) -> None:
        """After a search that has failed the user tries again, or takes the move back."""
        self.ask = None
        if self.status in WAITING:
            self.status = RETRY if self.task else UNKNOWN

    def resume(self, moves: Moves, board: Any) -> Moves:
        """Ask again what was asked before an interruption; `moves` and `board` are what is shown now."""
        if self.status == SEARCHING:
            self.begin()
        elif self.status in WAITING:
            self.status = YOURS
            return self.moved(moves, board)
        return ()

    def undone(self, moves: Moves) -> Moves:
        """Take back the user's last move, a wrong first one with all after it, and return the moves that are left.

        Raises ValueError if there is none.
        """
        own = len(moves) - len(self.root)
        if own <= 0 or moves[: len(self.root)] != self.root:
            raise InputError("there is no move to take back")
        self.ask = None
        first_was_wrong = not (self.over or self._mates(moves) or self.status == RIGHT)
        if not self.over:
            self.status = YOURS
        return self.root if first_was_wrong else moves[: -2 if own % 2 == 0 else -1]  # -2: with the reply to it

    def hint(self, moves: Moves) -> str:
        """Return the next move, '' if an engine must `prove` it. Raises ValueError if there is nothing to hint at."""
        self._check_turn()
        move = self.task.hint(moves[len(self.root) :]) if self.task and not self.over else ""
        if not move and (self.over or not self._mates(moves) or self.status not in (YOURS, RIGHT, LONGER)):
            raise InputError("there is no move to hint at")
        self.helped = True
        return move

    def give_up(self) -> Moves:
        """Note that the solution is shown, and return a task's. Raises ValueError if it was done."""
        if self.over:
            raise InputError("no problem is being solved")
        self.ask, self.status = None, ANSWERED
        if self.task is None:
            return ()
        self.task.wrong = True
        return tuple(self.task.line)

    # ---- what a move was worth

    def _check_turn(self) -> None:
        if self.status in WAITING:
            raise InputError("please wait: the engine is thinking")

    def _ask(self, waiting: str, moves: Moves, work: Callable[..., Any]) -> Moves:
        self.status, self.ask = waiting, Question(waiting, moves, work)
        return ()

    def _mates(self, moves: Moves) -> bool:
        return self.task is None or self.task.mates(moves[len(self.root) :])

    def _is_first(self, moves: Moves) -> bool:
        """Tell whether these moves end with a task's first, which is right even if no mate is proven after it."""
        return self.task is not None and len(moves) == len(self.root) + 1

    def _attacked(self, moves: Moves, board: Any) -> Moves:
        """Judge a move of a mate: the defence must be found, unless it mates or gives no check."""
        if (len(moves) - len(self.root)) % 2 == 0:
            self.status = YOURS
        elif board.is_checkmate():
            self.status = SOLVED
        elif board.is_check():
            self._ask(DEFENDING, moves, best_defence)
        else:
            self._lose(moves)
        return ()

    def _lose(self, moves: Moves) -> None:
        self.status = DONE if self._is_first(moves) else LOST
        if self.task and self.status == LOST:
            self.task.wrong = True

    def _defended(self, moves: Moves, reply: str, left: int | None) -> Moves:
        """Judge a move of a mate by its best defence."""
        if left == 0 or not left and self._is_first(moves):
            self._lose(moves)
        else:
            before = self.lengths.get(moves[:-1], 0)
            self.status = UNKNOWN if left is None else LONGER if before and left > before - 2 else RIGHT
        if not reply:
            return ()
        self.lengths[(*moves, reply)] = left or 0
        return (reply,)

    def _judged(self, moves: Moves, verdict: Verdict) -> Moves:
        """Use the verdict of a task."""
        self.status = verdict.status or self.status
        if verdict.status == WRONG:
            self.refuted = moves, verdict.line
        return tuple(verdict.line[:1])
