"""`shogi-engine nboard`: the NBoard protocol, version 2 (version 1's bare moves are understood too).

Source: C. Welty, "NBoard Protocol", in the NBoard package, http://www.orbanova.com/nboard.
The clock is in the game's header (TI, or TB and TW) and in the times of the moves; times without a colon are in
seconds. Evaluations, including those of `analyze`, are in discs for the side to move.
"""

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shogi_engine import __version__
from shogi_engine.common.text import sanitize, whole_number
from shogi_engine.frontends.core import Task
from shogi_engine.frontends.othello import OthelloFrontEnd
from shogi_engine.games.othello.names import DISC, MAX_LEVEL
from shogi_engine.play.clock import GameClock
from shogi_engine.types.clock import Clock

if TYPE_CHECKING:
    from shogi_engine.engine.results import PvInfo

NAME = f"shogi_engine {__version__}"
MAX_HINTS = 64
_BARE_MOVE = re.compile(r"([a-h][1-8]|pa|pass)(/.*)?", re.IGNORECASE | re.ASCII)


def parse_seconds(text: str) -> float:
    """Return the seconds of 'ss', 'mm:ss' or 'hh:mm:ss' (anything after a comma is ignored); raises ValueError."""
    time_text = text.partition(",")[0].strip()
    if not time_text:
        return 0.0
    if not re.fullmatch(r"(\d{1,6}:){0,2}\d{1,6}(\.\d{1,6})?", time_text, re.ASCII):
        raise ValueError(f"{sanitize(text)!r} is not a time, mm:ss")
    seconds = 0.0
    for part in time_text.split(":"):
        seconds = 60 * seconds + float(part)
    return seconds


def parse_clock(text: str) -> Clock:
    """Return the clock of a GGF header, 'main/increment/extension'; without a main time the increment is byoyomi."""
    main, increment, *_ = [*map(parse_seconds, text.split("/")), 0.0]
    return Clock.from_seconds(main, increment=increment) if main > 0 else Clock.from_seconds(byoyomi=increment)


def square(move: str) -> str:
    """Return a move in NBoard's notation."""
    return "PA" if move == "pass" else move.upper()


