"""BaseBoard: a position of Shogi for Python programs, without the moves that led to it."""

from typing import Any

from shogi_engine.games.shogi.attacks import attackers_to, pinned_pieces
from shogi_engine.games.shogi.attacks import attacks_from as piece_attacks
from shogi_engine.games.shogi.bitboard import RAYS
from shogi_engine.games.shogi.board import drawing
from shogi_engine.games.shogi.board.pieces import BB_ALL, Occupied, SquareSet, file_index
from shogi_engine.games.shogi.board.placement import Placement
from shogi_engine.games.shogi.queries import checkers
from shogi_engine.games.shogi.types import PAWN
from shogi_engine.jit.bitboards import Bitboard


class BaseBoard(Placement):
    """A position: pieces on the board and in hand, and the side to move; `Board` adds moves and the game's end.

    >>> from shogi_engine.games.shogi.board import BLACK, PAWN, WHITE, BaseBoard, Piece, SquareSet
    >>> board = BaseBoard("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    >>> board.set_piece_at(13, Piece.from_symbol("G"), from_hand=True)
    >>> board.turn = WHITE
    >>> board.sfen()
    '4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1'
    >>> board.checkers() == board.attackers(BLACK, 4) == SquareSet([13])
    True
    >>> board.remove_piece_at(4), board.add_piece_into_hand(PAWN, BLACK, 18), board.status()
    (Piece.from_symbol('k'), None, <Status.TOO_MANY_PIECES: 2>)

    Args:
        sfen: an SFEN of three or four fields, or None for the start of a game; ValueError if it is impossible
    """

    # ---- attacks

    def attackers(self, color: int, square: int) -> SquareSet:
        """Return the squares of the pieces of `color` that attack `square` (0..80), pinned pieces included."""
        self._piece(square)
        return SquareSet(int(attackers_to(self._pos, square, self._colour(color), Bitboard(self.occupied.bits))))

    def attacker_mask(self, color: int, square: int) -> int:
        """Return the mask of `attackers`."""
        return self.attackers(color, square).mask

    def is_attacked_by(self, color: int, square: int) -> bool:
        """Tell whether a piece of `color` attacks `square` (0..80)."""
        return bool(self.attackers(color, square))

    def attacks(self, square: int) -> SquareSet:
        """Return the squares that the piece on `square` (0..80) attacks, own pieces included; none if it is empty."""
        piece = self.piece_at(square)
        if piece is None:
            return SquareSet()
        return SquareSet(self.attacks_from(piece.piece_type, square, self.occupied.bits, piece.color))

    @staticmethod
    def attacks_from(piece_type: int, square: int, occupied: Any, move_color: int) -> int:
        """Return the mask of the squares that a piece on `square` attacks if `occupied` squares are occupied.

        Args:
            occupied: a mask, a SquareSet or Board.occupied
        """
        mask = occupied.bits if isinstance(occupied, Occupied) else int(occupied)
        return int(piece_attacks(piece_type, move_color, square, Bitboard(mask))) if piece_type else 0

    def checkers(self) -> SquareSet:
        """Return the squares of the pieces that give check to the side to move."""
        return SquareSet(int(checkers(self._pos)))

    def pin(self, color: int, square: int) -> SquareSet:
        """Return the line to which the piece of `color` on `square` (0..80) is pinned; all squares if it is not pinned.

        The line runs from edge to edge through the king and the piece, which may move along it.
        """
        self._piece(square)
        king = self.king_squares[self._colour(color)]
        if king is None or not pinned_pieces(self._pos, color) >> square & 1:
            return SquareSet(BB_ALL)
        there, back = (
            next(int(RAYS[origin, way]) for way in range(8) if goal in RAYS[origin, way])
            for origin, goal in ((king, square), (square, king))
        )
        return SquareSet(there | back)

    def is_pinned(self, color: int, square: int) -> bool:
        """Tell whether the piece of `color` on `square` (0..80) is pinned to its king by an enemy slider."""
        return self.pin(color, square).mask != BB_ALL

    def is_double_pawn(self, to_square: int, piece_type: int) -> bool:
        """Tell whether a piece of this type would be a second unpromoted pawn on the file (nifu)."""
        pawn = self.turn << 4 | PAWN
        return piece_type == PAWN and bool((self._record.board[file_index(to_square) :: 9] == pawn).any())

    # ---- text

    def diagram(self) -> str:
        """Return the board in SFEN symbols with coordinates, both hands, and the side to move."""
        return drawing.diagram(self)

    def unicode(self) -> str:
        """Return the diagram with one-character Japanese names; 'v' precedes white's pieces."""
        return drawing.unicode(self)

    def kif_str(self) -> str:
        """Return the board as KIF files draw it, between white's hand and black's."""
        return drawing.kif(self)

    def kif_pieces_in_hand_str(self, color: int) -> str:
        """Return a hand as KIF files write it: '先手の持駒：　飛　歩三'."""
        return drawing.kif_hand(self, self._colour(color))

    def __str__(self) -> str:
        """Return nine rows of SFEN symbols, and below them the hands if there are any."""
        return drawing.letters(self)

    def __repr__(self) -> str:
        return f"Board({self.sfen()!r})"
