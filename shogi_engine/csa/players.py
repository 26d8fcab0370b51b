"""Players: the requests of a game to a player, and the thread that thinks."""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from shogi_engine.clients.base.errors import EngineError
from shogi_engine.common.search_handle import SearchHandle
from shogi_engine.common.threads import start_thread
from shogi_engine.csa.summary import ServerTime
from shogi_engine.play.answer import Answer
from shogi_engine.play.game import Game
from shogi_engine.types.clock import Clock, TimeBudget

UNTIMED_MS = 5000  # for each move if the game has no time limit
CLOSE_TIMEOUT = 5.0  # seconds for a player to end its search


@dataclass(frozen=True)
class ServerTurn:
    """A position to move in.

    Attributes:
        since: time.monotonic() when the clock began to run
        start: SFEN
        moves: USI, made from `start`
        side: to move, 0 for black
        clocks: both sides' clocks before their next moves
        times: both sides' time controls, as the server gives them
        overhead_ms: the time charged for the last moves beyond their thinking time, on a busy machine or a slow line
    """

    start: str
    moves: tuple[str, ...]
    side: int
    clocks: tuple[Clock, Clock]
    times: tuple[ServerTime, ServerTime]
    since: float
    overhead_ms: float = 0.0

    def clock(self) -> Clock:
        """Return the clock of the side to move, less the time lost if the server rounds up to whole units."""
        clock, unit = self.clocks[self.side], self.time.unit if self.time.roundup else 0
        if clock.byoyomi > unit:
            return replace(clock, byoyomi=clock.byoyomi - unit)
        return replace(clock, time=max(clock.time - unit, 0))

    @property
    def time(self) -> ServerTime:
        """The time control of the side to move."""
        return self.times[self.side]


Deliver = Callable[[Answer | Exception], None]


class Job(SearchHandle):
    """A requested search for a move."""

    def __init__(self, turn: ServerTurn, deliver: Deliver, *, pondering: bool) -> None:
        super().__init__(pondering=pondering)
        self.turn, self.deliver = turn, deliver


class CsaPlayer:
    """Thinks in its own thread and delivers each answer once, from that thread; one job at a time.

    Subclasses define `load`, `_begin`, `_answer` and `_budget`.
    """

    name = ""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards the next attribute
        self._job: Job | None = None
        self._working = threading.Lock()  # held while a thread is at a job
        self._thread: threading.Thread | None = None

    # ---- defined by subclasses

    def load(self) -> None:
        """Prepare for the first game, however long it takes. Raises ValueError, OSError."""

    def _begin(self, game: Game) -> None:
        """Get ready for a game under its rule and terms."""

    def _answer(self, job: Job) -> Answer:
        """Search for a job, in the player's thread. Any exception is a failure to answer."""
        raise NotImplementedError

    def _budget(self, turn: ServerTurn) -> TimeBudget | None:
        """Return the time for a move that was pondered on, counted from the start of its clock."""
        return None

    def _over(self, result: str) -> None:
        """Learn how a game ended: 'win', 'lose' or 'draw'."""

    def restart(self) -> None:
        """Restart after a fault."""

    # ---- called by a game

    def begin(self, game: Game) -> None:
        """Prepare for a game and drop any running job."""
        self.halt()
        with self._working:
            self._begin(game)

    def think(self, turn: ServerTurn, deliver: Deliver) -> None:
        """Start thinking about a move."""
        self._put(Job(turn, deliver, pondering=False))

    def ponder(self, turn: ServerTurn, deliver: Deliver) -> None:
        """Start thinking about an expected position, until `hit` or `halt`."""
        self._put(Job(turn, deliver, pondering=True))

    def hit(self, turn: ServerTurn) -> None:
        """The expected move was made: the search continues on the clock, and `deliver` will be called."""
        job = self._job
        if job is None or not job.pondering:
            raise RuntimeError("the player is not pondering")
        job.turn = turn
        job.ponderhit(self._budget(turn))

    def halt(self) -> None:
        """Drop the current job: its answer is not delivered."""
        with self._lock:
            job, self._job = self._job, None
        if job is not None:
            with contextlib.suppress(EngineError):
                job.stop()

    def over(self, result: str) -> None:
        """Learn how the game ended: 'win', 'lose' or 'draw'."""
        self.halt()
        with self._working:
            self._over(result)

    def close(self) -> None:
        """End the player."""
        self.halt()
        if self._thread is not None:
            self._thread.join(CLOSE_TIMEOUT)

    # ---- the thread

    def _put(self, job: Job) -> None:
        self.halt()
        with self._lock:
            self._job = job
        self._thread = start_thread(self._do, "player", job)

    def _do(self, job: Job) -> None:
        """Do a job after the previous ones, and deliver the answer if it is still needed."""
        with self._working:
            if job.stopped:
                return
            answer: Answer | Exception
            try:
                answer = self._answer(job)
            except Exception as failure:  # after any failure the game continues: the player tries again, or resigns
                answer = failure
            job.decided.wait()
            with self._lock:
                needed = self._job is job
                if needed:
                    self._job = None
            if needed:
                job.deliver(answer)
