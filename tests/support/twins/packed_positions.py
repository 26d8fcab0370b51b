"""Positions written in 32 bytes, code by code, as text of '0' and '1'."""

from typing import Any

from shogi_engine.games.shogi.packed import packed
from shogi_engine.games.shogi.types import KING, SET_SIZE, UNPROMOTED, piece_kind

PLACE = {square: place for place, square in enumerate(packed.SQUARE_ORDER)}  # square -> place in the format
WAS = UNPROMOTED.tolist()  # by kind


def pack(packing: packed.Packing, pos: Any) -> bytes:
    """Return the 32 bytes of `pos` (record[POSITION] that is valid).

    Raises ValueError if a king is missing, which the format cannot express. The move number is not kept.
    """
    packed.check_kings(packing, pos)
    bits = [str(int(pos.side)), *(f"{PLACE[int(king)]:07b}"[::-1] for king in pos.king)]
    left = list(SET_SIZE)
    board = pos.board.tolist()
    for square in packed.SQUARE_ORDER:
        piece = board[square]
        if piece_kind(piece) == KING:
            continue
        bits.append(packing.board[piece] if piece else packed.EMPTY_SQUARE)
        left[WAS[piece_kind(piece)]] -= 1
    for colour, hand in enumerate(pos.hand.tolist()):
        for kind in packed.HAND_KINDS:
            count = hand >> 8 * kind & 255
            bits += [packing.hand[colour << 4 | kind]] * count
            left[kind] -= count
    for kind in packed.HAND_KINDS:
        bits += [packing.box[kind]] * left[kind]
    return int("".join(bits)[::-1], 2).to_bytes(packed.BYTES, "little")
