"""Codes of pieces that tell how their squares are attacked, for the feature set HalfKPE9 of nn.bin.

A square's attackers are all pieces, kings included, that could move there or protect the piece there. Pins are ignored,
and a sliding piece stops at the first piece in its way.
"""

from shogi_engine.games.shogi.attacks import attacks_from
from shogi_engine.games.shogi.evaluation.nnue_features import CLASSES, PIECE_CLASSES
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.types import SQUARES, piece_colour, piece_kind
from shogi_engine.jit import njit

MOST = 2  # attackers of a side that are told apart


@njit
def write_attacked_codes(ctx):
    """Write the code of each square of ctx.pos to ctx.evaluation_cache.codes: its piece's class and its attackers.

    It is CLASSES * (3 * black + white) + class, with at most MOST attackers of a side; 0 without a piece.
    """
    pos, counts = ctx.pos, ctx.evaluation_cache.attackers
    for square in range(SQUARES):
        counts[0, square] = counts[1, square] = 0
    occ = occupied(pos)
    for square in occ:
        piece = int(pos.board[square])
        colour = piece_colour(piece)
        for target in attacks_from(piece_kind(piece), colour, square, occ):
            counts[colour, target] += 1
    codes = ctx.evaluation_cache.codes
    for square in range(SQUARES):
        piece_class = int(PIECE_CLASSES[pos.board[square]])
        ways = 3 * min(int(counts[0, square]), MOST) + min(int(counts[1, square]), MOST)
        codes[square] = CLASSES * ways + piece_class if piece_class else 0
