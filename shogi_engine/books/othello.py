"""Othello's books: the eight images of a position share one entry, the smallest image with black (X) to move."""

from pathlib import Path

from shogi_engine.books import othello_files
from shogi_engine.books.recipe import Defaults, Entries, Recipe
from shogi_engine.games.othello import notation
from shogi_engine.games.othello.bitboard import INVERSE_SYMMETRY, transform_square
from shogi_engine.games.othello.book import canonical_key, format_line, open_book
from shogi_engine.games.othello.names import DISC
from shogi_engine.interface.extras.book import BookError, BookMove


def key_of(own: int, opponent: int) -> str:
    """Return the key of canonical discs."""
    return f"{notation.format_discs(own, opponent)} X"


def canonical(obf: str) -> tuple[str, int]:
    """Return the key of a position and the symmetry that leads to it."""
    (own, opponent), symmetry = canonical_key(notation.parse_obf(obf))
    return key_of(own, opponent), symmetry


def turned(move: str, image: int, back: bool) -> str:
    """Convert a move of a position to one of its key, or back."""
    square = notation.split_move(move)
    symmetry = INVERSE_SYMMETRY[image] if back else image
    return notation.PASS_NAME if square is None else notation.SQUARE_NAMES[transform_square(square, symmetry)]


def read(path: Path, notes: list[str]) -> Entries:
    """Return the positions of a book: this engine's, Edax's (.dat, text) or Egaroucid's (.egbk3); see `Recipe.read`."""
    try:
        foreign = None if path.suffix == ".gz" else othello_files.read(path, notes)
    except OSError as fault:
        raise BookError(fault.strerror or "cannot be read") from None
    if foreign is not None:
        return {key_of(*discs): moves for discs, moves in foreign.items()}
    book = open_book(str(path))
    notes += book.notes
    return {
        key_of(own, opponent): [BookMove(notation.format_move(None, move), value=value) for move, value in moves]
        for (own, opponent), moves in book.entries.items()
    }


def write(entries: Entries) -> str:
    """Return a book in this engine's text format, positions with fewer discs first."""
    lines = [f"% {len(entries)} positions; each represents its eight images"]
    for key in sorted(entries, key=lambda each: (-each.count("-"), each)):
        position = notation.parse_obf(key)
        moves = [(notation.parse_move(position, each.move), each.worth) for each in entries[key]]
        lines.append(format_line(position, sorted(moves, key=lambda each: -each[1])))
    return "\n".join(lines) + "\n"


RECIPE = Recipe(
    game_name="othello",
    defaults=Defaults(
        limit=("depth", 10), width=6, margin=4 * DISC, max_ply=30, ply_cost=DISC // 4, multi_probcut_margin=130
    ),
    unit=DISC,
    unit_name="discs",
    canonical=canonical,
    turned=turned,
    read=read,
    write=write,
    sources="this engine's text (.txt, or compressed as .txt.gz), Edax's .dat and exported text, Egaroucid's .egbk3",
    gzip=True,
)
