"""Both sides' time as the server counts it: only its `T` says what a move has cost. Standard library only."""

import math
from dataclasses import replace

from shogi_engine.csa.summary import ServerTime

MS = 1000.0


class ServerClock:
    """Both sides' clocks before their next moves, whose increments are in the main time.

    CSA adds the increment before each move, the first one included; a move is in time if it takes less than
    `available_ms`.
    """

    def __init__(self, times: tuple[ServerTime, ServerTime]) -> None:
        self.times = times
        self.clocks = [replace(each.clock, time=each.clock.time + each.clock.increment) for each in times]
        self._counts_ms = [False, False]  # whether the server's T is in ms

    def available_ms(self, side: int) -> float:
        """Return the time available for the move of `side`, infinite without a limit."""
        return self.clocks[side].allowed if self.times[side].timed else math.inf

    def charge(self, side: int, text: str, measured_ms: float | None = None) -> float:
        """Take the time of a move, as the server writes it after T; return it in seconds.

        Args:
            measured_ms: how long the move took here, if it was this engine's. It is needed if the unit is a
                millisecond: T is in seconds as in CSA's files, but some servers give it in their unit. Such a
                server is recognised by a number that is nearer to the measured ms, or that as seconds would exceed
                the side's time.
        """
        number = float(text)
        if self.times[side].unit < MS and "." not in text and number:
            if measured_ms is not None:
                in_ms = abs(number - measured_ms) < abs(number * MS - measured_ms)
                self._counts_ms = [in_ms, in_ms]
            elif number * MS > self.available_ms(side):
                self._counts_ms = [True, True]
            if self._counts_ms[side]:
                number /= MS
        self.clocks[side] = self.clocks[side].after(number * MS)
        return number
