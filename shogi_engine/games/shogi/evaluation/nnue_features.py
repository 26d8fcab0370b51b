"""The rows of each feature set of nn.bin for pieces and kings, as tables for the kernels of nnue.py.

A code is one byte that identifies the piece on a square: as on the board of a POSITION or, in sets whose rows depend
on attacks, as `write_attacked_codes` has it.
"""

from dataclasses import dataclass

import numpy as np

from shogi_engine.games.shogi.evaluation.halfkp import BOARD, FILE_MAJOR, PER_KING
from shogi_engine.games.shogi.evaluation.nnue_architectures import ATTACKED, FeatureSet
from shogi_engine.games.shogi.types import BLACK, KING, SQUARES, WHITE

VIEWS = 4  # colour * 2 + mirrored
MIRRORED_FROM = 45  # the first square of file 6, in the format's numbers
MIRROR = 72 - np.arange(SQUARES) // 9 * 9 + np.arange(SQUARES) % 9  # file f becomes 10 - f
NAMED = sorted(set(BOARD.values()))  # the first rows of the pieces that are told apart

# By piece, as on a board: its class where rows depend on attacks, 0 for none.
PIECE_CLASSES = np.zeros(32, dtype=np.uint8)
for _kind, _first in BOARD.items():
    for _colour in (BLACK, WHITE):
        PIECE_CLASSES[_colour << 4 | _kind] = 1 + 2 * NAMED.index(_first) + _colour
CLASSES = 2 * len(NAMED)


@dataclass(frozen=True, eq=False)
class FeatureTables:
    """The rows of a feature set, by this engine's squares.

    Attributes:
        pieces: uint32[VIEWS, codes, SQUARES], the row within the king's block; 0 if it is not listed
        kings: uint32[SQUARES], the first row of the block, by the own king's square as its side sees it
        mirrored: uint8[SQUARES], whether the board is mirrored, by the same king square
    """

    pieces: np.ndarray
    kings: np.ndarray
    mirrored: np.ndarray


def feature_tables(features: FeatureSet) -> FeatureTables:
    """Return the tables of a feature set."""
    mirrored = (FILE_MAJOR >= MIRRORED_FROM) & features.mirrored
    kings = np.where(mirrored, MIRROR[FILE_MAJOR], FILE_MAJOR) if features.kings > 1 else np.zeros(SQUARES, int)
    codes = 1 + ATTACKED * CLASSES if features.attacked else 32
    pieces = np.zeros((VIEWS, codes, SQUARES), dtype=np.uint32)
    for colour in (BLACK, WHITE):
        seen = FILE_MAJOR if colour == BLACK else FILE_MAJOR[::-1]
        for mirror in (0, 1):
            squares = MIRROR[seen] if mirror else seen
            for code in range(codes):
                first = _first_row(features, colour, code)
                if first:
                    pieces[2 * colour + mirror, code] = first + squares
    return FeatureTables(pieces, (features.block * kings).astype(np.uint32), mirrored.astype(np.uint8))


def _first_row(features: FeatureSet, colour: int, code: int) -> int:
    """Return the row of the first square for a code as `colour` sees it, 0 if it is not listed."""
    if not features.attacked:
        owner, kind = code >> 4 ^ colour, code & 15
        if kind == KING and features.king_planes:
            return PER_KING + (owner * SQUARES if features.king_planes == 2 else 0)
        return BOARD[kind] + owner * SQUARES if kind in BOARD else 0
    if code == 0:
        return 0
    ways, piece = divmod(code - 1, CLASSES)
    attackers = divmod(ways, 3)
    own, enemy = attackers if colour == BLACK else attackers[::-1]
    block = features.kings * features.block * (3 * own + enemy)
    return block + NAMED[piece // 2] + (piece % 2 ^ colour) * SQUARES
