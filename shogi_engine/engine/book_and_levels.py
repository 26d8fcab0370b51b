"""The methods of an Engine for the opening book, the levels and the clock."""

import random
from collections.abc import Callable
from typing import Any

from shogi_engine.interface.extras.book import BookMove, OpeningBook, choose
from shogi_engine.interface.extras.levels import LevelPlan
from shogi_engine.interface.game import Game
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import TimeOptions, plan
from shogi_engine.types.clock import Clock, TimeBudget

BOOK_MARGIN = 4  # a book move is as good as the best one if it is worse by at most params.score_noise / BOOK_MARGIN


class BookAndLevels:
    """An Engine's opening book, levels and clock.

    Attributes:
        rng: chooses book moves, and the moves that low levels see
    """

    game: Game
    searcher: Searcher
    legal_moves: Callable[[], list[str]]
    rng: random.Random
    _book: OpeningBook | None = None

    @property
    def position(self) -> Any:
        """The position, record[game.position]."""
        raise NotImplementedError

    @property
    def position_text(self) -> str:
        """The position in the game's notation."""
        return self.game.format_position(self.position)

    def open_book(self, name: str | OpeningBook | None = None) -> None:
        """Use an opening book from now on.

        Raises book.BookError, a ValueError, if the book cannot be read; the engine then has no book.

        Args:
            name: the name or path of a book, or an open book; None for the game's own book, '' for no book
        """
        self._book, open_book = None, self.game.extras.open_book
        if not (name is None or isinstance(name, str)):
            self._book = name
        elif open_book is not None:
            self._book = open_book("")
            self._book = open_book(name)

    def book_choice(self, *, best: int = 16, margin: int | None = None, **lookup: bool) -> BookMove | None:
        """Choose one of the opening book's moves for this position at random; return None if it has none.

        Args:
            best: the number of moves to choose from
            margin: how far their values may be below the first move's, in the game's unit; None for a negligible loss
            lookup: options of book.OpeningBook.known
        """
        if margin is None:
            margin = max(int(self.searcher.params.score_noise), 1) // BOOK_MARGIN
        known = self.book_moves(**lookup)
        return choose(known, [each.move for each in known], self.rng, best=best, margin=margin)

    def book_moves(self, **lookup: bool) -> list[BookMove]:
        """Return the opening book's legal moves for this position, best first.

        Args:
            lookup: options of book.OpeningBook.known
        """
        if self._book is None:
            self.open_book()
        if self._book is None:
            return []
        known = self._book.known(self.position_text, **lookup)
        legal = set(self.legal_moves()) if known else ()
        return [each for each in known if each.move in legal]

    def book_move(self) -> str:
        """Choose one of the opening book's best moves here at random; return '' if it has none."""
        found = self.book_choice()
        return found.move if found else ""

    @property
    def levels(self) -> int:
        """The number of levels. They are 0 to `levels` - 1, and the last is the strongest."""
        return self.game.extras.levels

    def check_level(self, level: int) -> LevelPlan:
        """Return how a player of `level` searches this position. Raises ValueError if there is no such level."""
        if self.game.extras.level is None:
            raise ValueError(f"{self.game.name} has no levels")
        return self.game.extras.level(level, self.position)

    def clock_budget(self, clock: Clock, ply: int) -> TimeBudget:
        """Return the time that a player with `clock` may take for the move after `ply` moves."""
        return (self.game.extras.budget or plan)(clock, ply, TimeOptions())
