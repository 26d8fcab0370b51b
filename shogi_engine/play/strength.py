"""How the engine chooses its move, and its strength: a level or given limits, within what the clock allows."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from shogi_engine.games.othello.names import QUICK_LEVEL
from shogi_engine.games.shogi.levels import FULL
from shogi_engine.interface.extras.levels import opens_from_book
from shogi_engine.play.answer import DECLARE, RESIGN, Answer

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.engine.results import SearchResult
    from shogi_engine.play.game import Game

DEFAULT_MS = 1000  # for a move without another limit
# The highest level that answers within seconds; in Shogi that is full strength.
STRONGEST = {"shogi": FULL, "othello": QUICK_LEVEL}
FIRST_LEVEL = 3  # the default


def level_limits(engine: "Engine", level: int) -> dict[str, int]:
    """Return a level as limits of Engine.search, none for full strength. Raises ValueError if there is none."""
    return {} if engine.check_level(level).is_full_strength() else {"level": level}


def timed_limits(engine: "Engine", limits: Mapping[str, Any], game: "Game | None") -> dict[str, Any]:
    """Return the limits of the search for a move: `limits` or DEFAULT_MS, within what the game's clock allows.

    Args:
        game: None for a move outside a game, without a clock
    """
    times = None if game is None else game.clock.for_search(game.turn)
    if game is None or times is None:
        return dict(limits) or {"movetime": DEFAULT_MS}
    budget = engine.clock_budget(times, game.ply)
    kept = {name: value for name, value in limits.items() if name != "movetime"}
    return kept | {"budget": budget.at_most(limits.get("movetime", budget.hard_ms))}


def choose(
    engine: "Engine",
    search: "Callable[[], SearchResult]",
    level: int | None = None,
    *,
    book: bool = True,
    **lookup: bool,
) -> Answer:
    """Return the engine's answer to its position: a declaration, a book move, or the result of `search`.

    Args:
        search: called only if neither of the others is possible
        level: None for full strength
        book: whether it may play book moves
        lookup: options of book.OpeningBook.known
    """
    if engine.may_declare():
        return Answer(DECLARE)
    if book and opens_from_book(level) and (known := engine.book.choice(**lookup)) is not None:
        score = engine.game.extras.score(known.value)
        return Answer(known.move, 0.0, known.ponder, score, known.depth, pv=(known.move,), from_book=True)
    return answer_of(search())


def answer_of(found: "SearchResult") -> Answer:
    """Return what a search found; without a legal move the answer is to resign."""
    move, pv = found.bestmove or RESIGN, tuple(found.pv)
    return Answer(move, found.seconds, found.ponder, found.score, found.depth, found.nodes, pv)
