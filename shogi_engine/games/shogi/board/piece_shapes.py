"""Shapes of Shogi pieces as paths, so that pictures need no font. SETS are the sets of pieces.

They were drawn for this engine. A glyph consists of strokes in a box of 100 by 100. On pieces with letters, marks
around the letter show how the piece moves: a dot for a step, a bar for any distance.
"""

import functools
import json
from importlib.resources import files

from shogi_engine.games.shogi.board.pieces import Piece
from shogi_engine.games.shogi.board.print_strokes import THICK, THIN, printed

SETS = ("kanji", "mincho", "two", "letters")  # one kanji as a pen writes it, as it is printed, two kanji, letters
IVORY, SHADE, INK, PROMOTED_INK = "#fdf0cf", "#a9793c", "#221a10", "#b5141d"
RIM = ' stroke="#9c7440" stroke-width=".8"'
BODY = "M0-22.5L14.2-16.5L18.6 21.5H-18.6L-14.2-16.5Z"  # the outline of a king, centred on 0 0
PRINTED = 1.35  # the size of a name printed without a piece
SCALES = (1.0, 0.86, 0.9, 0.92, 0.95, 0.95, 0.98, 0.98, 1.0, 0.86, 0.9, 0.92, 0.95, 0.98, 0.98)  # by kind

_GLYPHS = json.loads(files("shogi_engine.games.shogi.board").joinpath("glyphs.json").read_text(encoding="utf-8"))
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
