"""What the line protocols share: one thread reads, one works, a third loads the engine; one lock guards the output.

The reader obeys at once what can not wait and hands the rest to the worker, which does it in order. Nothing here may
keep the process alive: `quit` and the end of input end it within a second, compiling or not.
"""

import os
import queue
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from shogi_engine.frontends.stdio import Output, asks_to_quit, read_line, sanitize
from shogi_engine.search.timeman import Clock, TimeBudget, TimeOptions, fixed, plan
from shogi_engine.threads import start_thread

if TYPE_CHECKING:
    from shogi_engine.engine import Engine, SearchResult

LAST_WORDS = 0.8  # seconds that what was asked before the end has to be answered
GAME_PLIES = 60
DEFAULT_LEVEL, MAX_LEVEL = 10, 21
LEAST_MS = 2.0
LINE_MAX = 1 << 16
TIMES = TimeOptions()


def load_engine() -> "Engine":
    """Return an Othello engine with its kernels compiled or loaded."""
    from shogi_engine.engine import Engine
    from shogi_engine.games.othello import records  # noqa: F401  (loaded here, not at the first command)

    engine = Engine("othello")
    engine.warmup()
    return engine


def whole_number(text: str, least: int, most: int) -> int:
    """Return the integer `text`; raises ValueError if it is none from `least` to `most`."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 12 or not least <= int(text) <= most:
        raise ValueError(f"a number from {least} to {most} is wanted, not {sanitize(text)!r}")
    return int(text)


def budget(
    ply: int, *, main: float | None = None, increment: float = 0.0, each: float | None = None
) -> dict[str, float]:
    """Return the time limits of one move, for Engine.search. Seconds: main time, its increment, time for each move."""
    planned: TimeBudget
    if main is not None and (main > 0 or not each):
        left = max(0, int(main * 1000))
        added = min(int(increment * 1000), left)
        planned = plan(Clock(left, int((each or 0) * 1000), added), ply, TIMES, GAME_PLIES)
    elif each is not None:
        planned = fixed(int(each * 1000), TIMES)
    else:
        return {}
    hard = max(planned.hard_ms, LEAST_MS)
    soft = hard if planned.soft_ms == planned.hard_ms else planned.soft_ms
    return {"soft_ms": soft, "hard_ms": hard, "least_ms": planned.least_ms}


class Console:
    """One conversation. `load` returns a warm engine; `leave(status)` ends the process. Subclasses know a protocol."""

    def __init__(
        self,
        output: Output,
        load: Callable[[], "Engine"] = load_engine,
        leave: Callable[[int], object] = os._exit,
    ) -> None:
        self.out, self._load, self._leave = output, load, leave
        self._engine: Any = None
        self._loaded = threading.Event()
        self._lock = threading.Lock()
        self._searching = False
        self._stops = 0  # how often what was under way was stopped
        self._stamp = 0  # of the job at work: it was stopped if _stops is another by now
        self._jobs: queue.SimpleQueue[tuple[int, Callable[[], None]]] = queue.SimpleQueue()

    # ---- the protocol's own

    def obey(self, text: str) -> None:
        """Obey one line, in the reader's thread."""
        raise NotImplementedError

    def fail(self, fault: BaseException) -> None:
        """Say that the job at work could not be done."""
        raise NotImplementedError

    def farewell(self) -> None:
        """Answer `quit`."""

    # ---- the reader's side

    def run(self, lines: Iterable[bytes]) -> None:
        """Obey `lines` until `quit` or their end."""
        start_thread(self._work, "worker")
        start_thread(self._load_engine, "loader")
        asked = False
        for raw in lines:
            text = read_line(raw[:LINE_MAX])
            asked = self.asks_to_quit(text)
            if asked:
                break
            if text:
                self.obey(text)
        self.stop_thinking()
        answered = threading.Event()
        self.put(answered.set)
        answered.wait(LAST_WORDS)
        if asked:
            self.farewell()
        self._leave(0)

    def asks_to_quit(self, text: str) -> bool:
        """Tell whether a line is `quit`."""
        return asks_to_quit(text)

    def put(self, job: Callable[[], None]) -> None:
        """Let the worker do `job` after all that it was given before."""
        self._jobs.put((self._stops, job))

    def stop_thinking(self) -> None:
        """Stop the search at work and those that were asked for before now."""
        with self._lock:
            self._stops += 1
            if self._searching:
                self._engine.stop()

    @property
    def loaded(self) -> bool:
        """Tell whether the engine is there."""
        return self._loaded.is_set()

    def _load_engine(self) -> None:
        try:
            self._engine = self._load()
        except BaseException as failure:
            self.fail(failure)
            self._leave(1)
            return
        self._loaded.set()

    # ---- the worker's side

    def _work(self) -> None:
        while True:
            self._stamp, job = self._jobs.get()
            try:
                job()
            except Exception as fault:
                self.fail(fault)

    @property
    def engine(self) -> "Engine":
        """The engine, as soon as it is there."""
        self._loaded.wait()
        return self._engine

    @property
    def stopped(self) -> bool:
        """Tell whether the job at work has been stopped."""
        return self._stamp != self._stops

    def think(self, **limits: Any) -> "SearchResult":
        """Search the engine's position; a job that was stopped gets what one ply finds."""
        engine = self.engine
        with self._lock:
            engine.arm()  # from here on a stop reaches the search
            self._searching = True
            if self.stopped:
                limits = {"depth": 1}
        try:
            return engine.search(**limits)
        finally:
            with self._lock:
                self._searching = False

    def ply(self) -> int:
        """Return how many discs were placed since the start of a usual game."""
        return GAME_PLIES - self.empties()

    def empties(self) -> int:
        """Return how many squares are empty."""
        return self.engine.position_text.count("-")
