"""Shogi's constants and records: squares, kinds of piece, moves, POSITION and UNDO.

Squares are numbered as python-shogi numbers them and as an SFEN is read: 0 is 9a, 8 is 1a, 80 is 1i; bit s of a
128-bit bitboard is square s. Kinds of piece have python-shogi's numbers too.
"""

import functools

import numpy as np

from shogi_engine.jit import njit, record_dtype
from shogi_engine.language import Message

BLACK, WHITE = 0, 1
SQUARES = 81
NO_SQUARE = 81

EMPTY = 0
PAWN, LANCE, KNIGHT, SILVER, GOLD, BISHOP, ROOK, KING = range(1, 9)
PROM_PAWN, PROM_LANCE, PROM_KNIGHT, PROM_SILVER, HORSE, DRAGON = range(9, 15)
KINDS = 15  # kinds are below this; a colour's bitboard 0 holds all its pieces
GOLD_MOVERS = 15  # the last bitboard of a colour: gold and the four promoted pieces that move like it

# By kind: its promoted kind (0 if it cannot promote), its unpromoted kind, the number in a set.
PROMOTED = np.array([0, 9, 10, 11, 12, 0, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0], dtype=np.uint8)
UNPROMOTED = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7, 0], dtype=np.uint8)
SET_SIZE = (0, 18, 4, 4, 4, 4, 2, 2, 2)

HAND_GUARDS = np.uint64(0x8080808080808080)  # for `hand_covers` with hands of a POSITION

# An upper bound of the moves, legal or pseudo-legal, of any position that validation.validate_position accepts. Drops:
# each of 7 kinds in hand on each of 80 empty squares, 560. The rest of the set on the board at best: rook 16 squares
# twice, bishop 16 twice, golds 3 x 6, silvers 3 x 5 x 2, knights 3 x 2 x 2, lances 3 x 8 x 2, 17 tokins x 6, king 8:
# 282. Far above the known maximum of 593 legal moves.
MAX_MOVES = 848

# A position. `board` holds pieces (see make_piece), EMPTY where there is none. Byte k of `hand[colour]` counts the
# pieces of kind k. `board_key` hashes board and side to move, `hand_key` both hands. `checkers` give check to the side
# to move; `pinned` are its pieces that are pinned to its king. `king` is NO_SQUARE for a side without one.
POSITION = record_dtype(
    [
        ("bb", np.uint64, (2, 16, 2)),
        ("hand", np.uint64, (2,)),
        ("board_key", np.uint64),
        ("hand_key", np.uint64),
        ("checkers", np.uint64, (2,)),
        ("pinned", np.uint64, (2,)),
        ("board", np.uint8, (SQUARES,)),
        ("king", np.uint8, (2,)),
        ("side", np.uint8),
        ("ply", np.uint16),  # moves made since the game began, an SFEN's move number less one
    ]
)

# Fields of the position before the move that undo_move cannot derive, and those that the repetition rules need.
UNDO = record_dtype(
    [
        ("board_key", np.uint64),
        ("hand_key", np.uint64),
        ("hand", np.uint64, (2,)),
        ("checkers", np.uint64, (2,)),
        ("pinned", np.uint64, (2,)),
        ("move", np.uint32),
    ]
)

# A move: bits 0-6 the target square, 7-13 the source square (DROP_BASE + kind for a drop), 14 promotion, 15-18 the kind
# that moves (before promotion), 19-22 the captured kind (0 for none).
DROP_BASE = SQUARES
PROMOTION = 1 << 14


# ---- squares and pieces ------------------------------------------------------------------------------------------


@njit
def relative_square(colour, square):
    """Return `square` as `colour` sees it: unchanged for black, rotated about the centre for white."""
    return square if colour == BLACK else SQUARES - 1 - square


@njit(tiny=True)
def make_piece(colour, kind):
    """Return the piece of `colour` and `kind`, as pos.board holds it."""
    return colour << 4 | kind


@njit(tiny=True)
def piece_colour(piece):
    """Return the colour of a piece other than EMPTY."""
    return int(piece) >> 4


@njit(tiny=True)
def piece_kind(piece):
    """Return the kind of a piece, 0 for EMPTY."""
    return int(piece) & 15


@njit
def can_promote(kind):
    """Tell whether pieces of `kind` have a promoted form."""
    return kind < KING and kind != GOLD


# ---- moves -------------------------------------------------------------------------------------------------------


@njit(tiny=True)
def board_move(source, target, kind, captured, promotion):
    """Return the move of `kind` from `source` to `target` that captures `captured` (0: nothing); promotion 0 or 1."""
    return np.uint32(target | source << 7 | promotion << 14 | kind << 15 | captured << 19)


@njit(tiny=True)
def drop_move(kind, target):
    """Return the drop of `kind` on `target`."""
    return np.uint32(target | (DROP_BASE + kind) << 7 | kind << 15)


@njit(tiny=True)
def move_to(move):
    """Return the square `move` goes to."""
    return int(move) & 127


@njit(tiny=True)
def move_from(move):
    """Return the square `move` comes from, or DROP_BASE + kind."""
    return int(move) >> 7 & 127


@njit(tiny=True)
def is_drop(move):
    """Tell whether `move` is a drop."""
    return (int(move) >> 7 & 127) >= DROP_BASE


@njit(tiny=True)
def is_promotion(move):
    """Tell whether `move` promotes."""
    return int(move) & PROMOTION != 0


@njit(tiny=True)
def move_kind(move):
    """Return the kind of piece that moves, before promotion."""
    return int(move) >> 15 & 15


@njit(tiny=True)
def arriving_kind(move):
    """Return the kind that stands on the target square after `move`: the promoted one if it promotes."""
    kind = move_kind(move)
    return int(PROMOTED[kind]) if is_promotion(move) else kind


@njit(tiny=True)
def move_captured(move):
    """Return the kind of piece that `move` captures, 0 for none."""
    return int(move) >> 19 & 15


# ---- hands -------------------------------------------------------------------------------------------------------


@njit(tiny=True)
def hand_count(hand, kind):
    """Return how many pieces of `kind` (1..7) are in `hand` (uint64)."""
    return int(hand >> np.uint64(8 * kind)) & 255


@njit
def hand_covers(hand, other, guards):
    """Tell whether `hand` has at least as many pieces of each kind as `other`.

    Args:
        guards: a mask of the bit above each kind's count, 0 in both hands; it takes the borrow of the subtraction
    """
    return ((hand | guards) - other) & guards == guards


# ---- The names of squares, ranks, pieces and colours in SFEN, USI and messages


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