class NBoard(OthelloFrontEnd):
    """An NBoard session. The game is a record; the engine has its position."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._level: int | None = None
        self._clock = GameClock()  # the GUI's
        self._thought = (-1, 0.0)  # the last `go`: the number of moves before it, and its seconds
        self._readers: dict[str, Callable[[str], None]] = {
            "nboard": lambda rest: self._queue_task(lambda: self._greet(rest)),
            "set": self._read_set,
            "move": lambda rest: self._change(lambda: self._move(rest)),
            "hint": lambda rest: self._change(lambda: self._hint(rest)),
            "go": lambda rest: self._change(self._go),
            "ping": self._ping,
            "learn": lambda rest: self._change(lambda: self.out.line("learned")),
            "analyze": lambda rest: self._change(self._analyze),
        }
        self._hinting = False

    def fail(self, fault: Exception) -> None:
        """Report an error in the status line."""
        self.out.line(f"status error: {sanitize(str(fault) or repr(fault))}")

    def say_alive(self, text: str) -> None:
        """Report in the status line what takes long."""
        self.out.line(f"status {text}")

    # ---- the reader's side

    def obey(self, text: str, received_at: float) -> None:
        """Execute a line at once if the protocol requires it (ping), else queue it."""
        word, _, rest = text.partition(" ")
        if word in self._readers:
            self._readers[word](rest.strip())
        elif _BARE_MOVE.fullmatch(word) and not rest:
            self._change(lambda: self._move(word))
        else:
            self.out.line(f"status error: unknown command {sanitize(text)!r}")

    def _change(self, job: Callable[[], None]) -> None:
        """Stop any analysis and queue a job."""
        if self._hinting:
            self.stop_all()
        self._queue_task(job)

    def _queue_task(self, job: Callable[[], None]) -> None:
        self.put(Task(job, time.monotonic()))

    def _ping(self, rest: str) -> None:
        self.stop_all()
        answer = f"pong {sanitize(rest)}".rstrip()
        if self.loaded:
            self._queue_task(lambda: self.out.line(answer))
        else:
            self.out.line(answer)  # no search is running, and queued commands wait for the engine

    def _read_set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        jobs = {"depth": self._set_depth, "game": self._set_game, "contempt": self._set_contempt}
        job = jobs.get(what)
        if job is None:
            self.out.line(f"status error: set {sanitize(what)!r}: expected depth, game or contempt")
        else:
            self._change(lambda: job(value.strip()))

    # ---- the worker's side

    def _greet(self, version: str) -> None:
        whole_number(version, 1, 1000)
        self.out.line(f"set myname {NAME}")

    def _set_depth(self, text: str) -> None:
        self._level = min(whole_number(text, 0, 1000), MAX_LEVEL)
        self.out.line(f"set myname {NAME} level {self._level}")

    def _set_contempt(self, text: str) -> None:
        whole_number(text, -1000, 1000)  # about draws in a book of games, which this engine does not have

    def _set_game(self, text: str) -> None:
        from shogi_engine.games.othello.records import parse_ggf

        game = parse_ggf(text)
        given = map(game.headers.get, ("time", "black_time", "white_time"))
        clocks = [parse_clock(value) if value else None for value in given]
        self.engine.set_position(game.start, game.moves)
        self._clock = GameClock((clocks[1] or clocks[0], clocks[2] or clocks[0]))
        self._thought = (-1, 0.0)
        side = int(self.engine.root.side)
        for node in game.main_line[1:]:
            self._charge(side, node.move, node.seconds or 0.0)
            side ^= 1

    def _charge(self, side: int, move: str, seconds: float) -> None:
        """Charge the time of a move; a pass takes none."""
        if move != "pass":
            self._clock.charge(side, seconds)

    def _move(self, text: str) -> None:
        """Play a move 'F5/eval/time'; the engine's own time is measured, as some GUIs do not send it."""
        name, *rest = text.split("/")
        move = "pass" if name.strip().lower() in ("pa", "pass") else name.strip().lower()
        seconds = None
        if len(rest) > 1 and rest[1].strip():
            seconds = parse_seconds(rest[1])
        engine, count = self.engine, len(self.engine.moves)
        side = int(engine.position.side)
        engine.push(move)
        if seconds is None:
            seconds = self._thought[1] if self._thought[0] == count else 0.0
        self._charge(side, move, seconds)

    def _go(self) -> None:
        began = time.monotonic()
        engine = self.engine
        legal = engine.legal_moves()
        if not legal:
            raise ValueError("go: the game is over")
        if legal == ["pass"]:
            self.out.line("=== PA")
            return
        if (known := self.book_answer()) is not None:
            self.out.line(f"=== {square(known.move)}/{known.worth / DISC:.2f}/0.00")
            return
        self.out.line(f"status {NAME} is thinking")
        found = self.think(self.task, **self.limits(self._level, self._clock.for_search(int(engine.position.side))))
        seconds = time.monotonic() - began
        if self.task.stopped:  # by a ping: the position is about to change
            self.out.line("status")
            return
        self._thought = (len(engine.moves), seconds)
        self.out.line(f"nodestats {found.nodes} {found.seconds:.3f}")
        self.out.line(f"=== {square(found.bestmove)}/{found.value / DISC:.2f}/{seconds:.2f}")
        self.out.line(f"status {NAME} is waiting")

    def _hint(self, text: str) -> None:
        count = whole_number(text or "1", 1, 10**6)
        engine = self.engine
        if not engine.legal_moves():
            raise ValueError("hint: the game is over")
        limits = self.limits(self._level, None)
        solved = engine.check_level(limits["level"]).exact
        self._hinting = True
        try:
            self.out.line(f"status {NAME} is analyzing")
            found = self.think(self.task, **limits, multipv=min(count, MAX_HINTS), on_info=self._show)
            if not self.task.stopped:
                for line in found.lines:
                    self._show(line, "100%" if solved else str(line.depth))
                self.out.line(f"nodestats {found.nodes} {found.seconds:.3f}")
            self.out.line("status")
        finally:
            self._hinting = False

    def _show(self, line: "PvInfo", depth: str = "") -> None:
        """Print one line of an analysis, unless its value is only a bound."""
        if not line.bound and not self.task.stopped:
            pv = "".join(map(square, line.pv))
            self.out.line(f"search {pv} {line.value / DISC:.2f} 0 {depth or line.depth}")

    def _analyze(self) -> None:
        """Print a value for every position of the game, from its end to its start."""
        engine = self.engine
        root, moves = engine.root, engine.move_texts
        start = engine.game.format_position(root)
        self._hinting = True
        try:
            self.out.line(f"status {NAME} is analyzing")
            for count in range(len(moves), -1, -1):
                engine.set_position(start, moves[:count])
                found = self.think(self.task, **self.limits(self._level, None))
                if self.task.stopped:
                    break
                self.out.line(f"analysis {count} {found.value / DISC:.2f}")
            self.out.line("status")
        finally:
            self._hinting = False
            engine.set_position(start, moves)
