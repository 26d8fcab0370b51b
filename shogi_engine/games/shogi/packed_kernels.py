"""Moves made in packed positions.

`apply_rows` does not unpack them: it reads the pieces, moves one and writes them again. It checks only whether there is
such a piece to move, not whether the move is legal. `apply_legal` checks the move fully.
"""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.movegen import complete_move
from shogi_engine.games.shogi.packed import BYTES, PACKINGS, SQUARE_ORDER, Packing
from shogi_engine.games.shogi.position import HAND_KEYS, SIDE_KEY, SQUARE_KEYS
from shogi_engine.games.shogi.rules import ONE_OF, WHOLE_SET, faults_of
from shogi_engine.jit import address_of, ctz, load_i32, njit, store_u64

# ---- Kernels that read and write positions in 32 bytes, contiguous in memory; packed.py describes the formats
#
# Python explains what is wrong with the input that `read_packed` declines: packed.unpack.


PACKED_SQUARES = np.array(
    [*SQUARE_ORDER, t.NO_SQUARE, t.NO_SQUARE], dtype=np.uint8
)  # by place; two more: see read_packed
PACKED_PLACES = np.argsort(PACKED_SQUARES[: t.SQUARES]).astype(np.uint8)
NO_KINGS = t.SQUARES - 2  # squares that are written
BYTE, HEADER_BITS = np.uint64(8), np.uint64(15)
LOW_BYTE, LOW_BITS = np.uint64(255), np.uint64(127)
LOW_WORD = 0xFFFFFFFF
FILL_BITS = 32  # the buffer is filled when it has fewer bits
PIECE_BITS = 8  # the maximum length of a piece's code
WHITE_PIECES = np.uint64(16)  # white's pieces are from this number on


def _written(packing: Packing) -> np.ndarray:
    """Return uint16[3, 32], how a packing writes pieces on the board, in hand and in the box: bits | length << 8."""
    table = np.zeros((3, 32), dtype=np.uint16)
    for row, codes in enumerate((packing.board | {0: "0"}, packing.hand, packing.box)):
        for piece, code in codes.items():
            table[row, piece] = int(code[::-1], 2) | len(code) << 8
    return table


def _read(packing: Packing) -> np.ndarray:
    """Return uint16[2, 256], by the next eight bits the piece on the board, or off it: piece | length << 8, or 0."""
    table = np.zeros((2, 256), dtype=np.uint16)
    for row, codes in enumerate((packing.on_board, packing.off_board)):
        for code, piece in codes.items():
            table[row, int(code[::-1], 2) :: 1 << len(code)] = piece | len(code) << 8
    return table


WRITTEN = np.array([_written(packing) for packing in PACKINGS])  # [format, on the board, in hand or box, piece]
READ = np.array([_read(packing) for packing in PACKINGS])  # [format, on the board or off it, eight bits]


# ---- writing -----------------------------------------------------------------------------------------------------


@njit
def write_packed(pos, packing, row):
    """Write the board, hands and side of `pos` in 32 bytes to `row`, uint8[>= 32]; return 1, or 0 without both kings.

    Args:
        packing: an index into packed.PACKINGS
    """
    header = np.uint64(pos.side)
    for colour in range(2):
        king = int(pos.king[colour])
        if king >= t.NO_SQUARE:
            return 0
        header |= np.uint64(PACKED_PLACES[king]) << np.uint64(1 + 7 * colour)
    return write_fields(pos.board, PACKED_SQUARES, packing, header, pos.hand[0], pos.hand[1], row)


@njit
def write_fields(board, squares, packing, header, black_hand, white_hand, row):
    """Write a position as `write_packed`; return 1, or 0 if there is no such position.

    Args:
        board: uint8[>= 81], pieces
        squares: uint8[>= 81], in, the square on the board of each place
        header: uint64, the side to move and the places of the kings
    """
    address, bits, filled, end = address_of(row), header, int(HEADER_BITS), 0
    kings = 0
    left = WHOLE_SET - black_hand - white_hand
    for place in range(t.SQUARES):
        piece = int(board[squares[place]])
        if piece & 15 == t.KING:
            kings += 1
            continue
        left -= ONE_OF[piece]
        bits, filled, end = put_code(WRITTEN[packing, 0, piece], address, bits, filled, end)
    if not t.hand_covers(WHOLE_SET, left, t.HAND_GUARDS):
        return 0
    for owner in range(3):
        pieces = left if owner == 2 else white_hand if owner == 1 else black_hand
        while pieces != ZERO:
            kind = ctz(pieces) >> 3
            code = WRITTEN[packing, 2, kind] if owner == 2 else WRITTEN[packing, 1, t.make_piece(owner, kind)]
            for _ in range(t.hand_count(pieces, kind)):
                bits, filled, end = put_code(code, address, bits, filled, end)
            pieces &= ~(LOW_BYTE << np.uint64(8 * kind))
    return int(end == BYTES and filled == 0 and kings == 2)


