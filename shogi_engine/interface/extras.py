"""The parts that the opening books of all games share: the record of a book move, and the choice of a move.

`Extras.open_book` opens a game's book; positions are looked up by their text. Standard library only.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from shogi_engine.language import InputError
from shogi_engine.types.limits import TimeBudget
from shogi_engine.types.results import Score

NO_BOOK = ("", "no_book")  # names that mean "no book"
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True)
class BookMove:
    """One move of a position.

    Attributes:
        ponder: the expected reply, '' if none
        value: in the game's unit, for the mover; None if the book does not give one
    """

    move: str
    ponder: str = ""
    value: int | None = None
    depth: int = 0
    count: int = 0

    @property
    def worth(self) -> int:
        """The value by which moves are compared: 0 if the book does not give one."""
        return self.value or 0


class BookError(InputError):
    """A book cannot be read or used; the message says why in one line."""


class OpeningBook(Protocol):
    """A game's opening book.

    Attributes:
        margin: how far a move's value may be below the first's if the caller does not say, in the game's unit
    """

    margin: int

    @property
    def notes(self) -> Sequence[str]:
        """What was passed over in the file, in words that begin with the number of the line."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of positions."""

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of a position (in the game's notation), best first; [] if it is not in the book.

        Args:
            flipped: look up the position with colours reversed too, if the game has such positions
            any_ply: ignore the move number; otherwise it must equal the book's
        """


def whole_number(text: str) -> int | None:
    """Return a number in a line of a book; None for anything else, such as 'none'."""
    return int(text) if _WHOLE.fullmatch(text) else None


def distinct(moves: Iterable[BookMove]) -> list[BookMove]:
    """Return each move once, best first: with its deepest search, and of equal depths with the first."""
    found: dict[str, BookMove] = {}
    for move in moves:
        known = found.get(move.move)
        if known is None or (move.value is not None, move.depth) > (known.value is not None, known.depth):
            found[move.move] = move
    return sorted(found.values(), key=lambda each: (-each.worth, -each.count))


def choose(known: Sequence[BookMove], rng: random.Random, *, best: int, margin: int) -> BookMove | None:
    """Choose among the first `best` of the `known` moves whose values are within `margin` of the first; None if none.

    A move's probability is proportional to how often it was played (`count`). If none was ever played, all have the
    same probability.
    """
    good = [each for each in known[: max(best, 1)] if each.worth >= known[0].worth - margin]
    counts = [each.count for each in good]
    return rng.choices(good, counts if any(counts) else None)[0] if good else None


# ---- How a player of a level searches, as the game defines it, and the limits that follow. Standard library only


FULL_STRENGTH_MS = 1000  # for a search at full strength without another limit
BOOK_LEVEL = 4  # the lowest level that plays from the book: a beginner would not know one


@dataclass(frozen=True)
class LevelPlan:
    """How a player of a level searches a position. With none of these limits it plays at full strength.

    Attributes:
        depth: the search depth in plies, None for no limit
        nodes: about how many positions are searched, None for no limit
        multi_probcut_margin: as in Limits
        moves: the number of legal moves, chosen at random, that are searched; 0 for all
        selectivity: how selectively the rest of the game is searched to its end (by the game's solver, if possible),
            on the solver's scale; 0 for an exact result, None if the game is not searched to its end
    """

    depth: int | None = None
    nodes: int | None = None
    multi_probcut_margin: int | None = None
    moves: int = 0
    selectivity: int | None = None

    @property
    def exact(self) -> bool:
        """Tell whether the result is exact."""
        return self.selectivity == 0

    def is_full_strength(self) -> bool:
        """Tell whether the level sets no limits, so that only the caller's apply."""
        return self == LevelPlan()


# For games without levels of their own: the beginner sees only some of his moves, the last level has no limits.
USUAL_LEVELS = (
    *(LevelPlan(depth=1, moves=2), LevelPlan(depth=1, moves=4), LevelPlan(depth=1), LevelPlan(depth=2)),
    *(LevelPlan(depth=3), LevelPlan(depth=4), LevelPlan(nodes=2000), LevelPlan(nodes=8000)),
    *(LevelPlan(nodes=30_000), LevelPlan(nodes=120_000), LevelPlan()),
)


def usual_level(number: int, position: Any = None, plans: Sequence[LevelPlan] = USUAL_LEVELS) -> LevelPlan:
    """Return one of `plans`, the same for any position. Raises ValueError if there is no such level."""
    if not 0 <= number < len(plans):
        raise InputError("the level must be 0 to {0}, not {1}", len(plans) - 1, number)
    return plans[number]


def lowest(*limits: int | None) -> int | None:
    """Return the limit that a search reaches first; None stands for no limit."""
    return min((limit for limit in limits if limit is not None), default=None)


def opens_from_book(level: int | None) -> bool:
    """Tell whether a player of a level (None for full strength) plays book moves."""
    return level is None or level >= BOOK_LEVEL


def drawn_limits(plan: LevelPlan, moves: Sequence[int], rng: random.Random) -> dict[str, Any]:
    """Return the limits of one search by `plan` among `moves` (encoded), as those of timeman.Limits.

    The number of positions varies by a quarter, so that games differ.
    """
    limits: dict[str, Any] = {}
    if plan.depth is not None:
        limits["depth"] = plan.depth
    if plan.nodes is not None:
        limits["nodes"] = round(plan.nodes * rng.uniform(0.8, 1.25))
    if plan.multi_probcut_margin is not None:
        limits["multi_probcut_margin"] = plan.multi_probcut_margin
    if plan.moves:
        limits["searchmoves"] = rng.sample(list(moves), min(plan.moves, len(moves)))
    return limits


# ---- Optional parts of a game for an Engine: the unit of scores, solvers, levels, opening books, clocks. No numba


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
