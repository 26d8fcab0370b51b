"""The safety of a king: its guards, the enemy pieces near it, and the pieces that the enemy has in hand."""

import numpy as np

from shogi_engine.games.shogi.bitboard import NEAR_KING, STEP_ATTACKS
from shogi_engine.games.shogi.evaluation import king_piece_weights as weights
from shogi_engine.games.shogi.queries import pieces
from shogi_engine.games.shogi.types import GOLD_MOVERS, KING, NO_SQUARE, SILVER
from shogi_engine.jit import load_i16, njit

# A hand times this number has the weighted sum of its counts in the highest byte, if that sum is below 256.
HAND_PRESSURE_FACTOR = np.uint64(
    sum(weight << 56 - 8 * kind for kind, weight in enumerate(weights.HAND_PRESSURE_WEIGHTS))
)
S56 = np.uint64(56)


@njit
def safety_index(pos, colour):
    """Return the index in row SAFETY of the weights for the safety of `colour`'s king; the king must exist."""
    king = int(pos.king[colour])
    attackers = len(pieces(pos, 1 - colour) & NEAR_KING[colour, king])
    guards = len((pieces(pos, colour, SILVER) | pieces(pos, colour, GOLD_MOVERS)) & STEP_ATTACKS[colour, KING, king])
    pressure = int(pos.hand[1 - colour] * HAND_PRESSURE_FACTOR >> S56)
    place = min(attackers, weights.ATTACKERS - 1) * weights.GUARDS + min(guards, weights.GUARDS - 1)
    return place * weights.HAND_PRESSURES + min(pressure, weights.HAND_PRESSURES - 1)


@njit
def king_safety(table, pos, colour):
    """Return the safety of `colour`'s king, 0 if there is none.

    Args:
        table: uint64, the address of king_piece_weights.Weights.table
    """
    if pos.king[colour] == NO_SQUARE:
        return np.int64(0)
    return load_i16(table + np.uint64(2 * (weights.FEATURES * weights.SAFETY + safety_index(pos, colour))))


@njit
def king_safety_difference(table, pos, colour):
    """Return the safety of `colour`'s king minus that of the other king."""
    return king_safety(table, pos, colour) - king_safety(table, pos, 1 - colour)
