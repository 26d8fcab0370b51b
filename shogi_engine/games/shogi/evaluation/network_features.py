"""The network's input: the numbered features of a position, from either side's point of view.

A side sees all pieces, both kings included, from its own end of the board: for white, squares are counted from the
other end. While its own king stands beyond the middle file, the side sees the board's mirror image. A feature is

* a piece on the board, owner * SIDE + (kind - 1) * 81 + square, where owner is 0 for its own and 1 for the enemy's;
* the n-th piece of a kind in a hand, owner * SIDE + HAND_BASE + HAND_OFFSETS[kind] + n - 1: of three pawns in hand
  three features are active.

A full set of pieces thus has 40 active features, and a move changes at most four for each side. Only a king that
crosses the middle file changes all features of its side.

The network has OUTPUT_BUCKETS sets of output weights. The number of pieces in hand selects one, as the number of pieces
on the board does in Stockfish's networks.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.types import KINDS, KING, NO_SQUARE, SET_SIZE, SQUARES, hand_count, relative_square
from shogi_engine.jit import njit

FEATURE_SET = "mirrored-2344"  # what the file calls this set
HAND_BASE = (KINDS - 1) * SQUARES
HAND_OFFSETS = (0, *np.cumsum([0, *SET_SIZE[1 : KING - 1]]).tolist())  # by kind: P L N S G B R
SIDE = HAND_BASE + sum(SET_SIZE[1:KING])
FEATURES = 2 * SIDE
ACTIVE = sum(SET_SIZE)  # the maximum number of active features

OUTPUT_BUCKETS = 8
BUCKET_STARTS = (
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    11,
)  # minimum number of pieces in both hands, chosen for buckets of about equal size
HELD_BUCKETS = (np.searchsorted(BUCKET_STARTS, np.arange(ACTIVE), side="right") - 1).astype(np.uint8)
EVERY_BYTE = np.uint64(0x0101010101010101)

# By view, colour * 2 + mirrored: each square as the view sees it. By owner * 16 + kind: the first feature of a piece on
# the board, and of one in hand.
VIEWS = 4
SEEN = np.zeros((VIEWS, SQUARES), dtype=np.uint8)
for _view in range(VIEWS):
    for _square in range(SQUARES):
        _seen = _square if _view < 2 else SQUARES - 1 - _square
        SEEN[_view, _square] = _seen + 8 - 2 * (_seen % 9) if _view & 1 else _seen
PIECE_FEATURES = np.zeros(32, dtype=np.uint16)
HAND_FEATURES = np.zeros(32, dtype=np.uint16)
for _owner in range(2):
    for _kind in range(1, KINDS):
        PIECE_FEATURES[_owner << 4 | _kind] = _owner * SIDE + (_kind - 1) * SQUARES
    for _kind in range(1, KING):
        HAND_FEATURES[_owner << 4 | _kind] = _owner * SIDE + HAND_BASE + HAND_OFFSETS[_kind]

# `write_features`'s table of the pieces on the board.
PIECES = np.array(
    [[PIECE_FEATURES[_piece ^ _view >> 1 << 4] + SEEN[_view] for _piece in range(32)] for _view in range(VIEWS)]
)


@njit
def view_of(colour, king):
    """Return the view, colour * 2 + mirrored, of `colour` with its king on `king` (NO_SQUARE if it has none)."""
    mirrored = king != NO_SQUARE and relative_square(colour, king) % 9 > 4
    return colour * 2 + (1 if mirrored else 0)


@njit
def piece_feature(view, owner, kind, square):
    """Return the feature of a piece on `square`.

    Args:
        owner: 0 for the side whose view it is, 1 for the enemy
    """
    return int(PIECE_FEATURES[owner << 4 | kind]) + int(SEEN[view, square])


@njit
def output_bucket(pos):
    """Return the output bucket of a position, by the number of pieces in both hands."""
    return int(HELD_BUCKETS[int((pos.hand[0] + pos.hand[1]) * EVERY_BYTE >> np.uint64(56))])


def held_pieces(active: np.ndarray) -> np.ndarray:
    """Return how many of the features in the last axis of `active` are pieces in hands."""
    return np.asarray(((active < FEATURES) & (active % SIDE >= HAND_BASE)).sum(axis=-1))


@njit
def hand_feature(owner, kind, number):
    """Return the feature of the `number`-th piece of `kind` (from 1) in a hand."""
    return int(HAND_FEATURES[owner << 4 | kind]) + number - 1


@njit
def write_features(pos, colour, pieces, hands, nothing, features):
    """Write the features of `pos` that are active for `colour` to `features`, uint16[ACTIVE], and fill up the rest.

    Args:
        pieces: uint16[VIEWS, 32, SQUARES], in, by view, piece on the board and square, the feature
        hands: uint16[32], in, by owner << 4 | kind, the feature of the first such piece in hand; others follow
        nothing: the number that means no feature
    """
    view, count = view_of(colour, int(pos.king[colour])), 0
    for square in occupied(pos):
        features[count] = pieces[view, pos.board[square], square]
        count += 1
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, KING):
                for number in range(hand_count(hand, kind)):
                    features[count] = hands[owner << 4 | kind] + number
                    count += 1
    for rest in range(count, ACTIVE):
        features[rest] = nothing
