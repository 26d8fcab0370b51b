"""Moves made in packed positions without unpacking them: only the pieces are read, put elsewhere and written.

What a move needs to be legal is not looked at, but whether there is such a piece to move there.
"""

import numpy as np

from shogi_engine.bits import ONE, ZERO, bit, pop_lowest
from shogi_engine.games.shogi.packed import BITS, BYTES
from shogi_engine.games.shogi.packed_kernels import (
    BYTE,
    FILL_BITS,
    HEADER_BITS,
    LOW_BITS,
    LOW_BYTE,
    NO_KINGS,
    ONE_OF,
    PACKED_PLACES,
    PIECE_BITS,
    READ,
    WHOLE_SET,
    WRITTEN,
    fill,
    read_hands,
)
from shogi_engine.games.shogi.types import (
    DROP_BASE,
    HAND_GUARDS,
    KING,
    PROMOTED,
    PROMOTION,
    SQUARES,
    hand_count,
    hand_covers,
    make_piece,
    piece_kind,
)
from shogi_engine.jit import ctz, njit

ROOM = 96  # for the pieces by place, before what is written
SCRATCH_BYTES = ROOM + BYTES + 8


@njit
def apply_rows(packed, packing, codes, scratch, out):
    """Write the positions after a move in each row of packed, uint8[n, 32], to out, uint8[n, 32]; it may be `packed`.

    packing : a place in packed.PACKINGS.   codes : int32[n], in, Board's moves.
    scratch : uint8[SCRATCH_BYTES].   Return the first row that is refused, -1 if none is.
    """
    for row in range(packed.shape[0]):
        if move_packed(packed[row], packing, int(codes[row]), scratch, out[row]) == 0:
            return row
    return -1


@njit
def move_packed(row, packing, code, scratch, out):
    """Write the position after the move `code` in `row` to `out`; return 1, or 0: no position, or no such piece."""
    byte, bits, filled = fill(row, 0, ZERO, 0)
    us = int(bits & ONE)
    black, white = int(bits >> ONE & LOW_BITS), int(bits >> BYTE & LOW_BITS)
    target, source = code & 127, code >> 7 & 127
    if black >= SQUARES or white >= SQUARES or black == white or target >= SQUARES or code < 0 or code >= 2 * PROMOTION:
        return 0
    bits >>= HEADER_BITS
    filled -= 15
    scratch[:] = 0
    scratch[black], scratch[white] = make_piece(0, KING), make_piece(1, KING)
    first, second = min(black, white), max(black, white)
    lo, hi = bit(black)
    king_lo, king_hi = bit(white)
    lo, hi = lo | king_lo, hi | king_hi
    place = 0
    while place < NO_KINGS:
        if filled < FILL_BITS:
            byte, bits, filled = fill(row, byte, bits, filled)
        empty = min(ctz(bits), filled, NO_KINGS - place)
        place += empty
        bits >>= np.uint64(empty)
        filled -= empty
        if filled < PIECE_BITS and byte < BYTES or place == NO_KINGS:
            continue
        found = np.uint64(READ[packing, 0, bits & LOW_BYTE])
        filled -= np.int64(found >> BYTE)
        if found <= LOW_BYTE or filled < 0:
            return 0
        bits >>= found >> BYTE
        at = place + (place >= first)
        at += at >= second
        scratch[np.uint64(at)] = found & LOW_BYTE
        one = ONE << np.uint64(at & 63)
        above = ZERO - np.uint64(at >> 6)  # all ones in the upper half
        lo, hi = lo | one & ~above, hi | one & above
        place += 1
    whole, black_hand, white_hand = read_hands(row, packing, byte, bits, filled)
    if whole == 0:
        return 0
    own, other = (black_hand, white_hand) if us == 0 else (white_hand, black_hand)
    target = int(PACKED_PLACES[target])
    if source >= DROP_BASE:
        own, moved = drop(scratch, us, source - DROP_BASE, target, own)
    else:
        own, moved = move_piece(scratch, us, int(PACKED_PLACES[source]), target, code & PROMOTION, own)
    if moved == 0:
        return 0
    target_lo, target_hi = bit(target)
    lo, hi = lo | target_lo, hi | target_hi
    if moved == KING:
        black, white = (target, white) if us == 0 else (black, target)
    header = np.uint64(1 - us | black << 1 | white << 8)
    black_hand, white_hand = (own, other) if us == 0 else (other, own)
    return write_places(scratch, lo, hi, packing, header, black_hand, white_hand, out)


@njit
def drop(places, us, kind, target, hand):
    """Put a piece of `kind` from `hand` on a place; return (the hand then, kind), or (hand, 0) if that can not be."""
    if kind == 0 or kind >= KING or hand_count(hand, kind) == 0 or places[target] != 0:
        return hand, 0
    places[target] = make_piece(us, kind)
    return hand - ONE_OF[kind], kind


@njit
def move_piece(places, us, source, target, promotion, hand):
    """Move the piece on a place; return (the hand after it, the piece's kind), or (hand, 0) if that can not be."""
    piece, captured = int(places[source]), int(places[target])
    kind = piece_kind(piece)
    if piece != make_piece(us, kind) or kind == 0 or promotion != 0 and PROMOTED[kind] == 0:
        return hand, 0
    if captured != 0 and captured >> 4 == us or piece_kind(captured) == KING:
        return hand, 0
    places[source] = 0
    places[target] = make_piece(us, int(PROMOTED[kind]) if promotion != 0 else kind)
    return hand + ONE_OF[captured], kind


@njit
def put(buffer, cursor, code):
    """Put a `code` (bits | length << 8) into `buffer` from bit `cursor` on; return where it ends."""
    byte, value = np.uint64(cursor >> 3), np.uint64(code & 255) << np.uint64(cursor & 7)
    buffer[byte] |= value & LOW_BYTE
    buffer[byte + ONE] |= value >> BYTE
    return cursor + (code >> 8)


@njit
def write_places(scratch, lo, hi, packing, header, black_hand, white_hand, out):
    """Write pieces by place, scratch[:81], and hands to `out`, uint8[32]; return 1, or 0 if they make no position.

    lo, hi : the places where there may be one.   header : the side to move and the places of the kings.
    scratch[ROOM:] is 0, and used.
    """
    buffer = scratch[ROOM:]
    buffer[0], buffer[1] = header & LOW_BYTE, header >> BYTE
    cursor, next_place, left = 15, 0, WHOLE_SET - black_hand - white_hand
    while lo | hi != ZERO:
        place, lo, hi = pop_lowest(lo, hi)
        piece = int(scratch[np.uint64(place)])
        cursor += place - next_place  # an empty square is one 0
        next_place = place + 1
        if piece_kind(piece) != KING:
            left -= ONE_OF[piece]
            cursor = put(buffer, cursor, int(WRITTEN[packing, 0, piece]))
            if cursor > BITS:
                return 0
    cursor += SQUARES - next_place
    if not hand_covers(WHOLE_SET, left, HAND_GUARDS):
        return 0
    for owner in range(3):
        pieces = left if owner == 2 else white_hand if owner == 1 else black_hand
        while pieces != ZERO:
            kind = ctz(pieces) >> 3
            code = int(WRITTEN[packing, 2, kind] if owner == 2 else WRITTEN[packing, 1, make_piece(owner, kind)])
            for _ in range(hand_count(pieces, kind)):
                cursor = put(buffer, cursor, code)
                if cursor > BITS:
                    return 0
            pieces &= ~(LOW_BYTE << np.uint64(8 * kind))
    for index in range(BYTES):
        out[index] = buffer[index]
    return int(cursor == BITS)
