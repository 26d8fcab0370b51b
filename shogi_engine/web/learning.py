"""Makes problems of the mistakes of a session's judged game, and counts those that are due."""

from typing import TYPE_CHECKING, Any

from shogi_engine import study
from shogi_engine.analysis import GameAnalysis, MoveAnalysis
from shogi_engine.language import InputError, fault_text
from shogi_engine.types.limit import SIDES
from shogi_engine.web.pool import Job, Turn
from shogi_engine.web.replies import Lessons
from shogi_engine.web.searching import SearchSlot
from shogi_engine.web.viewer import Viewer

if TYPE_CHECKING:
    from shogi_engine.web.session import Session

PROBLEMS_MAX = 10_000  # of an owner in a game


class _Examined(study.Examined):
    """Examines positions with the engine of a job. It remembers them: a job that is interrupted begins again.

    Args:
        known: the answers found so far, by position
    """

    def __init__(self, job: Job, engine: Any, known: dict[str, tuple[str, ...]]) -> None:
        super().__init__(job.game, engine=engine)
        self._job, self._known = job, known

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...] | None:
        """Return the moves that solve a position, None if the job was stopped."""
        if position not in self._known:
            found = super().answers(position, move)
            if self._job.stopped or found is None:
                return None
            self._known[position] = found
        return self._known[position]


def counts(problems: study.Store, new: int | None = None) -> Lessons:
    """Return the message that says how many problems are due; `new` were made just now."""
    when = problems.next_due()
    return Lessons(due=len(problems.due()), total=problems.count(), next=when.timestamp() if when else 0, new=new)


class Learning:
    """The making of problems in a session."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._search = SearchSlot(session, "learn", Turn.ANALYSIS)

    @property
    def on(self) -> bool:
        """Whether problems are being made."""
        return self._search.on

    def close(self) -> None:
        """Stop it."""
        self._search.cancel()

    def begin(self, game: GameAnalysis, side: int, problems: study.Store, page: Viewer) -> None:
        """Make problems of a side's mistakes. Raises ValueError while others are being made, or if there are too many.

        Args:
            problems: where they are added
            page: that is told how many are new
        """
        known: dict[str, tuple[str, ...]] = {}

        def work(engine: Any, job: Job) -> list[study.Problem]:
            return list(study.problems_of(game, SIDES[side], _Examined(job, engine, known)))

        if self.on:
            raise InputError("problems are being made")
        if problems.count() >= PROBLEMS_MAX:
            raise InputError("there are too many problems")
        self._search.begin(work, lambda made: self._made(made, problems, page))

    def _made(self, made: list[study.Problem], problems: study.Store, page: Viewer) -> None:
        """Add the problems, and tell the page that asked."""
        try:
            page.send(counts(problems, problems.add(made)))
        except OSError as fault:
            self._session.tell(fault_text(fault))
