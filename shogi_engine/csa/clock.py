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
        """Charge the time of a move, as the server writes it after T; return it in seconds.

        T is in seconds, as in CSA's files, but with a unit of 1 ms some servers give it in ms. Such a server is
        recognised by a number that is nearer to `measured_ms`, or that as seconds would exceed the side's time.

        Args:
            measured_ms: how many ms a move of this engine took here; None for the opponent's moves
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
