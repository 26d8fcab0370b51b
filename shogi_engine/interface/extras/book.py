"""What the opening books of all games share: a move as a book knows it, and the choice among several.

A game's book is opened by `Game.open_book` and looked up by the position's text. Standard library only.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

NO_BOOK = ("", "no_book")  # names that mean: without a book


@dataclass(frozen=True)
class BookMove:
    """One move of a position. ponder : the answer expected, '' if none.   value : the game's unit, for who moves."""

    move: str
    ponder: str = ""
    value: int = 0
    depth: int = 0
    count: int = 0


class BookError(ValueError):
    """What is wrong with a book, in one line."""


class OpeningBook(Protocol):
    """A game's opening book."""

    def __len__(self) -> int:
        """Return how many positions it has."""

    def known(self, position: str, *, flipped: bool = True, any_ply: bool = True) -> list[BookMove]:
        """Return the moves of a position (the game's notation), the best first; [] if it is not in the book.

        flipped : use what is known of the position turned around too, where the game has such positions.
        any_ply : ignore the move number; else only a position that the book has with that number is found.
        """


def choose(
    known: Sequence[BookMove], legal: Collection[str], rng: random.Random, *, best: int, margin: int
) -> BookMove | None:
    """Return one of the `best` moves, of those `known`, that are worth at most `margin` less than the first, or None.

    The oftener a move was played (count), the likelier it is taken; one that never was, only if none of them was. Moves
    that are not `legal` are left out.
    """
    usable = [each for each in known if each.move in legal][: max(best, 1)]
    if not usable:
        return None
    good = [each for each in usable if each.value >= usable[0].value - margin]
    counts = [each.count for each in good]
    return rng.choices(good, counts if any(counts) else None)[0]
