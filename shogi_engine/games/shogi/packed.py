"""Positions in 32 bytes: Apery's and cshogi's HuffmanCodedPos, YaneuraOu's PackedSfen.

Both are 256 bits, the lowest bit of each byte first: the side to move (1), black's and white's king squares (7 each,
1a 1b ... 1i 2a ... 9i), then for each square without a king, in that order, its piece, then the hands, then the box:
the pieces that a handicap removes. A piece takes one bit less off the board than on it, and an empty square takes one
bit. A position with both kings and all other pieces thus always takes 256 bits; without a king it would take one bit
too many. Neither form contains the move number.

    >>> from shogi_engine.games.shogi.sfen import START, format_sfen
    >>> data = bytes.fromhex("58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c")
    >>> format_sfen(unpack(PSFEN, data)) == START
    True

Sources: cshogi's src/position.cpp (github.com/TadaoYamaoka/cshogi), YaneuraOu's source/extra/sfen_packer.cpp
(github.com/yaneurao/YaneuraOu).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.rules import validate_position
from shogi_engine.games.shogi.types import KIND_NAMES, SIDES, SQUARE_NAMES
from shogi_engine.jit import new_record

BYTES = 32
BITS = 8 * BYTES
SQUARE_ORDER = tuple(9 * rank + 8 - file for file in range(9) for rank in range(9))  # place in the format -> square
EMPTY_SQUARE = "0"
HAND_KINDS = range(t.PAWN, t.KING)


@dataclass(frozen=True)
class Packing:
    """A format's codes: text of '0' and '1', the first bit first.

    Attributes:
        board: codes on the board, by colour << 4 | kind
        hand: codes in hand, by colour << 4 | kind
        box: codes in the box, by kind
    """

    name: str
    board: dict[int, str]
    hand: dict[int, str]
    box: dict[int, str]

    @cached_property
    def on_board(self) -> dict[str, int]:
        """The pieces by their codes on the board; 0 for an empty square."""
        return {code: piece for piece, code in self.board.items()} | {EMPTY_SQUARE: 0}

    @cached_property
    def off_board(self) -> dict[str, int]:
        """The pieces by their codes in hand; 0 for the codes of the box."""
        return {code: piece for piece, code in self.hand.items()} | dict.fromkeys(self.box.values(), 0)


def _board_codes(stems: dict[int, str], flags: Callable[[int, int], str]) -> dict[int, str]:
    """Return the codes of all pieces on the board: `flags` joins the bits of colour and promotion."""
    codes = {}
    for kind, stem in stems.items():
        for colour in (t.BLACK, t.WHITE):
            codes[colour << 4 | kind] = stem + (str(colour) if kind == t.GOLD else flags(colour, 0))
            if kind != t.GOLD:
                codes[colour << 4 | int(t.PROMOTED[kind])] = stem + flags(colour, 1)
    return codes


def _loose_codes(stems: dict[int, str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the codes of pieces in hand, and in the box: what a promoted piece in hand would be, a gold white's."""
    hand, box = {}, {}
    for kind, stem in stems.items():
        for colour in (t.BLACK, t.WHITE):
            hand[colour << 4 | kind] = stem[1:] + ("" if kind == t.GOLD else "0") + str(colour)
        box[kind] = stem[1:] + "10"
    box[t.GOLD] = stems[t.SILVER][1:] + "11"
    return hand, box


_COMMON = {t.PAWN: "10", t.LANCE: "1100", t.GOLD: "11110", t.BISHOP: "111110", t.ROOK: "111111"}
_APERY = _COMMON | {t.KNIGHT: "1110", t.SILVER: "1101"}
_YANEURAOU = _COMMON | {t.KNIGHT: "1101", t.SILVER: "1110"}


def _hcp() -> Packing:
    """Return HuffmanCodedPos: the colour bit before the promotion bit; bishop and rook in hand keep their stem."""
    hand, box = _loose_codes(_APERY)
    for kind in (t.BISHOP, t.ROOK):
        for colour in (t.BLACK, t.WHITE):
            hand[colour << 4 | kind] = _APERY[kind] + str(colour)
    box |= {t.BISHOP: "1111000", t.ROOK: "1111010"}
    return Packing("HuffmanCodedPos", _board_codes(_APERY, lambda colour, promoted: f"{colour}{promoted}"), hand, box)


def _psfen() -> Packing:
    """Return PackedSfen: the promotion bit before the colour bit, also in hand, where it is always 0."""
    board = _board_codes(_YANEURAOU, lambda colour, promoted: f"{promoted}{colour}")
    return Packing("PackedSfen", board, *_loose_codes(_YANEURAOU))


HCP = _hcp()
PSFEN = _psfen()
PACKINGS = (HCP, PSFEN)


def unpack(packing: Packing, data: Any) -> Any:
    """Return the record[POSITION] packed in `data`, its move number 1.

    Args:
        data: 32 bytes, or an object that `bytes` converts to them (uint8[32])

    Raises:
        ValueError: the length is wrong, the bytes are not a position in this format, or the rules do not allow it
    """
    data = bytes(data)
    if len(data) != BYTES:
        raise ValueError(f"{packing.name}: expected {BYTES} bytes, not {len(data)}")
    bits = f"{int.from_bytes(data, 'little'):0{BITS}b}"[::-1]
    pos = new_record(t.POSITION)
    pos.side = int(bits[0])
    kings = [int(bits[start : start + 7][::-1], 2) for start in (1, 8)]
    board = [0] * t.SQUARES
    for colour, place in enumerate(kings):
        if place >= t.SQUARES:
            raise ValueError(f"{packing.name}: {SIDES[colour]}'s king must be on a square from 0 to 80, not {place}")
        board[SQUARE_ORDER[place]] = colour << 4 | t.KING
    if kings[0] == kings[1]:
        raise ValueError(f"{packing.name}: both kings are on {SQUARE_NAMES[SQUARE_ORDER[kings[0]]]}")
    cursor = 15
    for square in SQUARE_ORDER:
        if not board[square]:
            board[square], cursor = _read(packing, packing.on_board, bits, cursor)
    pos.board[:] = board
    hands = [[0] * t.KING, [0] * t.KING]
    while cursor < BITS:
        piece, cursor = _read(packing, packing.off_board, bits, cursor)
        if piece:
            hands[t.piece_colour(piece)][t.piece_kind(piece)] += 1
    for colour, hand in enumerate(hands):
        for kind, count in enumerate(hand):
            if count > t.SET_SIZE[kind]:
                raise ValueError(
                    f"{packing.name}: {count} {KIND_NAMES[kind]}s in hand, but a set has {t.SET_SIZE[kind]}"
                )
        pos.hand[colour] = sum(count << 8 * kind for kind, count in enumerate(hand))
    validate_position(pos)
    return pos


def _read(packing: Packing, codes: dict[str, int], bits: str, cursor: int) -> tuple[int, int]:
    """Return the piece whose code begins at `cursor`, and where it ends."""
    for length in (1, 3, 4, 5, 6, 7, 8):
        piece = codes.get(bits[cursor : cursor + length])
        if piece is not None and cursor + length <= BITS:
            return piece, cursor + length
    raise ValueError(f"{packing.name}: no piece has the code that begins at bit {cursor}")
