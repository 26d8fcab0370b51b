"""The common base of the Othello front ends, NBoard and GTP: levels, clocks and searches."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shogi_engine.frontends.core import FrontEnd, Task
from shogi_engine.frontends.core import load_engine as load_engine_of
from shogi_engine.frontends.stdio import Output
from shogi_engine.games.othello.clock import budget
from shogi_engine.games.othello.names import DISC
from shogi_engine.search.timeman import TimeOptions, fixed
from shogi_engine.types.clock import Clock, TimeBudget

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.engine.results import SearchResult
    from shogi_engine.interface.extras.book import BookMove, OpeningBook

GAME_PLIES = 60
DEFAULT_LEVEL = 10
TIMES = TimeOptions()


def load_engine() -> "Engine":
    """Return an Othello engine with its kernels compiled or loaded."""
    from shogi_engine.games.othello import records  # noqa: F401  (loaded here, not at the first command)

    return load_engine_of("othello")


def time_for_move(clock: Clock, ply: int) -> TimeBudget:
    """Return the time for a move; the main time of `clock` already includes the increment."""
    if clock.time <= 0 < clock.byoyomi:
        return fixed(clock.byoyomi, TIMES)
    return budget(replace(clock, increment=min(clock.increment, clock.time)), ply, TIMES)


@dataclass(frozen=True)
class BookUse:
    """The book to play from.

    Attributes:
        book: None for the shipped one
        randomness: how much worse than the best a book move may be, in discs
    """

    book: "OpeningBook | None" = None
    randomness: float = 0.0


class OthelloFrontEnd(FrontEnd):
    """A session of an Othello protocol.

    Args:
        book: the book to play from, None for no book
    """

    def __init__(self, output: Output, load: Any = load_engine, *, book: BookUse | None = None, **named: Any) -> None:
        super().__init__(output, load, **named)
        self._book = book
        self._book_is_open = False

    def book_answer(self) -> "BookMove | None":
        """Return a book move that is worse than the best by at most the randomness, None out of book."""
        if self._book is None:
            return None
        if not self._book_is_open:
            self._book_is_open = True
            self.engine.book.open(self._book.book)
        return self.engine.book.choice(margin=round(self._book.randomness * DISC))

    def think(self, task: Task, **limits: Any) -> "SearchResult":
        """Search the engine's position; a stopped task gets the result of a search of one ply."""
        with task.searching(self.engine, lambda: {"depth": 1} if task.stopped else limits) as planned:
            return self.engine.search(**planned)

    def limits(self, level: int | None, clock: Clock | None) -> dict[str, Any]:
        """Return the limits of a move, from the level and the clock, or from the default level if neither was set."""
        limits: dict[str, Any] = {} if clock is None else {"budget": time_for_move(clock, self.ply())}
        if level is not None or clock is None:
            limits["level"] = DEFAULT_LEVEL if level is None else level
        return limits

    def ply(self) -> int:
        """Return the number of discs placed since the usual starting position."""
        return GAME_PLIES - self.engine.position_text.count("-")
