"""A Shogi position drawn: as letters, as KIF files do, and as SVG. Only Board's public interface is used."""

import functools
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from shogi_engine.games.shogi.board.pieces import (
    COLORS,
    NUMBER_JAPANESE_KANJI_SYMBOLS,
    NUMBER_JAPANESE_NUMBER_SYMBOLS,
    PIECE_JAPANESE_SYMBOLS,
    SQUARES,
    Move,
    Piece,
)
from shogi_engine.games.shogi.sfen import code_of_usi
from shogi_engine.games.shogi.types import BLACK, DROP_BASE, HAND_ORDER, RANKS, SIDES, SQUARE_NAMES, SYMBOLS, WHITE
from shogi_engine.games.svg import BOOK, COLOUR, arrow, kinds_of_lines, ring, square_area

# ---- Strokes as printed kanji have them: thin horizontals that end in a triangle, thick verticals, tapered curves


THIN, THICK = 5.5, 11.0  # widths of the strokes, in a box of 100 by 100
FALLS = (1.25, 0.35)  # the share of THICK at the beginning and at the end of a stroke that falls to the left
SWEEPS = (0.4, 1.3)  # and of one that sweeps to the right
POINTS = 5  # of a curve
SERIF = 9.0  # the size of the triangle
LEAST = 24.0  # the shortest stroke that gets one

Point = tuple[float, float]


def printed(strokes: str) -> tuple[str, str, str]:
    """Return strokes as (thin lines, thick lines, filled areas).

    Args:
        strokes: a path of the commands M, L, H, V, Q and Z, all absolute
    """
    thin, thick, filled = [], [], []
    pieces = _segments(strokes)
    for number, points in enumerate(pieces):
        (x0, y0), (x1, y1) = points[0], points[-1]
        if len(points) == 3:
            filled.append(_tapered(points, *(FALLS if x1 < x0 else SWEEPS)))
        elif abs(y1 - y0) <= 0.3 * abs(x1 - x0):
            thin.append(f"M{x0:g} {y0:g}L{x1:g} {y1:g}")
            ends = number + 1 == len(pieces) or pieces[number + 1][0] != points[-1]
            if ends and abs(x1 - x0) >= LEAST:
                x, y = max(points)
                filled.append(f"M{x - SERIF:g} {y:g}L{x - 1:g} {y - SERIF:g}L{x + 2:g} {y + 1.5:g}Z")
        else:
            thick.append(f"M{x0:g} {y0:g}L{x1:g} {y1:g}")
    return "".join(thin), "".join(thick), "".join(filled)


def _segments(strokes: str) -> list[list[Point]]:
    """Return the segments of a path: two points of a line, three of a curve."""
    found: list[list[Point]] = []
    at = start = (0.0, 0.0)
    for command, text in re.findall(r"([MLHVQZ])([^MLHVQZ]*)", strokes):
        numbers = [float(each) for each in re.findall(r"-?[0-9.]+", text)]
        if command == "H":
            points = [(x, at[1]) for x in numbers]
        elif command == "V":
            points = [(at[0], y) for y in numbers]
        elif command == "Z":
            points = [start]
        else:
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "M":
            at = start = points.pop(0)
        size = 2 if command == "Q" else 1
        for first in range(0, len(points), size):
            found.append([at, *points[first : first + size]])
            at = points[first + size - 1]
    return found


def _tapered(curve: list[Point], begin: float, end: float) -> str:
    """Return the area of a curve whose width goes from `begin` to `end`, in shares of THICK."""
    left, right = [], []
    for step in range(POINTS):
        t = step / (POINTS - 1)
        weights = (1 - t) ** 2, 2 * t * (1 - t), t * t
        slopes = t - 1, 1 - 2 * t, t
        (x, y), (dx, dy) = (
            tuple(sum(share * point[axis] for share, point in zip(shares, curve, strict=True)) for axis in (0, 1))
            for shares in (weights, slopes)
        )
        half = THICK * (begin + (end - begin) * t) / 2 / (math.hypot(dx, dy) or 1)
        left.append(f"{x - dy * half:.0f} {y + dx * half:.0f}")
        right.append(f"{x + dy * half:.0f} {y - dx * half:.0f}")
    return f"M{'L'.join(left + right[::-1])}Z"


