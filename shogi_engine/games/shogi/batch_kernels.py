"""Rows of Shogi positions: packed, as planes and as indices. `games.batch_rules` defines the formats.

Planes are from the point of view of the side to move: for white the board is turned around and the colours exchanged.
"""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import (
    STEP_ATTACKS,
    attacks_from,
    bishops_and_horses,
    in_check,
    occupied,
    pieces,
    rooks_and_dragons,
)
from shogi_engine.games.shogi.evaluation import network as inputs
from shogi_engine.games.shogi.evaluation.nnue_file import (
    BOARD_FEATURES,
    FILE_MAJOR,
    HAND_COUNTS,
    HAND_FEATURES,
    PER_KING,
)
from shogi_engine.games.shogi.packed_kernels import read_packed, write_packed
from shogi_engine.games.shogi.texts import read_sfen, write_sfen
from shogi_engine.jit import njit

END_OF_LINE = ord("\n")

# dlshogi's order of kinds, and for each kind the maximum number of pieces in hand that have planes.
DLSHOGI_KINDS = (t.PAWN, t.LANCE, t.KNIGHT, t.SILVER, t.BISHOP, t.ROOK, t.GOLD, t.KING, *range(t.KING + 1, t.KINDS))
DLSHOGI_HANDS = {t.PAWN: 8, t.LANCE: 4, t.KNIGHT: 4, t.SILVER: 4, t.GOLD: 4, t.BISHOP: 2, t.ROOK: 2}
DLSHOGI_COUNTS = 3  # planes of the squares attacked at least once, twice, three times
DLSHOGI_SIDE = 2 * len(DLSHOGI_KINDS) + DLSHOGI_COUNTS
DLSHOGI_HAND = sum(DLSHOGI_HANDS.values())
DLSHOGI_1, DLSHOGI_2 = 2 * DLSHOGI_SIDE, 2 * DLSHOGI_HAND + 1
ALPHAZERO_PLANES = 2 * (t.KINDS - 1) + 2 * (t.KING - 1) + 1
HALFKP_LISTED = 38

DLSHOGI_PLANE = np.zeros(16, dtype=np.uint8)
DLSHOGI_PLANE[list(DLSHOGI_KINDS)] = range(len(DLSHOGI_KINDS))
HAND_LIMITS = np.array([DLSHOGI_HANDS.get(kind, 0) for kind in range(t.KING)], dtype=np.uint8)
HAND_PLANES = (np.cumsum(HAND_LIMITS) - HAND_LIMITS).astype(np.uint8)

# uint8[2, 81]: where a square is in a plane as either side sees it: along the ranks from 9a, down the files from 1a.
ALONG_RANKS = np.array([range(t.SQUARES), range(t.SQUARES - 1, -1, -1)], dtype=np.uint8)
DOWN_FILES = FILE_MAJOR[ALONG_RANKS].astype(np.uint8)

ATTACK_PLANES = np.uint64(
    t.SQUARES * (t.KINDS - 1)
)  # offset from the plane of a kind's pieces to the plane of their attacks
PAWN_PLANE = np.uint64(t.SQUARES * DLSHOGI_KINDS.index(t.PAWN))
STEP_ROOM = 96  # a plane rounded up to whole vectors; the surplus bytes are 0 and belong to the next plane
# uint8[2, 16, 81, 96]: the plane of what a piece attacks in a step, by owner (0 for the side to move), kind and place.
STEPS = np.zeros((2, 16, t.SQUARES, STEP_ROOM), dtype=np.uint8)
for _square in range(t.SQUARES):
    _places = [int(DOWN_FILES[0, _target]) for _target in range(t.SQUARES)]
    _attacked = [STEP_ATTACKS.numbers[:, :, _square] >> _target & 1 for _target in range(t.SQUARES)]
    STEPS[:, :, DOWN_FILES[0, _square], _places] = np.stack(_attacked, axis=-1).astype(np.uint8)


@njit
def read_rows(packed, packing, nodes, count):
    """Read packed[:count], uint8[n, 32], into nodes; return the first row that is not a position, -1 if none."""
    for row in range(count):
        if read_packed(packed[row], packing, nodes[row].pos) == 0:
            return row
    return -1


