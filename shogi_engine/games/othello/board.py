"""Board: a game of Othello for Python programs, in the style of python-chess; every move is checked."""

import functools
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Self

from shogi_engine.games.game_board import GameMove, KernelBoard, LegalMoves
from shogi_engine.games.othello import board_kernels, notation
from shogi_engine.games.othello.bitboard import SYMMETRIES
from shogi_engine.games.othello.board_kernels import BOARD
from shogi_engine.games.othello.notation import FILES, PASS_NAME, SIDES, SQUARE_NAMES, split_move
from shogi_engine.games.othello.position import make_canonical, transform_position
from shogi_engine.games.othello.types import BLACK, DISC_MOVE, PASS, POSITION, SQUARES, UNDO, WHITE
from shogi_engine.games.svg import BEST, BOOK, COLOUR, OTHER, SECOND, kinds_of_lines, ring, square_area
from shogi_engine.jit import Entries
from shogi_engine.types.outcomes import Outcome, Termination

# ---- Move: an int with a square and a text


class Move(GameMove):
    """A disc placed on a square (0..63, a1 first), or a pass (None).

    It is an int: 64 + square, or 128 for the pass. Each move exists as one object only.
    """

    __slots__ = ()

    def __new__(cls, square: int | None) -> "Move":
        """Return the move; raises ValueError if it is not a move in any position."""
        if square is None:
            return MOVES[PASS]
        if square not in range(SQUARES):
            raise ValueError(f"a move's square must be 0 to 63, or None for a pass, not {square!r}")
        return MOVES[DISC_MOVE | int(square)]

    @property
    def square(self) -> int | None:
        """The square of the disc; None for a pass."""
        return None if self == PASS else self & 63

    def __str__(self) -> str:
        return PASS_NAME if self == PASS else SQUARE_NAMES[self & 63]

    def __repr__(self) -> str:
        return f"Move(square={self.square})"

    @classmethod
    def from_text(cls, text: str) -> "Move":
        """Return the move 'f5' or 'pass'; raises ValueError if the text is neither."""
        return cls(split_move(text))

    @classmethod
    def _is_move(cls, number: int) -> bool:
        return DISC_MOVE <= number <= PASS


MOVES: list[Move] = list(map(partial(int.__new__, Move), range(PASS + 1)))  # by their ints; those below 64 are unused
Move.ALL = MOVES


# ---- An Othello position drawn as SVG. Only Board's public interface is used


# The unit is a pixel of the unscaled picture.
CELL, FRAME = 50, 26
BOARD_SIZE = 8 * CELL
SIZE = BOARD_SIZE + 2 * FRAME
SHADE = "#1b5434"


class _Style(NamedTuple):
    """The inks of a picture.

    Attributes:
        discs, rims, marks: by colour; marks are on the last disc placed
    """

    cloth: str
    edge: str
    line: str
    ink: str
    discs: tuple[str, str]
    rims: tuple[str, str]
    marks: tuple[str, str]


STYLES = {
    COLOUR: _Style(
        "#2f7d4f", "#22211f", "#123a24", "#d9d5cc", ("#151515", "#f4f4f4"), ("#4a4a4a", "#c9c9c4"), ("#d8322a",) * 2
    ),
    BOOK: _Style("#fff", "#fff", "#000", "#000", ("#000", "#fff"), ("#000", "#000"), ("#fff", "#000")),
}


