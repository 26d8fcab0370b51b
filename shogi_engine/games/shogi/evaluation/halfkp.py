"""HalfKP: the input features of a network of the standard format, as indices of rows of its weights.

Each side sees the board relative to its own king. The king's square selects a block of PER_KING rows, in which every
other piece has one row. The index within the block is YaneuraOu's BonaPiece: pieces in hand first (one index for the
n-th piece of a kind), then pieces on the board by kind, owner and square; gold and what moves like it are one kind.
White sees the board turned around and the colours exchanged. Kings are not listed.

Source: tanuki-'s and YaneuraOu's evaluate_nnue, https://github.com/yaneurao/YaneuraOu, after Yu Nasu's NNUE,
https://github.com/ynasu87/nnue.
"""

import numpy as np

from shogi_engine.games.shogi import types as t

PER_KING = 1548
HAND_COUNTS = 19  # 0 to 18 pieces of a kind

# On the board: the first index of a kind, one index for each square, first the own pieces, then the enemy's. In hand:
# the index of the first own piece of a kind and of the first enemy piece; the second piece has the next index.
BOARD = {
    t.PAWN: 90,
    t.LANCE: 252,
    t.KNIGHT: 414,
    t.SILVER: 576,
    t.GOLD: 738,
    t.BISHOP: 900,
    t.HORSE: 1062,
    t.ROOK: 1224,
    t.DRAGON: 1386,
}
BOARD |= dict.fromkeys((t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER), BOARD[t.GOLD])
HAND = {t.PAWN: (1, 20), t.LANCE: (39, 44), t.KNIGHT: (49, 54), t.SILVER: (59, 64), t.GOLD: (69, 74),
        t.BISHOP: (79, 82), t.ROOK: (85, 88)}  # fmt: skip

# By this engine's square (along the ranks from 9a), its number in the format (down the files from 1a).
FILE_MAJOR = np.arange(t.SQUARES).reshape(9, 9)[:, ::-1].T.ravel().argsort()


def board_features() -> np.ndarray:
    """Return uint16[32 * SQUARES]: by piece (owner << 4 | kind) and square, its index; 0 for what is not listed."""
    features = np.zeros((32, t.SQUARES), dtype=np.uint16)
    for kind, first in BOARD.items():
        for owner in range(2):
            features[owner << 4 | kind] = first + owner * t.SQUARES + FILE_MAJOR
    return features.ravel()


def hand_features() -> np.ndarray:
    """Return uint16[16 * HAND_COUNTS]: by owner << 3 | kind and n, the index of the n-th such piece in hand."""
    features = np.zeros((16, HAND_COUNTS), dtype=np.uint16)
    for kind, firsts in HAND.items():
        for owner, first in enumerate(firsts):
            features[owner << 3 | kind, 1:] = first + np.arange(HAND_COUNTS - 1)
    return features.ravel()


BOARD_FEATURES, HAND_FEATURES = board_features(), hand_features()
