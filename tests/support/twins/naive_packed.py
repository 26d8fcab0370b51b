"""Positions of Shogi packed by Python: the bits of packed.py's formats as text."""

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.packed import BYTES, EMPTY_SQUARE, HAND_KINDS, SQUARE_ORDER


def pack(packing, pos):
    """Return the 32 bytes of a valid record[POSITION] with both kings."""
    bits = [str(int(pos.side)), *(f"{SQUARE_ORDER.index(int(king)):07b}"[::-1] for king in pos.king)]
    left = list(t.SET_SIZE)
    for square in SQUARE_ORDER:
        piece = int(pos.board[square])
        if t.piece_kind(piece) != t.KING:
            bits.append(packing.board[piece] if piece else EMPTY_SQUARE)
            left[int(t.UNPROMOTED[t.piece_kind(piece)])] -= 1
    for colour, hand in enumerate(pos.hand.tolist()):
        for kind in HAND_KINDS:
            count = hand >> 8 * kind & 255
            bits += [packing.hand[colour << 4 | kind]] * count
            left[kind] -= count
    for kind in HAND_KINDS:
        bits += [packing.box[kind]] * left[kind]
    return int("".join(bits)[::-1], 2).to_bytes(BYTES, "little")
