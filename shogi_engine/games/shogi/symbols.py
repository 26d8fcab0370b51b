"""The names of squares, ranks, pieces and colours in SFEN, USI and messages."""

import functools

from shogi_engine.games.shogi.types import PROMOTED, WHITE, piece_colour, piece_kind
from shogi_engine.language import Message

SYMBOLS = ("", "P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R")  # by kind, black's
KIND_NAMES = ("", "pawn", "lance", "knight", "silver", "gold", "bishop", "rook", "king")
SIDES = ("black", "white")
RANKS = "abcdefghi"
SQUARE_NAMES = tuple(f"{file}{rank}" for rank in RANKS for file in range(9, 0, -1))
HAND_ORDER = (7, 6, 5, 4, 3, 2, 1)  # rook first, as SFEN writes hands

# Japanese names by kind: one character each, and the longer ones of KIF and KI2; then digits by value.
KANJI_PIECES = tuple(" 歩香桂銀金角飛玉と杏圭全馬龍")
KANJI_NAMES = tuple({"杏": "成香", "圭": "成桂", "全": "成銀"}.get(name, name) for name in KANJI_PIECES)
WIDE_DIGITS = tuple("０１２３４５６７８９")
KANJI_NUMBERS = (*"零一二三四五六七八九十", *(f"十{unit}" for unit in "一二三四五六七八"))
SIDE_MARKS = "▲△"  # by side, as they are written; those that are read:
SIDES_BY_MARK = {"▲": 0, "☗": 0, "▼": 0, "△": 1, "☖": 1, "▽": 1}
PROMOTED_NAMES = ("tokin", "promoted lance", "promoted knight", "promoted silver", "horse", "dragon")
PIECE_NAMES = {"en": (*KIND_NAMES, *PROMOTED_NAMES), "ja": KANJI_NAMES}  # by language and kind
CSA_PIECES = ("", "FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY")  # by kind

PROMOTED_KINDS = PROMOTED.tolist()  # by kind, for Python: 0 if it does not promote

KINDS_BY_SYMBOL = {symbol: kind for kind, symbol in enumerate(SYMBOLS) if symbol}
KINDS_BY_KANJI = {name: kind for kind, name in enumerate(KANJI_PIECES) if kind}
KINDS_BY_KANJI |= {name: kind for kind, name in enumerate(KANJI_NAMES) if kind} | {"王": 8, "竜": 14}
KINDS_BY_CSA = {name: kind for kind, name in enumerate(CSA_PIECES) if kind}
SQUARES_BY_NAME = {name: square for square, name in enumerate(SQUARE_NAMES)}


def piece_symbol(piece: int) -> str:
    """Return the SFEN symbol of a piece as pos.board holds it, '' for EMPTY."""
    symbol = SYMBOLS[piece_kind(piece)]
    return symbol.lower() if piece_colour(piece) == WHITE else symbol


def list_squares(squares: list[int]) -> str:
    """Return e.g. '5a and 5i'."""
    names = (SQUARE_NAMES[square] for square in squares)
    return functools.reduce(lambda text, name: Message("{0} and {1}", text, name), names)
