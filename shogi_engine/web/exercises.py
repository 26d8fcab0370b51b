"""Problems on the board: tsume, and the user's own mistakes, whose mates are solved like tsume after the first move."""

import datetime
import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import msgspec

from shogi_engine import study
from shogi_engine.analysis import GameAnalysis, MoveAnalysis
from shogi_engine.analysis.judgement import LINE_MOVES, line_texts
from shogi_engine.common.threads import begun
from shogi_engine.language import InputError, fault_text
from shogi_engine.lessons import Course, lessons
from shogi_engine.study.problems import LIMITS, LINE, NODES
from shogi_engine.tsume import (
    LOST,
    SEARCHING,
    SOLVED,
    WAITING,
    WRONG,
    Exercise,
    Problem,
    Progress,
    daily,
    problems,
    prove,
)
from shogi_engine.types.limits import SIDES, Limit
from shogi_engine.web import replies
from shogi_engine.web.access import PATIENCE_SECONDS
from shogi_engine.web.links import Page, Viewers
from shogi_engine.web.pool import Engines, PoolSearch, Priority, SearchSlot
from shogi_engine.web.replies import Hint, Lessons, Problems as ProblemRows
from shogi_engine.web.tree import Tree

# ---- Makes problems of the mistakes of a session's judged game, and counts those that are due


PROBLEMS_MAX = 10_000  # of an owner in a game


class _Examined(study.Examined):
    """Examines positions with the engine of a search. It remembers them: a search that is interrupted begins again.

    Args:
        known: the answers found so far, by position
    """

    def __init__(self, search: PoolSearch[Any], engine: Any, known: dict[str, tuple[str, ...]]) -> None:
        super().__init__(search.game, engine=engine)
        self._search, self._known = search, known

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...] | None:
        """Return the moves that solve a position, None if the search was stopped."""
        if position not in self._known:
            found = super().answers(position, move)
            if self._search.stopped or found is None:
                return None
            self._known[position] = found
        return self._known[position]


def counts(problems: study.Store, new: int | None = None, *, repertoire: study.Store | None = None) -> Lessons:
    """Return the message that says how many problems are due; `new` were made just now.

    Args:
        repertoire: whose problems are counted too
    """
    when = problems.next_due()
    return Lessons(
        due=len(problems.due()), total=problems.count(), next=when.timestamp() if when else 0, new=new,
        lines=problems.is_repertoire,
        repertoire=[len(repertoire.due()), repertoire.count()] if repertoire else [],
    )  # fmt: skip


def check_room(problems: study.Store) -> None:
    """Raise ValueError if an owner has too many problems."""
    if problems.count() >= PROBLEMS_MAX:
        raise InputError("there are too many problems")


class Learning:
    """The making of problems in a session."""

    def __init__(self, engines: Engines, viewers: Viewers) -> None:
        self._search, self._viewers = SearchSlot(engines, "learn", Priority.ANALYSIS), viewers

    @property
    def on(self) -> bool:
        """Whether problems are being made."""
        return self._search.on

    def close(self) -> None:
        """Stop it."""
        self._search.cancel()

    def begin(self, tree: Tree, game: GameAnalysis, side: int, problems: study.Store, page: Page) -> None:
        """Make problems of a side's mistakes. Raises ValueError while others are being made.

        Args:
            problems: where they are added
            page: that is told how many are new
        """
        known: dict[str, tuple[str, ...]] = {}

        def work(engine: Any, search: PoolSearch[Any]) -> list[study.Problem]:
            return list(study.problems_of(game, SIDES[side], _Examined(search, engine, known)))

        if self.on:
            raise InputError("problems are being made")
        self._search.begin(tree, work, lambda made: self._made(made, problems, page))

    def _made(self, made: list[study.Problem], problems: study.Store, page: Page) -> None:
        """Add the problems, and tell the page that asked. This is the engine's thread, and the disk may hang."""

        def tell(added: Future[Lessons]) -> None:
            if (fault := added.exception()) is None:
                page.send(added.result())
            else:
                self._viewers.tell(fault_text(fault))

        begun(lambda: counts(problems, problems.add(made)), PATIENCE_SECONDS).add_done_callback(tell)


# ---- Tsume: the user mates by checks, and the engine holds out as long as it can. The problems are the terminal's


@functools.cache
def by_position() -> dict[str, Problem]:
    """Return the problems by their SFEN."""
    return {each.sfen: each for each in problems()}


def course_rows(course: Course, language: str) -> replies.Course:
    """Return the message that lists a game's lessons: the name and title of each, and whether it was done."""
    done = zip(lessons(course.game), course.done(), strict=True)
    rows = [(each.name, each.heading(language), int(known)) for each, known in done]
    return replies.Course(game=course.game, rows=rows)


def problem_rows(progress: Progress | None) -> ProblemRows:
    """Return the message that lists the problems: the plies and the grade of each, and whether it was solved."""
    rows = [(each.length, each.grade, int(progress is not None and progress.is_solved(each))) for each in problems()]
    return ProblemRows(rows=rows, daily=daily().number)


