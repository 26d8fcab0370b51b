"""What a book and games say of the moves of a position, in sentences."""

import functools
from collections.abc import Sequence
from typing import Any

from shogi_engine import games
from shogi_engine.analysis.judgement import move_text
from shogi_engine.books import growth
from shogi_engine.explorer.index import ExplorerMove
from shogi_engine.language import mark, translate

MOST = 4  # moves in a sentence
BOOK, GAMES = mark("In the book: {moves}."), mark("In games: {moves}.")


@functools.cache
def book_of(game: str) -> Any:
    """Return the book that comes with a game, None if there is none."""
    opened = games.load(game).extras.open_book
    return opened(None) if opened is not None else None


def moves_of_book(board: Any, book: Any) -> list[ExplorerMove]:
    """Return a book's legal moves for a Board's position, best first."""
    legal = {str(move) for move in board.legal_moves}
    known = book.known(board.position()) if book is not None else []
    return [ExplorerMove(each.move, turn=int(board.turn), value=each.value) for each in known if each.move in legal]


def shown_value(row: ExplorerMove, unit: int) -> float | None:
    """Return the value of a book's move in pawns or discs: a number for Shogi's centipawns."""
    return None if row.value is None else row.value if unit == 1 else round(row.value / unit, 1)


def figures(board: Any, rows: Sequence[ExplorerMove], language: str) -> list[str]:
    """Return a sentence on the best moves of the book, and one on those of games that were played most.

    Args:
        rows: the moves of a Board's position
    """
    unit = growth.load(board.record().game).unit

    def said(words: str, of: list[tuple[ExplorerMove, str]]) -> list[str]:
        moves = ", ".join(f"{move_text(board, row.move, language)} ({text})" for row, text in of[:MOST])
        return [translate(words, language).format(moves=moves)] if of else []

    valued = sorted((row for row in rows if row.value is not None), key=lambda row: -(row.value or 0))
    played = sorted((row for row in rows if row.games), key=lambda row: -row.games)
    scores = [(row, str(row.games) + ("" if row.score is None else f", {row.score:.0%}")) for row in played]
    return said(BOOK, [(row, f"{shown_value(row, unit):+g}") for row in valued]) + said(GAMES, scores)