# ---- Shapes of Shogi pieces as paths, so that pictures need no font. SETS are the sets of pieces
#
# They were drawn for this engine. A glyph consists of strokes in a box of 100 by 100. On pieces with letters, marks
# around the letter show how the piece moves: a dot for a step, a bar for any distance.


SETS = ("kanji", "mincho", "two", "letters")  # one kanji as a pen writes it, as it is printed, two kanji, letters
IVORY, SHADE, INK, PROMOTED_INK = "#fdf0cf", "#a9793c", "#221a10", "#b5141d"
RIM = ' stroke="#9c7440" stroke-width=".8"'
BODY = "M0-22.5L14.2-16.5L18.6 21.5H-18.6L-14.2-16.5Z"  # the outline of a king, centred on 0 0
PRINTED = 1.35  # the size of a name printed without a piece
SCALES = (1.0, 0.86, 0.9, 0.92, 0.95, 0.95, 0.98, 0.98, 1.0, 0.86, 0.9, 0.92, 0.95, 0.98, 0.98)  # by kind

_GLYPHS = json.loads(Path(__file__).with_name("glyphs.json").read_text(encoding="utf-8"))
KANJI: dict[str, str] = _GLYPHS["kanji"]
LETTERS: dict[str, str] = _GLYPHS["letters"]
FINE = frozenset("銀飛馬桂竜香")  # drawn with thinner strokes
TWO = {
    "P": "歩兵", "L": "香車", "N": "桂馬", "S": "銀将", "G": "金将", "B": "角行", "R": "飛車",
    "+P": "と金", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "竜馬", "+R": "竜王",
}  # fmt: skip
# The moves of black's pieces, x to the right and y down: steps, and directions of any distance.
_GOLD = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1))
_RIGHT, _ACROSS = ((0, -1), (-1, 0), (1, 0), (0, 1)), ((-1, -1), (1, -1), (-1, 1), (1, 1))
_STEPS = {
    "P": ((0, -1),), "N": ((-1, -2), (1, -2)), "S": (*_ACROSS, (0, -1)), "G": _GOLD, "K": (*_RIGHT, *_ACROSS),
    "+P": _GOLD, "+L": _GOLD, "+N": _GOLD, "+S": _GOLD, "+B": _RIGHT, "+R": _ACROSS,
}  # fmt: skip
_SLIDES = {"L": ((0, -1),), "B": _ACROSS, "R": _RIGHT, "+B": _ACROSS, "+R": _RIGHT}


def glyph(strokes: str, x: float, y: float, size: float, ink: str, width: float) -> str:
    """Return strokes as SVG with their box's middle at (x, y).

    Args:
        width: the width of the strokes
    """
    scale = size / 100
    return (
        f'<path transform="translate({x:g} {y:g}) scale({scale:g}) translate(-50 -50)" d="{strokes}" fill="none" '
        f'stroke="{ink}" stroke-width="{width:g}" stroke-linejoin="round"/>'
    )


@functools.cache
def _kanji(symbol: str, ink: str) -> str:
    """Return the kanji of a piece with its middle at 0 0."""
    name = {"龍": "竜"}.get(symbol, symbol)
    return glyph(KANJI[name], 0, 2.5, 29.5, ink, 8 if name in FINE else 9.5)


@functools.cache
def _print(symbol: str, ink: str) -> str:
    """Return the kanji of a piece as it is printed, with its middle at 0 0."""
    thin, thick, filled = printed(KANJI[{"龍": "竜"}.get(symbol, symbol)])
    share = 0.8 if symbol in FINE else 1
    lines = "".join(
        f'<path d="{path}" stroke="{ink}" stroke-width="{share * width:g}"/>'
        for path, width in ((thin, THIN), (thick, THICK))
        if path
    )
    areas = f'<path d="{filled}" fill="{ink}"/>' if filled else ""
    return f'<g transform="translate(0 2.5) scale(.3) translate(-50 -50)">{lines}{areas}</g>'


@functools.cache
def _two(symbol: str, king: str, ink: str) -> str:
    """Return the two kanji of a piece, one above the other."""
    upper, lower = tuple(TWO.get(symbol, f"{king}将"))
    return "".join(
        f'<path transform="translate(0 {y:g}) scale(.{share} .168) translate(-50 -50)" d="{KANJI[name]}" fill="none" '
        f'stroke="{ink}" stroke-width="{9 if name in FINE else 10.5:g}"/>'
        for name, y, share in ((upper, -7.2, 20), (lower, 11.2, 22))
    )


