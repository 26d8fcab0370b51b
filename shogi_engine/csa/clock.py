"""Both sides' clocks by the server's count: the `T` after a move is the time charged for it. Standard library only."""

import math
from dataclasses import replace

from shogi_engine.csa.summary import ServerTime

MS = 1000.0


class ServerClock:
    """Both sides' clocks before their next moves; the main time includes the increment of the next move.

    CSA adds the increment before each move, including the first. A move is in time if it takes less than
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

        T is in seconds, as in CSA files, but with a unit of 1 ms some servers give it in ms. It is taken as ms if that
        is nearer to `measured_ms`, or if as many seconds would exceed the side's time.

        Args:
            measured_ms: the time of this engine's move as measured here; None for the opponent's moves
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
