"""What a session does for messages about problems made of the user's own mistakes."""

import contextlib
from collections.abc import Iterator

from shogi_engine import study
from shogi_engine.language import InputError, fault_text
from shogi_engine.records import GameRecord
from shogi_engine.types.limit import SIDES
from shogi_engine.web import messages, replies
from shogi_engine.web.autosave import OpenElsewhere
from shogi_engine.web.learning import counts
from shogi_engine.web.lesson import Lesson
from shogi_engine.web.registry import handles, must_not_set_up
from shogi_engine.web.session import Session
from shogi_engine.web.tree import Tree
from shogi_engine.web.tsume import YOURS
from shogi_engine.web.viewer import Viewer


@contextlib.contextmanager
def mistakes_of(session: Session) -> Iterator[study.Store]:
    """Give the problems of a session's owner in the game on the board. Raises ValueError if they cannot be used."""
    try:
        yield session.store.mistakes(session.owner, session.tree.game)
    except OSError as fault:
        raise InputError(fault_text(fault)) from None


@contextlib.contextmanager
def problems_of(session: Session) -> Iterator[study.Source]:
    """Give the problems of the round that is being solved, else those of the owner, as `mistakes_of` does."""
    if isinstance(session.tsume, Lesson) and session.tsume.problems.size:
        yield session.tsume.problems
    else:
        with mistakes_of(session) as problems:
            yield problems


@handles(messages.Learn)
def learn(session: Session, page: Viewer, message: messages.Learn) -> None:
    """Make problems of a side's mistakes in the judged game."""
    game = session.analyses.judged_game()
    with mistakes_of(session) as problems:
        session.learning.begin(game, message.side, problems, page)
    session.changed()


@handles(messages.Lessons)
def lessons(session: Session, page: Viewer, message: messages.Lessons) -> None:
    """Send how many problems are due."""
    with mistakes_of(session) as problems:
        page.send(counts(problems))


@handles(messages.Lesson)
def lesson(session: Session, page: Viewer, message: messages.Lesson) -> None:
    """Give the next problem that is due, or leave it."""
    if message.on:
        must_not_set_up(session)
        with problems_of(session) as problems:
            give_next(session, page, problems)
    elif isinstance(session.tsume, Lesson):
        leave(session, page, session.tsume)
    else:
        raise InputError("no problem is being solved")


@handles(messages.Better)
def better(session: Session, page: Viewer, message: messages.Better) -> None:
    """Give the turning points of the judged game."""
    must_not_set_up(session)
    points = study.TurningPoints(session.analyses.judged_game(), "" if message.side is None else SIDES[message.side])
    if not points.size:
        raise InputError("no better move was missed")
    give_next(session, page, points)


def give_next(session: Session, page: Viewer, problems: study.Source) -> None:
    """Put the next problem of the round on the board; after the last one, the game that was there before."""
    now = session.tsume if isinstance(session.tsume, Lesson) else None
    given = now.given if now else ()
    left = [each for each in problems.due() if each.id not in given]
    if not left:
        if now is not None:
            leave(session, page, now)
        if problems.size:
            page.send(replies.Tried(found=problems.found, count=problems.size))
        else:
            lessons(session, page, messages.Lessons())
        return
    problem = left[0]
    check_lines(problem)
    if now is None and not session.autosave.write(whole=True):
        raise InputError("the game on the board cannot be saved")
    before = now.before if now else "" if session.tsume else session.autosave.id  # a tsume does not come back
    session.open_record(GameRecord(problem.game, problem.position))
    session.analyses.stop()
    session.flipped = problem.game == "shogi" and session.tree.start_turn == 1
    session.tsume = Lesson(
        session,
        root=0,
        status=YOURS,
        attempt=problems.attempt(problem),
        problems=problems,
        left=len(left),
        given=(*given, problem.id),
        before=before,
    )
    session.changed()


def check_lines(problem: study.Problem) -> None:
    """Raise ValueError if a line of the problem is not legal: what a file says is shown only if it is."""
    tree = Tree(GameRecord(problem.game, problem.position))
    for line in (problem.line, problem.answers[:1], (problem.played, *problem.refutation)):
        tree.add_line(line, 0)


def leave(session: Session, page: Viewer, now: Lesson) -> None:
    """Open the game that was on the board before the problems; an empty board if it is not there any more."""
    try:
        if now.before:
            session.autosave.open(now.before, session.owner)
    except OpenElsewhere as elsewhere:
        page.send(replies.Join(session=elsewhere.identity))
    except (OSError, ValueError) as fault:
        session.tell(fault_text(fault))
    if session.tsume is now:
        session.open_record(GameRecord(session.tree.game))
    session.playing.wake()
    session.changed()


@handles(messages.Answer)
def answer(session: Session, page: Viewer, message: messages.Answer) -> None:
    """Show the answer of the problem."""
    if not isinstance(session.tsume, Lesson):
        raise InputError("no problem is being solved")
    session.tsume.answer()
    session.changed()
