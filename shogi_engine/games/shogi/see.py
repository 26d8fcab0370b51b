"""Static exchange evaluation: what a sequence of captures on one square gains."""

import numpy as np

from shogi_engine.bits import ZERO, lowest
from shogi_engine.game import provides
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import SQUARE_BITS
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.types import (
    BISHOP,
    DRAGON,
    GOLD,
    HORSE,
    KING,
    KNIGHT,
    LANCE,
    PAWN,
    POSITION,
    PROM_KNIGHT,
    PROM_LANCE,
    PROM_PAWN,
    PROM_SILVER,
    PROMOTED,
    ROOK,
    SILVER,
    UNPROMOTED,
    is_drop,
    is_promotion,
    move_captured,
    move_from,
    move_kind,
    move_to,
)
from shogi_engine.jit import njit

BY_VALUE = np.array(
    [PAWN, LANCE, KNIGHT, SILVER, PROM_PAWN, PROM_LANCE, PROM_KNIGHT, PROM_SILVER, GOLD, BISHOP, HORSE, ROOK, DRAGON],
    dtype=np.uint8,
)

KING_VALUE = 1 << 14


@njit
def exchange_value(params, kind):
    """Return the gain of capturing a piece of `kind`: what it is worth on the board and then in the hand.

    A king counts more than everything else.
    """
    return KING_VALUE if kind == KING else int(params.values[kind]) + int(params.values[UNPROMOTED[kind]])


@njit
def least_attacker(pos, colour, lo, hi):
    """Return the kind and the bit of the least valuable piece of `colour` in (lo, hi), which holds at least one."""
    bb = pos.bb[colour]
    for kind in BY_VALUE:
        found_lo, found_hi = lo & bb[kind, 0], hi & bb[kind, 1]
        if found_lo | found_hi != ZERO:
            square = lowest(found_lo, found_hi)
            return int(kind), SQUARE_BITS[square, 0], SQUARE_BITS[square, 1]
    return KING, bb[KING, 0], bb[KING, 1]


@njit
def exchange_ge(pos, params, move, threshold):
    """Tell whether the exchange opened by `move` on its target square gains at least `threshold`.

    pos : record[shogi.POSITION], in, unchanged.   params : record[PARAMS], for its values.
    move : uint32, pseudo-legal in `pos`.
    threshold : centipawns, from the side to move's point of view.
    Both sides keep recapturing with their least valuable attacker; pins and promotions on recapture are ignored.
    Source: swap algorithm, Chess Programming Wiki, "SEE - The Swap Algorithm".
    """
    target = move_to(move)
    kind = move_kind(move)
    balance = -threshold
    captured = move_captured(move)
    if captured != 0:
        balance += exchange_value(params, captured)
    if is_promotion(move):
        promoted = int(PROMOTED[kind])
        balance += int(params.values[promoted]) - int(params.values[kind])
        kind = promoted
    if balance < 0:
        return False
    balance -= exchange_value(params, kind)  # the worst that can follow: it is taken for nothing
    if balance >= 0:
        return True

    occ_lo, occ_hi = occupied(pos)
    occ_lo |= SQUARE_BITS[target, 0]
    occ_hi |= SQUARE_BITS[target, 1]
    if not is_drop(move):
        source = move_from(move)
        occ_lo &= ~SQUARE_BITS[source, 0]
        occ_hi &= ~SQUARE_BITS[source, 1]
    mover = int(pos.side)
    side = 1 - mover
    while True:
        lo, hi = attackers_to(pos, target, side, occ_lo, occ_hi)
        lo &= occ_lo
        hi &= occ_hi
        if lo | hi == ZERO:
            break
        kind, bit_lo, bit_hi = least_attacker(pos, side, lo, hi)
        occ_lo &= ~bit_lo
        occ_hi &= ~bit_hi
        side = 1 - side
        balance = -balance - 1 - exchange_value(params, kind)
        if balance >= 0:
            if kind == KING:  # a king may not take what is still protected
                lo, hi = attackers_to(pos, target, side, occ_lo, occ_hi)
                if lo & occ_lo | hi & occ_hi != ZERO:
                    side = 1 - side
            break
    return side != mover


@provides(POSITION)
def see_ge(ctx, move, threshold):
    """Margins of the search count a piece once, an exchange twice: it leaves the board, and comes to the hand."""
    return exchange_ge(ctx.pos, ctx.params, move, 2 * threshold)
