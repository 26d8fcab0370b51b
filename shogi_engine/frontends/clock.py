"""From a clock to the time limits of one search, for every front end. Standard library only."""

import math

from shogi_engine.search.timeman import Clock, TimeBudget, TimeOptions, cap, limit

LEAST_MS = 2.0  # with less not even the first depth is done, and the move would be no choice at all


def search_times(budget: TimeBudget) -> dict[str, float]:
    """Return a budget as keywords of Engine.search."""
    hard = max(budget.hard_ms, LEAST_MS)
    soft = hard if budget.soft_ms == budget.hard_ms else budget.soft_ms
    return {"soft_ms": soft, "hard_ms": hard, "least_ms": budget.least_ms}


def in_full_seconds(budget: TimeBudget, clock: Clock, options: TimeOptions) -> TimeBudget:
    """Return a budget whose times are rounded up to full seconds, less the network delay, if the clock has them.

    For clocks that count full seconds only: what is left of a second that has begun costs nothing.
    """
    whole = limit(cap(clock), options)

    def rounded_up(ms: float) -> float:
        seconds = math.ceil((ms + options.network_delay) / 1000)
        return min(1000.0 * seconds - options.network_delay, whole)

    soft, hard = rounded_up(budget.soft_ms), rounded_up(budget.hard_ms)
    return TimeBudget(soft, max(soft, hard), min(rounded_up(max(budget.least_ms, 1.0)), soft))
