"""Hashes of parts of a position, kept up to date ply by ply: what the search learns about `evaluate` is kept by them.

Where one part of a position stands as it did before, what the evaluation overlooks there is mostly the same. The parts:
the pawns of both sides, the other pieces of each side, and all that stands near each king. An accumulator
(evaluate.ACCUMULATOR) has them in `parts`, uint64[PARTS], and in `kings` the squares of the kings they are for.
"""

import numpy as np

from shogi_engine.bits import ZERO, clear_lowest, lowest
from shogi_engine.bits import test as test_bit
from shogi_engine.games.shogi.bitboard import NEAR_KING
from shogi_engine.games.shogi.position import SQUARE_KEYS
from shogi_engine.games.shogi.types import (
    KING,
    NO_SQUARE,
    PAWN,
    PROMOTED,
    SQUARES,
    is_drop,
    is_promotion,
    move_captured,
    move_from,
    move_kind,
    move_to,
)
from shogi_engine.jit import njit

PAWNS, PIECES, NEAR = 0, 1, 3  # of pieces and of what stands near a king black's come first
PARTS = 5
UNKNOWN = np.uint64(0)  # the hash of what stands near a king after that king has moved, until it is asked for


@njit
def toggle(now, piece, square):
    """Put `piece` (colour << 4 | kind) on `square` or take it away in now.parts."""
    hashed = SQUARE_KEYS[piece >> 4, piece & 15, square]
    now.parts[PAWNS if piece & 15 == PAWN else PIECES + (piece >> 4)] ^= hashed
    for colour in range(2):
        king = now.kings[colour]
        known = king != NO_SQUARE and now.parts[NEAR + colour] != UNKNOWN
        if known and test_bit(NEAR_KING[colour, king, 0], NEAR_KING[colour, king, 1], square):
            now.parts[NEAR + colour] ^= hashed


@njit
def follow(before, after, move, mover):
    """Write the parts and kings of the accumulator `after` from those of `before`, by `move` of `mover` (0: null move).

    What stands near a king that moved is left UNKNOWN.
    """
    for part in range(PARTS):
        after.parts[part] = before.parts[part]
    for colour in range(2):
        after.kings[colour] = before.kings[colour]
    if move == 0:
        return
    kind, target = move_kind(move), move_to(move)
    if kind == KING:
        after.kings[mover] = target
        after.parts[NEAR + mover] = UNKNOWN
    if not is_drop(move):
        toggle(after, mover << 4 | kind, move_from(move))
    if move_captured(move) != 0:
        toggle(after, (1 - mover) << 4 | move_captured(move), target)
    toggle(after, mover << 4 | (int(PROMOTED[kind]) if is_promotion(move) else kind), target)


@njit
def look_near(pos, now):
    """Find what stands near the kings in `pos` where now.parts has it UNKNOWN."""
    for colour in range(2):
        king = now.kings[colour]
        if now.parts[NEAR + colour] == UNKNOWN and king != NO_SQUARE:
            hashed = SQUARE_KEYS[0, 0, king]
            lo = (pos.bb[0, 0, 0] | pos.bb[1, 0, 0]) & NEAR_KING[colour, king, 0]
            hi = (pos.bb[0, 0, 1] | pos.bb[1, 0, 1]) & NEAR_KING[colour, king, 1]
            while lo | hi != ZERO:
                square = lowest(lo, hi)
                lo, hi = clear_lowest(lo, hi)
                piece = int(pos.board[square])
                hashed ^= SQUARE_KEYS[piece >> 4, piece & 15, square]
            now.parts[NEAR + colour] = hashed


@njit
def look(pos, now):
    """Write the parts and kings of the accumulator `now` for `pos`."""
    for part in range(PARTS):
        now.parts[part] = UNKNOWN
    for colour in range(2):
        now.kings[colour] = pos.king[colour]
    for square in range(SQUARES):
        piece = int(pos.board[square])
        if piece != 0:
            toggle(now, piece, square)  # what stands near the kings stays UNKNOWN
    look_near(pos, now)
