"""Board: a position of Shogi and the moves that led to it. The package also has python-shogi's names."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from shogi_engine.games.game_board import BoardMemory, KernelBoard, LegalMoves
from shogi_engine.games.shogi import board_kernels as kernels, packed, types as t
from shogi_engine.games.shogi.bitboard import RAYS, attack_halves, checkers, is_pinned, pieces
from shogi_engine.games.shogi.board import drawing
from shogi_engine.games.shogi.board.pieces import (
    BB_ALL,
    COLORS,
    MAX_PIECES_IN_HAND,
    MOVES,
    MOVES_BY_USI,
    PIECE_TYPES,
    PIECE_TYPES_WITHOUT_KING,
    PIECES,
    SQUARES,
    Move,
    Occupied,
    Piece,
    SquareSet,
    can_move_without_promotion,
    can_promote,
    file_index,
)
from shogi_engine.games.shogi.board_kernels import BOARD, NO_LEGAL_MOVE, TEXT_BYTES, TRIED, UNDECIDED
from shogi_engine.games.shogi.movegen import CODES
from shogi_engine.games.shogi.names import ENTERING_KING_RULES, entering_king_rule
from shogi_engine.games.shogi.notation import USI_MOVE, format_move, parse_move
from shogi_engine.games.shogi.ordering import exchange_ge
from shogi_engine.games.shogi.params import default_params
from shogi_engine.games.shogi.position import do_null, undo_null
from shogi_engine.games.shogi.rules import (
    DRAW,
    WIN,
    Status,
    attackers_on_board,
    declaration,
    occurrence,
    position_status,
    validate_position,
)
from shogi_engine.games.shogi.sfen import (
    MAX_MOVE_NUMBER,
    START,
    illegal_move,
    legal_move,
    parse_sfen,
    split_usi_position,
    starting_position,
)
from shogi_engine.jit import Entries, new_record
from shogi_engine.jit.bitboards import MASK64, from_halves
from shogi_engine.language import InputError
from shogi_engine.types.outcomes import Outcome, Termination
from shogi_engine.types.results import ForcedWin

# ---- The kernels that a Board calls; each takes the address of the Board's memory


ENTRIES: Any = Entries(
    *(kernels.push, kernels.pop, kernels.list_moves, kernels.count_legal_moves, kernels.is_legal_code),
    *(kernels.check_given, kernels.position_key, kernels.ending, kernels.put_sfen, kernels.take_sfen),
    *(kernels.pack_position, kernels.unpack_position),
)


# ---- Placement: the pieces of a Shogi position, and their edits


_HCP, _PSFEN = (packed.PACKINGS.index(packing) for packing in (packed.HCP, packed.PSFEN))


class Placement(BoardMemory):
    """Pieces on the board and in hand, and the side to move. It can be edited, and converted to and from formats."""

    _GAME = "shogi"
    _BOARD, _UNDO, _KERNELS, _MOVE = BOARD, t.UNDO, ENTRIES, Move
    _VIEWS = {
        "_squares": "pos.board",
        "_hands": "pos.hand",
        "_side": "pos.side",
        "_ply": "pos.ply",
        "_checkers": "pos.checkers",
        "_key": "key",
        "_in_check": "in_check",
        "_text": "text",
    }
    _squares: memoryview
    _hands: memoryview  # uint64[2]
    _side: memoryview
    _ply: memoryview
    _checkers: memoryview  # the two halves
    _key: memoryview
    _in_check: Any  # memoryview of bool
    _text: memoryview

    def __init__(self, sfen: str | None = None) -> None:
        self._allocate()
        if sfen is None:
            self.reset()
        else:
            self.set_sfen(sfen)

    @classmethod
    def from_sfen(cls, sfen: str) -> Self:
        """Return a board with the position of `sfen`; raises ValueError as `set_sfen` does."""
        return cls(sfen)

    @classmethod
    def from_hcp(cls, data: Any) -> Self:
        """Return the board of a HuffmanCodedPos; raises ValueError as `set_hcp` does."""
        board = cls()
        board.set_hcp(data)
        return board

    @classmethod
    def from_psfen(cls, data: Any) -> Self:
        """Return the board of a PackedSfen; raises ValueError as `set_psfen` does."""
        board = cls()
        board.set_psfen(data)
        return board

    # ---- the position as a whole

    def _touched(self) -> None:
        """Update the fields that kernels update with the position, after a change by Python."""
        self._key[0] = 0
        self._in_check[0] = any(self._checkers)

    def _read(self, data: bytes, kernel: Any, argument: int) -> bool:
        """Start from the position that a kernel reads in `data`; return False if it declines."""
        if len(data) >= TEXT_BYTES:
            return False
        self._text[: len(data)] = data
        if not kernel(self._address, argument):
            return False
        self._edited = False
        return True

    def _validate(self) -> None:
        """Validate the edited position; raises ValueError if it is impossible."""
        validate_position(self._record)
        self._touched()
        self._edited = False

    def _edit(self) -> Any:
        """Return the record to edit, and clear the move stack, because it does not lead to the edited position."""
        self._begin(self._record, edited=True)
        return self._record

    def set_sfen(self, sfen: str) -> None:
        """Set the position of an SFEN and clear the move stack; raises ValueError saying what is wrong with it."""
        data = sfen.encode(errors="replace") if isinstance(sfen, str) else b""
        if sfen == START:
            self.reset()
        elif not self._read(data, ENTRIES.take_sfen, len(data)):
            self._begin(parse_sfen(sfen))

    def reset(self) -> None:
        """Reset the board to the starting position."""
        self._begin(starting_position())

    def clear(self) -> None:
        """Remove all pieces from the board and the hands; black is to move."""
        self._begin(new_record(t.POSITION), edited=True)

    def sfen(self) -> str:
        """Return the position's SFEN, four fields."""
        length = ENTRIES.put_sfen(self._address)
        return str(self._text[:length], "ascii")

    position = sfen

    def ply(self) -> int:
        """Return the number of moves since the game began, according to the move number."""
        return self._ply[0]

    def key(self) -> int:
        """Return a 64-bit hash of board, hands and side to move; it is the same in every process."""
        if key := self._key[0]:
            return key
        if self._edited:
            self._validate()
        return int(ENTRIES.position_key(self._address))

    zobrist_hash = key

    def identity(self) -> tuple[bytes, bytes, int]:
        """Return what tells positions apart: pieces by square, numbers in hand by colour and kind, side to move."""
        return self._squares.tobytes(), self._hands.tobytes(), self._side[0]

    def _image(self, square_of: Callable[[int], int], swapped: bool) -> Self:
        """Return a board without moves, with each piece on `square_of` its square, colours optionally swapped."""
        board = self.copy()
        source, pos = self._record, board._edit()
        colour_bit = 16 if swapped else 0
        for square, piece in enumerate(source.board.tolist()):
            pos.board[square_of(square)] = piece ^ colour_bit if piece else 0
        if swapped:
            pos.hand[t.BLACK], pos.hand[t.WHITE] = source.hand[t.WHITE], source.hand[t.BLACK]
            pos.side = 1 - int(source.side)
        return board

    def mirror(self) -> Self:
        """Return a board without moves, rotated by 180 degrees and with the colours exchanged."""
        return self._image(lambda square: 80 - square, swapped=True)

    def flip(self) -> Self:
        """Return a board without moves, with left and right exchanged: file 1 becomes file 9."""
        return self._image(lambda square: square + 8 - 2 * file_index(square), swapped=False)

    def to_hcp(self) -> bytes:
        """Return the position as HuffmanCodedPos, the 32-byte format of Apery and cshogi.

        It has no move number. Raises ValueError if a king is missing, which the format cannot express.
        """
        return self._packed(_HCP)

    def set_hcp(self, data: Any) -> None:
        """Set the position of a HuffmanCodedPos (32 bytes, or uint8[32]); raises ValueError if it is not one."""
        self._set_packed(_HCP, data)

    def to_psfen(self) -> bytes:
        """Return the position as PackedSfen, YaneuraOu's 32-byte format; otherwise as `to_hcp`."""
        return self._packed(_PSFEN)

    def set_psfen(self, data: Any) -> None:
        """Set the position of a PackedSfen (32 bytes, or uint8[32]); raises ValueError if it is not one."""
        self._set_packed(_PSFEN, data)

    def _packed(self, packing: int) -> bytes:
        """Return the position in the form packed.PACKINGS[packing]."""
        if self._edited:
            self._validate()
        if not ENTRIES.pack_position(self._address, packing):
            name, side = packed.PACKINGS[packing].name, t.SIDES[self._record.king.tolist().index(t.NO_SQUARE)]
            raise ValueError(f"{name}: {side} has no king, but the format needs both kings")
        return self._text[: packed.BYTES].tobytes()

    def _set_packed(self, packing: int, data: Any) -> None:
        """Set the position from the form packed.PACKINGS[packing]."""
        data = bytes(data)
        if len(data) != packed.BYTES or not self._read(data, ENTRIES.unpack_position, packing):
            self._begin(packed.unpack(packed.PACKINGS[packing], data))

    def status(self) -> Status:
        """Return Status.VALID, or after an edit the flags that say what is wrong with the position."""
        return position_status(self._record.copy()) if self._edited else Status.VALID

    def is_valid(self) -> bool:
        """Tell whether the position is possible. Only edits can make it impossible."""
        return self.status() == Status.VALID

    def is_check(self) -> bool:
        """Tell whether the side to move is in check."""
        if self._edited:
            self._validate()
        return self._in_check[0]  # type: ignore[no-any-return]

    # ---- the pieces on the board

    @property
    def turn(self) -> int:
        """The side to move, BLACK or WHITE. Setting it is an edit."""
        return self._side[0]

    @turn.setter
    def turn(self, color: int) -> None:
        self._colour(color)
        self._edit().side = color

    @property
    def move_number(self) -> int:
        """The number of the next move, 1 at the start. Setting it is an edit; raises ValueError outside 1..30000."""
        return self.ply() + 1

    @move_number.setter
    def move_number(self, number: int) -> None:
        if not 1 <= number <= MAX_MOVE_NUMBER:
            raise ValueError(f"a move number must be 1 to {MAX_MOVE_NUMBER}, not {number!r}")
        self._edit().ply = number - 1

    @property
    def pieces_in_hand(self) -> list[Counter[int]]:
        """For each colour, a Counter of the piece types in hand; a copy."""
        return [
            Counter({kind: counts[kind] for kind in t.HAND_ORDER if counts[kind]})
            for counts in (hand.to_bytes(8, "little") for hand in self._hands)
        ]

    @property
    def king_squares(self) -> list[int | None]:
        """For each colour, its king's square, or None if there is none."""
        kings = [np.flatnonzero(self._record.board == color << 4 | t.KING) for color in COLORS]
        return [int(found[0]) if found.size else None for found in kings]

    @property
    def pieces(self) -> list[int]:
        """The piece type on each of the 81 squares, 0 for an empty one; a copy."""
        return [piece & 15 for piece in self._squares]

    @property
    def piece_bb(self) -> list[int]:
        """The mask of each piece type's squares, of both colours; a copy."""
        return [0] + [int(pieces(self._pos, t.BLACK, kind) | pieces(self._pos, t.WHITE, kind)) for kind in PIECE_TYPES]

    def piece_squares(self, piece_type: int, color: int) -> SquareSet:
        """Return the squares of the pieces of this type and colour: what python-chess calls `pieces`."""
        if piece_type not in PIECE_TYPES:
            raise ValueError(f"there is no type of piece {piece_type!r}")
        return SquareSet(int(pieces(self._pos, self._colour(color), piece_type)))

    @property
    def occupied(self) -> Occupied:
        """The masks of the occupied squares: occupied[BLACK], occupied[WHITE], occupied.bits; a copy."""
        return Occupied(int(pieces(self._pos, color)) for color in COLORS)

    def piece_at(self, square: int) -> Piece | None:
        """Return the piece on `square` (0..80) or None; raises ValueError for other numbers."""
        return PIECES[self._piece(square)]

    def piece_type_at(self, square: int) -> int:
        """Return the piece type on `square` (0..80), 0 if it is empty; raises ValueError for another number."""
        return self._piece(square) & 15

    def color_at(self, square: int) -> int | None:
        """Return the colour of the piece on `square` (0..80) or None; raises ValueError for other numbers."""
        piece = self._piece(square)
        return piece >> 4 if piece else None

    def piece_map(self) -> dict[int, Piece]:
        """Return a dict from square to piece, lowest square first."""
        pieces = map(PIECES.__getitem__, self._squares)
        return {square: piece for square, piece in enumerate(pieces) if piece is not None}

    def has_piece_in_hand(self, piece_type: int, color: int) -> bool:
        """Tell whether `color` has a piece of this type in hand; promoted types count as unpromoted."""
        return self.pieces_in_hand[self._colour(color)][self._droppable(piece_type)] > 0

    def _piece(self, square: int) -> int:
        """Return the board's byte for `square`."""
        if square not in SQUARES:
            raise ValueError(f"squares must be 0 to 80, not {square!r}")
        return self._squares[square]

    @staticmethod
    def _colour(color: int) -> int:
        """Return `color`; raises ValueError if it is not one."""
        if color not in COLORS:
            raise ValueError(f"a colour must be {t.BLACK} (black) or {t.WHITE} (white), not {color!r}")
        return color

    @staticmethod
    def _droppable(piece_type: int) -> int:
        """Return the type of such a piece in hand; raises ValueError for a king and for an invalid type."""
        if piece_type not in PIECE_TYPES_WITHOUT_KING:
            raise ValueError(f"no piece of type {piece_type!r} can be in hand")
        return int(t.UNPROMOTED[piece_type])

    # ---- edits

    def set_piece_at(self, square: int, piece: Piece | None, from_hand: bool = False, into_hand: bool = False) -> None:
        """Put a piece on `square` (0..80), replacing any piece there; None removes it.

        Args:
            from_hand: take the piece from the hand of the side to move; ValueError if it is not there
            into_hand: put the replaced piece into that hand
        """
        self._piece(square)
        if piece is not None and from_hand:
            self.remove_piece_from_hand(piece.piece_type, self.turn)
        self.remove_piece_at(square, into_hand)
        self._edit().board[square] = 0 if piece is None else piece.color << 4 | piece.piece_type

    def remove_piece_at(self, square: int, into_hand: bool = False) -> Piece | None:
        """Remove and return the piece on `square` (0..80); `into_hand` puts it into the hand of the side to move."""
        piece = self.piece_at(square)
        if piece is not None:
            if into_hand:
                self.add_piece_into_hand(piece.piece_type, self.turn)
            self._edit().board[square] = 0
        return piece

    def add_piece_into_hand(self, piece_type: int, color: int, count: int = 1) -> None:
        """Put `count` pieces into a hand; promoted types become unpromoted.

        Raises ValueError if the hand would have more of the type than a set has.
        """
        kind = self._droppable(piece_type)
        held = self.pieces_in_hand[self._colour(color)][kind]
        if count < 0 or held + count > MAX_PIECES_IN_HAND[kind]:
            raise ValueError(
                f"a hand can have 0 to {MAX_PIECES_IN_HAND[kind]} of piece type {kind}, not {held} and {count} more"
            )
        self._edit().hand[color] += np.uint64(count << 8 * kind)

    def remove_piece_from_hand(self, piece_type: int, color: int) -> None:
        """Remove one piece from a hand; raises ValueError if it is not there."""
        kind = self._droppable(piece_type)
        if not self.has_piece_in_hand(kind, color):
            raise ValueError(f"there is no piece of type {kind} in the hand of colour {color}")
        self._edit().hand[color] -= np.uint64(1 << 8 * kind)