def _corner(square: int, flipped: bool) -> tuple[float, float]:
    """Return the upper left corner of a square: a1 is at the upper left, at the lower right if flipped."""
    square = 63 - square if flipped else square
    return FRAME + CELL * (square % 8), FRAME + CELL * (square // 8)


def _centre(square: int, flipped: bool) -> tuple[float, float]:
    """Return the centre of a square in the picture."""
    x, y = _corner(square, flipped)
    return x + CELL / 2, y + CELL / 2


def _circle(centre: tuple[float, float], radius: float, fill: str, rest: str = "", lower: float = 0.0) -> str:
    """Return an SVG circle."""
    x, y = centre
    return f'<circle cx="{x:g}" cy="{y + lower:g}" r="{radius:g}" fill="{fill}"{rest}/>'


def _coordinates(flipped: bool) -> list[str]:
    """Return the files' letters above the board and the ranks' numbers on its left."""
    drawn = []
    for line in range(8):
        place = FRAME + CELL * (line + 0.5)
        number = 7 - line if flipped else line
        drawn.append(f'<text x="{place:g}" y="{FRAME / 2:g}" dy=".36em">{FILES[number]}</text>')
        drawn.append(f'<text x="{FRAME / 2:g}" y="{place:g}" dy=".36em">{number + 1}</text>')
    return drawn


def _disc(square: int, colour: int, flipped: bool, style: str) -> str:
    """Return a disc, with its shadow unless it is printed."""
    centre, inks = _centre(square, flipped), STYLES[style]
    shadow = _circle(centre, CELL * 0.42, SHADE, lower=2) if style == COLOUR else ""
    disc = _circle(centre, CELL * 0.42, inks.discs[colour], f' stroke="{inks.rims[colour]}" stroke-width="1"')
    return f'<g class="piece" data-square="{SQUARE_NAMES[square]}">{shadow}{disc}</g>'


def arrows(board: "Board", lines: Sequence[Sequence[str]], *, flipped: bool = False, values: Sequence[str] = ()) -> str:
    """Return rings that mark lines of moves from here, to be laid over `svg`.

    The best line comes first. Several of its moves are drawn, with their numbers, but only the first move of each other
    line.

    Args:
        values: a text for each line, written into the ring of its first move; then only first moves are drawn, those
            of the best and of the second-best value in colours of their own
    """
    firsts = {line[0]: value for line, value in zip(lines, values, strict=bool(values)) if line}
    ranks = dict(zip(dict.fromkeys(values), (BEST, SECOND), strict=False))
    drawn = []
    for text, kind, ply in kinds_of_lines(lines):
        square = split_move(text)
        if square is not None and not (ply and values):
            written = firsts.get(text, str(ply + 1) if ply else "")
            rank = ranks.get(written, OTHER) if values else kind
            drawn.append(ring(_centre(square, flipped), CELL * 0.38, rank, written))
    return f'<g class="arrows" pointer-events="none">{"".join(drawn)}</g>'


def svg(
    board: "Board",
    *,
    flipped: bool = False,
    size: int | None = None,
    areas: bool = False,
    lines: Sequence[Sequence[str]] = (),
    style: str = COLOUR,
) -> str:
    """Return the position as an SVG image: a1 at the upper left, a red dot on the last disc placed.

    Rings, in the colour of the side to move, mark where it may place a disc. The style `book` is black on white paper,
    without rings; a disc in the corner tells the side to move.

    Args:
        flipped: draw a1 at the lower right
        size: the width in pixels, None for the picture's own
        areas: add squares that receive clicks, on top
        lines: lines of moves, drawn as by `arrows`
        style: one of STYLES
    """
    inks = STYLES[style]
    width = SIZE if size is None else size
    across = "".join(f"M{FRAME} {FRAME + CELL * line}h{BOARD_SIZE}" for line in range(9))
    down = "".join(f"M{FRAME + CELL * line} {FRAME}v{BOARD_SIZE}" for line in range(9))
    dots = [
        f'<circle cx="{FRAME + CELL * x}" cy="{FRAME + CELL * y}" r="3.5" fill="{inks.line}"/>'
        for x in (2, 6)
        for y in (2, 6)
    ]
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{width}" height="{width}">',
        f"<title>{board.obf()}: {SIDES[board.turn]} to move</title>",
        f'<rect width="{SIZE}" height="{SIZE}" rx="5" fill="{inks.edge}"/>',
        f'<rect x="{FRAME}" y="{FRAME}" width="{BOARD_SIZE}" height="{BOARD_SIZE}" fill="{inks.cloth}"/>',
        f'<path d="{across}{down}" stroke="{inks.line}" fill="none"/>',
        *dots,
        f'<g font-family="sans-serif" font-size="14" fill="{inks.ink}" text-anchor="middle">',
        *_coordinates(flipped),
        "</g>",
    ]
    drawn += [_disc(square, colour, flipped, style) for square, colour in board.piece_map().items()]
    if style == COLOUR:
        ring_style = f' stroke="{inks.discs[board.turn]}" stroke-width="1.5" stroke-opacity=".6"'
        places = [move.square for move in board.legal_moves if move.square is not None]
        drawn += [_circle(_centre(square, flipped), CELL * 0.12, "none", ring_style) for square in places]
    else:
        drawn.append(_circle((FRAME / 2, FRAME / 2), 8, inks.discs[board.turn], f' class="turn" stroke="{inks.line}"'))
    placed = board.move_stack[-1].square if board.move_stack else None
    if placed is not None:
        drawn.append(_circle(_centre(placed, flipped), CELL * 0.1, inks.marks[board.piece_map()[placed]]))
    if lines:
        drawn.append(arrows(board, lines, flipped=flipped))
    if areas:
        drawn += [square_area(name, *_corner(square, flipped), CELL) for square, name in enumerate(SQUARE_NAMES)]
    return "\n".join([*drawn, "</svg>"]) + "\n"