class SavedProblem(msgspec.Struct):
    """A problem that is being solved on a tree, as JSON; see Exercise. Moves are separated by blanks."""

    root: int
    status: str
    lengths: dict[str, int]
    helped: bool


def send_hint(viewers: Viewers, tree: Tree, number: int, move: str) -> None:
    """Send the pages the best move after move `number`."""
    board = tree.board_at(number)
    viewers.send(lambda look: Hint(number, move, line_texts(board, [move], look.language)[0]))


def hint_by(slot: SearchSlot, viewers: Viewers, tree: Tree, find: Callable[[Any, Any], Sequence[object]]) -> None:
    """Let an engine find the best line of the board, `find(engine, board)`, and send its first move to the pages."""
    number = tree.node

    def show(line: Sequence[object]) -> None:
        if line and number in tree:
            send_hint(viewers, tree, number, str(line[0]))

    slot.begin(tree, lambda engine, search: find(engine, search.board), show, number)


def hint_in_game(slot: SearchSlot, viewers: Viewers, tree: Tree) -> None:
    """Send the pages the move that the engine would make. Raises ValueError if the game is over."""
    if tree.board.is_game_over():
        raise InputError("there is no move to hint at")
    limit = Limit.of(**LIMITS.get(tree.game, {"nodes": NODES}))
    hint_by(slot, viewers, tree, lambda engine, board: engine.analyse(board, limit).pv)


@dataclass
class Tsume:
    """A problem in a session.

    Attributes:
        root: the number of the move at which it begins
        exercise: what is known of it
        progress: the record of solved problems
    """

    tree: Tree
    engines: Engines
    viewers: Viewers
    root: int
    exercise: Exercise = field(default_factory=Exercise)
    progress: Progress | None = None
    search: SearchSlot = field(init=False)
    _noted: Future[Any] | None = field(default=None, init=False)  # the last note, which may not be written yet

    def __post_init__(self) -> None:
        self.search = SearchSlot(self.engines, "tsume", Priority.SEARCH, self.exercise.failed)
        self.exercise.root = tuple(self.tree.moves(self.root))

    @property
    def problem(self) -> Problem | None:
        """The problem of the collection that is being solved, None for another position."""
        return by_position().get(self.tree.record.start) if self.root == 0 else None

    def saved(self, place: Mapping[int, int]) -> SavedProblem | None:
        """Return what is saved, None if the problem's move is gone; `place` has the new numbers of the tree's moves."""
        if self.root not in place:
            return None
        lengths = {" ".join(moves): plies for moves, plies in self.exercise.lengths.items()}
        return SavedProblem(place[self.root], self.exercise.status, lengths, self.exercise.helped)

    def restore(self, saved: SavedProblem) -> None:
        """Continue as it was saved."""
        lengths = {tuple(moves.split()): plies for moves, plies in saved.lengths.items()}
        self.exercise.status, self.exercise.lengths, self.exercise.helped = saved.status, lengths, saved.helped

    @property
    def barred(self) -> bool:
        """Whether the engine must not help."""
        return False

    def state(self, language: str) -> replies.Tsume:
        """Return what the pages show."""
        exercise, moves, problem = self.exercise, self._moves(self.tree.node), self.problem
        length, left = exercise.lengths.get(exercise.root, 0), exercise.lengths.get(moves, 0)
        shown = replies.Tsume(exercise.status, length, left, len(moves) - len(exercise.root))
        if problem is not None:
            shown.number, shown.plies, shown.grade = problem.number, problem.length, problem.grade
            shown.count = len(problems())
        return shown

    def _moves(self, number: int) -> tuple[str, ...]:
        return tuple(self.tree.moves(number))

    def begin(self) -> None:
        """Let the engine prove that there is a mate."""
        self.exercise.begin()
        self._go_on(self.root, ())

    def wake(self) -> None:
        """Resume an interrupted search."""
        if not self.search.on and self.exercise.status in WAITING:
            number = self.tree.node
            reply = self.exercise.resume(self._moves(number), self.tree.board)
            self._go_on(self.root if self.exercise.status == SEARCHING else number, reply)

    def close(self) -> None:
        """End a search."""
        self.search.cancel()

    def undo(self) -> None:
        """Take back the user's last move. Raises ValueError if there is none."""
        left = self.exercise.undone(self._moves(self.tree.node))
        self.close()
        self.tree.go(self.tree.path()[len(left)])

    def check_move(self, move: str) -> None:
        """Raise ValueError if the user may not make this move."""
        self.exercise.check(self._moves(self.tree.node), self.tree.board, move)

    def moved(self, number: int) -> None:
        """Answer the user's move `number`."""
        self.close()
        self._go_on(number, self.exercise.moved(self._moves(number), self.tree.board_at(number)))

    def _go_on(self, number: int, line: Sequence[str]) -> None:
        """After move `number` ask the engine, or note what the move was worth and make the reply."""
        ask, tree = self.exercise.ask, self.tree
        if ask is not None:
            self.search.begin(
                tree,
                lambda engine, search: ask.work(engine, search.board, search),
                lambda found: self._go_on(number, self.exercise.answered(found)),
                number,
            )
            return
        self._note()
        if line and number in tree:
            made = tree.add(line[0], number)
            if tree.node == number:
                tree.go(made)

    def hint(self) -> None:
        """Send the pages the next move. Raises ValueError if there is none to hint at."""
        number = self.tree.node
        if move := self.exercise.hint(self._moves(number)):
            send_hint(self.viewers, self.tree, number, move)
            return
        hint_by(self.search, self.viewers, self.tree, lambda engine, board: prove(engine, board).moves)

    def _note(self) -> None:
        """Note a solution, or a wrong move."""
        problem, exercise = self.problem, self.exercise
        if problem is None or self.progress is None:
            return
        if exercise.status == LOST:
            self._keep(functools.partial(self.progress.fail, problem))
        elif exercise.status == SOLVED and len(self.tree.path()) - 1 == problem.length:
            self._keep(functools.partial(self.progress.solve, problem, exercise.helped))

    def _keep(self, note: Callable[[], Any]) -> None:
        """Write a note. A disk may hang: then the session continues, and the pages are told at the end."""
        waits = self._noted is None or self._noted.done()
        self._noted = noted = begun(note, PATIENCE_SECONDS if waits else 0)
        if noted.done():
            self._kept(noted)
        else:
            noted.add_done_callback(self._kept_late)

    def _kept_late(self, noted: Future[Any]) -> None:
        with self.engines.lock:
            self._kept(noted)
            self.engines.changed()

    def _kept(self, noted: Future[Any]) -> None:
        """Tell the pages if a note could not be written."""
        if (fault := noted.exception()) is not None:
            self.viewers.tell(fault_text(fault))