@functools.cache
def _letter(symbol: str, ink: str) -> str:
    """Return the letter of a piece with its middle at 0 0, and marks that show how it moves."""
    dots = "".join(
        f'<circle cx="{x * 10.5:g}" cy="{2.5 + (y * 13.5 if abs(y) < 2 else -17):g}" r="1.7" fill="{ink}"/>'
        for x, y in _STEPS.get(symbol, ())
    )
    bars = "".join(
        f"M{x * 8.5:g} {2.5 + y * 11.5:g}L{x * 12.5:g} {2.5 + y * 16.5:g}" for x, y in _SLIDES.get(symbol, ())
    )
    slides = f'<path d="{bars}" stroke="{ink}" stroke-width="2.4"/>' if bars else ""
    return glyph(LETTERS[symbol[-1]], 0, 2.5, 15, ink, 13) + dots + slides


def _name(piece: Piece, pieces: str, ink: str, white_king: str = "王") -> str:
    """Return what is written on a piece of a set."""
    symbol = piece.symbol().upper()
    king = white_king if piece.color and symbol == "K" else piece.japanese_symbol()
    if pieces == "two":
        return _two(symbol, king, ink)
    return {"kanji": _kanji, "mincho": _print}[pieces](king, ink) if pieces != "letters" else _letter(symbol, ink)


def piece_shape(piece: Piece, pieces: str = "kanji", turned: bool = False) -> str:
    """Return a piece of a set as SVG with its middle at 0 0: a pentagon with its name; lesser pieces are smaller."""
    name = _name(piece, pieces, PROMOTED_INK if piece.is_promoted() else INK)
    scale = SCALES[piece.piece_type]
    return (
        f'<path d="{BODY}" fill="{SHADE}" transform="translate(0 1.8) scale({-scale if turned else scale:g})"/>'
        f'<g transform="scale({-scale if turned else scale:g})"><path d="{BODY}" fill="{IVORY}"{RIM}/>{name}</g>'
    )


def printed_shape(piece: Piece, pieces: str = "kanji", turned: bool = False) -> str:
    """Return a piece as books print it, with its middle at 0 0: its name in black, all of one size.

    Both kings are 玉. A promoted piece, which has the letter of the piece below it, has a ring around the letter.
    """
    name, scale = _name(piece, pieces, "#000", "玉"), -PRINTED if turned else PRINTED
    if pieces == "letters" and piece.is_promoted():
        name += '<circle cy="2.5" r="9.5" fill="none" stroke="#000" stroke-width="1.2"/>'
    return f'<g transform="scale({scale:g}) translate(0 -2.5)">{name}</g>'


KIF_FILES = " ".join(NUMBER_JAPANESE_NUMBER_SYMBOLS[9:0:-1])
KIF_FRAME = f"+{'-' * 27}+"
KIF_HANDS = ("先手の持駒：", "後手の持駒：")

# SVG: the unit is a pixel of the unscaled picture. Each hand lies next to its owner.
CELL, FRAME, HAND, GAP = 50, 24, 60, 10
BOARD_SIZE = 9 * CELL
HAND_PITCH = 47  # distance between two kinds in a hand
HAND_ASIDE = 6.5  # from a place in the hand to the piece, which makes room for their number next to its head
HAND_LEAST = 3  # minimum number of places of a hand's stand: the owner's mark and some kinds
NARROW_FRAME = 14  # on narrow screens
WOOD, EDGE = "#f3d5a0", "#b98a4a"


class _Style(NamedTuple):
    """The inks of lines, a square of the last move, that of a king in check ('': not marked); sizes of numbers."""

    line: str
    mark: str
    danger: str
    coordinate: int
    held: int


STYLES = {COLOUR: _Style("#5b4523", "#e8b04b", "#e58a6f", 12, 15), BOOK: _Style("#000", "#ccc", "", 17, 20)}


class _Pieces(Protocol):
    """The part of a BaseBoard that a drawing in letters reads."""

    @property
    def turn(self) -> int: ...

    @property
    def pieces_in_hand(self) -> Sequence[Mapping[int, int]]: ...

    def piece_at(self, square: int) -> Piece | None: ...


