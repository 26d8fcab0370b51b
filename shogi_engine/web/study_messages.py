"""The messages about analyses, books, tsume, and problems made of the user's own mistakes."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from shogi_engine import books, games, lessons, study
from shogi_engine.analysis.judgement import move_text
from shogi_engine.explorer import ExplorerMove, PlayedGame, book_of, figures, moves_of_book, shown_value
from shogi_engine.language import InputError, fault_text
from shogi_engine.play.words import names_shown
from shogi_engine.records import GameRecord
from shogi_engine.tsume import Progress, daily, problems as all_problems
from shogi_engine.types.limits import SIDES
from shogi_engine.web import exercises, replies
from shogi_engine.web.access import Slow
from shogi_engine.web.analyses import MULTIPV_MAX
from shogi_engine.web.exercises import Tsume, check_room, counts, course_rows, problem_rows
from shogi_engine.web.game_messages import open_record
from shogi_engine.web.links import Page
from shogi_engine.web.messages import Action, Message, Name, Number, Question, must_have
from shogi_engine.web.replies import Game, Reply, Role, Side
from shogi_engine.web.saving import OpenElsewhere
from shogi_engine.web.session import Session
from shogi_engine.web.tree import Tree

ROWS_MAX = 60  # moves of a position that are sent: as many as Othello has squares
LISTED = 5  # games under the moves


class Analyse(Action):
    """Switch live analysis on or off."""

    helps: ClassVar[bool] = True
    on: bool
    multipv: Annotated[int, Meta(ge=1, le=max(MULTIPV_MAX.values()))] | None = None

    def _obey(self, session: Session, page: Page) -> None:
        session.analyses.switch(self.on, self.multipv)


class Judge(Action):
    """Judge every move of the game, or stop it."""

    helps: ClassVar[bool] = True
    on: bool
    effort: Literal["quick", "normal", "deep"] = "quick"

    def _obey(self, session: Session, page: Page) -> None:
        if self.on:
            session.analyses.judge(self.effort)
        else:
            session.analyses.stop_judging()


class Mate(Action):
    """Look for a mate."""

    helps: ClassVar[bool] = True
    setting_up: ClassVar[bool] = False

    def _obey(self, session: Session, page: Page) -> None:
        session.analyses.find_mate()
        if session.tsume is not None:
            session.tsume.exercise.helped = True


class Explore(Question):
    """Send the moves that a book or games have in the position after a move. Others are served meanwhile."""

    helps: ClassVar[bool] = True
    slow: ClassVar[Slow] = Slow.DISK
    node: Number
    source: Literal["book", "mine", "index"]

    def _obey(self, session: Session, page: Page) -> Reply:
        with session.lock:
            must_have(session, self.node)
            game, board = session.tree.game, session.tree.board_at(self.node)
            store, owner, collections = session.store, session.owner, session.collections
        book, played = book_of(game), list[PlayedGame]()
        if self.source == "book":
            rows = moves_of_book(board, book)
        else:
            session.autosave.write()  # the game on the board is one of the user's
            explorer = collections.of(self.source, game, store, owner)
            rows = [row for row in explorer.moves(board, book) if row.games]
            played = explorer.played(board, most=LISTED)
        unit = books.load(game).unit
        return replies.Explored(
            node=self.node,
            source=self.source,
            names=names_of(board, page.language),
            sources=collections.sources(game, store),
            rows=[_row(board, row, unit, page.language) for row in rows[:ROWS_MAX]],
            games=[
                replies.ExploredGame([names_shown(name, page.language) for name in each.names], each.result)
                for each in played
            ],
        )


def names_of(board: Any, language: str) -> list[str]:
    """Return by side the names of the openings and castles of a Board's moves."""
    names = games.opening_names(board.record())
    sides = zip(names.openings, names.castles, strict=True) if names else ()
    comma = "、" if language == "ja" else ", "
    return [comma.join(each.name.text(language) for found in side for each in found) for side in sides]


def _row(board: Any, row: ExplorerMove, unit: int, language: str) -> replies.ExploredMove:
    """Return a move as a page gets it."""
    return replies.ExploredMove(
        move=row.move, text=move_text(board, row.move, language), games=row.games,
        black=row.black, draws=row.draws, white=row.white, score=row.score,
        value=shown_value(row, unit),
    )  # fmt: skip


# ---- tsume


