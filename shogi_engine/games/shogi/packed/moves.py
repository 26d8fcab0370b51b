"""Moves made in packed positions.

`apply_rows` does not unpack them: it reads the pieces, moves one and writes them again. It checks only whether there is
such a piece to move, not whether the move is legal. `apply_legal` checks the move fully.
"""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen.codes import complete_move
from shogi_engine.games.shogi.packed import kernels
from shogi_engine.games.shogi.rules.legality import ONE_OF
from shogi_engine.jit import address_of, njit

SCRATCH_BYTES = 96  # for the pieces by place
PLACES = np.arange(t.SQUARES, dtype=np.uint8)


@njit
def apply_rows(packed, packing, codes, scratch, out):
    """Write the positions after a move in each row of packed, uint8[n, 32], to out, uint8[n, 32]; it may be `packed`.

    Return the first row that is refused, -1 if none is.

    Args:
        packing: an index into packed.PACKINGS
        codes: int32[n], in, Board's moves
        scratch: uint8[SCRATCH_BYTES]
    """
    for row in range(packed.shape[0]):
        if move_packed(packed[row], packing, int(codes[row]), scratch, out[row]) == 0:
            return row
    return -1


@njit
def move_packed(row, packing, code, scratch, out):
    """Write the position after the move `code` in `row` to `out`; return 1, or 0 if that is impossible."""
    address = address_of(row)
    byte, bits, filled = kernels.fill(address, 0, ZERO, 0)
    us = int(bits & ONE)
    black, white = int(bits >> ONE & kernels.LOW_BITS), int(bits >> kernels.BYTE & kernels.LOW_BITS)
    target, source = code & 127, code >> 7 & 127
    if (
        black >= t.SQUARES
        or white >= t.SQUARES
        or black == white
        or target >= t.SQUARES
        or code < 0
        or code >= 2 * t.PROMOTION
    ):
        return 0
    bits >>= kernels.HEADER_BITS
    filled -= 15
    scratch[:] = 0
    scratch[black], scratch[white] = t.make_piece(0, t.KING), t.make_piece(1, t.KING)
    place, piece, byte, bits, filled = kernels.next_piece(address, packing, 0, byte, bits, filled)
    while piece != ZERO:
        scratch[np.uint64(kernels.past_kings(place, black, white))] = piece
        place, piece, byte, bits, filled = kernels.next_piece(address, packing, place + 1, byte, bits, filled)
    if place < kernels.NO_KINGS:
        return 0
    whole, black_hand, white_hand = kernels.read_hands(address, packing, byte, bits, filled)
    if whole == 0:
        return 0
    own, other = (black_hand, white_hand) if us == 0 else (white_hand, black_hand)
    target = int(kernels.PACKED_PLACES[target])
    if source >= t.DROP_BASE:
        own, moved = drop(scratch, us, source - t.DROP_BASE, target, own)
    else:
        own, moved = move_piece(scratch, us, int(kernels.PACKED_PLACES[source]), target, code & t.PROMOTION, own)
    if moved == 0:
        return 0
    if moved == t.KING:
        black, white = (target, white) if us == 0 else (black, target)
    header = np.uint64(1 - us | black << 1 | white << 8)
    black_hand, white_hand = (own, other) if us == 0 else (other, own)
    return kernels.write_fields(scratch, PLACES, packing, header, black_hand, white_hand, out)


@njit
def drop(places, us, kind, target, hand):
    """Put a piece of `kind` from `hand` on a place; return (the new hand, kind), or (hand, 0) if this is impossible."""
    if kind == 0 or kind >= t.KING or t.hand_count(hand, kind) == 0 or places[target] != 0:
        return hand, 0
    places[target] = t.make_piece(us, kind)
    return hand - ONE_OF[kind], kind


@njit
def move_piece(places, us, source, target, promotion, hand):
    """Move the piece on a place; return (the new hand, the piece's kind), or (hand, 0) if this is impossible."""
    piece, captured = int(places[source]), int(places[target])
    kind = t.piece_kind(piece)
    if piece != t.make_piece(us, kind) or kind == 0 or promotion != 0 and t.PROMOTED[kind] == 0:
        return hand, 0
    if captured != 0 and captured >> 4 == us or t.piece_kind(captured) == t.KING:
        return hand, 0
    places[source] = 0
    places[target] = t.make_piece(us, int(t.PROMOTED[kind]) if promotion != 0 else kind)
    return hand + ONE_OF[captured], kind


# ---- legal moves -------------------------------------------------------------------------------------------------


@njit
def apply_legal(packed, packing, codes, pos, out):
    """As `apply_rows`, but refuse illegal moves and invalid positions.

    Args:
        pos: record[POSITION], scratch
    """
    for row in range(packed.shape[0]):
        if kernels.read_packed(packed[row], packing, pos) == 0:
            return row
        move = complete_move(pos, int(codes[row]))
        if move == 0:
            return row
        make_unkeyed(pos, move)
        if kernels.write_packed(pos, packing, out[row]) == 0:
            return row
    return -1


@njit
def make_unkeyed(pos, move):
    """Make a legal move, but update only the board, the hands, the kings' squares and the side to move."""
    us, source, target = int(pos.side), t.move_from(move), t.move_to(move)
    if source >= t.DROP_BASE:
        pos.hand[us] -= ONE << np.uint64(8 * t.move_kind(move))
    else:
        pos.hand[us] += ONE_OF[pos.board[target]]
        pos.board[source] = 0
    pos.board[target] = t.make_piece(us, t.arriving_kind(move))
    if t.move_kind(move) == t.KING:
        pos.king[us] = target
    pos.side = 1 - us
