"""A game's part in making books: one file per game, whose `RECIPE` defines the keys of positions.

A book identifies a position by its key, a text that the game's `parse_position` reads. Positions that are the same up
to rotation, reflection or exchanged colours (images) share one key.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shogi_engine import games
from shogi_engine.interface.extras.book import BookMove
from shogi_engine.interface.game import Game

Entries = dict[str, list[BookMove]]  # by key


@dataclass(frozen=True)
class Defaults:
    """A game's defaults for searching positions and keeping moves.

    Attributes:
        limit: 'nodes' or 'depth', and its amount
        multi_probcut_margin: as in search.limits.Limits
        width: moves searched per position
        margin: how much worse than the best a kept move may be, in the game's unit
        max_ply: plies of the last positions from the start
        ply_cost: how much better a line has to be to be followed one ply further than another
    """

    limit: tuple[str, int]
    width: int
    margin: int
    max_ply: int
    ply_cost: int
    multi_probcut_margin: int | None = None


@dataclass(frozen=True)
class Recipe:
    """A game's books.

    Attributes:
        unit: value of the unit shown to people (Shogi: a centipawn, 1; Othello: a disc, 100)
        canonical: `canonical(text)` returns (key, image) of any position in the game's notation; raises ValueError
        turned: `turned(move, image, back)` converts a move of the position to one of its key, or back
        read: `read(path, notes)` returns Entries from the game's own format or another, and adds what it passed over
            to the notes; raises book.BookError
        write: `write(entries)` returns them in the game's own format
        sources: what `read` reads
        gzip: files ending in .gz are compressed; `read` unpacks them
    """

    game_name: str
    defaults: Defaults
    unit: int
    unit_name: str
    canonical: Callable[[str], tuple[str, int]]
    turned: Callable[[str, int, bool], str]
    read: Callable[[Path, list[str]], Entries]
    write: Callable[[Entries], str]
    sources: str
    gzip: bool = False

    @property
    def game(self) -> Game:
        """The game."""
        return games.load(self.game_name)


def load(name: str) -> Recipe:
    """Return the recipe of a game. Raises ValueError, listing the known games, if it has none."""
    if name not in games.NAMES:
        raise ValueError(f"book: {name!r} has no books; there are books for {', '.join(games.NAMES)}")
    recipe: Recipe = importlib.import_module(f"shogi_engine.books.{name}").RECIPE
    return recipe


def merged(books: list[Entries]) -> Entries:
    """Merge books. Of a move that several books have, the deepest search is kept; of equal depths, the first."""
    result: Entries = {}
    for book in books:
        for key, moves in book.items():
            known = {each.move: each for each in result.get(key, ())}
            for move in moves:
                if move.move not in known or _depth(move) > _depth(known[move.move]):
                    known[move.move] = move
            result[key] = sorted(known.values(), key=lambda each: (-each.worth, -each.count))
    return result


def _depth(move: BookMove) -> int:
    """Return the depth of a move's value, -1 if it has none."""
    return -1 if move.value is None else move.depth
