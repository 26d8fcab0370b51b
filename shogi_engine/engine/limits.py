"""The limits of a search."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from shogi_engine.interface.extras.levels import FULL_STRENGTH_MS, drawn_limits, lowest
from shogi_engine.search.limits import Limits
from shogi_engine.types.clock import TimeBudget

if TYPE_CHECKING:
    from shogi_engine.engine.engine import Engine


class Wanted(TypedDict, total=False):
    """The arguments of `Engine.search`, where they are described."""

    depth: int | None
    nodes: int | None
    movetime: float | None
    mate: int | None
    level: int | None
    multi_probcut_margin: int | None
    searchmoves: Sequence[str]
    multipv: int
    budget: TimeBudget | None


def search_limits(engine: "Engine", wanted: Wanted) -> Limits:
    """Return the limits of a search of the engine's position. Raises ValueError for invalid arguments."""
    named: dict[str, Any] = {**wanted}
    for name, value in named.items():
        least = 0 if name == "movetime" else 1
        if name in ("depth", "nodes", "mate", "multipv", "movetime") and value is not None and not value >= least:
            raise ValueError(f"{name} must be at least {least}, not {value}")
    depth, nodes, margin = wanted.get("depth"), wanted.get("nodes"), wanted.get("multi_probcut_margin")
    movetime, budget, level = wanted.get("movetime"), wanted.get("budget"), wanted.get("level")
    searchmoves, selectivity = wanted.get("searchmoves", ()), None
    if level is not None:
        plan = engine.check_level(level)
        others = (depth, nodes, movetime, wanted.get("mate"), budget)
        if plan.is_full_strength() and all(limit is None for limit in others):
            movetime = FULL_STRENGTH_MS
        selectivity = plan.selectivity if depth is None and nodes is None else None
        drawn = drawn_limits(plan, searchmoves or engine.legal_moves() if plan.moves else (), engine.rng)
        searchmoves = drawn.get("searchmoves", searchmoves)
        depth, nodes = lowest(depth, drawn.get("depth")), lowest(nodes, drawn.get("nodes"))
        margin = drawn.get("multi_probcut_margin") if margin is None else margin
    return Limits(
        depth=depth,
        nodes=nodes,
        mate=wanted.get("mate"),
        budget=budget if budget or movetime is None else TimeBudget.exactly(movetime),
        multi_probcut_margin=margin,
        selectivity=selectivity,
        searchmoves=tuple(engine.game.parse_move(engine.position, move) for move in searchmoves),
        multipv=wanted.get("multipv", 1),
    )
