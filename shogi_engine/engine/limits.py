"""The limits of a search."""

import math
from collections.abc import Sequence
from typing import Any, TypedDict

from shogi_engine.interface.extras.levels import FULL_STRENGTH_MS, drawn_limits, lowest
from shogi_engine.search.limits import Limits
from shogi_engine.types.arguments import check_names, check_number, move_texts
from shogi_engine.types.clock import TimeBudget


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


def search_limits(
    engine: Any,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    movetime: float | None = None,
    mate: int | None = None,
    level: int | None = None,
    multi_probcut_margin: int | None = None,
    searchmoves: Sequence[str] = (),
    multipv: int = 1,
    budget: TimeBudget | None = None,
    **unknown: object,
) -> Limits:
    """Return the limits of a search of the engine's position. Raises TypeError or ValueError for invalid arguments."""
    check_names("a search", unknown, Wanted.__annotations__)
    given: dict[str, object] = {"depth": depth, "nodes": nodes, "mate": mate, "multipv": multipv}
    given |= {"movetime": movetime, "level": level}
    for name, value in given.items():
        if value is not None:
            least = {"movetime": 0, "level": -math.inf}.get(name, 1)  # levels have bounds of their own
            check_number(name, value, least, whole=name != "movetime")
    selectivity = None
    if level is not None:
        plan = engine.check_level(level)
        if plan.is_full_strength() and all(limit is None for limit in (depth, nodes, movetime, mate, budget)):
            movetime = FULL_STRENGTH_MS
        selectivity = plan.selectivity if depth is None and nodes is None else None
        drawn = drawn_limits(plan, searchmoves or engine.legal_moves() if plan.moves else (), engine.rng)
        searchmoves = drawn.get("searchmoves", searchmoves)
        depth, nodes = lowest(depth, drawn.get("depth")), lowest(nodes, drawn.get("nodes"))
        if multi_probcut_margin is None:
            multi_probcut_margin = drawn.get("multi_probcut_margin")
    budget = budget if budget or movetime is None else TimeBudget.exactly(movetime)
    moves = tuple(engine.game.parse_move(engine.position, move) for move in move_texts(searchmoves))
    return Limits(depth, nodes, mate, budget, multi_probcut_margin, selectivity, moves, multipv)
