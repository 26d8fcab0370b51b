"""The time of moves by the server's count: the `T` after a move is the time charged for it. Standard library only."""

from dataclasses import replace

from shogi_engine.csa.summary import ServerTime
from shogi_engine.play.clock import GameClock, Share
from shogi_engine.search.timeman import TimeOptions, in_full_seconds
from shogi_engine.types.clock import Clock, TimeBudget
from shogi_engine.types.limit import Limit

MS = 1000.0
UNTIMED_MS = 5000  # for each move if the game has no time limit


class ServerClock(GameClock):
    """Both sides' clocks by the server's count. CSA adds the increment before each move, including the first.

    Args:
        delay: the ms that a move takes on its way to the server

    Attributes:
        overhead: the ms charged for the last moves beyond their thinking time, on a busy machine or a slow line
    """

    def __init__(self, times: tuple[ServerTime, ServerTime], delay: int = 20) -> None:
        black, white = (
            replace(each.clock, time=each.clock.time + each.clock.increment) if each.timed else None for each in times
        )
        super().__init__((black, white))
        self.overhead = 0.0
        self._times, self._delay = times, delay

    def for_search(self, side: int) -> Clock:
        """Return the clock for a search; a game without a time limit is played within UNTIMED_MS for each move."""
        return super().for_search(side) or Clock(byoyomi=UNTIMED_MS)

    def _late(self) -> int:
        """Return the ms that a move loses to the line and the machine."""
        return max(self._delay, int(self.overhead))

    def budget(self, side: int, share: Share) -> TimeBudget:
        """Return the time for a search that begins now."""
        time, late = self._times[side], self._late()
        clock = self.for_search(side)
        if time.roundup:
            clock = _less(clock, time.unit)
        options = TimeOptions(
            network_delay=late,
            network_delay2=max(TimeOptions.network_delay2, 5 * late),
            minimum_thinking_time=max(time.least - late, 0),
        )
        budget = share(clock, options)
        if time.timed and time.unit >= MS:
            budget = in_full_seconds(budget, clock, options)
        return budget.less(MS * self.elapsed if self.side == side else 0)

    def limited(self, limit: Limit, side: int) -> Limit:
        """Return `limit` with the clocks for a search by `side`: the main time without the increment, less the delay.

        The overhead of each move, or the part of the delay that the clock cannot pay, also reduces the increment.
        """
        clocks = [self.for_search(each) for each in range(2)]
        increments = [int(clock.increment) for clock in clocks]
        times = [int(clock.time) - increment for clock, increment in zip(clocks, increments, strict=True)]
        byoyomi, overhead = int(clocks[side].byoyomi), int(self.overhead)
        late = self._late() + (int(MS * self.elapsed) if self.side == side else 0)
        if byoyomi:  # USI has no increments together with a byoyomi
            times[side] += increments[side]
            increments = [0, 0]
        from_byoyomi = late if byoyomi > 2 * late else 0
        from_clock = min(late - from_byoyomi, times[side])
        times[side] -= from_clock
        increments[side] = max(increments[side] - max(late - from_byoyomi - from_clock, overhead), 0)
        limit = replace(limit, black_clock=times[0] / MS, white_clock=times[1] / MS)
        if any(increments):
            return replace(limit, black_inc=increments[0] / MS, white_inc=increments[1] / MS)
        return replace(limit, byoyomi=(byoyomi - from_byoyomi) / MS)


def _less(clock: Clock, ms: float) -> Clock:
    """Return a clock less `ms`, of the byoyomi if it is long enough, else of the main time."""
    if clock.byoyomi > ms:
        return replace(clock, byoyomi=clock.byoyomi - ms)
    return replace(clock, time=max(clock.time - ms, 0))


class TimeReader:
    """Reads the times after the moves of a game, as the server writes them.

    They are in seconds, as in CSA files, but with a unit of less than a second some servers give them in that unit.
    This is assumed if it is nearer to the measured time, or if as many seconds would exceed the side's time.
    """

    def __init__(self, times: tuple[ServerTime, ServerTime]) -> None:
        self._times = times
        self._counts_units = [False, False]

    def seconds(self, text: str, side: int, allowed: float | None, measured_ms: float | None = None) -> float:
        """Return the time of a move of `side` in seconds.

        Args:
            allowed: the seconds that it could take, None for no limit
            measured_ms: the time of this engine's move as measured here; None for the opponent's moves
        """
        number, unit = float(text), self._times[side].unit
        if unit < MS and "." not in text and number:
            if measured_ms is not None:
                in_units = abs(number * unit - measured_ms) < abs(number * MS - measured_ms)
                self._counts_units = [in_units, in_units]
            elif allowed is not None and number > allowed:
                self._counts_units = [True, True]
            if self._counts_units[side]:
                number *= unit / MS
        return number
