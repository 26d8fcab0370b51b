"""Board: a game of Shogi for Python programs, with python-shogi's names, squares and constants.

A program written for python-shogi needs only a different import, `import shogi_engine.games.shogi.board as shogi`,
unless it uses the CSA server protocol; `shogi.KIF` and `shogi.CSA` are classes here, not modules. Unlike python-shogi,
this Board checks every move when it is pushed and an edited position when it is used. A perpetual check loses, and a
pawn drop mates even if the only defenders are pinned.
"""

from shogi_engine.games.shogi.board.base_board import BaseBoard
from shogi_engine.games.shogi.board.board import Board, LegalMoves, PseudoLegalMoves
from shogi_engine.games.shogi.board.masks import *  # all its names are python-shogi's
from shogi_engine.games.shogi.board.moves import Move
from shogi_engine.games.shogi.board.pieces import (
    BB_ALL,
    BB_FILES,
    BB_RANKS,
    BB_SQUARES,
    BB_VOID,
    COLORS,
    MAX_PIECES_IN_HAND,
    NONE,
    NUMBER_JAPANESE_KANJI_SYMBOLS,
    NUMBER_JAPANESE_NUMBER_SYMBOLS,
    PIECE_JAPANESE_SYMBOLS,
    PIECE_PROMOTED,
    PIECE_SYMBOLS,
    PIECE_TYPES,
    PIECE_TYPES_WITH_NONE,
    PIECE_TYPES_WITHOUT_KING,
    PROM_BISHOP,
    PROM_ROOK,
    SQUARES,
    STARTING_SFEN,
    Occupied,
    Piece,
    SquareSet,
    can_move_without_promotion,
    can_promote,
    file_index,
    rank_index,
)
from shogi_engine.games.shogi.board.python_shogi import CSA, KIF
from shogi_engine.games.shogi.rules.validation import Status
from shogi_engine.games.shogi.symbols import SQUARE_NAMES
from shogi_engine.games.shogi.types import (
    BISHOP,
    BLACK,
    GOLD,
    KING,
    KNIGHT,
    LANCE,
    PAWN,
    PROM_KNIGHT,
    PROM_LANCE,
    PROM_PAWN,
    PROM_SILVER,
    ROOK,
    SILVER,
    WHITE,
)
from shogi_engine.types.termination import Outcome, Termination

A9, A8, A7, A6, A5, A4, A3, A2, A1 = range(9)
B9, B8, B7, B6, B5, B4, B3, B2, B1 = range(9, 18)
C9, C8, C7, C6, C5, C4, C3, C2, C1 = range(18, 27)
D9, D8, D7, D6, D5, D4, D3, D2, D1 = range(27, 36)
E9, E8, E7, E6, E5, E4, E3, E2, E1 = range(36, 45)
F9, F8, F7, F6, F5, F4, F3, F2, F1 = range(45, 54)
G9, G8, G7, G6, G5, G4, G3, G2, G1 = range(54, 63)
H9, H8, H7, H6, H5, H4, H3, H2, H1 = range(63, 72)
I9, I8, I7, I6, I5, I4, I3, I2, I1 = range(72, 81)

LegalMoveGenerator, PseudoLegalMoveGenerator = LegalMoves, PseudoLegalMoves

