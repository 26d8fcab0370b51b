"""The parts that the opening books of all games share: the record of a book move, and the choice of a move.

`Extras.open_book` opens a game's book; positions are looked up by their text. Standard library only.
"""

import random
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from shogi_engine.language import InputError

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


def choose(
    known: Sequence[BookMove], legal: Collection[str], rng: random.Random, *, best: int, margin: int
) -> BookMove | None:
    """Choose among the first `best` of the `known` moves whose values are within `margin` of the first; None if none.

    A move's probability is proportional to how often it was played (`count`). If none was ever played, all have the
    same probability. Moves that are not `legal` are dropped.
    """
    usable = [each for each in known if each.move in legal][: max(best, 1)]
    if not usable:
        return None
    good = [each for each in usable if each.worth >= usable[0].worth - margin]
    counts = [each.count for each in good]
    return rng.choices(good, counts if any(counts) else None)[0]
