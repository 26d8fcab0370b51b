"""The time of moves by the server's count: the `T` after a move is the time charged for it. Standard library only."""

from dataclasses import replace

from shogi_engine.csa.summary import ServerTime
from shogi_engine.play.clock import GameClock

MS = 1000.0


def server_clock(times: tuple[ServerTime, ServerTime]) -> GameClock:
    """Return both sides' clocks. CSA adds the increment before each move, including the first."""
    black, white = (
        replace(each.clock, time=each.clock.time + each.clock.increment) if each.timed else None for each in times
    )
    return GameClock((black, white))


class TimeReader:
    """Reads the times after the moves of a game, as the server writes them.

    They are in seconds, as in CSA files, but with a unit of 1 ms some servers give them in ms. A time is taken as ms if
    that is nearer to the measured time, or if as many seconds would exceed the side's time.
    """

    def __init__(self, times: tuple[ServerTime, ServerTime]) -> None:
        self._times = times
        self._counts_ms = [False, False]

    def seconds(self, text: str, side: int, allowed: float | None, measured_ms: float | None = None) -> float:
        """Return the time of a move of `side` in seconds.

        Args:
            allowed: the seconds that it could take, None for no limit
            measured_ms: the time of this engine's move as measured here; None for the opponent's moves
        """
        number = float(text)
        if self._times[side].unit < MS and "." not in text and number:
            if measured_ms is not None:
                in_ms = abs(number - measured_ms) < abs(number * MS - measured_ms)
                self._counts_ms = [in_ms, in_ms]
            elif allowed is not None and number > allowed:
                self._counts_ms = [True, True]
            if self._counts_ms[side]:
                number /= MS
        return number