@njit(forceinline=True)
def put_code(code, address, bits, filled, end):
    """Put a code of WRITTEN above the `filled` bits, and write the word when it is full; return (bits, filled, end).

    Words are written to address + end. Bits that do not fit into BYTES are dropped, and `end` is then above BYTES.
    """
    word, length = np.uint64(code & 255), int(code) >> 8
    bits |= word << np.uint64(filled)
    filled += length
    if filled >= 64:
        if end < BYTES:
            store_u64(address + np.uint64(end), bits)
        end += 8
        filled -= 64
        bits = word >> np.uint64(length - filled)
    return bits, filled, end


# ---- reading -----------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def fill(address, byte, bits, filled):
    """Put the four bytes at address + byte, if there are any, above the `filled` bits; return (byte, bits, filled)."""
    if byte < BYTES:
        bits |= np.uint64(load_i32(address + np.uint64(byte)) & LOW_WORD) << np.uint64(filled)
        filled += 32
        byte += 4
    return byte, bits, filled


@njit(forceinline=True)
def next_piece(address, packing, place, byte, bits, filled):
    """Return (place, piece, byte, bits, filled) of the next piece on the board; `place` leaves the kings out.

    `piece` is 0 at the end of the board, where `place` is NO_KINGS, and for bits that are not a piece's code.
    """
    while place < NO_KINGS:
        if filled < FILL_BITS:
            byte, bits, filled = fill(address, byte, bits, filled)
        empty = min(ctz(bits), filled, NO_KINGS - place)  # a run of empty squares, which are 0 bits
        place += empty
        bits >>= np.uint64(empty)
        filled -= empty
        if filled < PIECE_BITS and byte < BYTES or place == NO_KINGS:
            continue
        code = np.uint64(READ[packing, 0, bits & LOW_BYTE])
        length = code >> BYTE
        filled -= np.int64(length)
        if code <= LOW_BYTE or filled < 0:
            break
        return place, code & LOW_BYTE, byte, bits >> length, filled
    return place, ZERO, byte, bits, filled


@njit(forceinline=True)
def past_kings(place, black, white):
    """Convert a place counted without the kings, on the places `black` and `white`, to one on the whole board."""
    at = place + (place >= min(black, white))
    return at + (at >= max(black, white))


@njit
def read_packed(row, packing, pos):
    """Read the position in the 32 bytes of `row`, uint8[>= 32], into `pos`, record[POSITION]; its move number is 1.

    Return 1, or 0 if the bytes are not a position or the rules do not allow it.

    Args:
        packing: an index into packed.PACKINGS
    """
    address = address_of(row)
    byte, bits, filled = fill(address, 0, ZERO, 0)
    pos.side = bits & ONE
    black, white = int(bits >> ONE & LOW_BITS), int(bits >> BYTE & LOW_BITS)
    if black >= t.SQUARES or white >= t.SQUARES or black == white:
        return 0
    bits >>= HEADER_BITS
    filled -= 15
    pos.bb[:, :, :] = 0
    pos.board[:] = 0
    pos.ply = 0
    pos.king[0], pos.king[1] = PACKED_SQUARES[black], PACKED_SQUARES[white]
    board_key = SIDE_KEY if pos.side else ZERO
    board_key ^= place_piece(pos, t.make_piece(0, t.KING), np.uint64(pos.king[0]))
    board_key ^= place_piece(pos, t.make_piece(1, t.KING), np.uint64(pos.king[1]))
    counts = ZERO
    place, piece, byte, bits, filled = next_piece(address, packing, 0, byte, bits, filled)
    while piece != ZERO:
        board_key ^= place_piece(pos, piece, np.uint64(PACKED_SQUARES[past_kings(place, black, white)]))
        counts += ONE_OF[piece]
        place, piece, byte, bits, filled = next_piece(address, packing, place + 1, byte, bits, filled)
    if place < NO_KINGS:
        return 0
    pos.board_key = board_key
    unite_kinds(pos)
    whole, pos.hand[0], pos.hand[1] = read_hands(address, packing, byte, bits, filled)
    if whole == 0:
        return 0
    pos.hand_key = ZERO
    for colour in range(2):
        for kind in range(t.PAWN, t.KING):
            pos.hand_key += HAND_KEYS[colour, kind] * np.uint64(t.hand_count(pos.hand[colour], kind))
    return int(faults_of(pos, counts + pos.hand[0] + pos.hand[1]) == 0)


