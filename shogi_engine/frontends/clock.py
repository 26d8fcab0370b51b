"""From a clock to the time limits of one search, for every front end. Standard library only."""

from typing import Any

from shogi_engine.search.timeman import TimeBudget

LEAST_MS = 2.0  # with less not even the first depth is done, and the move would be no choice at all


def search_times(budget: TimeBudget) -> dict[str, Any]:
    """Return a budget as keywords of Engine.search and Engine.extend."""
    hard = max(budget.hard_ms, LEAST_MS)
    soft = hard if budget.soft_ms == budget.hard_ms else budget.soft_ms
    return {"soft_ms": soft, "hard_ms": hard, "least_ms": budget.least_ms, "second_ms": budget.second_ms}