@njit
def write_rows(nodes, count, packing, packed):
    """Write nodes[:count] to packed, uint8[>= count, 32]; return the first that cannot be written, -1 if all can."""
    for row in range(count):
        if write_packed(nodes[row].pos, packing, packed[row]) == 0:
            return row
    return -1


@njit
def read_texts(text, starts, nodes, count, taken):
    """Read `count` SFENs into nodes.

    Args:
        taken: uint8[>= count], out, 1 for each SFEN that was read, 0 if Python has to read it
        text: uint8[], in, the SFENs, each followed by a line feed, and two more bytes at the end
        starts: int64[count + 1], in, where each SFEN begins; the last entry is where one more would begin
    """
    for row in range(count):
        taken[row] = read_sfen(text, int(starts[row]), int(starts[row + 1]) - 1, nodes[row].pos)


@njit
def write_texts(nodes, count, text):
    """Write the SFENs of nodes[:count] to text, uint8[>= count * SFEN_BYTES], each followed by a line feed.

    Return the number of bytes written.
    """
    end = 0
    for row in range(count):
        end = write_sfen(nodes[row].pos, text, end)
        text[end] = END_OF_LINE
        end += 1
    return end


@njit
def mark(out, row, plane, squares, places):
    """Write 1 to `squares` of a plane of a row.

    Args:
        places: uint8[81], the index of each square in the plane
    """
    for square in squares:
        out[row, np.uint64(t.SQUARES * plane + int(places[square]))] = 1


@njit
def fill_planes(out, row, plane, count, value):
    """Write `value` to all squares of `count` planes from `plane` on."""
    for place in range(t.SQUARES * plane, t.SQUARES * (plane + count)):
        out[row, np.uint64(place)] = value


@njit
def sliders(pos, colour):
    """Return the pieces of `colour` that move any number of steps."""
    return pieces(pos, colour, t.LANCE) | bishops_and_horses(pos, colour) | rooks_and_dragons(pos, colour)


@njit
def write_dlshogi_1(nodes, count, out):
    """Write dlshogi's first planes: for each side its pieces by kind, what each kind attacks, the counts of attacks.

    Args:
        out: uint8[>= count, DLSHOGI_1 * 81], out; a plane goes down the files from 1a
    """
    for row in range(count):
        pos, planes = nodes[row].pos, out[row]
        planes[:] = 0
        us = int(pos.side)
        places = DOWN_FILES[us]
        occ = occupied(pos)
        for owner in range(2):
            colour = owner ^ us
            counts = np.uint64(t.SQUARES * (DLSHOGI_SIDE * owner + 2 * (t.KINDS - 1)))
            own = np.uint64(t.SQUARES * DLSHOGI_SIDE * owner)
            # Three loops, so that none has a branch on the kind of piece: the CPU could not predict it.
            for square in pieces(pos, colour, t.PAWN):
                place = int(places[square])
                ahead = np.uint64(place + 2 * owner - 1)
                planes[own + PAWN_PLANE + np.uint64(place)] = 1
                planes[own + PAWN_PLANE + ATTACK_PLANES + ahead] = 1
                planes[counts + ahead] = 1  # a side's pawns attack different squares
            slides = sliders(pos, colour)
            for square in pieces(pos, colour) & ~slides & ~pieces(pos, colour, t.PAWN):
                kind, place = t.piece_kind(pos.board[square]), int(places[square])
                plane = own + np.uint64(t.SQUARES * int(DLSHOGI_PLANE[kind]))
                planes[plane + np.uint64(place)] = 1
                plane += ATTACK_PLANES
                for each in range(STEP_ROOM):  # vectorised; this plane is never the last one
                    planes[plane + np.uint64(each)] |= STEPS[owner, kind, place, each]
                for each in range(STEP_ROOM):
                    planes[counts + np.uint64(each)] += STEPS[owner, kind, place, each]
            for square in slides:
                kind = t.piece_kind(pos.board[square])
                plane = own + np.uint64(t.SQUARES * int(DLSHOGI_PLANE[kind]))
                planes[plane + np.uint64(places[square])] = 1
                plane += ATTACK_PLANES
                for target_square in attacks_from(kind, colour, square, occ):
                    planes[plane + np.uint64(places[target_square])] = 1
                    planes[counts + np.uint64(places[target_square])] += np.uint8(1)
            for each in range(t.SQUARES):
                attackers = planes[counts + np.uint64(each)]
                planes[counts + np.uint64(each)] = attackers > 0
                planes[counts + np.uint64(t.SQUARES + each)] = attackers > 1
                planes[counts + np.uint64(2 * t.SQUARES + each)] = attackers > 2


