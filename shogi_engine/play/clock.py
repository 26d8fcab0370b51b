"""The clock of a game with a person, and its settings. Standard library only."""

import argparse
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shogi_engine.language import translate as _
from shogi_engine.types.clock import Clock

UNITS = {"s": 1, "m": 60, "h": 3600}
SECONDS_MAX = 100 * 3600
_PART = re.compile(
    r"(?P<number>\d{1,6})(?P<unit>[smh]?)|(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,3}):(?P<seconds>\d\d)"
)


class TimeUp(Exception):  # noqa: N818  (no error: somebody has lost)
    """The side to move has run out of time."""


@dataclass(frozen=True)
class ClockSetting:
    """Seconds: main time of each side, byoyomi for each move after it, increment after each move."""

    main: int
    byoyomi: int = 0
    increment: int = 0


def clock_setting(text: str) -> ClockSetting:
    """Return the setting 'MAIN+BYOYOMI+INC' ('10', '10m+30', '10:00', '5m+0+10s'), for argparse.

    Without a unit the main time is in minutes and the others are in seconds.
    """
    seconds = [_seconds(part, "s" if number else "m") for number, part in enumerate(text.split("+"))]
    if len(seconds) > 3 or None in seconds:
        raise argparse.ArgumentTypeError(f"expected MAIN+BYOYOMI+INC as in 10+30, 10:00 or 5m+0+10s, not {text!r}")
    if not any(seconds) or max(each or 0 for each in seconds) > SECONDS_MAX:
        raise argparse.ArgumentTypeError(f"a clock has between 1 s and {SECONDS_MAX // 3600} h, not {text!r}")
    return ClockSetting(*(each or 0 for each in seconds))


def _seconds(text: str, unit: str) -> int | None:
    """Return the seconds of '30', '30s', '5m', '1h', '10:00' or '1:00:00', None for anything else.

    Args:
        unit: of '30'
    """
    part = _PART.fullmatch(text)
    if part is None:
        return None
    if part["number"]:
        return int(part["number"]) * UNITS[part["unit"] or unit]
    return 3600 * int(part["hours"] or 0) + 60 * int(part["minutes"]) + int(part["seconds"])


class GameClock:
    """Measures the time of each move; without a setting no one's time runs out.

    now() -> seconds
    """

    def __init__(self, setting: ClockSetting | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self.setting = setting
        self._now = now
        self._side: int | None = None
        self._began = 0.0
        self._paused = 0.0  # seconds that the current move had taken when the clock was paused
        self.reset()

    def start(self, side: int) -> None:
        """Start the clock of `side`; if it is running already, it continues."""
        if self._side != side:
            self._side, self._began, self._paused = side, self._now() - self._paused, 0.0

    def pause(self) -> None:
        """Stop in the middle of a move; `start` resumes it."""
        if self._side is not None:
            self._side, self._paused = None, self._now() - self._began

    def stop(self) -> float:
        """Stop after a move; return the seconds it took."""
        side, self._side, self._paused = self._side, None, 0.0
        if side is None:
            return 0.0
        used = self._now() - self._began
        if self.setting:
            self._main[side] = max(self._main[side] - used, 0.0) + self.setting.increment
        return used

    def reset(self) -> None:
        """Reset both sides to their initial time."""
        self._main = [float(self.setting.main) if self.setting else 0.0] * 2
        self._side, self._paused = None, 0.0

    def times(self) -> list[float]:
        """Return both sides' remaining main times, and the time that the current move has taken."""
        running = self._paused if self._side is None else self._now() - self._began
        return [*self._main, running]

    def restore(self, times: Sequence[float]) -> None:
        """Restore the result of `times`; the clock is stopped."""
        *self._main, self._paused = times
        self._side = None

    def left(self) -> float | None:
        """Return the seconds until the side whose clock is running loses on time, None if it cannot."""
        if self.setting is None or self._side is None:
            return None
        return self._main[self._side] + self.setting.byoyomi - (self._now() - self._began)

    def is_over(self) -> bool:
        """Tell whether the side whose clock is running has no time left."""
        left = self.left()
        return left is not None and left <= 0

    def for_search(self, side: int) -> Clock | None:
        """Return the clock for a search, None without a setting."""
        if self.setting is None:
            return None
        main, byoyomi, increment = self._main[side], self.setting.byoyomi, self.setting.increment
        return Clock(int(1000 * main), 1000 * byoyomi, 1000 * increment)

    @property
    def side(self) -> int | None:
        """The side whose clock is running, None if the clock is stopped."""
        return self._side

    def seconds(self, side: int) -> float:
        """Return a side's remaining main time now; below 0 it is the byoyomi time used."""
        return self._main[side] - (self._now() - self._began if side == self._side else 0.0)

    def text(self, side: int) -> str:
        """Return the remaining time, '9:58' or 'byoyomi 0:27'; '' without a setting."""
        if self.setting is None:
            return ""
        main = self.seconds(side)
        if main > 0 or not self.setting.byoyomi:
            return _minutes(main)
        return _("byoyomi {time}").format(time=_minutes(self.setting.byoyomi + main))


def _minutes(seconds: float) -> str:
    """Return '1:02:03' or '2:03'; a started second counts as a whole one."""
    whole = max(math.ceil(seconds), 0)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
