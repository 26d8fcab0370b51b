"""Board: a game of Othello for Python programs, in the style of python-chess; every move is checked."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from shogi_engine.games.board_memory import BoardMemory
from shogi_engine.games.othello import notation
from shogi_engine.games.othello.bitboard import SYMMETRIES
from shogi_engine.games.othello.board import drawing
from shogi_engine.games.othello.board.entries import ENTRIES
from shogi_engine.games.othello.board.kernels import BOARD
from shogi_engine.games.othello.board.moves import MOVES, Move
from shogi_engine.games.othello.position import make_canonical, transform_position
from shogi_engine.games.othello.types import BLACK, DISC_MOVE, PASS, POSITION, SQUARES, UNDO, WHITE
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.termination import Termination

_move_of = MOVES.__getitem__
_OWN, _OPPONENT, _SIDE = range(3)  # the words of a POSITION
PACKED_BYTES = 17

COLORS = (BLACK, WHITE)
UNICODE_CELLS = "●○·"  # in the order of SYMBOLS
STARTING_OBF = notation.START


@dataclass(frozen=True)
class Outcome:
    """How a finished game ended: the winner (None for a draw) and the discs of black and of white on the board."""

    winner: int | None
    black: int
    white: int

    @property
    def score(self) -> int:
        """Black's discs minus white's; empty squares count for the winner."""
        if self.winner is None:
            return 0
        return 64 - 2 * self.white if self.winner == BLACK else 2 * self.black - 64

    def result(self) -> str:
        """Return '1-0' if black has won, '0-1' if white has, else '1/2-1/2'."""
        return "1/2-1/2" if self.winner is None else "0-1" if self.winner else "1-0"

    @property
    def termination(self) -> Termination:
        """WIPE_OUT if a side has no disc left, else DISCS."""
        return Termination.DISCS if self.black and self.white else Termination.WIPE_OUT

    def __str__(self) -> str:
        who = "a draw" if self.winner is None else f"{notation.SIDES[self.winner]} wins"
        return f"{who}: {self.black} black discs, {self.white} white"


class LegalMoves:
    """A live view of a board's legal moves: iterable, with len, bool and `in`."""

    def __init__(self, board: "Board") -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        board = self._board
        return map(_move_of, board._moves[: ENTRIES.list_moves(board._address)].tolist())

    def __len__(self) -> int:
        return int(ENTRIES.count_legal_moves(self._board._address))

    def __bool__(self) -> bool:
        return len(self) > 0

    def __contains__(self, move: object) -> bool:
        if isinstance(move, (int, np.integer)):
            return self._board.is_legal(int(move))
        return isinstance(move, str) and self._board.is_legal(move)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(str, self))})>"


@functools.cache
def _starting_position() -> Any:
    """Return the record[POSITION] of the start of a game; the caller copies it."""
    return notation.parse_obf(STARTING_OBF)