@njit
def write_dlshogi_2(nodes, count, out):
    """Write dlshogi's other planes: each side's hand, a plane of ones for each piece, and one for a check.

    Args:
        out: uint8[>= count, DLSHOGI_2 * 81], out
    """
    for row in range(count):
        pos = nodes[row].pos
        out[row, :] = 0
        us = int(pos.side)
        for owner in range(2):
            for kind in range(t.PAWN, t.KING):
                number = min(t.hand_count(pos.hand[owner ^ us], kind), int(HAND_LIMITS[kind]))
                fill_planes(out, row, DLSHOGI_HAND * owner + int(HAND_PLANES[kind]), number, 1)
        if in_check(pos):
            fill_planes(out, row, DLSHOGI_2 - 1, 1, 1)


@njit
def write_alphazero(nodes, count, out):
    """Write AlphaZero's planes of one position: both sides' pieces by kind, then hands as counts, then the colour.

    Args:
        out: uint8[>= count, ALPHAZERO_PLANES * 81], out; a plane goes along the ranks from 9a
    """
    for row in range(count):
        pos = nodes[row].pos
        out[row, :] = 0
        us = int(pos.side)
        places = ALONG_RANKS[us]
        for owner in range(2):
            for kind in range(t.PAWN, t.KINDS):
                mark(out, row, (t.KINDS - 1) * owner + kind - 1, pieces(pos, owner ^ us, kind), places)
            for kind in range(t.PAWN, t.KING):
                number = t.hand_count(pos.hand[owner ^ us], kind)
                if number > 0:
                    fill_planes(out, row, 2 * (t.KINDS - 1) + (t.KING - 1) * owner + kind - 1, 1, number)
        if us != t.BLACK:
            fill_planes(out, row, ALPHAZERO_PLANES - 1, 1, 1)


@njit
def write_network_features(nodes, count, out):
    """Write the features of `evaluation.network_features` as the side to move sees them, then as the other does.

    Args:
        out: uint16[>= count, 2 * ACTIVE], out; filled up with FEATURES
    """
    for row in range(count):
        pos = nodes[row].pos
        for place in range(2):
            features = out[row, inputs.ACTIVE * place : inputs.ACTIVE * (place + 1)]
            inputs.write_features(
                pos, int(pos.side) ^ place, inputs.PIECES, inputs.HAND_FEATURES, inputs.FEATURES, features
            )


@njit
def write_halfkp(nodes, count, out):
    """Write HalfKP indices, king's square * PER_KING + BonaPiece, of the side to move and then of the other.

    Args:
        out: int32[>= count, 2 * HALFKP_LISTED], out; -1 where a piece is missing. Both kings are on the board.
    """
    for row in range(count):
        pos = nodes[row].pos
        for place in range(2):
            colour = int(pos.side) ^ place
            block = PER_KING * int(FILE_MAJOR[t.relative_square(colour, int(pos.king[colour]))])
            end = HALFKP_LISTED * place
            for owner in range(2):
                for kind in range(t.PAWN, t.KING):
                    for number in range(1, t.hand_count(pos.hand[owner ^ colour], kind) + 1):
                        out[row, end] = block + int(HAND_FEATURES[(owner << 3 | kind) * HAND_COUNTS + number])
                        end += 1
            for square in occupied(pos):
                piece = int(pos.board[square]) ^ t.make_piece(colour, 0)
                if t.piece_kind(piece) != t.KING:
                    out[row, end] = block + int(BOARD_FEATURES[piece * t.SQUARES + t.relative_square(colour, square)])
                    end += 1
            for rest in range(end, HALFKP_LISTED * (place + 1)):
                out[row, rest] = -1