class _Drawable(_Pieces, Protocol):
    """The part of a Board that a picture reads."""

    @property
    def king_squares(self) -> Sequence[int | None]: ...

    @property
    def move_stack(self) -> Sequence[Move]: ...

    def piece_map(self) -> Mapping[int, Piece]: ...

    def peek(self) -> Move: ...

    def is_check(self) -> bool: ...

    def is_valid(self) -> bool: ...

    def sfen(self) -> str: ...


# ---- text --------------------------------------------------------------------------------------------------------


def rows_of(cells: list[str]) -> list[str]:
    """Return the nine rows of 81 cells, each joined."""
    return ["".join(cells[start : start + 9]) for start in range(0, 81, 9)]


def letters(board: _Pieces) -> str:
    """Return nine rows of SFEN symbols, '.' where empty, and below them the hands if there are any ('P*2')."""
    cells = [f"{str(board.piece_at(square) or '.'):>2}" for square in SQUARES]
    rows = [" ".join(cells[start : start + 9]) for start in range(0, 81, 9)]
    held = "".join(
        f" {Piece(kind, color)}*{hand[kind]}"
        for color, hand in zip(COLORS, board.pieces_in_hand, strict=True)
        for kind in HAND_ORDER
        if hand[kind]
    )
    return "\n".join([*rows, "", held] if held else rows)


def _between_hands(board: _Pieces, header: str, rows: list[str], names: tuple[str, ...]) -> str:
    """Return the rows, lettered, between white's hand and black's, and the side to move."""
    hands = []
    for hand in board.pieces_in_hand:
        held = (names[kind] + (str(hand[kind]) if hand[kind] > 1 else "") for kind in HAND_ORDER if hand[kind])
        hands.append(" ".join(held) or "-")
    lettered = [f"{row} {rank}" for row, rank in zip(rows, RANKS, strict=True)]
    side = f"{SIDES[board.turn]} to move"
    return "\n".join([f"white: {hands[WHITE]}", header, *lettered, f"black: {hands[BLACK]}", side])


def diagram(board: _Pieces) -> str:
    """Return the board in SFEN symbols with coordinates, both hands, and the side to move."""
    cells = [f"{str(board.piece_at(square) or '.'):>3}" for square in SQUARES]
    return _between_hands(board, "".join(f"{file:>3}" for file in range(9, 0, -1)), rows_of(cells), SYMBOLS)


def _kanji_cells(board: _Pieces) -> list[str]:
    pieces = (board.piece_at(square) for square in SQUARES)
    return [piece.japanese_symbol_with_direction() if piece else " ・" for piece in pieces]


def unicode(board: _Pieces) -> str:
    """Return the diagram with one-character Japanese names; 'v' precedes white's pieces."""
    header = "".join(f" {digit}" for digit in NUMBER_JAPANESE_NUMBER_SYMBOLS[9:0:-1])
    return _between_hands(board, header, rows_of(_kanji_cells(board)), PIECE_JAPANESE_SYMBOLS)


def kif_hand(board: _Pieces, color: int) -> str:
    """Return a hand as KIF files write it: '先手の持駒：　飛　歩三'."""
    hand = board.pieces_in_hand[color]
    held = [
        f"　{PIECE_JAPANESE_SYMBOLS[kind]}{NUMBER_JAPANESE_KANJI_SYMBOLS[hand[kind]] if hand[kind] > 1 else ''}"
        for kind in HAND_ORDER
        if hand[kind]
    ]
    return KIF_HANDS[color] + "".join(held)


def kif(board: _Pieces) -> str:
    """Return the board as KIF files draw it, between white's hand and black's."""
    rows = rows_of(_kanji_cells(board))
    ranks = NUMBER_JAPANESE_KANJI_SYMBOLS[1:10]
    framed = [f"|{row}|{rank}" for row, rank in zip(rows, ranks, strict=True)]
    files = f"  {KIF_FILES}"
    return "\n".join([kif_hand(board, WHITE), files, KIF_FRAME, *framed, KIF_FRAME, kif_hand(board, BLACK)])


# ---- SVG ---------------------------------------------------------------------------------------------------------


