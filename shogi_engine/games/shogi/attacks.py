"""Who attacks what: attackers of a square, the squares a king may not step on, checkers and pinned pieces."""

from shogi_engine.bits import ZERO, pop_lowest, popcount2
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
from shogi_engine.games.shogi.queries import bishops_and_horses, occupied, rooks_and_dragons
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
    piece_kind,
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
        sniper, snipers_lo, snipers_hi = pop_lowest(snipers_lo, snipers_hi)
        way_lo, way_hi = between(square, sniper)
        if way_lo & occ_lo | way_hi & occ_hi == ZERO:
            lo |= SQUARE_BITS[sniper, 0]
            hi |= SQUARE_BITS[sniper, 1]
    return lo, hi


@njit
def snipers(pos, square, colour):
    """Return the sliders of `colour` that would attack `square` on an empty board."""
    rooks_lo, rooks_hi = rooks_and_dragons(pos, colour)
    bishops_lo, bishops_hi = bishops_and_horses(pos, colour)
    behind = SOUTH if colour == BLACK else NORTH  # from `square` to the lances that point at it
    lo = (
        ROOK_LINES[square, 0] & rooks_lo
        | BISHOP_LINES[square, 0] & bishops_lo
        | RAYS[square, behind, 0] & pos.bb[colour, LANCE, 0]
    )
    hi = (
        ROOK_LINES[square, 1] & rooks_hi
        | BISHOP_LINES[square, 1] & bishops_hi
        | RAYS[square, behind, 1] & pos.bb[colour, LANCE, 1]
    )
    return lo, hi


@njit
def slider_blockers(pos, square, colour):
    """Return the pieces, of either colour, that stand alone between `square` and a slider of `colour`."""
    occ_lo, occ_hi = occupied(pos)
    lo = hi = ZERO
    snipers_lo, snipers_hi = snipers(pos, square, colour)
    while snipers_lo | snipers_hi != ZERO:
        sniper, snipers_lo, snipers_hi = pop_lowest(snipers_lo, snipers_hi)
        way_lo, way_hi = between(square, sniper)
        way_lo &= occ_lo
        way_hi &= occ_hi
        if popcount2(way_lo, way_hi) == 1:
            lo |= way_lo
            hi |= way_hi
    return lo, hi


@njit
def pinned_pieces(pos, colour):
    """Return the pieces of `colour` that are pinned to its king by a slider; none without a king."""
    king = int(pos.king[colour])
    if king == NO_SQUARE:
        return ZERO, ZERO
    lo, hi = slider_blockers(pos, king, 1 - colour)
    return lo & pos.bb[colour, 0, 0], hi & pos.bb[colour, 0, 1]


@njit
def discovered_check_candidates(pos, king, colour):
    """Return the pieces of `colour` that discover a check to the enemy king on `king` when they leave its line."""
    lo, hi = slider_blockers(pos, king, colour)
    return lo & pos.bb[colour, 0, 0], hi & pos.bb[colour, 0, 1]


@njit
def attacked_near_king(pos, king, colour, occ_lo, occ_hi):
    """Return squares that the enemy of `colour` attacks: all those in the zone around `king`, that colour's king.

    occ_lo, occ_hi : the occupied squares without the king itself, since it shields no square behind it.
    Outside the zone some attacked squares may be missing.
    """
    them = 1 - colour
    bb = pos.bb[them]
    lo = hi = ZERO
    near_lo = NEAR_KING[colour, king, 0] & bb[0, 0]
    near_hi = NEAR_KING[colour, king, 1] & bb[0, 1]
    while near_lo | near_hi != ZERO:
        square, near_lo, near_hi = pop_lowest(near_lo, near_hi)
        kind = piece_kind(pos.board[square])
        lo |= STEP_ATTACKS[them, kind, square, 0]
        hi |= STEP_ATTACKS[them, kind, square, 1]
    zone_lo, zone_hi = KING_ZONE[king, 0], KING_ZONE[king, 1]
    far_lo, far_hi = rooks_and_dragons(pos, them)
    while far_lo | far_hi != ZERO:
        square, far_lo, far_hi = pop_lowest(far_lo, far_hi)
        if ROOK_LINES[square, 0] & zone_lo | ROOK_LINES[square, 1] & zone_hi != ZERO:
            slide_lo, slide_hi = rook_attacks(square, occ_lo, occ_hi)
            lo |= slide_lo
            hi |= slide_hi
    far_lo, far_hi = bishops_and_horses(pos, them)
    while far_lo | far_hi != ZERO:
        square, far_lo, far_hi = pop_lowest(far_lo, far_hi)
        if BISHOP_LINES[square, 0] & zone_lo | BISHOP_LINES[square, 1] & zone_hi != ZERO:
            slide_lo, slide_hi = bishop_attacks(square, occ_lo, occ_hi)
            lo |= slide_lo
            hi |= slide_hi
    far_lo, far_hi = bb[LANCE, 0], bb[LANCE, 1]
    while far_lo | far_hi != ZERO:
        square, far_lo, far_hi = pop_lowest(far_lo, far_hi)
        if ROOK_LINES[square, 0] & zone_lo | ROOK_LINES[square, 1] & zone_hi != ZERO:
            slide_lo, slide_hi = lance_attacks(them, square, occ_lo, occ_hi)
            lo |= slide_lo
            hi |= slide_hi
    return lo, hi


@njit
def is_drop_pawn_mate(pos, square):
    """Tell whether a pawn dropped on `square`, right in front of the enemy king, mates it (which is illegal).

    Does not check that the drop is possible.
    """
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    occ_lo, occ_hi = occupied(pos)
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
    attacked_lo, attacked_hi = attacked_near_king(pos, king, them, occ_lo, occ_hi)
    escapes_lo = STEP_ATTACKS[them, KING, king, 0] & ~(pos.bb[them, 0, 0] | attacked_lo | pawn_lo)
    escapes_hi = STEP_ATTACKS[them, KING, king, 1] & ~(pos.bb[them, 0, 1] | attacked_hi | pawn_hi)
    return escapes_lo | escapes_hi == ZERO
