"""Time management: computes the time for a move from the clock. Standard library only.

`plan` returns a TimeBudget: after `soft_ms` no new iteration begins; at `hard_ms` the search stops at once. During the
search, TimeManager extends or reduces the soft limit.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shogi_engine.types.limits import Clock, Limit, TimeBudget

# ---- The limits and the results of a search: plain data, standard library only


@dataclass(frozen=True)
class Limits:
    """When to stop; a search without limits continues until it is stopped.

    Attributes:
        depth: the depth in plies
        nodes: the number of positions, of all threads together
        mate: stop when a mate within this many plies is found
        budget: the time, counted from the call; None for no limit. No iteration begins after the soft limit. If that
            is below the hard limit, TimeManager extends it up to 2.5 times if the best move is unclear, and reduces it
            if the best move is clear.
        multi_probcut_margin: the margin of Multi-ProbCut, in percent of the spread that `game.probcut` returns; None
            for that of the parameters
        selectivity: how selectively the game is searched to its end before the search; see `LevelPlan`
        searchmoves: the root moves to choose from (encoded, legal), all if empty
        multipv: the number of best moves to report
    """

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    budget: TimeBudget | None = None
    multi_probcut_margin: int | None = None
    selectivity: int | None = None
    searchmoves: tuple[int, ...] = ()
    multipv: int = 1

    def end_search(self) -> bool:
        """Tell whether the search ends without being stopped."""
        return any(limit is not None for limit in (self.depth, self.nodes, self.mate, self.budget))


@dataclass(frozen=True)
class Info:
    """One report of a search.

    Attributes:
        score: in the game's unit, or for a mate VALUE_MATE minus plies
        bound: '', 'lower' or 'upper'
        hashfull: permille of the transposition table used by this search
        pv: the moves from the root on
        exact: whether the score is proven: a full-width search reached the end of every line
    """

    depth: int
    seldepth: int
    multipv: int
    score: int
    bound: str
    nodes: int
    seconds: float
    hashfull: int
    pv: tuple[int, ...]
    exact: bool = False


@dataclass(frozen=True)
class Result:
    """The result of a search. bestmove and ponder are 0 if there is none.

    Attributes:
        infos: the final report of each multipv line, with the nodes and the time of the whole search
        exact: whether the score is proven; see Info
    """

    bestmove: int
    ponder: int
    score: int
    depth: int
    nodes: int
    seconds: float
    pv: tuple[int, ...]
    infos: tuple[Info, ...]
    exact: bool = False


def by_score(infos: Iterable[Info]) -> list[Info]:
    """Return lines sorted from best to worst. The sort is stable."""
    return sorted(infos, key=lambda info: -info.score)


MOVETIME_DELAY = 10  # the most ms subtracted from a fixed move time, for the latency of a busy machine


@dataclass(frozen=True)
class TimeOptions:
    """The user's settings.

    Attributes:
        network_delay: ms lost on each move between engine and clock
        network_delay2: the most ms subtracted from a move that may use all the remaining time
        minimum_thinking_time: the least ms for a move, if the clock allows it
        slow_mover: the share of the main time that a move uses, in percent of the planned share
        ponder: whether the engine also thinks on the opponent's time, so that its own time lasts longer
    """

    network_delay: int = 20
    network_delay2: int = 600
    minimum_thinking_time: int = 0
    slow_mover: int = 100
    ponder: bool = False


def cap(clock: Clock) -> float:
    """Return the ms after which the move would lose on time.

    GUIs disagree on whether the time they send includes the increment. It is safe to assume that it does, unless the
    time is below the increment.
    """
    time, increment = max(0, clock.time), max(0, clock.increment)
    return (time if time >= increment else time + increment) + max(0, clock.byoyomi)


def limit(milliseconds: float, options: TimeOptions) -> float:
    """Return `milliseconds` less a reserve for delays, which grows with the time."""
    delay = min(options.network_delay + milliseconds / 20, max(options.network_delay, options.network_delay2))
    return max(milliseconds - delay, milliseconds / 4, 0.0)


def in_full_seconds(budget: TimeBudget, clock: Clock, options: TimeOptions) -> TimeBudget:
    """Return the budget for a clock that charges full seconds, so that no charged time is wasted.

    Times are rounded up to full seconds, less the network delay, if the clock allows it.
    """
    whole, second = limit(cap(clock), options), 1000.0 - options.network_delay

    def rounded_up(ms: float) -> float:
        return min(second + 1000 * max(math.ceil((ms - second) / 1000), 0), whole)

    hard, least = rounded_up(budget.hard_ms), rounded_up(budget.least_ms)
    return TimeBudget(min(max(budget.soft_ms, least), hard), hard, least, second)


def fixed(movetime: float, options: TimeOptions) -> TimeBudget:
    """Return the budget of a move that must take `movetime` ms. No clock runs out, so the reserve is small."""
    movetime = max(0, movetime)
    whole = float(movetime - min(options.network_delay, movetime / 10, MOVETIME_DELAY))
    return TimeBudget.exactly(whole)


def moves_to_go(ply: int, max_ply: int = 0) -> int:
    """Return the number of moves of one side for which the main time has to last.

    Args:
        ply: moves made so far
        max_ply: the number of moves after which the game is drawn; 0 for no limit
    """
    expected = max(32, 56 - max(0, ply) // 5)
    return max(1, min(expected, (max_ply - ply + 1) // 2)) if max_ply > 0 else expected


def plan(clock: Clock, ply: int, options: TimeOptions, max_ply: int = 0) -> TimeBudget:
    """Return the budget of one move, never more than `cap(clock)` less the network delay."""
    most = cap(clock)
    whole = limit(most, options)
    byoyomi = max(0, clock.byoyomi)
    main = most - byoyomi
    moves = moves_to_go(ply, max_ply)
    if most <= 1.3 * byoyomi or moves == 1:  # time not used now is (nearly) lost
        return TimeBudget.exactly(whole)
    lost = moves * options.network_delay  # main time lost between engine and clock
    if byoyomi:  # the main time may run out; the larger the byoyomi, the sooner
        moves = max(1, round(moves - 0.5 * moves * moves * byoyomi / (moves * byoyomi + main)))
    even = (main + max(0, clock.increment) * (moves - 1)) / moves
    share = max(even - options.network_delay, even / 10) * options.slow_mover / 100 * (1.2 if options.ponder else 1)
    # An iteration that begins before the soft limit continues past it, so a move takes its share on average. The soft
    # limit is at least the byoyomi, because every later move will have that much even without main time.
    soft = max(0.65 * (byoyomi + share), byoyomi, options.minimum_thinking_time)
    hard = byoyomi + max(share, min(4 * share, 0.3 * (main - 2 * lost)))  # the most for a difficult move
    hard = max(hard, options.minimum_thinking_time)
    soft, hard = min(soft, hard, whole), min(hard, whole)
    return TimeBudget(soft, hard, min(soft, options.minimum_thinking_time))


def budget_of(
    limit: Limit, side: int, ply: int, share: Callable[[Clock, int, TimeOptions], TimeBudget] | None = None
) -> TimeBudget | None:
    """Return the time that `limit` gives `side`, 0 (black) or 1 (white), after `ply` moves; None for no time limit.

    Args:
        share: the game's function that divides a clock among moves, None for `plan`
    """
    clock = limit.clock(side)
    budget = (share or plan)(clock, ply, TimeOptions()) if clock else None
    if limit.time is None:
        return budget
    ms = 1000 * limit.time
    return budget.at_most(ms) if budget else TimeBudget.exactly(ms)


class TimeManager:
    """Extends the soft limit if the best move is unclear, and reduces it if the best move is clear.

    As in Stockfish (https://github.com/official-stockfish/Stockfish, search.cpp), it depends on the share of the nodes
    that the best move takes, on changes of the best move, and on a fall of its score. The tuning log has measurements.

    Args:
        unit: a small margin, in the game's unit
        only: whether there is only one move
    """

    LEAST, MOST = 0.1, 2.5  # of `factor`
    CLEAR = 0.5  # up to this factor, the search may end within an iteration
    USUAL = 0.45  # the best move's share of the nodes that leaves the soft limit as it is

    def __init__(self, unit: int, only: bool = False) -> None:
        self._unit = max(unit, 1)
        self._only = only
        self._move = 0
        self._share = self.USUAL
        self._changes = 0.0  # changes of the best move, halved in each iteration
        self._scores: list[int] = []  # the scores of the last iterations

    def note(self, move: int, score: int, share: float = USUAL) -> None:
        """Record the best move of a finished iteration, its score, and its share of all nodes so far, 0..1."""
        self._changes = self._changes / 2 + (self._move not in (0, move))
        self._move, self._share = move, share
        self._scores = [*self._scores[-2:], score]

    @property
    def factor(self) -> float:
        """The factor of the soft limit, LEAST..MOST: above 1 if the best move is in doubt."""
        if self._only:
            return self.LEAST
        factor = 1 + 1.1 * (self.USUAL - self._share)
        return min(factor * (1 + 0.5 * min(self._changes, 1.5)) * (1 + 0.6 * self._fall()), self.MOST)

    @property
    def cap(self) -> float | None:
        """The factor of the soft limit at which the search ends even within an iteration, None for the hard limit."""
        return self.factor if self.factor <= self.CLEAR else None

    def _fall(self) -> float:
        """Return how far the score fell in the last two iterations, 0..1; less than a unit is noise."""
        fall = max(self._scores) - self._scores[-1] if self._scores else 0
        return min(max(fall - self._unit, 0) / (4 * self._unit), 1.0)