class _Places:
    """The coordinates of the parts of a picture.

    Args:
        flipped: seen from white's side
        stacked: put the hands above and below the board, for narrow screens
        style: one of STYLES
    """

    def __init__(self, flipped: bool, stacked: bool, style: str = COLOUR) -> None:
        self.flipped, self.stacked = flipped, stacked
        self.style, self.of_wood = STYLES[style], style == COLOUR
        beside = float(FRAME + HAND + GAP)
        self.frame = NARROW_FRAME if stacked else FRAME
        self.left: float
        self.top: float
        self.left, self.top = (float(NARROW_FRAME), HAND + GAP + NARROW_FRAME) if stacked else (beside, float(FRAME))
        if stacked:
            self.width, self.height = BOARD_SIZE + 2 * NARROW_FRAME, BOARD_SIZE + 2 * (NARROW_FRAME + HAND + GAP)
        else:
            self.width, self.height = BOARD_SIZE + 2 * (FRAME + HAND + GAP), BOARD_SIZE + 2 * FRAME

    def corner(self, square: int) -> tuple[float, float]:
        """Return the upper left corner of a square."""
        square = 80 - square if self.flipped else square
        rank, file = divmod(square, 9)
        return self.left + CELL * file, self.top + CELL * rank

    def middle(self, square: int) -> tuple[float, float]:
        """Return the middle of a square."""
        x, y = self.corner(square)
        return x + CELL / 2, y + CELL / 2

    def is_near(self, color: int) -> bool:
        """Tell whether a side's hand is the lower one and its pieces point upwards."""
        return (color == BLACK) != self.flipped

    def held(self, color: int, number: int, count: int) -> tuple[float, float]:
        """Return the middle of place `number` in a hand that shows `count` things; place 0 is the owner's mark."""
        along = HAND_PITCH * (max(count, HAND_LEAST) - number - 0.5) + GAP
        x, y = (
            (self.width - along, self.height - HAND / 2)
            if self.stacked
            else (self.width - HAND / 2, self.height - along)
        )
        return (x, y) if self.is_near(color) else (self.width - x, self.height - y)

    def stand(self, color: int, count: int) -> tuple[float, float, float, float]:
        """Return x, y, width and height of the stand of a hand that shows `count` things."""
        near, long = self.is_near(color), HAND_PITCH * max(count, HAND_LEAST) + 2 * GAP
        if self.stacked:
            return (self.width - long if near else 0), (self.height - HAND if near else 0), long, HAND
        return (self.width - HAND if near else 0), (self.height - long if near else 0), HAND, long


def _text(x: float, y: float, size: float, content: str, ink: str) -> str:
    """Return SVG text centred on (x, y). Use only digits and small letters, which every font has."""
    return f'<text x="{x:g}" y="{y:g}" dy=".36em" font-size="{size:g}" fill="{ink}">{content}</text>'


@functools.cache
def _shape(color: int, kind: int, turned: bool, pieces: str, of_wood: bool) -> tuple[str, str]:
    """Return a piece's letter, and its picture with its middle at 0 0."""
    piece = Piece(kind, color)
    return str(piece), piece_shape(piece, pieces, turned) if of_wood else printed_shape(piece, pieces, turned)


def _piece(x: float, y: float, shape: str) -> str:
    """Return a piece at its place on the board."""
    return f'<g transform="translate({x:g} {y:g})">{shape}</g>'


@functools.lru_cache(maxsize=64)
def _surface(x: float, y: float, width: float, height: float) -> str:
    """Return a piece of wood with its grain: long, nearly straight lines, the same in every picture."""
    lines, at, number = [], 3.0, int(x + y)
    while at < width - 2:
        bend = 3 * math.sin(0.9 * number)
        lines.append(f"M{x + at:.1f} {y + 1:g}q{bend:.1f} {height / 3:.0f} 0 {height / 2:.0f}t0 {height / 2 - 2:.0f}")
        at += 5 + 3.5 * math.sin(2.3 * number) + 1.8 * math.sin(0.7 * number)
        number += 1
    return (
        f'<rect class="wood" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" fill="{WOOD}" '
        f'stroke="{EDGE}"/><path class="grain" d="{"".join(lines)}" fill="none" stroke="{EDGE}" stroke-width="1.3" '
        'stroke-opacity=".17"/>'
    )


def _cell(square: int, fill: str, places: _Places) -> str:
    """Return an SVG square in another colour."""
    x, y = places.corner(square)
    return f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" fill="{fill}"/>'


