"""Optional parts of a game for an Engine: the unit of scores, solvers, levels, opening books, clocks. No numba."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shogi_engine.interface.extras.book import OpeningBook
from shogi_engine.interface.extras.levels import USUAL_LEVELS, LevelPlan, usual_level
from shogi_engine.types.clock import TimeBudget
from shogi_engine.types.score import Score


@dataclass(frozen=True, eq=False)  # hashed by identity, as a part of a Game
class Drawing:
    """How the rule `write_cells` describes a position.

    Attributes:
        files, ranks: the names of the files from the left and of the ranks from the top
        symbols: the sign of each piece, the empty square's first
        hand: the signs of the kinds of pieces in hand, both sides'; empty for a game without
    """

    files: Sequence[str]
    ranks: Sequence[str]
    symbols: Sequence[str]
    hand: Sequence[str] = ()

    @property
    def squares(self) -> int:
        """The number of squares."""
        return len(self.files) * len(self.ranks)


@dataclass(frozen=True)
class Extras:
    """The optional parts of a game (`Game.extras`). A part that the game lacks is None.

    Attributes:
        drawing: how positions look
        move_codes: all moves are smaller than this; 0 if unknown. `Batch` and the environments need it.
        score: `score(value)` returns a Score in the unit that players of the game use; centipawns by default
        endgame_solver: `endgame_solver(threads=, stop_token=)` returns a forced_win.EndgameSolver. Its result replaces
            that of the search.
        mate_solver: `mate_solver(hash_mb=, memory=, stop_token=)` returns a forced_win.ForcedWinSolver, which looks for
            a forced win during the search, or alone
        levels: the number of levels, 0 to levels - 1
        level: `level(number, position)` returns a level's levels.LevelPlan; raises ValueError if there is no such
            level; by default, levels.usual_level
        open_book: `open_book(name)` returns the book `name`, or the game's own if it is None; raises book.BookError
        budget: `budget(clock, ply, options)` returns a TimeBudget; None if search.timeman.plan suits the game
    """

    drawing: Drawing | None = None
    move_codes: int = 0
    score: Callable[[int], Score] = Score
    endgame_solver: Callable[..., Any] | None = None
    mate_solver: Callable[..., Any] | None = None
    levels: int = len(USUAL_LEVELS)
    level: Callable[[int, Any], LevelPlan] = usual_level
    open_book: Callable[[str | None], OpeningBook] | None = None
    budget: Callable[[Any, int, Any], TimeBudget] | None = None
