"""Both sides' time as the server counts it: only its `T` says what a move has cost. Standard library only."""

import math

from shogi_engine.csa.summary import TimeControl

MS = 1000.0


class ServerClock:
    """Both sides' remaining main time in ms, without the increment of the next move.

    CSA adds the increment before each move, the first one included; a move is in time if it takes less than
    `available_ms`.
    """

    def __init__(self, times: tuple[TimeControl, TimeControl]) -> None:
        self.times = times
        self.left = [float(time.total) for time in times]
        self._counts_ms = [False, False]  # whether the server's T is in ms

    def available_ms(self, side: int) -> float:
        """Return the time available for the move of `side`, infinite without a limit."""
        time = self.times[side]
        return self.left[side] + time.byoyomi + time.increment if time.timed else math.inf

    def charge(self, side: int, text: str, measured_ms: float | None = None) -> float:
        """Take the time of a move, as the server writes it after T; return it in seconds.

        Args:
            measured_ms: how long the move took here, if it was this engine's. It is needed if the unit is a
                millisecond: T is in seconds as in CSA's files, but some servers give it in their unit. Such a
                server is recognised by a number that is nearer to the measured ms, or that as seconds would exceed
                the side's time.
        """
        number = float(text)
        time = self.times[side]
        if time.unit < MS and "." not in text and number:
            if measured_ms is not None:
                in_ms = abs(number - measured_ms) < abs(number * MS - measured_ms)
                self._counts_ms = [in_ms, in_ms]
            elif number * MS > self.available_ms(side):
                self._counts_ms = [True, True]
            if self._counts_ms[side]:
                number /= MS
        self.left[side] = max(self.left[side] + time.increment - number * MS, 0.0)
        return number
