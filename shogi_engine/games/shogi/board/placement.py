"""Placement: the pieces of a Shogi position, and their edits."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from shogi_engine.games.board_memory import BoardMemory
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.board.entries import ENTRIES
from shogi_engine.games.shogi.board.kernels import BOARD, TEXT_BYTES
from shogi_engine.games.shogi.board.pieces import (
    COLORS,
    MAX_PIECES_IN_HAND,
    PIECE_TYPES,
    PIECE_TYPES_WITHOUT_KING,
    SQUARES,
    Occupied,
    Piece,
    SquareSet,
    file_index,
)
from shogi_engine.games.shogi.board.text_kernels import PACK_POSITION, READ_SFEN, UNPACK_POSITION, WRITE_SFEN
from shogi_engine.games.shogi.notation.sfen import MAX_MOVE_NUMBER, format_sfen, parse_sfen, starting_position
from shogi_engine.games.shogi.packed import packed
from shogi_engine.games.shogi.queries import pieces
from shogi_engine.games.shogi.rules.validation import Status, position_status, validate_position
from shogi_engine.games.shogi.symbols import HAND_ORDER
from shogi_engine.jit import new_record

# Offsets of the fields of a POSITION, and so of a BOARD, that are read as bytes and words.
_FIELDS: Any = t.POSITION.fields
_SQUARES, _HANDS, _SIDE, _PLY = (int(_FIELDS[name][1]) for name in ("board", "hand", "side", "ply"))
_CHECKERS = int(_FIELDS["checkers"][1]) // 8
_KEY, _IN_CHECK = BoardMemory.offset_in(BOARD, "key") // 8, BoardMemory.offset_in(BOARD, "in_check")
_TEXT = BoardMemory.offset_in(BOARD, "text")
_HCP, _PSFEN = (packed.PACKINGS.index(packing) for packing in (packed.HCP, packed.PSFEN))


class Placement(BoardMemory):
    """Pieces on the board and in hand, and the side to move. It can be edited, and converted to and from formats."""

    _BOARD, _UNDO = BOARD, t.UNDO

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

    def _begin(self, pos: Any, *, edited: bool = False) -> None:
        """Start from `pos`; it is valid unless it was `edited`."""
        self._set_position(pos)
        self._touched()
        self._edited = edited

    def _touched(self) -> None:
        """Update the fields that kernels update with the position, after a change by Python."""
        self._words[_KEY] = 0
        self._flags[_IN_CHECK] = any(self._words[_CHECKERS : _CHECKERS + 2])

    def _read(self, data: bytes, task: int, argument: int) -> bool:
        """Start from the position that `text_kernels.convert` reads in `data`; return False if it declines."""
        if len(data) >= TEXT_BYTES:
            return False
        self._bytes[_TEXT : _TEXT + len(data)] = data
        if not ENTRIES.convert(self._address, task, argument):
            return False
        self._edited = False
        return True

    @property
    def _pos(self) -> Any:
        """The record[POSITION]; it is validated first if it was edited."""
        if self._edited:
            self._validate()
        return self._record

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
        if not self._read(data, READ_SFEN, len(data)):
            self._begin(parse_sfen(sfen))

    def reset(self) -> None:
        """Reset the board to the starting position."""
        self._begin(starting_position())

    def clear(self) -> None:
        """Remove all pieces from the board and the hands; black is to move."""
        self._begin(new_record(t.POSITION), edited=True)

    def sfen(self) -> str:
        """Return the position's SFEN, four fields."""
        length = ENTRIES.convert(self._address, WRITE_SFEN, 0)
        return str(self._bytes[_TEXT : _TEXT + length], "ascii") if length else format_sfen(self._record)

    def position(self) -> str:
        """Return the position in the game's notation, as the Boards of all games do: its SFEN."""
        return self.sfen()

    def copy(self) -> Self:
        """Return an independent board with the same position."""
        board = super().copy()
        board._touched()
        board._words[_KEY] = self._words[_KEY]
        board._edited = self._edited
        return board

    def __getstate__(self) -> Any:
        return self._record.tobytes(), self._edited

    def __setstate__(self, state: Any) -> None:
        data, edited = state
        self._allocate()
        self._begin(np.frombuffer(data, dtype=t.POSITION)[0], edited=edited)

    def ply(self) -> int:
        """Return the number of moves since the game began, according to the move number."""
        return self._bytes[_PLY] | self._bytes[_PLY + 1] << 8

    def key(self) -> int:
        """Return a 64-bit hash of board, hands and side to move; it is the same in every process."""
        if key := self._words[_KEY]:
            return key
        if self._edited:
            self._validate()
        return int(ENTRIES.position_key(self._address))

    zobrist_hash = key

    def identity(self) -> tuple[bytes, bytes, int]:
        """Return what tells positions apart: pieces by square, numbers in hand by colour and kind, side to move."""
        data = self._bytes
        return data[_SQUARES : _SQUARES + len(SQUARES)].tobytes(), data[_HANDS : _HANDS + 16].tobytes(), data[_SIDE]

    def __eq__(self, other: object) -> bool:
        return self.identity() == other.identity() if isinstance(other, Placement) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity())

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
        if ENTRIES.convert(self._address, PACK_POSITION, packing):
            return self._bytes[_TEXT : _TEXT + packed.BYTES].tobytes()
        return packed.pack(packed.PACKINGS[packing], self._record)

    def _set_packed(self, packing: int, data: Any) -> None:
        """Set the position from the form packed.PACKINGS[packing]."""
        data = bytes(data)
        if len(data) != packed.BYTES or not self._read(data, UNPACK_POSITION, packing):
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
        return self._flags[_IN_CHECK]  # type: ignore[no-any-return]

    # ---- the pieces on the board

    @property
    def turn(self) -> int:
        """The side to move, BLACK or WHITE. Setting it is an edit."""
        return self._bytes[_SIDE]

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
            Counter({kind: t.hand_count(hand, kind) for kind in HAND_ORDER if t.hand_count(hand, kind)})
            for hand in self._record.hand
        ]

    @property
    def king_squares(self) -> list[int | None]:
        """For each colour, its king's square, or None if there is none."""
        kings = [np.flatnonzero(self._record.board == t.make_piece(color, t.KING)) for color in COLORS]
        return [int(found[0]) if found.size else None for found in kings]

    @property
    def pieces(self) -> list[int]:
        """The piece type on each of the 81 squares, 0 for an empty one; a copy."""
        return [piece & 15 for piece in self._bytes[_SQUARES : _SQUARES + len(SQUARES)]]

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
        piece = self._piece(square)
        return Piece(t.piece_kind(piece), t.piece_colour(piece)) if piece else None

    def piece_type_at(self, square: int) -> int:
        """Return the piece type on `square` (0..80), 0 if it is empty; raises ValueError for another number."""
        return int(t.piece_kind(self._piece(square)))

    def color_at(self, square: int) -> int | None:
        """Return the colour of the piece on `square` (0..80) or None; raises ValueError for other numbers."""
        piece = self._piece(square)
        return t.piece_colour(piece) if piece else None

    def piece_map(self) -> dict[int, Piece]:
        """Return a dict from square to piece, lowest square first."""
        board = self._bytes[_SQUARES : _SQUARES + len(SQUARES)]
        return {
            square: Piece(t.piece_kind(piece), t.piece_colour(piece)) for square, piece in enumerate(board) if piece
        }

    def has_piece_in_hand(self, piece_type: int, color: int) -> bool:
        """Tell whether `color` has a piece of this type in hand; promoted types count as unpromoted."""
        return bool(t.hand_count(self._record.hand[self._colour(color)], self._droppable(piece_type)) > 0)

    def _piece(self, square: int) -> int:
        """Return the board's byte for `square`."""
        if square not in SQUARES:
            raise ValueError(f"squares must be 0 to 80, not {square!r}")
        return self._bytes[_SQUARES + square]

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
        held = t.hand_count(self._record.hand[self._colour(color)], kind)
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
