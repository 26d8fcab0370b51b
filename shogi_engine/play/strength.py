"""The engine's strength against a person: a level or given limits, within what the clock allows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shogi_engine.games.othello.names import QUICK_LEVEL
from shogi_engine.games.shogi.levels import FULL
from shogi_engine.play.clock import GameClock

if TYPE_CHECKING:
    from shogi_engine.engine import Engine

DEFAULT_MS = 1000  # for a move without another limit
# The highest level that answers within seconds; in Shogi that is full strength.
STRONGEST = {"shogi": FULL, "othello": QUICK_LEVEL}
FIRST_LEVEL = 3  # the default


def level_limits(engine: "Engine", level: int) -> dict[str, int]:
    """Return a level as limits of Engine.search, none for full strength. Raises ValueError if there is none."""
    return {} if engine.check_level(level).is_full_strength() else {"level": level}


def timed_limits(engine: "Engine", limits: Mapping[str, Any], clock: GameClock, side: int, ply: int) -> dict[str, Any]:
    """Return the limits of the search for a move: `limits` or DEFAULT_MS, within what the clock allows.

    Args:
        ply: the number of moves made
    """
    times = clock.for_search(side)
    if times is None:
        return dict(limits) or {"movetime": DEFAULT_MS}
    budget = engine.clock_budget(times, ply)
    kept = {name: value for name, value in limits.items() if name != "movetime"}
    return kept | {"budget": budget.at_most(limits.get("movetime", budget.hard_ms))}