# ---- BaseBoard: a position of Shogi for Python programs, without the moves that led to it


class BaseBoard(Placement):
    """A position: pieces on the board and in hand, and the side to move; `Board` adds moves and the game's end.

    >>> from shogi_engine.games.shogi.types import BLACK, PAWN, WHITE
    >>> from shogi_engine.games.shogi.board.board import BaseBoard
    >>> from shogi_engine.games.shogi.board.pieces import Piece, SquareSet
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
        return SquareSet(int(from_halves(*attackers_on_board(self._pos, square, self._colour(color)))))

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
        halves = np.uint64(mask & MASK64), np.uint64(mask >> 64)
        return int(from_halves(*attack_halves(piece_type, move_color, square, *halves))) if piece_type else 0

    def checkers(self) -> SquareSet:
        """Return the squares of the pieces that give check to the side to move."""
        return SquareSet(int(checkers(self._pos)))

    def pin(self, color: int, square: int) -> SquareSet:
        """Return the line to which the piece of `color` on `square` (0..80) is pinned; all squares if it is not pinned.

        The line runs from edge to edge through the king and the piece, which may move along it.
        """
        self._piece(square)
        king = self.king_squares[self._colour(color)]
        if king is None or not is_pinned(self._pos, square, color):
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
        pawn = self.turn << 4 | t.PAWN
        return piece_type == t.PAWN and bool((self._record.board[file_index(to_square) :: 9] == pawn).any())

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


EXCHANGE_LIMIT = 1 << 15  # centipawns; more than any exchange can win or lose


class PseudoLegalMoves(LegalMoves[Move]):
    """The moves that the pieces can make, including those that leave the king in check or mate by a pawn drop."""

    def __iter__(self) -> Iterator[Move]:
        return self._board.generate_pseudo_legal_moves()  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __contains__(self, move: object) -> bool:
        return any(move == (str(each) if isinstance(move, str) else each) for each in self)


class Board(BaseBoard, KernelBoard[Move]):
    """A game: a position and the moves that led to it.

    >>> board = Board()
    >>> board.push_usi("7g7f")
    Move.from_usi('7g7f')
    >>> len(board.legal_moves)
    30
    >>> board.sfen()
    'lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2'

    Squares are numbered from 0 (9a) to 80 (1i), in the order of an SFEN. Colours are BLACK (0) and WHITE (1); piece
    types are PAWN (1) to PROM_ROOK (14). Boards are equal if pieces, hands and side to move are equal; the moves before
    do not matter. Do not change a board that is in a set or a dict. The null move, which the rules do not allow, can be
    pushed unless the side to move is in check. Editing a board, for example with `set_piece_at`,
    clears the move stack. An edited position is checked when it is first used: if it is impossible, ValueError is
    raised, and `status` tells why.

    Args:
        sfen: an SFEN of three or four fields, or None for the start of a game. 'startpos moves 7g7f', with or without
            the word 'position', is read too, and its moves are then the board's. Raises ValueError if it is impossible.
        entering_king_rule: one of names.ENTERING_KING_RULES; used by `can_declare_win` and `outcome`
    """

    def __init__(self, sfen: str | None = None, entering_king_rule: str = "CSARule27") -> None:
        self.entering_king_rule = entering_king_rule
        super().__init__(sfen)

    @classmethod
    def from_usi_position(cls, text: str) -> Self:
        """Return the board of a USI `position` command without that word: 'startpos moves 7g7f'; raises ValueError."""
        board = cls()
        board.push_usi_position_cmd(text)
        return board

    @property
    def entering_king_rule(self) -> str:
        """The name of the entering king rule."""
        return ENTERING_KING_RULES[self._rule]

    @entering_king_rule.setter
    def entering_king_rule(self, name: str) -> None:
        self._rule = entering_king_rule(name)

    def set_sfen(self, sfen: str) -> None:
        """Set the position of an SFEN, or the position and moves of a USI `position` command; raises ValueError."""
        if isinstance(sfen, str) and "moves" in sfen:
            self.push_usi_position_cmd(sfen)
        else:
            super().set_sfen(sfen)

    def push_usi_position_cmd(self, usi_position_cmd: str) -> None:
        """Set the position and moves of a USI `position` command; the word 'position' may be omitted.

        Raises ValueError, which names the first illegal move and says why; the board is then unchanged.
        """
        start, moves = split_usi_position(usi_position_cmd.replace("_", " "))
        game = Board()
        super(Board, game).set_sfen(start)
        for number, usi in enumerate(moves, 1):
            try:
                game.push_usi(usi)
            except ValueError as error:
                raise InputError("position: move {0} of {1}: {2}", number, len(moves), error) from None
        self._take_over(game)
        self._edited = False

    def copy(self) -> Self:
        """Return an independent copy with the same position and move stack."""
        board = super().copy()
        board._rule = self._rule
        return board

    def __getstate__(self) -> tuple[Any, ...]:
        return *super().__getstate__(), self._rule

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *memory, self._rule = state
        super().__setstate__(tuple(memory))

    # ---- moves

    @property
    def pseudo_legal_moves(self) -> PseudoLegalMoves:
        """The moves that the pieces can make, including those that leave the king in check or mate by a pawn drop."""
        return PseudoLegalMoves(self)

    def generate_legal_moves(self) -> Iterator[Move]:
        """Yield the legal moves."""
        return iter(self.legal_moves)

    def generate_pseudo_legal_moves(self) -> Iterator[Move]:
        """Yield the moves that the pieces can make: on the board in the order of squares, then the drops."""
        side, occupied = self.turn, self.occupied
        for square, piece in self.piece_map().items():
            if piece.color != side:
                continue
            for target in self.attacks(square) - occupied[side]:
                if can_move_without_promotion(target, piece.piece_type, side):
                    yield Move(square, target)
                if any(can_promote(end, piece.piece_type, side) for end in (square, target)):
                    yield Move(square, target, True)
        for kind in self.pieces_in_hand[side]:
            for target in SquareSet(occupied.non_occupied()):
                if can_move_without_promotion(target, kind, side) and not self.is_double_pawn(target, kind):
                    yield Move(None, target, drop_piece_type=kind)

    @property
    def captured_piece_stack(self) -> list[int]:
        """The piece type captured by each move on the stack, 0 for none; a copy."""
        return [move >> 19 & 15 for move in self._undo["move"][: self._count[0]].tolist()]

    def _made(self, first: int) -> list[Move]:
        return [MOVES[move & CODES] for move in self._undo["move"][first : self._count[0]].tolist()]

    def search_form(self) -> tuple[Any, np.ndarray]:
        """Return the position that the game began with, record[POSITION], and the kernels' moves from there.

        Raises ValueError for a null move.
        """
        moves = self._undo["move"][: self._count[0]]
        if not moves.all():
            raise InputError("move {0}: {1}", 1 + int(moves.argmin()), self._illegal(Move.null()))
        return self.root()._pos, moves

    def code_of(self, move: int | str) -> int:
        """Return the kernels' form of a legal move, a Move or a text; raises ValueError saying why it is not legal."""
        return int(legal_move(self._pos, self.parse_text(move) if isinstance(move, str) else Move.from_int(move)))

    def _decoded(self, code: int) -> Move:
        return MOVES[code & CODES]

    def _illegal(self, move: Move) -> ValueError:
        """Return the error that says why `move` is not legal."""
        if not move:
            return ValueError("illegal move '0000': the rules have no null move")
        return illegal_move(self._pos, Move.from_int(move))

    def is_pseudo_legal(self, move: Move) -> bool:
        """Tell whether `move` is legal, ignoring the king's safety and the rule on pawn drop mates."""
        return move in self.pseudo_legal_moves

    def is_suicide_or_check_by_dropping_pawn(self, move: Move) -> bool:
        """Tell whether `move` is pseudo-legal but leaves the king in check or is a pawn drop mate."""
        return not self.is_legal(move) and self.is_pseudo_legal(move)

    def is_capture(self, move: Move) -> bool:
        """Tell whether `move`, if it is legal, captures a piece."""
        move = Move.from_int(move)
        return move.from_square is not None and self.color_at(move.to_square) == 1 - self.turn

    def gives_check(self, move: Move) -> bool:
        """Tell whether a legal `move` gives check; raises ValueError saying why if it is illegal."""
        if self._edited:
            self._validate()
        try:
            check = ENTRIES.check_given(self._address, move)
        except (TypeError, ValueError, OverflowError):
            raise self._illegal(move) from None
        if check < 0:
            raise self._illegal(move)
        return bool(check)

    def see(self, move: Move) -> int:
        """Return the static exchange evaluation of a legal `move`: the material that it gains, in centipawns.

        Both sides recapture with their least valuable piece as long as they gain by it. Pins and later promotions are
        ignored. Raises ValueError saying why if the move is illegal.
        """
        encoded = np.uint32(legal_move(self._pos, Move.from_int(move)))
        params = default_params()
        low, high = -EXCHANGE_LIMIT, EXCHANGE_LIMIT  # the gain is at least `low` and less than `high`
        while high - low > 1:
            middle = (low + high) // 2
            if exchange_ge(self._pos, params, encoded, middle):
                low = middle
            else:
                high = middle
        return low

    def find_mate(
        self, *, max_ms: float | None = None, nodes: int | None = None, shortest: bool = False
    ) -> ForcedWin[Move]:
        """Search for a mate by the side to move, with a check at every move. The result is true if a mate was found.

        Its `moves` are the mate against the longest defence. The first call compiles kernels. Raises ValueError if the
        other side has no king.

        >>> Board("7nk/9/7GP/9/9/9/9/9/9 b - 1").find_mate().moves
        (Move.from_usi('2c1b'),)

        Args:
            max_ms: the time limit in ms, None for no limit
            nodes: the maximum number of moves made, None for no limit
            shortest: after the first mate, continue until no shorter one exists
        """
        from shogi_engine.games.shogi.mate import solver as mates

        found = mates.shared_solver().solve(self._pos, max_ms=max_ms, nodes=nodes, shortest=shortest)
        return found.convert(lambda moves: [Move.from_encoded(move) for move in moves])

    def find_move(
        self, from_square: int | None, to_square: int, promotion: bool | None = None, drop_piece_type: int | None = None
    ) -> Move:
        """Return the legal move between these squares, or the drop if from_square is None.

        Args:
            promotion: whether the move promotes; None to promote only if the promotion is forced

        Raises:
            ValueError: says why if there is no such move
        """
        move = Move(from_square, to_square, bool(promotion), drop_piece_type)
        if promotion is None and from_square is not None and not self.is_legal(move):
            promoting = Move(from_square, to_square, True)
            if self.is_legal(promoting):
                return promoting
        return self._checked(move)

    def parse_usi(self, text: str) -> Move:
        """Return the legal move in USI notation, without making it; raises ValueError saying why it is not legal."""
        return self._checked(Move.from_usi(text))

    def parse_text(self, text: str) -> Move:
        """Parse a legal move in USI, Japanese, KIF, CSA or Western notation, without making it.

        >>> board = Board()
        >>> board.parse_text("７六歩") == board.parse_text("76FU") == board.parse_text("P-7f") == Move.from_usi("7g7f")
        True

        Raises ValueError saying why it is not legal, or which moves it could be.
        """
        if USI_MOVE.fullmatch(text):
            return self.parse_usi(text)
        return Move.from_encoded(parse_move(self._pos, text, self._last_target()))

    def text(self, move: Move, notation: str = "japanese") -> str:
        """Return a legal move in a notation: 'japanese' (▲７六歩), 'kif', 'csa', 'western' or 'usi'.

        Raises ValueError if the move is illegal or the notation unknown.
        """
        return format_move(self._pos, legal_move(self._pos, Move.from_int(move)), notation, self._last_target())

    def _last_target(self) -> int | None:
        """Return the square of the last move, None if there is none."""
        last = self.peek() if self._count[0] else None
        return last.to_square if last else None

    def _push_otherwise(self, move: int) -> None:
        if not isinstance(move, Move) or move:
            super()._push_otherwise(move)
        elif self.is_check():
            raise ValueError("illegal move '0000': the side to move is in check")
        else:
            self._grow()
            do_null(self._record, self._undo[self._count[0]])
            self._count[0] += 1
            self._touched()

    def push_usi(self, text: str) -> Move:
        """Make the move in USI notation and return it; raises ValueError saying why if it is illegal."""
        move = MOVES_BY_USI.get(text) or Move.from_usi(text)
        self.push(move)
        return move

    parse_own, push_own = parse_usi, push_usi

    def push_text(self, text: str) -> Move:
        """Make the move that `parse_text` reads in a text, and return it; raises ValueError if it is illegal."""
        return self.push_usi(text) if USI_MOVE.fullmatch(text) else super().push_text(text)

    def _pop_otherwise(self) -> Move:
        """Take back a null move; raises IndexError if no move is left."""
        if not self._count[0]:
            return super()._pop_otherwise()
        self._count[0] -= 1
        undo_null(self._record, self._undo[self._count[0]])
        self._touched()
        return Move.null()

    # ---- the end of the game

    def is_checkmate(self) -> bool:
        """Tell whether the side to move is in check and has no legal move."""
        return self.is_check() and not self.legal_moves

    def is_stalemate(self) -> bool:
        """Tell whether the side to move has no legal move and is not in check; in Shogi it has lost."""
        return not self.is_check() and not self.legal_moves

    def was_suicide(self) -> bool:
        """Tell whether the side that is not to move is in check, which is possible only after an edit."""
        return Status.OPPOSITE_CHECK in self.status()

    def was_check_by_dropping_pawn(self, move: Move) -> bool:
        """Tell whether this could be the position after `move`, an illegal pawn drop that mates.

        No pushed move leads to such a position, but it can be set up.
        """
        return move.drop_piece_type == t.PAWN and self.checkers() == SquareSet([move.to_square]) and self.is_checkmate()

    def is_repetition(self, count: int = 4) -> bool:
        """Tell whether board, hands and side to move have occurred at least `count` times."""
        return bool(occurrence(self._pos, self._undo, self._count[0], count) >= 0)

    def is_fourfold_repetition(self) -> bool:
        """Tell whether the position has occurred for the fourth time, which ends the game."""
        return self.is_repetition(4)

    def is_game_over(self) -> bool:
        """Tell whether the game is over: no legal move, fourfold repetition, or a try if that rule holds."""
        return self._ending() != 0

    def _ending(self) -> int:
        """Return the result of `kernels.ending`, resolving UNDECIDED."""
        if self._edited:
            self._validate()
        ending: int = ENTRIES.ending(self._address, self._rule, 0)
        if ending == UNDECIDED:
            movable = ENTRIES.list_moves(self._address)
            ending = ENTRIES.ending(self._address, self._rule, 1) if movable else NO_LEGAL_MOVE
        return ending

    def outcome(self) -> Outcome | None:
        """Return who has won and why, None while the game continues. A side without a legal move has lost."""
        ending = self._ending()
        if not ending:
            return None
        side, other = self.turn, 1 - self.turn
        if ending == TRIED:
            return Outcome(other, Termination.TRY)
        if ending == NO_LEGAL_MOVE:
            return Outcome(other, Termination.CHECKMATE if self.is_check() else Termination.STALEMATE)
        if ending == DRAW:
            return Outcome(None, Termination.FOURFOLD_REPETITION)
        return Outcome(side if ending == WIN else other, Termination.PERPETUAL_CHECK)

    def declaration(self, rule: str | None = None) -> str | None:
        """Return what the side to move may declare ('win', 'draw' or None) by `rule`, by default the board's.

        Under the try rule 'win' means that the king can move to the enemy king's initial square; it must then do so.
        Raises ValueError for a rule that is not in names.ENTERING_KING_RULES.
        """
        verdict = declaration(self._pos, self._rule if rule is None else entering_king_rule(rule))
        return {WIN: "win", DRAW: "draw"}.get(int(verdict))

    def can_declare_win(self, rule: str | None = None) -> bool:
        """Tell whether the side to move can win by a declaration under `rule`, by default the board's."""
        return self.declaration(rule) == "win"

    # ---- picture

    def svg(self, *, flipped: bool = False, size: int | None = None, **options: Any) -> str:
        """Return an SVG image: the board, hands, the last move and a check; from white's side if `flipped`.

        Args:
            size: the width in pixels, None for the default
            options: `pieces`, `stacked`, `areas`, `lines`, `style` and `letters`, as in drawing.svg
        """
        return drawing.svg(self, flipped=flipped, size=size, **options)

    def arrows(self, lines: Sequence[Sequence[str]], *, flipped: bool = False, stacked: bool = False) -> str:
        """Return SVG of the arrows of lines of moves from here, to be laid over `svg`; see drawing.arrows."""
        return drawing.arrows(self, lines, flipped=flipped, stacked=stacked)