@njit
def place_piece(pos, piece, square):
    """Put `piece` on the empty `square`, in pos.board and in the bitboard of its kind; return its hash key."""
    word = np.uint64(piece)
    colour, kind = word >> np.uint64(4), word & np.uint64(15)
    pos.board[square] = word
    pos.bb[colour, kind, square >> np.uint64(6)] |= ONE << (square & np.uint64(63))
    return SQUARE_KEYS[colour, kind, square]


@njit
def unite_kinds(pos):
    """Derive from the bitboards of each kind those of all pieces of a colour and of those that move like a gold."""
    for colour in range(2):
        for half in range(2):
            golds = pos.bb[colour, t.GOLD, half]
            for kind in range(t.PROM_PAWN, t.PROM_SILVER + 1):
                golds |= pos.bb[colour, kind, half]
            every = golds
            for kind in range(t.PAWN, t.GOLD):
                every |= pos.bb[colour, kind, half]
            for kind in (t.BISHOP, t.ROOK, t.KING, t.HORSE, t.DRAGON):
                every |= pos.bb[colour, kind, half]
            pos.bb[colour, t.GOLD_MOVERS, half] = golds
            pos.bb[colour, 0, half] = every


@njit
def read_hands(address, packing, byte, bits, filled):
    """Return (1, black's hand, white's hand) from the rest of the row (see `fill`); (0, ...) to decline."""
    black = white = ZERO
    while True:
        if filled < FILL_BITS:
            byte, bits, filled = fill(address, byte, bits, filled)
        if filled == 0:
            return 1, black, white
        code = np.uint64(READ[packing, 1, bits & LOW_BYTE])
        filled -= np.int64(code >> BYTE)
        if code <= LOW_BYTE or filled < 0:
            return 0, black, white
        bits >>= code >> BYTE
        piece = code & LOW_BYTE
        if piece < WHITE_PIECES:
            black += ONE_OF[piece]
        else:
            white += ONE_OF[piece]


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
    byte, bits, filled = fill(address, 0, ZERO, 0)
    us = int(bits & ONE)
    black, white = int(bits >> ONE & LOW_BITS), int(bits >> BYTE & LOW_BITS)
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
    bits >>= HEADER_BITS
    filled -= 15
    scratch[:] = 0
    scratch[black], scratch[white] = t.make_piece(0, t.KING), t.make_piece(1, t.KING)
    place, piece, byte, bits, filled = next_piece(address, packing, 0, byte, bits, filled)
    while piece != ZERO:
        scratch[np.uint64(past_kings(place, black, white))] = piece
        place, piece, byte, bits, filled = next_piece(address, packing, place + 1, byte, bits, filled)
    if place < NO_KINGS:
        return 0
    whole, black_hand, white_hand = read_hands(address, packing, byte, bits, filled)
    if whole == 0:
        return 0
    own, other = (black_hand, white_hand) if us == 0 else (white_hand, black_hand)
    target = int(PACKED_PLACES[target])
    if source >= t.DROP_BASE:
        own, moved = drop(scratch, us, source - t.DROP_BASE, target, own)
    else:
        own, moved = move_piece(scratch, us, int(PACKED_PLACES[source]), target, code & t.PROMOTION, own)
    if moved == 0:
        return 0
    if moved == t.KING:
        black, white = (target, white) if us == 0 else (black, target)
    header = np.uint64(1 - us | black << 1 | white << 8)
    black_hand, white_hand = (own, other) if us == 0 else (other, own)
    return write_fields(scratch, PLACES, packing, header, black_hand, white_hand, out)


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
        if read_packed(packed[row], packing, pos) == 0:
            return row
        move = complete_move(pos, int(codes[row]))
        if move == 0:
            return row
        make_unkeyed(pos, move)
        if write_packed(pos, packing, out[row]) == 0:
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
