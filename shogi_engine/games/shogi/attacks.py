"""Attacks: attackers of a square, the squares forbidden to a king, checkers and pinned pieces.

Some functions take the occupied squares as an argument, `occ`, so that they can be used for the board after a move.
"""

from shogi_engine.games.shogi.bitboard import (
    BISHOP_LINES,
    KING_ZONE,
    NEAR_KING,
    NORTH,
    NOTHING,
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
from shogi_engine.games.shogi.queries import bishops_and_horses, occupied, pieces, rooks_and_dragons
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
def attacks_from(kind, colour, square, occ):
    """Return the squares that a piece of `kind` and `colour` on `square` attacks when `occ` is occupied."""
    steps = STEP_ATTACKS[colour, kind, square]
    if kind == LANCE:
        return lance_attacks(colour, square, occ)
    if kind in (BISHOP, HORSE):
        return steps | bishop_attacks(square, occ)
    if kind in (ROOK, DRAGON):
        return steps | rook_attacks(square, occ)
    return steps


@njit
def attackers_to(pos, square, colour, occ):
    """Return the pieces of `colour` that attack `square` when `occ` is occupied."""
    them = 1 - colour  # a piece of `them` on `square` would attack the attackers of the same kind
    royal = pieces(pos, colour, KING) | pieces(pos, colour, HORSE) | pieces(pos, colour, DRAGON)
    found = (
        STEP_ATTACKS[them, PAWN, square] & pieces(pos, colour, PAWN)
        | STEP_ATTACKS[them, KNIGHT, square] & pieces(pos, colour, KNIGHT)
        | STEP_ATTACKS[them, SILVER, square] & pieces(pos, colour, SILVER)
        | STEP_ATTACKS[them, GOLD, square] & pieces(pos, colour, GOLD_MOVERS)
        | STEP_ATTACKS[them, KING, square] & royal
    )
    for sniper in snipers(pos, square, colour) & ~found:  # horses and dragons next to `square` are found already
        if not between(square, sniper) & occ:
            found |= SQUARE_BITS[sniper]
    return found


@njit
def snipers(pos, square, colour):
    """Return the sliders of `colour` that would attack `square` on an empty board."""
    behind = SOUTH if colour == BLACK else NORTH  # the direction from `square` to lances that attack it
    return (
        ROOK_LINES[square] & rooks_and_dragons(pos, colour)
        | BISHOP_LINES[square] & bishops_and_horses(pos, colour)
        | RAYS[square, behind] & pieces(pos, colour, LANCE)
    )


@njit
def slider_blockers(pos, square, colour):
    """Return the pieces of both colours that are the only piece between `square` and a slider of `colour`."""
    occ = occupied(pos)
    found = NOTHING
    for sniper in snipers(pos, square, colour):
        way = between(square, sniper) & occ
        if len(way) == 1:
            found |= way
    return found


@njit
def pinned_pieces(pos, colour):
    """Return the pieces of `colour` that are pinned to its king by a slider. There are none without a king."""
    king = int(pos.king[colour])
    return NOTHING if king == NO_SQUARE else slider_blockers(pos, king, 1 - colour) & pieces(pos, colour)


@njit
def discovered_check_candidates(pos, king, colour):
    """Return the pieces of `colour` that give a discovered check to the enemy king on `king` if they leave the line."""
    return slider_blockers(pos, king, colour) & pieces(pos, colour)


@njit
def attacked_near_king(pos, king, colour, occ):
    """Return the squares around `king`, the king of `colour`, that the enemy attacks.

    The result is complete within the king's zone. Outside it, some attacked squares may be missing.

    Args:
        occ: the occupied squares except the king's, because the king does not shield the squares behind it
    """
    them = 1 - colour
    attacked = NOTHING
    for square in NEAR_KING[colour, king] & pieces(pos, them):
        attacked |= STEP_ATTACKS[them, piece_kind(pos.board[square]), square]
    zone = KING_ZONE[king]
    for square in rooks_and_dragons(pos, them):
        if ROOK_LINES[square] & zone:
            attacked |= rook_attacks(square, occ)
    for square in bishops_and_horses(pos, them):
        if BISHOP_LINES[square] & zone:
            attacked |= bishop_attacks(square, occ)
    for square in pieces(pos, them, LANCE):
        if ROOK_LINES[square] & zone:  # a coarse test: it is also true for squares next to and behind the lance
            attacked |= lance_attacks(them, square, occ)
    return attacked


@njit
def is_drop_pawn_mate(pos, square):
    """Tell whether a pawn drop on `square`, right in front of the enemy king, gives mate, which is illegal.

    It is not checked whether the drop is possible.
    """
    us = int(pos.side)
    them = 1 - us
    king = int(pos.king[them])
    occ = occupied(pos)
    if not attackers_to(pos, square, us, occ):
        return False  # the king captures the pawn
    takers = attackers_to(pos, square, them, occ) & ~pieces(pos, them, KING)
    if takers:
        toward = SOUTH if us == BLACK else NORTH  # towards the pawn: a piece pinned along this file may capture it
        if takers & (~pinned_pieces(pos, them) | RAYS[king, toward]):
            return False
    pawn = SQUARE_BITS[square]
    attacked = attacked_near_king(pos, king, them, occ ^ pieces(pos, them, KING) | pawn)
    return not STEP_ATTACKS[them, KING, king] & ~(pieces(pos, them) | attacked | pawn)