@dataclass
class Lesson(Tsume):
    """A problem in a session, alone on its board: the game that was there is closed, and opened again after it.

    Attributes:
        attempt: at the problem
        problems: where the problems of this round come from
        left: how many are left of the round, this one included
        given: the identifiers of the problems that this round has given
        before: the name of the game that was on the board, '' for none
        back: when the problem comes back, once it is solved
    """

    attempt: study.Attempt = field(kw_only=True)
    problems: study.Source = field(kw_only=True)
    left: int = 0
    given: tuple[str, ...] = ()
    before: str = ""
    back: datetime.datetime | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.exercise.task = self.attempt

    @property
    def problem(self) -> None:
        """None: it is not of the collection."""

    @property
    def barred(self) -> bool:
        """Whether the engine must not help, as it would solve the problem."""
        return not self.exercise.over

    def moved(self, number: int) -> None:
        """Answer the user's move `number`; after the problem moves are free."""
        if not self.exercise.over:
            super().moved(number)

    def answer(self) -> None:
        """Show the answer, and note that the problem was not solved. Raises ValueError if it is over."""
        line = self.exercise.give_up()
        self.close()
        self.tree.go(self.tree.add_line(line, self.root)[0])
        self._note()

    def _note(self) -> None:
        """Note how the problem was solved."""
        if self.exercise.over:
            rating = self.attempt.rating(self.exercise.helped)
            self._keep(functools.partial(self.problems.review, self.attempt.problem, rating))

    def _kept(self, noted: Future[Any]) -> None:
        if isinstance(noted.exception(), KeyError):  # it was removed meanwhile, and does not come back
            return
        super()._kept(noted)
        self.back = None if noted.exception() else noted.result()

    def state(self, language: str) -> replies.Tsume:
        """Return what the pages show of the problem. The solution comes at the end only."""
        problem, shown, over = self.attempt.problem, super().state(language), self.exercise.over
        count = self.problems.size
        shown.lesson = replies.Lesson(
            title=problem.heading(language),
            task=problem.task(language),
            source=problem.where(language),
            due=self.left - over,
            place=count - self.left + 1 if count else len(self.given),
            count=count,
            over=over,
            lines=problem.kind == LINE,
            back=self.back.timestamp() if self.back else 0,
            refutation=self._line(*self.exercise.refuted, language) if self.exercise.refuted else None,
            solution=self._line((), problem.line, language) if over else None,
        )
        if over or self.exercise.status == WRONG and any(map(problem.told_of, self.tree.moves()[:1])):
            if problem.played:
                shown.lesson.played = line_texts(problem.board(), [problem.played], language)[0]
            shown.lesson.why = problem.reasons(language)
        return shown

    def _line(self, moves: Sequence[str], line: Sequence[str], language: str) -> replies.Line | None:
        """Return a line after some moves, as pages play it through; None if these are gone."""
        number = self.tree.find(moves)
        if number is None:
            return None
        line = line[:LINE_MOVES]
        return replies.Line(number, line, line_texts(self.tree.board_at(number), line, language))
