"""Board: a game of Shogi for Python programs, with python-shogi's names, squares and constants.

A program written for python-shogi needs only a different import, `import shogi_engine.games.shogi.board as shogi`,
unless it uses the CSA server protocol; `shogi.KIF` and `shogi.CSA` are classes here, not modules. Unlike python-shogi,
this Board checks every move when it is pushed and an edited position when it is used. A perpetual check loses, and a
pawn drop mates even if the only defenders are pinned.
"""

from shogi_engine.games.game_board import LegalMoves
from shogi_engine.games.shogi.board import pieces, python_shogi
from shogi_engine.games.shogi.board.board import ENTRIES as ENTRIES, BaseBoard, Board, PseudoLegalMoves
from shogi_engine.games.shogi.board.pieces import *
from shogi_engine.games.shogi.board.python_shogi import *  # all its names are python-shogi's
from shogi_engine.games.shogi.board.python_shogi import CSA, KIF
from shogi_engine.games.shogi.rules import Status
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
    SQUARE_NAMES,
    WHITE,
)
from shogi_engine.types.outcomes import Outcome, Termination

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
    "BISHOP", "BLACK", "BaseBoard", "Board", "CSA", "GOLD", "KIF", "KING", "KNIGHT", "LANCE", "LegalMoveGenerator",
    "LegalMoves", "Outcome", "PAWN", "PROM_KNIGHT", "PROM_LANCE", "PROM_PAWN", "PROM_SILVER",
    "PseudoLegalMoveGenerator", "PseudoLegalMoves", "ROOK", "SILVER", "SQUARE_NAMES", "Status", "Termination",
    "WHITE",
]  # fmt: skip
__all__ += [
    "A9", "A8", "A7", "A6", "A5", "A4", "A3", "A2", "A1", "B9", "B8", "B7", "B6", "B5", "B4", "B3", "B2", "B1",
    "C9", "C8", "C7", "C6", "C5", "C4", "C3", "C2", "C1", "D9", "D8", "D7", "D6", "D5", "D4", "D3", "D2", "D1",
    "E9", "E8", "E7", "E6", "E5", "E4", "E3", "E2", "E1", "F9", "F8", "F7", "F6", "F5", "F4", "F3", "F2", "F1",
    "G9", "G8", "G7", "G6", "G5", "G4", "G3", "G2", "G1", "H9", "H8", "H7", "H6", "H5", "H4", "H3", "H2", "H1",
    "I9", "I8", "I7", "I6", "I5", "I4", "I3", "I2", "I1",
]  # fmt: skip
__all__ += pieces.__all__
__all__ += python_shogi.__all__


def __dir__() -> list[str]:
    """Return the public names, without the modules they come from."""
    return sorted(__all__)