class Solve(Action, tag="tsume"):
    """Solve a problem of the collection, by its number from 1 or that of the day, or the position shown; or leave."""

    slow: ClassVar[Slow] = Slow.DISK
    on: bool
    problem: Annotated[int, Meta(ge=0, le=10_000)] = 0
    daily: bool = False

    def _obey(self, session: Session, page: Page) -> Reply | None:
        progress = session.store.progress(session.owner) if self.on else None
        with self.permitted(session, page):
            return self._begin(session, progress)

    def _begin(self, session: Session, progress: Progress | None) -> Reply | None:
        answer = None
        if not self.on:
            session.leave_modes()
            return None
        number = daily().number if self.daily else self.problem
        if number:
            if number > len(all_problems()):
                raise InputError("there is no such problem")
            answer = open_record(session, GameRecord("shogi", all_problems()[number - 1].sfen))
            session.turn_board(False)
        tree = session.tree
        if tree.game != "shogi":
            raise InputError("tsume is for shogi")
        if session.setup is not None:
            raise InputError("a position is being set up")
        shown = tree.board_at(tree.node)
        if shown.king_squares[1 - shown.turn] is None:
            raise InputError("the side to be mated has no king")
        session.playing.leave()
        session.leave_modes()
        session.tsume = Tsume(tree, session.engines, session.viewers, tree.node, progress=progress)
        session.tsume.begin()
        return answer


class Problems(Question):
    """Send the list of problems."""

    slow: ClassVar[Slow] = Slow.DISK

    def _obey(self, session: Session, page: Page) -> Reply:
        return problem_rows(session.store.progress(session.owner))


class Hint(Question):
    """Send the next move of the problem, or the move that the engine would make."""

    setting_up: ClassVar[bool] = False

    def _permit_now(self, session: Session, role: Role) -> None:
        session.check_alone()

    def _obey(self, session: Session, page: Page) -> None:
        if session.tsume is None:
            exercises.hint_in_game(session.hints, session.viewers, session.tree)
        else:
            session.tsume.hint()


# ---- the user's own mistakes


@contextlib.contextmanager
def mistakes_of(session: Session, *, lines: bool = False) -> Iterator[study.Store]:
    """Give the problems of a session's owner in the game on the board. Raises ValueError if they cannot be used.

    Args:
        lines: those of the repertoire instead
    """
    try:
        problems = session.store.mistakes(session.owner, session.tree.game)
        yield problems.lines() if lines else problems
    except OSError as fault:
        raise InputError(fault_text(fault)) from None


class Learn(Action):
    """Make problems of the mistakes that a side made in the judged game."""

    slow: ClassVar[Slow] = Slow.DISK
    side: Side

    def _obey(self, session: Session, page: Page) -> None:
        with self.permitted(session, page):
            tree, game = session.tree, session.analyses.judged_game()
        with mistakes_of(session) as problems:
            check_room(problems)
            with session.lock:
                session.learning.begin(tree, game, self.side, problems, page)


class Lessons(Question):
    """Send how many problems of the user's own mistakes are due."""

    slow: ClassVar[Slow] = Slow.DISK

    def _obey(self, session: Session, page: Page) -> Reply:
        with mistakes_of(session) as problems:
            return counts(problems, repertoire=problems.lines())


class Repertoire(Action):
    """Learn the line on the board up to the move shown: the moves of a side become problems of the repertoire."""

    slow: ClassVar[Slow] = Slow.DISK
    setting_up: ClassVar[bool] = False
    side: Side

    def _obey(self, session: Session, page: Page) -> Reply:
        with session.lock:
            tree, store, owner, collections = session.tree, session.store, session.owner, session.collections
            record = GameRecord.from_moves(tree.game, tree.moves(), start=tree.record.start)
            record.names = list(tree.record.names)
        session.autosave.write()  # the game on the board is one of the user's
        book = book_of(record.game)
        explorer = collections.of("mine", record.game, store, owner)

        def said(board: Any) -> Callable[[str], list[str]]:
            return functools.partial(figures, board, explorer.moves(board, book))

        with mistakes_of(session, lines=True) as problems:
            check_room(problems)
            made = study.problems_of_lines(record, SIDES[self.side], plies=len(record.moves), figures=said)
            return counts(problems, problems.add(made))


class Lesson(Action):
    """Give the next problem that is due, or leave it: the game that was on the board before comes back."""

    slow: ClassVar[Slow] = Slow.DISK
    on: bool
    lines: bool = False  # of the repertoire

    def _permit_now(self, session: Session, role: Role) -> None:
        if self.on and session.setup is not None:
            raise InputError("a position is being set up")

    def _obey(self, session: Session, page: Page) -> Reply | None:
        with self.permitted(session, page):
            now = session.tsume if self.on else the_lesson(session)
        if isinstance(now, exercises.Lesson) and not self.on:
            return leave(session, now)
        with mistakes_of(session, lines=self.lines) as problems:
            return give_next(self, session, page, now.problems if isinstance(now, exercises.Lesson) else problems)


