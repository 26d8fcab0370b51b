"""The opening book of an engine. Its moves are looked up for the engine's position."""

from collections.abc import Sequence
from typing import Any

from shogi_engine.interface.extras.book import BookMove, OpeningBook, choose


class EngineBook:
    """The book of an `Engine`: the game's own until another is opened."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._book: OpeningBook | None = None

    def open(self, name: str | OpeningBook | None = None) -> None:
        """Use an opening book from now on.

        Raises book.BookError, a ValueError, if the book cannot be read; the engine then has no book.

        Args:
            name: the name or path of a book, or an open book; None for the game's own book, '' for no book
        """
        self._book, open_book = None, self._engine.game.extras.open_book
        if not (name is None or isinstance(name, str)):
            self._book = name
        elif open_book is not None:
            self._book = open_book("")
            self._book = open_book(name)

    @property
    def notes(self) -> Sequence[str]:
        """What was passed over in the book's file."""
        return () if self._book is None else self._book.notes

    def moves(self, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the book's legal moves for the engine's position, best first; see book.OpeningBook.known."""
        if self._book is None:
            self.open()
        if self._book is None:
            return []
        known = self._book.known(self._engine.position_text, flipped=flipped, any_ply=any_ply)
        legal = set(self._engine.legal_moves()) if known else ()
        return [each for each in known if each.move in legal]

    def choice(
        self, *, best: int = 16, margin: int | None = None, flipped: bool = True, any_ply: bool = True
    ) -> BookMove | None:
        """Choose one of the book's moves for the engine's position at random; return None if it has none.

        Args:
            best: the number of moves to choose from
            margin: how far their values may be below the first move's, in the game's unit; None for the book's own
            flipped, any_ply: see book.OpeningBook.known
        """
        known = self.moves(flipped=flipped, any_ply=any_ply)
        if self._book is None:
            return None
        if margin is None:
            margin = self._book.margin
        return choose(known, [each.move for each in known], self._engine.rng, best=best, margin=margin)

    def move(self) -> str:
        """Choose one of the book's best moves at random; return '' if it has none."""
        found = self.choice()
        return found.move if found else ""
