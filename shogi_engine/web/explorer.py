"""Answers a page that asks for the moves of a position: the book's, and those played in games."""

import functools
from typing import Any

from shogi_engine import games
from shogi_engine.analysis.words import move_text
from shogi_engine.books import recipe
from shogi_engine.explorer import Found, PlayedGame
from shogi_engine.language import InputError
from shogi_engine.play.words import names_shown
from shogi_engine.web import messages, replies
from shogi_engine.web.registry import handles
from shogi_engine.web.session import Session
from shogi_engine.web.viewer import Viewer

ROWS_MAX = 60  # moves that are sent: as many as Othello has squares
LISTED = 5  # games under the moves


@functools.cache
def book_of(game: str) -> Any:
    """Return the book that comes with a game, None if there is none."""
    opened = games.load(game).extras.open_book
    return opened(None) if opened is not None else None


def moves_of_book(board: Any, book: Any) -> list[Found]:
    """Return a book's legal moves for a Board's position, best first."""
    legal = {str(move) for move in board.legal_moves}
    known = book.known(board.position()) if book is not None else []
    return [Found(each.move, turn=int(board.turn), value=each.value) for each in known if each.move in legal]


@handles(messages.Explore, locked=False)
def explore(session: Session, page: Viewer, message: messages.Explore) -> None:
    """Send the moves of a position. Others are served meanwhile."""
    with session.lock:
        if message.node not in session.tree:
            raise InputError("this move is no longer in the game")
        game, board = session.tree.game, session.board_at(message.node)
        store, owner, collections = session.store, session.owner, session.collections
    book, played = book_of(game), list[PlayedGame]()
    if message.source == "book":
        rows = moves_of_book(board, book)
    else:
        session.autosave.write()  # the game on the board is one of the user's
        explorer = collections.of(message.source, game, store, owner)
        rows = [row for row in explorer.moves(board, book) if row.games]
        played = explorer.played(board, most=LISTED)
    unit = recipe.load(game).unit
    page.send(
        replies.Explored(
            node=message.node,
            source=message.source,
            sources=collections.sources(game, store),
            rows=[_row(board, row, unit, page.language) for row in rows[:ROWS_MAX]],
            games=[
                {"names": [names_shown(each, page.language) for each in game.names], "result": game.result}
                for game in played
            ],
        )
    )


def _row(board: Any, row: Found, unit: int, language: str) -> dict[str, Any]:
    """Return a move as a page gets it."""
    value = None if row.value is None else row.value if unit == 1 else round(row.value / unit, 1)
    return {
        "move": row.move, "text": move_text(board, row.move, language), "games": row.games,
        "black": row.black, "draws": row.draws, "white": row.white, "score": row.score, "value": value,
    }  # fmt: skip