class Course(Question):
    """Send the list of a game's lessons."""

    slow: ClassVar[Slow] = Slow.DISK
    game: Game

    def _obey(self, session: Session, page: Page) -> Reply:
        course = lessons.Course(self.game, progress=session.store.progress(session.owner))
        return course_rows(course, page.language)


class Take(Action):
    """Take a game's lessons from one on, '' for the first that was not done."""

    slow: ClassVar[Slow] = Slow.DISK
    setting_up: ClassVar[bool] = False
    game: Game
    lesson: Name = ""

    def _obey(self, session: Session, page: Page) -> Reply | None:
        course = lessons.Course(self.game, self.lesson, session.store.progress(session.owner))
        return give_next(self, session, page, course)


class Better(Action):
    """Give the positions of the judged game in which a side, by default each, missed a better move."""

    slow: ClassVar[Slow] = Slow.DISK
    setting_up: ClassVar[bool] = False
    side: Side | None = None

    def _obey(self, session: Session, page: Page) -> Reply | None:
        with self.permitted(session, page):
            game = session.analyses.judged_game()
        points = study.TurningPoints(game, "" if self.side is None else SIDES[self.side])
        if not points.size:
            raise InputError("no better move was missed")
        return give_next(self, session, page, points)


class Answer(Action):
    """Show the answer of such a problem."""

    def _obey(self, session: Session, page: Page) -> None:
        the_lesson(session).answer()


def the_lesson(session: Session) -> exercises.Lesson:
    """Return the problem that is being solved. Raises ValueError if there is none."""
    if not isinstance(session.tsume, exercises.Lesson):
        raise InputError("no problem is being solved")
    return session.tsume


def give_next(message: Message, session: Session, page: Page, problems: study.Source) -> Reply | None:
    """Put the next problem of the round on the board; after the last one, the game that was there before.

    The session's lock is not held while the disk is read and written.
    """
    due, is_saved = problems.due(), session.autosave.write(whole=True)
    with message.permitted(session, page):
        now = session.tsume if isinstance(session.tsume, exercises.Lesson) else None
        given = now.given if now and (now.problems is problems or not problems.size) else ()
        if left := [each for each in due if each.id not in given]:
            check_lines(left[0])
            if now is None and not is_saved:
                raise InputError("the game on the board cannot be saved")
            give(session, left, problems, now, given)
            return None
    if now is not None:
        leave(session, now)
    if isinstance(problems, lessons.Course):
        return course_rows(problems, page.language)
    if problems.size:
        return replies.Tried(found=problems.found, count=problems.size)
    return counts(problems) if isinstance(problems, study.Store) else None


def give(
    session: Session,
    due: list[study.Problem],
    problems: study.Source,
    now: exercises.Lesson | None,
    given: tuple[str, ...],
) -> None:
    """Put the first of the problems that are due on the board, after the lesson `now`; those `given` were before it."""
    problem = due[0]
    before = now.before if now else "" if session.tsume else session.autosave.id  # a tsume does not come back
    session.open_record(GameRecord(problem.game, problem.position))
    session.analyses.stop()
    session.turn_board(problem.game == "shogi" and session.tree.start_turn == 1)
    session.tsume = exercises.Lesson(
        session.tree,
        session.engines,
        session.viewers,
        root=0,
        attempt=problems.attempt(problem),
        problems=problems,
        left=len(due),
        given=(*given, problem.id),
        before=before,
    )


def check_lines(problem: study.Problem) -> None:
    """Raise ValueError if a line of the problem is not legal: what a file says is shown only if it is."""
    tree = Tree(GameRecord(problem.game, problem.position))
    for line in problem.lines:
        tree.add_line(line, 0)


def leave(session: Session, now: exercises.Lesson) -> Reply | None:
    """Open the game that was on the board before the problems; an empty board if it is not there any more.

    The session's lock is not held while the disk is read.
    """
    answer = None
    try:
        if now.before:
            session.open_saved(now.before)
    except OpenElsewhere as elsewhere:
        answer = replies.Join(session=elsewhere.identity)
    except (OSError, ValueError) as fault:
        session.viewers.tell(fault_text(fault))
    with session.lock:
        if session.tsume is now:
            session.open_record(GameRecord(session.tree.game))
        session.playing.wake()
    return answer