# ---- The kernels that a Board calls; each takes the address of the Board's memory


ENTRIES: Any = Entries(
    *(board_kernels.push, board_kernels.pop, board_kernels.list_moves, board_kernels.count_legal_moves),
    *(board_kernels.is_legal_code, board_kernels.position_key),
)


PACKED_BYTES = 17

COLORS = (BLACK, WHITE)
UNICODE_CELLS = "●○·"  # in the order of SYMBOLS
STARTING_OBF = notation.START


@functools.cache
def _starting_position() -> Any:
    """Return the record[POSITION] of the start of a game; the caller copies it."""
    return notation.parse_obf(STARTING_OBF)


class Board(KernelBoard[Move]):
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

    _GAME = "othello"
    _BOARD, _UNDO, _KERNELS, _MOVE = BOARD, UNDO, ENTRIES, Move
    _VIEWS = {"_discs_to_move": "pos.own", "_other_discs": "pos.opponent", "_side": "pos.side"}
    _discs_to_move: memoryview
    _other_discs: memoryview
    _side: memoryview

    def __init__(self, obf: str | None = None) -> None:
        self._allocate()
        if obf is None:
            self.reset()
        else:
            self.set_obf(obf)

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

    def set_obf(self, obf: str) -> None:
        """Set the position of an OBF text and clear the move stack; raises ValueError saying what is wrong with it."""
        self._begin(_starting_position() if obf == STARTING_OBF else notation.parse_obf(obf))

    def reset(self) -> None:
        """Reset the board to the starting position."""
        self._begin(_starting_position())

    def obf(self) -> str:
        """Return the position's OBF text: 64 characters X, O and -, a blank, X or O."""
        return f"{self._cells()} {notation.SYMBOLS[self.turn]}"

    position = obf

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
        discs = self._discs(BLACK) | self._discs(WHITE) << SQUARES | self._side[0] << 2 * SQUARES
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
        self._count[0] = 0

    def ply(self) -> int:
        """Return the number of moves on the move stack, passes included."""
        return self._count[0]

    def game_ply(self) -> int:
        """Return how many discs were placed since the start of a usual game."""
        return SQUARES - 4 - self.empties

    def identity(self) -> bytes:
        """Return what tells positions apart: the discs, and the side to move."""
        return self._bytes[: POSITION.itemsize].tobytes()

    def clear(self) -> None:
        """Remove all discs and clear the move stack; black is to move."""
        self._begin(notation.position_of("", BLACK))

    def mirror(self) -> Self:
        """Return a board with the colours exchanged, the side to move included, and an empty move stack."""
        board = type(self)(self.obf())
        board._side[0] ^= 1
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
        return self._side[0]

    @turn.setter
    def turn(self, colour: int) -> None:
        discs = [self.discs(each) for each in COLORS]
        self.discs(colour)
        self._set(discs, colour)

    def _set(self, discs: list[int], turn: int) -> None:
        """Set black's and white's discs and the side to move, and clear the move stack."""
        pos = notation.position_of("", turn)
        pos.own, pos.opponent = discs[turn], discs[1 - turn]
        self._begin(pos)

    def _discs(self, colour: int) -> int:
        """Return the bitboard of a colour's discs."""
        return (self._discs_to_move if colour == self._side[0] else self._other_discs)[0]

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

    def _made(self, first: int) -> list[Move]:
        discs = self._undo["disc"][first : self._count[0]].tolist()
        return [MOVES[DISC_MOVE | disc.bit_length() - 1 if disc else PASS] for disc in discs]

    def _illegal(self, move: Move) -> ValueError:
        return notation.illegal_move(self._pos, move.square)

    def flipped(self, move: Move) -> list[int]:
        """Return the squares of the discs that `move` flips; raises ValueError saying why if it is illegal."""
        return notation.flipped(self._pos, self._checked(Move.from_int(move)))

    def find_move(self, square: int | None) -> Move:
        """Return the legal move to `square`, or the pass for None; raises ValueError saying why not."""
        return self._checked(Move(square))

    def parse_text(self, text: str) -> Move:
        """Return the legal move 'f5' or 'pass', without making it; raises ValueError saying why it is not legal."""
        return self.find_move(notation.split_move(text))

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

    # ---- the end of the game

    def must_pass(self) -> bool:
        """Tell whether the side to move can only pass."""
        return self.is_legal(MOVES[PASS])

    def is_game_over(self) -> bool:
        """Tell whether neither side can place a disc."""
        return not self.legal_moves

    def outcome(self) -> Outcome | None:
        """Return the winner and the discs, None while the game continues."""
        return self._counted() if self.is_game_over() else None

    def score(self) -> int:
        """Return black's discs minus white's; empty squares count for the side that leads, as in a finished game."""
        return self._counted().score or 0

    def _counted(self) -> Outcome:
        """Return the outcome of a game that ends here."""
        black, white = self._discs(BLACK).bit_count(), self._discs(WHITE).bit_count()
        termination = Termination.DISCS if black and white else Termination.WIPE_OUT
        if black == white:
            return Outcome(None, termination, black, white, 0)
        if black > white:
            return Outcome(BLACK, termination, black, white, SQUARES - 2 * white)
        return Outcome(WHITE, termination, black, white, 2 * black - SQUARES)

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
        return svg(self, flipped=flipped, size=size, **options)

    def arrows(self, lines: Sequence[Sequence[str]], *, flipped: bool = False, values: Sequence[str] = ()) -> str:
        """Return SVG that marks lines of moves from here, to be laid over `svg`; see drawing.arrows."""
        return arrows(self, lines, flipped=flipped, values=values)

    def __str__(self) -> str:
        return self.diagram()


# ---- Board: a game of Othello for Python programs, in the style of python-chess; every move is checked


A1, B1, C1, D1, E1, F1, G1, H1 = range(8)
A2, B2, C2, D2, E2, F2, G2, H2 = range(8, 16)
A3, B3, C3, D3, E3, F3, G3, H3 = range(16, 24)
A4, B4, C4, D4, E4, F4, G4, H4 = range(24, 32)
A5, B5, C5, D5, E5, F5, G5, H5 = range(32, 40)
A6, B6, C6, D6, E6, F6, G6, H6 = range(40, 48)
A7, B7, C7, D7, E7, F7, G7, H7 = range(48, 56)
A8, B8, C8, D8, E8, F8, G8, H8 = range(56, 64)

__all__ = [
    "BLACK", "Board", "COLORS", "LegalMoves", "Move", "Outcome", "SQUARES", "SQUARE_NAMES", "STARTING_OBF",
    "UNICODE_CELLS", "WHITE",
]  # fmt: skip
