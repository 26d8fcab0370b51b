"""Shogi's books in YaneuraOu's text format. A position and its twin (rotated, colours exchanged) share one entry."""

from pathlib import Path

from shogi_engine.books.growth import BookRecipe, Defaults, Entries
from shogi_engine.games.shogi.book import SBK, Book, flipped_key, flipped_move, position_key


def canonical(sfen: str) -> tuple[str, int]:
    """Return the common key of a position and its twin, with black to move, and whether the position was rotated."""
    key = position_key(sfen)
    return (key, 0) if key.split()[1] == "b" else (flipped_key(key), 1)


def turned(move: str, image: int, back: bool) -> str:
    """Return a move on the rotated board if `image` is 1; `back` makes no difference."""
    return flipped_move(move) if image else move


def read(path: Path, notes: list[str]) -> Entries:
    """Return the positions of a book in YaneuraOu's text format, or ShogiGUI's, black to move: see `BookRecipe`."""
    entries: Entries = {}
    if path.suffix.lower() == SBK:
        from shogi_engine.books import shogi_files

        positions = shogi_files.read(path, notes)
    else:
        book = Book.load(path)
        notes += book.notes
        positions = book.positions
    for key, moves in positions.items():
        home, image = canonical(key)
        if image:
            moves = Book({key: moves}).known(home)
        entries.setdefault(home, []).extend(moves)
    return entries


def write(entries: Entries) -> str:
    """Return a book in YaneuraOu's text format."""
    return Book(entries).text()


RECIPE = BookRecipe(
    game_name="shogi",
    defaults=Defaults(limit=("nodes", 40_000), width=3, margin=50, max_ply=40, ply_cost=15),
    unit=1,
    unit_name="centipawns",
    canonical=canonical,
    turned=turned,
    read=read,
    write=write,
    sources="YaneuraOu's text (.db), ShogiGUI's .sbk",
)
