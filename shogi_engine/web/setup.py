"""Setting up a position: pieces on the board and in hand, and the side to move."""

from typing import Any

from shogi_engine.games.othello import notation as othello
from shogi_engine.games.shogi.board.pieces import MAX_PIECES_IN_HAND, Piece
from shogi_engine.games.shogi.symbols import KINDS_BY_SYMBOL, SQUARES_BY_NAME
from shogi_engine.games.shogi.types import KING, UNPROMOTED, WHITE
from shogi_engine.language import InputError

DISCS = {"X": 0, "O": 1, "": None}


class SetUp:
    """A board that is edited."""

    def __init__(self, board: Any) -> None:
        self.board = type(board)(board.position())

    def text(self) -> str:
        """Return the position."""
        return str(self.board.position())

    def turn(self, side: int) -> None:
        """Set the side to move."""
        self.board.turn = side

    def arrange(self, which: str) -> None:
        """Set the 'start' or an 'empty' board."""
        if which == "start":
            self.board.reset()
        else:
            self.board.clear()


class ShogiSetUp(SetUp):
    """A Shogi board that is edited."""

    def put(self, square: str, piece: str) -> None:
        """Put a piece ('P', '+p', '' for none) on a square. Raises ValueError."""
        if square not in SQUARES_BY_NAME:
            raise InputError("there is no such square")
        number = SQUARES_BY_NAME[square]
        if piece:
            self.board.set_piece_at(number, Piece.from_symbol(piece))
        elif self.board.piece_at(number) is not None:
            self.board.remove_piece_at(number)

    def hand(self, side: int, piece: str, count: int) -> None:
        """Set the number of pieces of a kind in a hand. Raises ValueError."""
        kind = KINDS_BY_SYMBOL.get(piece.upper(), 0)
        if not kind or count > MAX_PIECES_IN_HAND[kind]:
            raise InputError("there are not that many pieces of this kind")
        for _ in range(self.board.pieces_in_hand[side][kind]):
            self.board.remove_piece_from_hand(kind, side)
        if count:
            self.board.add_piece_into_hand(kind, side, count)

    def arrange(self, which: str) -> None:
        """Set the 'start' or an 'empty' board, or put the 'rest' of the pieces into white's hand."""
        if which != "rest":
            super().arrange(which)
            return
        used = [0] * 16
        for piece in self.board.piece_map().values():
            used[int(UNPROMOTED[piece.piece_type])] += 1
        for hand in self.board.pieces_in_hand:
            for kind, count in hand.items():
                used[kind] += count
        for kind in range(1, KING):
            left = MAX_PIECES_IN_HAND[kind] - used[kind]
            if left > 0:
                self.board.add_piece_into_hand(kind, WHITE, left)


class OthelloSetUp(SetUp):
    """An Othello board that is edited."""

    def put(self, square: str, piece: str) -> None:
        """Put a disc ('X' is black, 'O' white, '' none) on a square. Raises ValueError."""
        if square not in othello.SQUARE_NAMES or piece not in DISCS:
            raise InputError("there is no such square or disc")
        self.board.set_disc_at(othello.SQUARE_NAMES.index(square), DISCS[piece])

    def hand(self, side: int, piece: str, count: int) -> None:
        """Raises ValueError: there are no hands."""
        raise InputError("Othello has no pieces in hand")


def set_up(game: str, board: Any) -> ShogiSetUp | OthelloSetUp:
    """Return an editor that starts from the position of `board`."""
    return ShogiSetUp(board) if game == "shogi" else OthelloSetUp(board)
