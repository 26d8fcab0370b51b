"""Who attacks what: attackers of a square, the squares a king may not step on, checkers and pinned pieces."""

from shogi_engine.bits import ZERO, clear_lowest, lowest, popcount2
from shogi_engine.games.shogi.bitboard import (
    BISHOP_LINES,
    KING_ZONE,
    NEAR_KING,
    NORTH,
    RAYS,
    ROOK_LINES,
    SOUTH,
    SQUARE_BITS,
    STEP_ATTACKS,
    between,
    bishop_attacks,
    lance_attacks,
    rook_attacks,
)
from shogi_engine.games.shogi.types import (
    BISHOP,
    BLACK,
    DRAGON,
    GOLD,
    GOLD_MOVERS,
    HORSE,
    KING,
    KNIGHT,
    LANCE,
    NO_SQUARE,
    PAWN,
    ROOK,
    SILVER,
)
from shogi_engine.jit import njit


@njit
def attacks_from(kind, colour, square, occ_lo, occ_hi):
    """Return what a piece of `kind` and `colour` on `square` attacks when (occ_lo, occ_hi) is occupied."""
    lo, hi = STEP_ATTACKS[colour, kind, square, 0], STEP_ATTACKS[colour, kind, square, 1]
    if kind == LANCE:
        return lance_attacks(colour, square, occ_lo, occ_hi)
    if kind in (BISHOP, HORSE):
        slide_lo, slide_hi = bishop_attacks(square, occ_lo, occ_hi)
        return lo | slide_lo, hi | slide_hi
    if kind in (ROOK, DRAGON):
        slide_lo, slide_hi = rook_attacks(square, occ_lo, occ_hi)
        return lo | slide_lo, hi | slide_hi
    return lo, hi


@njit
def attackers_to(pos, square, colour, occ_lo, occ_hi):
    """Return the pieces of `colour` that attack `square` when (occ_lo, occ_hi) is occupied."""
    bb = pos.bb[colour]
    steps = STEP_ATTACKS[1 - colour]  # a piece attacks `square` from where the other colour's would attack back
    royal_lo = bb[KING, 0] | bb[HORSE, 0] | bb[DRAGON, 0]
    royal_hi = bb[KING, 1] | bb[HORSE, 1] | bb[DRAGON, 1]
    lo = (
        steps[PAWN, square, 0] & bb[PAWN, 0]
        | steps[KNIGHT, square, 0] & bb[KNIGHT, 0]
        | steps[SILVER, square, 0] & bb[SILVER, 0]
        | steps[GOLD, square, 0] & bb[GOLD_MOVERS, 0]
        | steps[KING, square, 0] & royal_lo
    )
    hi = (
        steps[PAWN, square, 1] & bb[PAWN, 1]
        | steps[KNIGHT, square, 1] & bb[KNIGHT, 1]
        | steps[SILVER, square, 1] & bb[SILVER, 1]
        | steps[GOLD, square, 1] & bb[GOLD_MOVERS, 1]
        | steps[KING, square, 1] & royal_hi
    )
    snipers_lo, snipers_hi = snipers(pos, square, colour)
    snipers_lo &= ~lo
    snipers_hi &= ~hi
    while snipers_lo | snipers_hi != ZERO:
        sniper = lowest(snipers_lo, snipers_hi)
        before_lo, before_hi = snipers_lo, snipers_hi
        snipers_lo, snipers_hi = clear_lowest(snipers_lo, snipers_hi)
        way_lo, way_hi = between(square, sniper)
        if way_lo & occ_lo | way_hi & occ_hi == ZERO:
            lo |= before_lo ^ snipers_lo
            hi |= before_hi ^ snipers_hi
    return lo, hi


@njit
def snipers(pos, square, colour):
    """Return the sliders of `colour` that would attack `square` on an empty board."""
    bb = pos.bb[colour]
    forward = SOUTH if colour == BLACK else NORTH  # where its lances that aim at `square` stand
    lo = (
        ROOK_LINES[square, 0] & (bb[ROOK, 0] | bb[DRAGON, 0])
        | BISHOP_LINES[square, 0] & (bb[BISHOP, 0] | bb[HORSE, 0])
        | RAYS[square, forward, 0] & bb[LANCE, 0]
    )
    hi = (
        ROOK_LINES[square, 1] & (bb[ROOK, 1] | bb[DRAGON, 1])
        | BISHOP_LINES[square, 1] & (bb[BISHOP, 1] | bb[HORSE, 1])
        | RAYS[square, forward, 1] & bb[LANCE, 1]
    )
    return lo, hi