class Board(BoardMemory):
    """A game: a position and the moves that led to it.

    >>> board = Board()
    >>> board.push_text("f5")
    Move(square=37)
    >>> board.legal_moves
    <LegalMoves (f4, d6, f6)>
    >>> board.obf()
    '---------------------------OX------XXX-------------------------- O'

    Squares are numbered 0 (a1), 1 (b1) ... 63 (h8). Colours are BLACK (0) and WHITE (1). Any arrangement of discs is a
    valid position. Boards are equal if their discs and sides to move are equal; the moves before do not matter. Do not
    change a board that is in a set or a dict.

    Args:
        obf: 64 squares and the side to move, or None for the start of a game. Raises ValueError if it is invalid.
    """

    _BOARD, _UNDO = BOARD, UNDO

    def __init__(self, obf: str | None = None) -> None:
        self._allocate()
        if obf is None:
            self.reset()
        else:
            self.set_obf(obf)

    @classmethod
    def from_obf(cls, obf: str) -> Self:
        """Return a board with the position of `obf`; raises ValueError as `set_obf` does."""
        return cls(obf)

    @classmethod
    def from_transcript(cls, text: str, obf: str | None = None) -> Self:
        """Return the board after the moves of a transcript ('f5d6c3'; passes may be left out); raises ValueError.

        Args:
            obf: the starting position, if not the usual one
        """
        board = cls(obf)
        for move in notation.parse_transcript(text, board._pos):
            board.push(MOVES[move])
        return board

    @property
    def _pos(self) -> Any:
        """The record[POSITION]."""
        return self._record

    def set_obf(self, obf: str) -> None:
        """Set the position of an OBF text and clear the move stack; raises ValueError saying what is wrong with it."""
        self._set_position(_starting_position() if obf == STARTING_OBF else notation.parse_obf(obf))

    def reset(self) -> None:
        """Reset the board to the starting position."""
        self._set_position(_starting_position())

    def obf(self) -> str:
        """Return the position's OBF text: 64 characters X, O and -, a blank, X or O."""
        return f"{self._cells()} {notation.SYMBOLS[self.turn]}"

    def position(self) -> str:
        """Return the position in the game's notation, as the Boards of all games do: its OBF text."""
        return self.obf()

    def _cells(self) -> str:
        """Return the 64 characters X, O and -, a1 first."""
        return notation.format_discs(self._discs(BLACK), self._discs(WHITE))

    @classmethod
    def from_packed(cls, data: Any) -> Self:
        """Return the board of a packed position; raises ValueError as `set_packed` does."""
        board = cls()
        board.set_packed(data)
        return board

    def to_packed(self) -> bytes:
        """Return the position in 17 bytes: black's discs, white's (a bit a square, a1 lowest) and the side to move."""
        discs = self._discs(BLACK) | self._discs(WHITE) << SQUARES | self._words[_SIDE] << 2 * SQUARES
        return discs.to_bytes(PACKED_BYTES, "little")

    def set_packed(self, data: Any) -> None:
        """Set the position from the output of `to_packed` (17 bytes, or uint8[17]), and clear the move stack.

        Raises ValueError for another length, a square with two discs, or a side that is neither BLACK nor WHITE.
        """
        data = bytes(data)
        if len(data) != PACKED_BYTES:
            raise ValueError(f"packed position: expected {PACKED_BYTES} bytes, not {len(data)}")
        side = data[16]
        if side not in COLORS:
            raise ValueError(f"packed position: the side to move must be {BLACK} or {WHITE}, not {side}")
        twice = int.from_bytes(data[:8], "little") & int.from_bytes(data[8:16], "little")
        if twice:
            square = notation.SQUARE_NAMES[twice.bit_length() - 1]
            raise ValueError(f"packed position: there are discs of both sides on {square}")
        own, opponent = (data[:8], data[8:16])[:: 1 - 2 * side]
        self._bytes[:24] = own + opponent + data[16:] + bytes(7)
        self._forget()

    def __getstate__(self) -> tuple[str, list[int]]:
        return self.root().obf(), self._codes()

    def __setstate__(self, state: tuple[str, list[int]]) -> None:
        obf, moves = state
        self._allocate()
        self.set_obf(obf)
        for move in moves:
            self.push(MOVES[move])

    def ply(self) -> int:
        """Return the number of moves on the move stack, passes included."""
        return self._count

    def key(self) -> int:
        """Return a 64-bit hash of the discs and the side to move; it is the same in every process."""
        return int(ENTRIES.position_key(self._address))

    def _identity(self) -> bytes:
        """Return the bytes by which positions are compared."""
        return self._bytes[: POSITION.itemsize].tobytes()

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def clear(self) -> None:
        """Remove all discs and clear the move stack; black is to move."""
        self._set_position(notation.position_of("", BLACK))

    def mirror(self) -> Self:
        """Return a board with the colours exchanged, the side to move included, and an empty move stack."""
        board = type(self)(self.obf())
        board._words[_SIDE] ^= 1
        return board

    def transformed(self, symmetry: int) -> Self:
        """Return a board with this position rotated or mirrored by a symmetry, 0..7, and an empty move stack.

        Bit 2 of `symmetry` exchanges files and ranks, then bit 0 reverses the ranks, then bit 1 the files.
        """
        if symmetry not in range(SYMMETRIES):
            raise ValueError(f"a symmetry must be 0 to 7, not {symmetry!r}")
        board = type(self)(self.obf())
        transform_position(board._pos, symmetry)
        return board

    def canonical(self) -> Self:
        """Return a board without moves with the canonical image, the same one for all eight symmetric positions."""
        board = type(self)(self.obf())
        make_canonical(board._pos)
        return board

    # ---- the discs on the board

    @property
    def turn(self) -> int:
        """The side to move, BLACK or WHITE; in a finished game the side that did not make the last move.

        Setting it clears the move stack.
        """
        return self._words[_SIDE]

    @turn.setter
    def turn(self, colour: int) -> None:
        discs = [self.discs(each) for each in COLORS]
        self.discs(colour)
        self._set(discs, colour)

    def _set(self, discs: list[int], turn: int) -> None:
        """Set black's and white's discs and the side to move, and clear the move stack."""
        pos = notation.position_of("", turn)
        pos.own, pos.opponent = discs[turn], discs[1 - turn]
        self._set_position(pos)

    def _discs(self, colour: int) -> int:
        """Return the bitboard of a colour's discs."""
        return self._words[_OWN if colour == self._words[_SIDE] else _OPPONENT]

    def discs(self, colour: int) -> int:
        """Return the bitboard of a colour's discs, bit s for square s; ValueError if it is neither BLACK nor WHITE."""
        if colour not in COLORS:
            raise ValueError(f"a colour must be {BLACK} (black) or {WHITE} (white), not {colour!r}")
        return self._discs(colour)

    def piece_map(self) -> dict[int, int]:
        """Return the discs as a dict from square to colour, lowest square first."""
        discs = {square: self.disc_at(square) for square in range(SQUARES)}
        return {square: colour for square, colour in discs.items() if colour is not None}

    def set_disc_at(self, square: int, colour: int | None) -> None:
        """Put a disc on `square` (0..63), replacing any disc there, or remove it (None). Clears the move stack.

        Raises ValueError for an invalid square or colour.
        """
        self.disc_at(square)
        discs = [self.discs(each) & ~(1 << square) for each in COLORS]
        if colour is not None:
            self.discs(colour)
            discs[colour] |= 1 << square
        self._set(discs, self.turn)

    def remove_disc_at(self, square: int) -> int | None:
        """Remove the disc on `square` (0..63) and return its colour, None if there was none."""
        colour = self.disc_at(square)
        if colour is not None:
            self.set_disc_at(square, None)
        return colour

    def disc_at(self, square: int) -> int | None:
        """Return the colour of the disc on `square` (0..63), None if there is none; ValueError for other numbers."""
        if square not in range(SQUARES):
            raise ValueError(f"squares must be 0 to 63, not {square!r}")
        return BLACK if self._discs(BLACK) >> square & 1 else WHITE if self._discs(WHITE) >> square & 1 else None

    def count(self, colour: int) -> int:
        """Return the number of discs of `colour`; ValueError if it is neither BLACK nor WHITE."""
        return self.discs(colour).bit_count()

    @property
    def empties(self) -> int:
        """The number of empty squares."""
        return SQUARES - self.count(BLACK) - self.count(WHITE)

    # ---- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves: disc moves, or the one pass, or none when the game is over."""
        return LegalMoves(self)

    @property
    def move_stack(self) -> list[Move]:
        """A copy of the move stack, passes included, oldest move first."""
        return [MOVES[code] for code in self._codes()]

    def _codes(self) -> list[int]:
        """Return the move stack as encoded moves."""
        discs: list[int] = self._undo["disc"][: self._count].tolist()
        return [DISC_MOVE | disc.bit_length() - 1 if disc else PASS for disc in discs]

    def is_legal(self, move: int | str) -> bool:
        """Tell whether `move`, or the text of one (see `parse_text`), is legal."""
        if isinstance(move, str):
            return self._is_legal_text(move)
        return bool(ENTRIES.is_legal_move(self._address, move))

    def flipped(self, move: Move) -> list[int]:
        """Return the squares of the discs that `move` flips; raises ValueError saying why if it is illegal."""
        if not self.is_legal(move):
            raise notation.illegal_move(self._pos, move.square)
        return notation.flipped(self._pos, move)

    def find_move(self, square: int | None) -> Move:
        """Return the legal move to `square`, or the pass for None; raises ValueError saying why not."""
        move = Move(square)
        if not self.is_legal(move):
            raise notation.illegal_move(self._pos, square)
        return move

    def parse_text(self, text: str) -> Move:
        """Return the legal move 'f5' or 'pass', without making it; raises ValueError saying why it is not legal."""
        return self.find_move(notation.split_move(text))

    def push(self, move: int) -> None:
        """Make a move, a `Move` or its int; raises ValueError saying why if it is illegal."""
        try:
            done = ENTRIES.push(self._address, move)
        except (TypeError, ValueError):  # not an int
            done = 0
        if not done:
            self._push_otherwise(move)

    def _push_otherwise(self, move: int) -> None:
        """Make a move that the kernel refused for lack of undo records; raises ValueError if it is illegal."""
        known = Move.from_int(move)
        if not self._grow() or not ENTRIES.push(self._address, known):
            raise notation.illegal_move(self._pos, known.square)

    def push_text(self, text: str) -> Move:
        """Make the move 'f5' or 'pass' and return it; raises ValueError saying why if it is illegal."""
        move = Move.from_text(text)
        self.push(move)
        return move

    split_moves = staticmethod(notation.split_transcript)

    def push_typed(self, text: str) -> list[Move]:
        """Make the move 'f5' or 'pass', adding a forced pass that was left out; raises ValueError if it is illegal."""
        passes = (
            [self.push_text(notation.PASS_NAME)] if self.must_pass() and notation.split_move(text) is not None else []
        )
        return [*passes, self.push_text(text)]

    def record(self, ending: str = "") -> GameRecord:
        """Return the record of the moves made; `ending` is one of records.ENDINGS."""
        return GameRecord.from_moves(
            "othello", [str(move) for move in self.move_stack], start=self.root().obf(), ending=ending
        )

    def pop(self) -> Move:
        """Take back the last move and return it; raises IndexError if there is none."""
        code: int = ENTRIES.pop(self._address)
        if code < 0:
            raise IndexError("there is no move to take back")
        return MOVES[code]

    def peek(self) -> Move:
        """Return the last move; raises IndexError if there is none."""
        if not self._count:
            raise IndexError("no move has been made")
        return MOVES[self._codes()[-1]]

    # ---- the end of the game

    def must_pass(self) -> bool:
        """Tell whether the side to move can only pass."""
        return self.is_legal(MOVES[PASS])

    def is_game_over(self) -> bool:
        """Tell whether neither side can place a disc."""
        return not self.legal_moves

    def outcome(self) -> Outcome | None:
        """Return the winner and the disc counts, None while the game continues."""
        return self._counted() if self.is_game_over() else None

    def score(self) -> int:
        """Return black's discs minus white's; empty squares count for the side that leads, as in a finished game."""
        return self._counted().score

    def _counted(self) -> Outcome:
        """Return the outcome of a game that ends here."""
        black, white = self._discs(BLACK).bit_count(), self._discs(WHITE).bit_count()
        return Outcome(None if black == white else BLACK if black > white else WHITE, black, white)

    def result(self) -> str:
        """Return '1-0' if black has won, '0-1' if white has, '1/2-1/2' for a draw, '*' while the game continues."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    # ---- text and picture

    def transcript(self) -> str:
        """Return the moves made as a transcript, 'f5d6c3'; transcripts omit passes."""
        return "".join(str(move) for move in self.move_stack if move.square is not None)

    def _text(self, cells: str) -> str:
        """Draw the board with `cells` (for black, white and empty), files and ranks, and the side to move."""
        board = self._cells().translate(str.maketrans(notation.SYMBOLS, cells))
        rows = [f"{row + 1} {' '.join(board[8 * row : 8 * row + 8])} {row + 1}" for row in range(8)]
        header = "  a b c d e f g h"
        side = f"{notation.SIDES[self.turn]} ({cells[self.turn]}) to move"
        counts = f"{cells[BLACK]} {self.count(BLACK)}  {cells[WHITE]} {self.count(WHITE)}"
        return "\n".join([header, *rows, header, f"{counts}  {'game over' if self.is_game_over() else side}"])

    def unicode(self) -> str:
        """Return the board as text with Unicode discs."""
        return self._text(UNICODE_CELLS)

    def diagram(self) -> str:
        """Return the board as text with X, O and -, and the side to move."""
        return self._text(notation.SYMBOLS)

    def svg(self, *, flipped: bool = False, size: int | None = None, **options: Any) -> str:
        """Return an SVG image of the board; it marks the last disc placed and the legal moves.

        Args:
            flipped: draw the board from the other side, with a1 at the lower right
            size: the width in pixels, None for the default
            options: `areas`, `lines` and `style` of drawing.svg
        """
        return drawing.svg(self, flipped=flipped, size=size, **options)

    def arrows(self, lines: Sequence[Sequence[str]], *, flipped: bool = False, values: Sequence[str] = ()) -> str:
        """Return SVG that marks lines of moves from here, to be laid over `svg`; see drawing.arrows."""
        return drawing.arrows(self, lines, flipped=flipped, values=values)

    def _repr_svg_(self) -> str:
        """Return the image that a notebook shows."""
        return self.svg()

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        return f"Board({self.obf()!r})"
