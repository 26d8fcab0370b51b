"""A session's searches: one at a time for each purpose; what they find is used with the session's lock held."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from shogi_engine.web.pool import Job, Turn

if TYPE_CHECKING:
    from shogi_engine.web.session import Session

Found = TypeVar("Found")


class SearchSlot:
    """The place of a session's search for one purpose. A new search ends the one before, whose result is not used.

    All methods are called with the session's lock held, but for `report`.

    Args:
        what: the purpose, as in `replies.Failed`
        failed: called with the session's lock held if a search fails, before the pages are told
    """

    def __init__(self, session: "Session", what: str, turn: Turn, failed: Callable[[], None] = lambda: None) -> None:
        self._session, self._what, self._turn, self._failed = session, what, turn, failed
        self._job: Job | None = None

    @property
    def on(self) -> bool:
        """Whether a search is queued or runs."""
        return self._job is not None

    def begin(
        self, work: Callable[[Any, Job], Found], done: Callable[[Found], None] | None, number: int | None = None
    ) -> None:
        """Queue `work(engine, job)`; call `done` with what it returns, unless it was stopped, and tell the pages.

        Args:
            done: None for work that only reports
            number: of the move after which the engine's position is set, None for work that sets it itself
        """
        tree = self._session.tree
        start, moves = tree.record.start, [] if number is None else tree.moves(number)

        def do(engine: Any, job: Job) -> None:
            if number is not None:
                engine.set_position(start, moves)
            found = work(engine, job)
            if done is not None and not job.stopped:
                self.report(job, lambda: self._end(done, found))

        self.cancel()
        self._job = self._session.pool.submit(Job(tree.game, do, self._fail, self._session.seat, self._turn))

    def report(self, job: Job, tell: Callable[[], object]) -> None:
        """Call `tell` with the session's lock held, unless the job is no longer the slot's. Called from `work`."""
        with self._session.lock:
            if job is self._job:
                tell()

    def cancel(self) -> None:
        """End the search, if there is one."""
        self._session.pool.cancel(self._job)
        self._job = None

    def _end(self, done: Callable[[Found], None], found: Found) -> None:
        self._job = None
        done(found)
        self._session.changed()

    def _fail(self, job: Job, fault: BaseException) -> None:
        def tell() -> None:
            self._job = None
            self._failed()
            self._session.failed(self._what)

        self.report(job, tell)