@njit
def king_danger(pos, king, colour, occ_lo, occ_hi):
    """Return squares that the enemy of `colour` attacks; exact on the zone around `king`, that colour's king.

    occ_lo, occ_hi : what is occupied, without the king, since it does not shelter what lies behind it.
    Outside the zone the answer may lack squares.
    """
    them = 1 - colour
    bb = pos.bb[them]
    lo = hi = ZERO
    near_lo = NEAR_KING[colour, king, 0] & bb[0, 0]
    near_hi = NEAR_KING[colour, king, 1] & bb[0, 1]
    while near_lo | near_hi != ZERO:
        square = lowest(near_lo, near_hi)
        near_lo, near_hi = clear_lowest(near_lo, near_hi)
        kind = int(pos.board[square]) & 15
        lo |= STEP_ATTACKS[them, kind, square, 0]
        hi |= STEP_ATTACKS[them, kind, square, 1]
    zone_lo, zone_hi = KING_ZONE[king, 0], KING_ZONE[king, 1]
    far_lo, far_hi = bb[ROOK, 0] | bb[DRAGON, 0], bb[ROOK, 1] | bb[DRAGON, 1]
    while far_lo | far_hi != ZERO:
        square = lowest(far_lo, far_hi)
        far_lo, far_hi = clear_lowest(far_lo, far_hi)
        if ROOK_LINES[square, 0] & zone_lo | ROOK_LINES[square, 1] & zone_hi != ZERO:
            slide_lo, slide_hi = rook_attacks(square, occ_lo, occ_hi)
            lo |= slide_lo
            hi |= slide_hi
    far_lo, far_hi = bb[BISHOP, 0] | bb[HORSE, 0], bb[BISHOP, 1] | bb[HORSE, 1]
    while far_lo | far_hi != ZERO:
        square = lowest(far_lo, far_hi)
        far_lo, far_hi = clear_lowest(far_lo, far_hi)
        if BISHOP_LINES[square, 0] & zone_lo | BISHOP_LINES[square, 1] & zone_hi != ZERO:
            slide_lo, slide_hi = bishop_attacks(square, occ_lo, occ_hi)
            lo |= slide_lo
            hi |= slide_hi
    far_lo, far_hi = bb[LANCE, 0], bb[LANCE, 1]
    while far_lo | far_hi != ZERO:
        square = lowest(far_lo, far_hi)
        far_lo, far_hi = clear_lowest(far_lo, far_hi)
        if ROOK_LINES[square, 0] & zone_lo | ROOK_LINES[square, 1] & zone_hi != ZERO:
            slide_lo, slide_hi = lance_attacks(them, square, occ_lo, occ_hi)
            lo |= slide_lo
            hi |= slide_hi
    return lo, hi


@njit
def pinned_pieces(pos, colour):
    """Return the pieces of `colour` that stand alone between its king and an enemy slider; none without a king."""
    king = int(pos.king[colour])
    lo = hi = ZERO
    if king == NO_SQUARE:
        return lo, hi
    occ_lo = pos.bb[0, 0, 0] | pos.bb[1, 0, 0]
    occ_hi = pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    snipers_lo, snipers_hi = snipers(pos, king, 1 - colour)
    while snipers_lo | snipers_hi != ZERO:
        way_lo, way_hi = between(king, lowest(snipers_lo, snipers_hi))
        snipers_lo, snipers_hi = clear_lowest(snipers_lo, snipers_hi)
        way_lo &= occ_lo
        way_hi &= occ_hi
        if popcount2(way_lo, way_hi) == 1:
            lo |= way_lo
            hi |= way_hi
    return lo & pos.bb[colour, 0, 0], hi & pos.bb[colour, 0, 1]


@njit
def is_drop_pawn_mate(pos, square):
    """Tell whether a pawn dropped on `square`, right in front of the enemy king, mates it (which is illegal).

    Checks neither that the drop is possible nor that it gives check.
    """
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    occ_lo = pos.bb[0, 0, 0] | pos.bb[1, 0, 0]
    occ_hi = pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    support_lo, support_hi = attackers_to(pos, square, us, occ_lo, occ_hi)
    if support_lo | support_hi == ZERO:
        return False  # the king takes the pawn
    takers_lo, takers_hi = attackers_to(pos, square, them, occ_lo, occ_hi)
    takers_lo &= ~pos.bb[them, KING, 0]
    takers_hi &= ~pos.bb[them, KING, 1]
    if takers_lo | takers_hi != ZERO:
        pinned_lo, pinned_hi = pinned_pieces(pos, them)
        toward = SOUTH if us == BLACK else NORTH  # from the king to the pawn: a taker may be pinned on this file
        free_lo = ~pinned_lo | RAYS[king, toward, 0]
        free_hi = ~pinned_hi | RAYS[king, toward, 1]
        if takers_lo & free_lo | takers_hi & free_hi != ZERO:
            return False
    pawn_lo, pawn_hi = SQUARE_BITS[square, 0], SQUARE_BITS[square, 1]
    occ_lo = occ_lo ^ pos.bb[them, KING, 0] | pawn_lo
    occ_hi = occ_hi ^ pos.bb[them, KING, 1] | pawn_hi
    danger_lo, danger_hi = king_danger(pos, king, them, occ_lo, occ_hi)
    escapes_lo = STEP_ATTACKS[them, KING, king, 0] & ~(pos.bb[them, 0, 0] | danger_lo | pawn_lo)
    escapes_hi = STEP_ATTACKS[them, KING, king, 1] & ~(pos.bb[them, 0, 1] | danger_hi | pawn_hi)
    return escapes_lo | escapes_hi == ZERO
