"""What an Engine may ask of a game beyond the search: the unit of scores, solvers, levels, books, clocks. No numba."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shogi_engine.interface.extras.book import OpeningBook
from shogi_engine.interface.extras.levels import LevelPlan
from shogi_engine.types.clock import TimeBudget
from shogi_engine.types.score import Score


@dataclass(frozen=True)
class Extras:
    """The optional parts of a game (`Game.extras`). None stands for a part that the game lacks.

    Attributes:
        score: `score(value)` returns a Score in the unit that players of the game use; centipawns by default
        endgame_solver: `endgame_solver(threads=, stop_token=)` returns a forced_win.EndgameSolver, whose result
            replaces the search
        mate_solver: `mate_solver(hash_mb=, memory=, stop_token=)` returns a forced_win.ForcedWinSolver, which looks for
            a forced win during the search, or alone
        levels: the number of levels, 0 to levels - 1
        level: `level(number, position)` returns a level's levels.LevelPlan; raises ValueError if there is no such level
        open_book: `open_book(name)` returns the book of that name, None for the one shipped; raises book.BookError
        budget: `budget(clock, ply, options)` divides a clock among moves, where search.timeman.plan does not suit
    """

    score: Callable[[int], Score] = Score
    endgame_solver: Callable[..., Any] | None = None
    mate_solver: Callable[..., Any] | None = None
    levels: int = 0
    level: Callable[[int, Any], LevelPlan] | None = None
    open_book: Callable[[str | None], OpeningBook] | None = None
    budget: Callable[[Any, int, Any], TimeBudget] | None = None
