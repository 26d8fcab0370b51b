"""Board: a game of Othello for Python programs, in the style of python-chess; every move is checked."""

from shogi_engine.games.othello.board.board import COLORS, STARTING_OBF, UNICODE_CELLS, Board, LegalMoves, Outcome
from shogi_engine.games.othello.board.moves import Move
from shogi_engine.games.othello.notation import SQUARE_NAMES
from shogi_engine.games.othello.types import BLACK, SQUARES, WHITE

A1, B1, C1, D1, E1, F1, G1, H1 = range(8)
A2, B2, C2, D2, E2, F2, G2, H2 = range(8, 16)
A3, B3, C3, D3, E3, F3, G3, H3 = range(16, 24)
A4, B4, C4, D4, E4, F4, G4, H4 = range(24, 32)
A5, B5, C5, D5, E5, F5, G5, H5 = range(32, 40)
A6, B6, C6, D6, E6, F6, G6, H6 = range(40, 48)
A7, B7, C7, D7, E7, F7, G7, H7 = range(48, 56)
A8, B8, C8, D8, E8, F8, G8, H8 = range(56, 64)

__all__ = [
    "BLACK",
    "Board",
    "COLORS",
    "LegalMoves",
    "Move",
    "Outcome",
    "SQUARES",
    "SQUARE_NAMES",
    "STARTING_OBF",
    "UNICODE_CELLS",
    "WHITE",
]