# The names for programs written for python-shogi; type checkers read them here.
__all__ = [
    "BB_ALL",
    "BB_FILES",
    "BB_RANKS",
    "BB_SQUARES",
    "BB_VOID",
    "BISHOP",
    "BLACK",
    "BaseBoard",
    "Board",
    "COLORS",
    "CSA",
    "GOLD",
    "KIF",
    "KING",
    "KNIGHT",
    "LANCE",
    "LegalMoveGenerator",
    "LegalMoves",
    "MAX_PIECES_IN_HAND",
    "Move",
    "NONE",
    "NUMBER_JAPANESE_KANJI_SYMBOLS",
    "NUMBER_JAPANESE_NUMBER_SYMBOLS",
    "Occupied",
    "Outcome",
    "PAWN",
    "PIECE_JAPANESE_SYMBOLS",
    "PIECE_PROMOTED",
    "PIECE_SYMBOLS",
    "PIECE_TYPES",
    "PIECE_TYPES_WITHOUT_KING",
    "PIECE_TYPES_WITH_NONE",
    "PROM_BISHOP",
    "PROM_KNIGHT",
    "PROM_LANCE",
    "PROM_PAWN",
    "PROM_ROOK",
    "PROM_SILVER",
    "Piece",
    "PseudoLegalMoveGenerator",
    "PseudoLegalMoves",
    "ROOK",
    "SILVER",
    "SQUARES",
    "SQUARE_NAMES",
    "STARTING_SFEN",
    "SquareSet",
    "Status",
    "Termination",
    "WHITE",
    "can_move_without_promotion",
    "can_promote",
    "file_index",
    "rank_index",
]
__all__ += [
    "A9", "A8", "A7", "A6", "A5", "A4", "A3", "A2", "A1", "B9", "B8", "B7", "B6", "B5", "B4", "B3", "B2", "B1",
    "C9", "C8", "C7", "C6", "C5", "C4", "C3", "C2", "C1", "D9", "D8", "D7", "D6", "D5", "D4", "D3", "D2", "D1",
    "E9", "E8", "E7", "E6", "E5", "E4", "E3", "E2", "E1", "F9", "F8", "F7", "F6", "F5", "F4", "F3", "F2", "F1",
    "G9", "G8", "G7", "G6", "G5", "G4", "G3", "G2", "G1", "H9", "H8", "H7", "H6", "H5", "H4", "H3", "H2", "H1",
    "I9", "I8", "I7", "I6", "I5", "I4", "I3", "I2", "I1",
    "BB_A9", "BB_A8", "BB_A7", "BB_A6", "BB_A5", "BB_A4", "BB_A3", "BB_A2", "BB_A1", "BB_B9", "BB_B8", "BB_B7",
    "BB_B6", "BB_B5", "BB_B4", "BB_B3", "BB_B2", "BB_B1", "BB_C9", "BB_C8", "BB_C7", "BB_C6", "BB_C5", "BB_C4",
    "BB_C3", "BB_C2", "BB_C1", "BB_D9", "BB_D8", "BB_D7", "BB_D6", "BB_D5", "BB_D4", "BB_D3", "BB_D2", "BB_D1",
    "BB_E9", "BB_E8", "BB_E7", "BB_E6", "BB_E5", "BB_E4", "BB_E3", "BB_E2", "BB_E1", "BB_F9", "BB_F8", "BB_F7",
    "BB_F6", "BB_F5", "BB_F4", "BB_F3", "BB_F2", "BB_F1", "BB_G9", "BB_G8", "BB_G7", "BB_G6", "BB_G5", "BB_G4",
    "BB_G3", "BB_G2", "BB_G1", "BB_H9", "BB_H8", "BB_H7", "BB_H6", "BB_H5", "BB_H4", "BB_H3", "BB_H2", "BB_H1",
    "BB_I9", "BB_I8", "BB_I7", "BB_I6", "BB_I5", "BB_I4", "BB_I3", "BB_I2", "BB_I1", "BB_RANK_A", "BB_RANK_B",
    "BB_RANK_C", "BB_RANK_D", "BB_RANK_E", "BB_RANK_F", "BB_RANK_G", "BB_RANK_H", "BB_RANK_I", "BB_FILE_9",
    "BB_FILE_8", "BB_FILE_7", "BB_FILE_6", "BB_FILE_5", "BB_FILE_4", "BB_FILE_3", "BB_FILE_2", "BB_FILE_1",
    "BB_PAWN_ATTACKS", "BB_KNIGHT_ATTACKS", "BB_SILVER_ATTACKS", "BB_GOLD_ATTACKS", "BB_KING_ATTACKS", "bit_scan",
    "pop_count", "shift_down", "shift_2_down", "shift_up", "shift_2_up", "shift_right", "shift_2_right",
    "shift_left", "shift_2_left", "shift_up_left", "shift_up_right", "shift_down_left", "shift_down_right",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return the public names, without the modules they come from."""
    return sorted(__all__)