@functools.cache
def _grid(flipped: bool, stacked: bool, style: str) -> list[str]:
    """Return the board's lines and its four dots."""
    places = _Places(flipped, stacked, style)
    left, top, ink = places.left, places.top, places.style.line
    across = "".join(f"M{left:g} {top + CELL * line:g}h{BOARD_SIZE}" for line in range(10))
    down = "".join(f"M{left + CELL * line:g} {top:g}v{BOARD_SIZE}" for line in range(10))
    dots = [
        f'<circle cx="{left + CELL * x:g}" cy="{top + CELL * y:g}" r="3.5" fill="{ink}"/>'
        for x in (3, 6)
        for y in (3, 6)
    ]
    if not places.of_wood:
        dots.append(
            f'<rect x="{left:g}" y="{top:g}" width="{BOARD_SIZE}" height="{BOARD_SIZE}" fill="none" stroke="{ink}" '
            'stroke-width="3"/>'
        )
    return [f'<path d="{across}{down}" stroke="{ink}" fill="none"/>', *dots]


@functools.cache
def _coordinates(flipped: bool, stacked: bool, style: str, letters: bool) -> list[str]:
    """Return the files' numbers above the board and the ranks' on its right."""
    places, drawn = _Places(flipped, stacked, style), []
    ink, size = places.style.line, places.style.coordinate
    for line in range(9):
        file, rank = (line + 1, 9 - line) if places.flipped else (9 - line, line + 1)
        middle = CELL * (line + 0.5)
        drawn.append(_text(places.left + middle, places.top - places.frame / 2, size, str(file), ink))
        x, y = places.left + BOARD_SIZE + places.frame / 2, places.top + middle
        name = KANJI[NUMBER_JAPANESE_KANJI_SYMBOLS[rank]]
        drawn.append(_text(x, y, size, RANKS[rank - 1], ink) if letters else glyph(name, x, y, size - 2, ink, 11))
    return drawn


def _hand(board: _Drawable, color: int, places: _Places, pieces: str) -> list[str]:
    """Return one side's mark and hand, starting from its own edge of the board."""
    hand, turned, ink = board.pieces_in_hand[color], not places.is_near(color), places.style.line
    held = [kind for kind in HAND_ORDER if hand[kind]]
    x, y = places.held(color, 0, len(held) + 1)
    turn = " rotate(180)" if turned else ""
    mark = f'<path d="{BODY}" transform="translate({x:g} {y:g}) scale(.5){turn}" fill="{(ink, "none")[color]}" '
    aside = -HAND_ASIDE if turned else HAND_ASIDE
    drawn = [f'{mark}stroke="{ink}" stroke-width="2.6"/>']
    if places.of_wood:
        drawn.insert(0, _surface(*places.stand(color, len(held) + 1)))
    elif board.turn == color:
        drawn.append(f'<circle class="turn" cx="{x + 3 * aside:g}" cy="{y:g}" r="4" fill="{ink}"/>')
    if not held and not places.of_wood and pieces != "letters":
        scale = f"scale({-1 if turned else 1})"
        for number, name in enumerate("なし", 1):
            drawn.append(_piece(*places.held(color, number, 1), f'<g transform="{scale}">{_kanji(name, ink)}</g>'))
    for number, kind in enumerate(held, 1):
        x, y = places.held(color, number, len(held) + 1)
        name, shape = _shape(color, kind, turned, pieces, places.of_wood)
        drawn.append(
            f'<g class="piece held" data-square="{SYMBOLS[kind]}*" data-piece="{name}" data-side="{SIDES[color]}">'
            f"{_piece(x - aside, y, shape)}</g>"
        )
        if hand[kind] > 1:
            drawn.append(_text(x + 3 * aside, y - 1.6 * aside, places.style.held, str(hand[kind]), INK))
    return drawn


@functools.cache
def _square_areas(flipped: bool, stacked: bool) -> str:
    """Return the areas of the squares that receive clicks."""
    places = _Places(flipped, stacked)
    return "\n".join(square_area(SQUARE_NAMES[square], *places.corner(square), CELL) for square in SQUARES)


def _areas(hands: Sequence[Mapping[int, int]], places: _Places) -> list[str]:
    """Return the areas that receive clicks: every square, and every kind in hand."""
    areas = [_square_areas(places.flipped, places.stacked)]
    for color, hand in zip(COLORS, hands, strict=True):
        held = [kind for kind in HAND_ORDER if hand[kind]]
        for number, kind in enumerate(held, 1):
            x, y = places.held(color, number, len(held) + 1)
            area = square_area(f"{SYMBOLS[kind]}*", x - HAND_PITCH / 2, y - HAND_PITCH / 2, HAND_PITCH)
            areas.append(area.replace("<rect ", f'<rect data-side="{SIDES[color]}" '))
    return areas


