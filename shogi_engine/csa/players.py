"""Players: the requests of a game to a player, and the thread that thinks. Standard library only."""

import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from shogi_engine.common.threads import start_thread
from shogi_engine.csa.summary import ServerTime
from shogi_engine.games.shogi.records.evaluations import MATE_VALUE
from shogi_engine.types.clock import Clock
from shogi_engine.types.score import Score

RESIGN, WIN = "resign", "win"
CLOSE_PATIENCE = 5.0  # seconds that a player has to end what it is at


def centipawns(score: Score) -> int:
    """Return a score for comments, MATE_VALUE with its sign for a mate."""
    return int(math.copysign(MATE_VALUE, score.value)) if score.mate else int(score.value)


@dataclass(frozen=True)
class Rules:
    """The conditions of a game that a player must know.

    Attributes:
        declaration: by 27 points; without it no one may declare
    """

    max_moves: int = 0
    declaration: bool = True


@dataclass(frozen=True)
class Turn:
    """A position to move in.

    Attributes:
        since: time.monotonic() when the clock began to run
        start: SFEN
        moves: USI, those before `start` are in its move number
        side: to move, 0 for black
        clocks: both sides' before their next moves
        times: what else the server says of them
    """

    start: str
    moves: tuple[str, ...]
    side: int
    clocks: tuple[Clock, Clock]
    times: tuple[ServerTime, ServerTime]
    since: float

    def clock(self) -> Clock:
        """Return the clock of the side to move, less what the server may round up: a started unit is a whole one."""
        clock, unit = self.clocks[self.side], self.time.unit if self.time.roundup else 0
        if clock.byoyomi > unit:
            return replace(clock, byoyomi=clock.byoyomi - unit)
        return replace(clock, time=max(clock.time - unit, 0))

    @property
    def time(self) -> ServerTime:
        """What the server says of the time of the side to move."""
        return self.times[self.side]


@dataclass(frozen=True)
class CsaAnswer:
    """A player's answer.

    Attributes:
        move: USI, RESIGN or WIN, '' with a fault
        ponder: the reply it expects, '' for none
        score: centipawns for the side to move, None if unknown
        pv: the line it expects, `move` first
        depth: or 0
        fault: why there is no move
    """

    move: str = ""
    ponder: str = ""
    score: int | None = None
    pv: tuple[str, ...] = ()
    depth: int = 0
    fault: str = ""


Deliver = Callable[[CsaAnswer], None]


@dataclass(eq=False)
class Job:
    """A requested search.

    Attributes:
        pondering: the move before it was not played yet
        began: when it was requested
        running: the engine is searching
        abandoned: the answer is not needed
        decided: not pondering any more
    """

    turn: Turn
    deliver: Deliver
    pondering: bool
    began: float = field(default_factory=time.monotonic)
    pondered_ms: float = 0.0
    running: bool = False
    abandoned: bool = False
    decided: threading.Event = field(default_factory=threading.Event)


class CsaPlayer:
    """Thinks in its own thread and delivers each answer once, from that thread; one job at a time.

    Subclasses define `load`, `_begin`, `_answer`, and how to control a running search.
    """

    name = ""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._working = threading.Lock()  # held while the thread is at a job
        self._job: Job | None = None
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    # ---- how a player plays

    def load(self) -> None:
        """Prepare for the first game, however long it takes. Raises ValueError, OSError."""

    def _begin(self, rules: Rules) -> None:
        """Get ready for a game."""

    def _answer(self, job: Job) -> CsaAnswer:
        """Search for a job, in the player's thread; while it ponders, until `_hit` or `_interrupt` says otherwise."""
        raise NotImplementedError

    def _hit(self, job: Job) -> None:
        """The move that `job` pondered on was played; called with the lock held."""

    def _interrupt(self, job: Job) -> None:
        """End the search of `job`; called with the lock held."""

    def _over(self, result: str) -> None:
        """Learn how a game ended: 'win', 'lose' or 'draw'."""

    def restart(self) -> None:
        """Restart after a fault."""

    # ---- what a game asks

    def begin(self, rules: Rules) -> None:
        """Prepare for a game and drop any running job."""
        self.halt()
        with self._working:
            self._begin(rules)

    def think(self, turn: Turn, deliver: Deliver) -> None:
        """Start thinking about a move."""
        self._put(Job(turn, deliver, pondering=False))

    def ponder(self, turn: Turn, deliver: Deliver) -> None:
        """Start thinking about an expected position, until `hit` or `halt`."""
        self._put(Job(turn, deliver, pondering=True))

    def hit(self, turn: Turn) -> None:
        """The pondered position was reached: `deliver` will be called."""
        with self.lock:
            job = self._job
            if job is None or not job.pondering:
                raise RuntimeError("nothing is pondered on")
            job.pondered_ms = (time.monotonic() - job.began) * 1000
            job.turn, job.pondering = turn, False
            self._hit(job)
        job.decided.set()

    def halt(self) -> None:
        """Drop the current job: its answer is not delivered."""
        with self.lock:
            job, self._job = self._job, None
            if job is None:
                return
            job.abandoned = True
            self._interrupt(job)
        job.decided.set()

    def over(self, result: str) -> None:
        """Learn how the game ended: 'win', 'lose' or 'draw'."""
        self.halt()
        with self._working:
            self._over(result)

    def close(self) -> None:
        """End the player."""
        self.halt()
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(CLOSE_PATIENCE)

    # ---- the thread

    def _put(self, job: Job) -> None:
        self.halt()
        if not job.pondering:
            job.decided.set()
        if self._thread is None:
            self._thread = start_thread(self._work, "player")
        with self.lock:
            self._job = job
        self._queue.put(job)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            with self._working:
                if not job.abandoned:
                    self._do(job)

    def _do(self, job: Job) -> None:
        """Search for a job, and deliver the answer if it is still needed."""
        try:
            answer = self._answer(job)
        except Exception as failure:  # whatever went wrong, the game continues: with another try, or by resigning
            answer = CsaAnswer(fault=str(failure) or repr(failure))
        job.decided.wait()
        with self.lock:
            wanted = not job.abandoned
            if self._job is job:
                self._job = None
        if wanted:
            job.deliver(answer)
