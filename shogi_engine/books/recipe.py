"""What making books asks of a game: one file a game, whose `RECIPE` says what stands for a position.

A book knows a position by its key, a text that the game's `parse_position` reads; several positions that are the same
game turned around or reflected (images) have one key.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shogi_engine import games
from shogi_engine.interface.extras.book import BookMove
from shogi_engine.interface.game import Game

NAMES = ("shogi", "othello")

Entries = dict[str, list[BookMove]]  # by key


@dataclass(frozen=True)
class Defaults:
    """How a game's positions are searched and which moves are kept, where nothing else is asked for.

    limit : 'nodes' or 'depth', and how much of it   selectivity : as in search.limits.Limits
    width : moves searched of a position   margin : of the game's unit, how much worse than the best a kept move may be
    max_ply : the last positions are so many moves from the start   ply_cost : how much better a line has to be to be
    followed a ply further than another
    """

    limit: tuple[str, int]
    width: int
    margin: int
    max_ply: int
    ply_cost: int
    selectivity: int | None = None


@dataclass(frozen=True)
class Recipe:
    """A game's books.

    canonical(text) -> (key, image)   of any position in the game's notation; raises ValueError
    turned(move, image, back) -> move   a move of the position as one of its key, or back   unit : of a value, as people
    write it (of Shogi's, a centipawn; of Othello's hundredths, a disc is 100)   sources : formats that `read` knows
    read(path) -> Entries   of the game's own format or another; raises book.BookError
    write(entries) -> str   the game's own format   gzip : a file whose name ends in .gz is packed, `read` unpacks it
    """

    game_name: str
    defaults: Defaults
    unit: int
    unit_name: str
    canonical: Callable[[str], tuple[str, int]]
    turned: Callable[[str, int, bool], str]
    read: Callable[[Path], Entries]
    write: Callable[[Entries], str]
    sources: str
    gzip: bool = False

    @property
    def game(self) -> Game:
        """The game."""
        return games.load(self.game_name)


def load(name: str) -> Recipe:
    """Return the recipe of a game. Raises ValueError, with the names there are, if it has none."""
    if name not in NAMES:
        raise ValueError(f"book: there is no way to make one of {name!r}; there is one for {', '.join(NAMES)}")
    recipe: Recipe = importlib.import_module(f"shogi_engine.books.{name}").RECIPE
    return recipe


def merged(books: list[Entries]) -> Entries:
    """Return one book of several: all moves; of one that several know, the deepest, of equal ones the first book's."""
    result: Entries = {}
    for book in books:
        for key, moves in book.items():
            known = {each.move: each for each in result.get(key, ())}
            for move in moves:
                if move.move not in known or move.depth > known[move.move].depth:
                    known[move.move] = move
            result[key] = sorted(known.values(), key=lambda each: (-each.value, -each.count))
    return result