def _arrow(board: _Drawable, move: str, kind: str, ply: int, places: _Places) -> str:
    """Return the arrow of a move. The arrow of a drop starts at the hand if the piece is there now."""
    code = code_of_usi(move)
    source, end = code >> 7 & 127, places.middle(code & 127)
    if source < DROP_BASE:
        return arrow(places.middle(source), end, kind)
    dropped, color = source - DROP_BASE, (board.turn + ply) % 2
    held = [each for each in HAND_ORDER if board.pieces_in_hand[color][each]]
    if dropped not in held:
        return ring(end, CELL * 0.42, kind)
    return arrow(places.held(color, held.index(dropped) + 1, len(held) + 1), end, kind)


def arrows(board: _Drawable, lines: Sequence[Sequence[str]], *, flipped: bool = False, stacked: bool = False) -> str:
    """Return the arrows of lines of moves (USI) from here, to be laid over `svg` with the same options.

    The best line comes first. Several of its moves are drawn, but only the first move of each other line.
    """
    places = _Places(flipped, stacked)
    drawn = [_arrow(board, move, kind, ply, places) for move, kind, ply in kinds_of_lines(lines)]
    return f'<g class="arrows" pointer-events="none">{"".join(drawn)}</g>'


def svg(
    board: _Drawable,
    *,
    flipped: bool = False,
    size: int | None = None,
    pieces: str = "kanji",
    stacked: bool = False,
    areas: bool = False,
    lines: Sequence[Sequence[str]] = (),
    style: str = COLOUR,
    letters: bool = False,
) -> str:
    """Return the position as an SVG image: kanji pieces, white's upside down, promoted ones red, hands at the sides.

    No special font is needed: everything but digits is drawn as paths. The squares of the last move and of a king in
    check are coloured.

    The style `book` is that of diagrams in books: black on white paper, kanji without pieces of wood, the last move's
    square grey, a dot at the mark of the side to move, なし for an empty hand.

    Args:
        flipped: show it from white's side
        size: the width in pixels, None for the picture's own
        pieces: the set of pieces, one of piece_shapes.SETS; on those with letters marks show how they move
        stacked: hands above and below the board, for narrow screens
        areas: add squares that receive clicks, on top
        lines: lines of moves (USI), drawn as by `arrows`
        style: one of STYLES
        letters: name the ranks a to i, as English names of squares do; pieces with letters have them anyway
    """
    places = _Places(flipped, stacked, style)
    width = places.width if size is None else size
    side, frame = BOARD_SIZE + 2 * places.frame, places.frame
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {places.width:g} {places.height:g}" width="{width:g}" '
        f'height="{width * places.height / places.width:g}">',
        f"<title>{board.sfen()}</title>",
        _surface(places.left - frame, places.top - frame, side, side)
        if places.of_wood
        else f'<rect class="paper" width="{places.width:g}" height="{places.height:g}" fill="#fff"/>',
    ]
    if board.move_stack:
        last = board.peek()
        marked = [last.to_square]
        if last.from_square is not None and places.of_wood:
            marked.insert(0, last.from_square)
        drawn += [_cell(square, places.style.mark, places) for square in marked]
    king = board.king_squares[board.turn]
    if places.style.danger and king is not None and board.is_valid() and board.is_check():
        drawn.append(_cell(king, places.style.danger, places))
    drawn += _grid(flipped, stacked, style)
    drawn.append('<g font-family="sans-serif" text-anchor="middle">')
    drawn += _coordinates(flipped, stacked, style, letters or pieces == "letters")
    for square, piece in board.piece_map().items():
        turned = not places.is_near(piece.color)
        name, shape = _shape(piece.color, piece.piece_type, turned, pieces, places.of_wood)
        drawn.append(
            f'<g class="piece" data-square="{SQUARE_NAMES[square]}" data-piece="{name}">'
            f"{_piece(*places.middle(square), shape)}</g>"
        )
    for color in COLORS:
        drawn += _hand(board, color, places, pieces)
    drawn.append("</g>")
    if lines:
        drawn.append(arrows(board, lines, flipped=flipped, stacked=stacked))
    if areas:
        drawn += _areas(board.pieces_in_hand, places)
    return "\n".join([*drawn, "</svg>"]) + "\n"
