"""The clocks of a game. Standard library only."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from shogi_engine.language import translate as _
from shogi_engine.search.timeman import TimeOptions
from shogi_engine.types.limits import Clock, Limit, TimeBudget

Share = Callable[[Clock, TimeOptions], TimeBudget]  # divides a clock among moves, as `timeman.plan` does


class TimeUp(Exception):  # noqa: N818  (not an error: a player has lost)
    """The side to move has run out of time."""


class GameClock:
    """Both sides' clocks. It measures the time of each move, or charges a time measured elsewhere.

    Args:
        settings: the clock at the start of the game, of both sides or (black's, white's); None for no limit
        now: returns the time in seconds

    Attributes:
        side: the side whose clock is running, None if the clock is stopped
    """

    def __init__(
        self,
        settings: Clock | tuple[Clock | None, Clock | None] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings if isinstance(settings, tuple) else (settings, settings)
        self._now = now
        self.side: int | None = None
        self._began = 0.0
        self._paused = 0.0  # seconds that the current move had taken when the clock was paused
        self.reset()

    @property
    def setting(self) -> Clock | None:
        """The clock at the start of the game, if both sides have the same."""
        return self.settings[0]

    def start(self, side: int, at: float | None = None) -> None:
        """Start the clock of `side` (now, or at an earlier time `at`); if it is running already, it continues."""
        if self.side != side:
            self.side, self._began, self._paused = side, (self._now() if at is None else at) - self._paused, 0.0

    def pause(self) -> None:
        """Stop in the middle of a move; `start` resumes it."""
        if self.side is not None:
            self.side, self._paused = None, self._now() - self._began

    def stop(self) -> float | None:
        """Stop after a move, charge its time and return it in seconds; None if no clock was running."""
        side, self.side, self._paused = self.side, None, 0.0
        if side is None:
            return None
        used = self._now() - self._began
        self.charge(side, used)
        return used

    def charge(self, side: int, seconds: float) -> None:
        """Charge `side` for a move that took so long."""
        self._clocks[side] = self._clocks[side].after(1000 * seconds)

    def reset(self) -> None:
        """Reset both sides to their initial time."""
        self._clocks = [setting or Clock() for setting in self.settings]
        self.side, self._paused = None, 0.0

    def times(self) -> list[float]:
        """Return both sides' remaining main times, and the time that the current move has taken."""
        return [*(clock.time / 1000 for clock in self._clocks), self.elapsed]

    @property
    def elapsed(self) -> float:
        """The seconds that the current move has taken."""
        return self._paused if self.side is None else self._now() - self._began

    def restore(self, times: Sequence[float]) -> None:
        """Restore the result of `times`; the clock is stopped."""
        *main, self._paused = times
        self._clocks = [
            replace(setting or Clock(), time=1000 * seconds)
            for setting, seconds in zip(self.settings, main, strict=True)
        ]
        self.side = None

    def allowed(self, side: int) -> float | None:
        """Return the seconds that the next move of `side` may take, None for no limit."""
        return None if self.settings[side] is None else self._clocks[side].allowed / 1000

    def left(self) -> float | None:
        """Return the seconds until the side whose clock is running loses on time, None if it cannot."""
        allowed = None if self.side is None else self.allowed(self.side)
        return None if allowed is None else allowed - (self._now() - self._began)

    def for_search(self, side: int) -> Clock | None:
        """Return the clock for a search, None without a limit."""
        return self._clocks[side] if self.settings[side] else None

    def budget(self, side: int, share: Share) -> TimeBudget | None:
        """Return the time for a search that begins now, None without a limit."""
        clock = self.for_search(side)
        return None if clock is None else share(clock, TimeOptions())

    def limited(self, limit: Limit, side: int) -> Limit:
        """Return `limit` with the clocks for a search by `side`: both times, and increments or a byoyomi, as in USI."""
        own = self.for_search(side)
        if own is None:
            return limit
        black, white = (self.for_search(each) or Clock() for each in range(2))
        increments = black.increment or white.increment
        return replace(
            limit,
            black_clock=black.time / 1000,
            white_clock=white.time / 1000,
            black_inc=black.increment / 1000 if increments else None,
            white_inc=white.increment / 1000 if increments else None,
            byoyomi=own.byoyomi / 1000 if own.byoyomi or not own.increment else None,
        )

    def seconds(self, side: int) -> float:
        """Return a side's remaining main time now; below 0 it is the byoyomi time used."""
        return self._clocks[side].time / 1000 - (self._now() - self._began if side == self.side else 0.0)

    def text(self, side: int) -> str:
        """Return the remaining time, '9:58' or 'byoyomi 0:27'; '' without a setting."""
        setting = self.settings[side]
        if setting is None:
            return ""
        main = self.seconds(side)
        if main > 0 or not setting.byoyomi:
            return _minutes(main)
        return _("byoyomi {time}").format(time=_minutes(setting.byoyomi / 1000 + main))


def _minutes(seconds: float) -> str:
    """Return '1:02:03' or '2:03'; a started second counts as a whole one."""
    whole = max(math.ceil(seconds), 0)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
