"""Shapes of Shogi pieces as paths, so that pictures need no font. SETS are the sets of pieces.

They were drawn for this engine. A glyph consists of strokes in a box of 100 by 100. On pieces with letters, marks
around the letter show how the piece moves: a dot for a step, a bar for any distance.
"""

import functools

from shogi_engine.games.shogi.board.pieces import Piece
from shogi_engine.games.shogi.board.print_strokes import THICK, THIN, printed

SETS = ("kanji", "mincho", "two", "letters")  # one kanji as a pen writes it, as it is printed, two kanji, letters
IVORY, SHADE, INK, PROMOTED_INK = "#fdf0cf", "#a9793c", "#221a10", "#b5141d"
RIM = ' stroke="#9c7440" stroke-width=".8"'
BODY = "M0-22.5L14.2-16.5L18.6 21.5H-18.6L-14.2-16.5Z"  # the outline of a king, centred on 0 0
PRINTED = 1.35  # the size of a name printed without a piece
SCALES = (1.0, 0.86, 0.9, 0.92, 0.95, 0.95, 0.98, 0.98, 1.0, 0.86, 0.9, 0.92, 0.95, 0.98, 0.98)  # by kind

KANJI = {
    "歩": (
        "M50 5V42M50 22H76M26 18V42M7 42H93M50 48V72Q50 79 39 76M29 54Q24 65 12 72M69 53Q80 61 88 71M78 66Q60 90 16 96"
    ),
    "香": "M68 5Q48 12 26 14M8 28H92M50 11V52M47 30Q34 46 8 55M53 30Q66 46 92 55M27 60H73V96H27ZM27 78H73",
    "桂": "M4 30H42M23 5V96M22 34Q16 58 4 70M26 38Q34 48 41 58M50 20H92M71 5V44M45 44H97M50 66H92M71 50V92M43 92H98",
    "銀": (
        "M27 5Q18 22 3 34M28 5Q38 16 50 28M14 38H42M7 54H48M28 38V88M13 64L19 80M43 63L37 79M4 92L50 84"
        "M58 10H90V50H58M58 30H90M59 10V90L78 82M95 56L78 68M68 50Q76 80 97 94"
    ),
    "金": "M50 4Q34 30 5 44M50 4Q66 30 95 44M28 45H72M14 64H86M50 45V92M27 71L35 86M73 71L65 86M7 93H93",
    "角": "M38 4Q30 20 10 32M36 15H66L54 31M25 32H80V84Q80 95 64 93M25 32V62Q24 84 8 96M25 50H80M25 68H80M53 32V90",
    "飛": (
        "M8 11H64Q67 49 92 48L97 35M91 7L79 20M76 22L95 35M36 19Q24 30 5 36M23 30V64Q21 84 5 96"
        "M5 57H64Q67 95 92 94L97 81M48 20V98M91 54L79 67M76 69L95 82"
    ),
    "玉": "M11 13H89M50 13V90M17 50H83M5 91H95M65 62L82 80",
    "王": "M11 12H89M50 12V91M17 50H83M5 91H95",
    "と": "M34 6Q37 30 45 46M84 30Q19 46 19 73Q19 93 50 93Q72 93 88 87",
    "杏": "M8 22H92M50 4V58M47 25Q32 46 6 56M53 25Q68 46 94 56M25 64H75V96H25Z",
    "圭": "M21 20H79M50 4V46M9 46H91M19 67H81M50 50V94M6 94H94",
    "全": "M50 4Q34 30 5 43M50 4Q66 30 95 43M26 50H74M50 50V93M22 71H78M8 93H92",
    "馬": (
        "M17 8H90M17 8V58H94Q93 94 82 94H68M17 25H84M17 42H84M54 8V58"
        "M13 68Q12 82 4 93M31 70L36 88M51 70L58 87M69 67L79 81"
    ),
    "竜": (
        "M50 3V16M17 18H83M33 25L38 37M67 25L62 37M7 41H93M23 51H77V77H23ZM23 64H77M50 43V84Q50 94 62 94H84Q92 94 92 81"
    ),
    "将": (
        "M22 4V97M8 22L16 38M4 66L22 52M88 6Q68 12 42 14M44 24L50 37M63 22L66 35M88 20L78 37"
        "M38 54H98M78 42V88Q78 97 64 94M50 66L60 79"
    ),
    "車": "M12 14H88M22 28H78V66H22ZM22 47H78M6 81H94M50 4V98",
    "行": "M30 4Q20 16 6 24M34 26Q22 42 5 52M22 44V97M46 16H92M42 44H97M74 44V86Q74 96 58 93",
    "兵": "M82 5Q58 14 26 15V56M26 36H88M62 36V56M5 57H95M34 68Q26 84 8 95M66 68Q78 82 93 94",
    "成": (
        "M16 24H92M16 24Q18 66 5 94M16 48H46Q46 76 40 81Q36 84 28 80"
        "M60 4Q62 60 94 92L97 76M84 40Q74 68 48 90M74 5L88 14"
    ),
    "一": "M8 50H92",
    "二": "M20 22H80M7 80H93",
    "三": "M15 14H85M22 48H78M7 84H93",
    "四": "M13 16H87V88H13ZM40 16Q41 46 25 64M60 16V52Q60 61 74 61H86",
    "五": "M13 13H87M46 13L35 88M20 46H74V88M5 89H95",
    "六": "M50 5V26M7 34H93M36 48Q30 72 9 94M64 48Q74 72 92 94",
    "七": "M6 46L94 34M42 6V76Q42 90 58 90H86L90 73",
    "八": "M38 20Q32 62 6 92M58 12Q66 62 95 92",
    "九": "M8 32H70V74Q70 91 82 91Q93 91 95 72M43 5Q46 70 7 94",
}
FINE = frozenset("銀飛馬桂竜香")  # drawn with thinner strokes
TWO = {
    "P": "歩兵", "L": "香車", "N": "桂馬", "S": "銀将", "G": "金将", "B": "角行", "R": "飛車",
    "+P": "と金", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "竜馬", "+R": "竜王",
}  # fmt: skip
LETTERS = {
    "P": "M28 94V6H56Q80 6 80 31Q80 56 56 56H28",
    "L": "M30 6V94H80",
    "N": "M22 94V6L78 94V6",
    "S": "M78 22Q71 6 50 6Q24 6 24 28Q24 46 50 50Q78 54 78 73Q78 94 50 94Q26 94 20 76",
    "G": "M80 26Q72 6 50 6Q18 6 18 50Q18 94 50 94Q78 94 80 66V54H54",
    "B": "M26 6V94H54Q82 94 82 71Q82 50 54 50H26M54 50Q76 50 76 28Q76 6 52 6H26",
    "R": "M26 94V6H54Q80 6 80 30Q80 54 54 54H26M54 54L82 94",
    "K": "M24 6V94M78 6L26 58M42 44L82 94",
}
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
