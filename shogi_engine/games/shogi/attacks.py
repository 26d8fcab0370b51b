"""Attacks: attackers of a square, the squares forbidden to a king, checkers and pinned pieces.

Some functions take the occupied squares as an argument, `occ`, so that they can be used for the board after a move.
"""

from shogi_engine.games.shogi import bitboard as bb
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.queries import bishops_and_horses, occupied, pieces, rooks_and_dragons
from shogi_engine.jit import njit


@njit
def attacks_from(kind, colour, square, occ):
    """Return the squares that a piece of `kind` and `colour` on `square` attacks when `occ` is occupied."""
    steps = bb.STEP_ATTACKS[colour, kind, square]
    if kind == t.LANCE:
        return bb.lance_attacks(colour, square, occ)
    if kind in (t.BISHOP, t.HORSE):
        return steps | bb.bishop_attacks(square, occ)
    if kind in (t.ROOK, t.DRAGON):
        return steps | bb.rook_attacks(square, occ)
    return steps


@njit
def attackers_to(pos, square, colour, occ):
    """Return the pieces of `colour` that attack `square` when `occ` is occupied."""
    them = 1 - colour  # a piece of `them` on `square` would attack the attackers of the same kind
    royal = pieces(pos, colour, t.KING) | pieces(pos, colour, t.HORSE) | pieces(pos, colour, t.DRAGON)
    found = (
        bb.STEP_ATTACKS[them, t.PAWN, square] & pieces(pos, colour, t.PAWN)
        | bb.STEP_ATTACKS[them, t.KNIGHT, square] & pieces(pos, colour, t.KNIGHT)
        | bb.STEP_ATTACKS[them, t.SILVER, square] & pieces(pos, colour, t.SILVER)
        | bb.STEP_ATTACKS[them, t.GOLD, square] & pieces(pos, colour, t.GOLD_MOVERS)
        | bb.STEP_ATTACKS[them, t.KING, square] & royal
    )
    for sniper in snipers(pos, square, colour) & ~found:  # horses and dragons next to `square` are found already
        if not bb.between(square, sniper) & occ:
            found |= bb.SQUARE_BITS[sniper]
    return found


@njit
def snipers(pos, square, colour):
    """Return the sliders of `colour` that would attack `square` on an empty board."""
    behind = bb.SOUTH if colour == t.BLACK else bb.NORTH  # the direction from `square` to lances that attack it
    return (
        bb.ROOK_LINES[square] & rooks_and_dragons(pos, colour)
        | bb.BISHOP_LINES[square] & bishops_and_horses(pos, colour)
        | bb.RAYS[square, behind] & pieces(pos, colour, t.LANCE)
    )


@njit
def slider_blockers(pos, square, colour):
    """Return the pieces of both colours that are the only piece between `square` and a slider of `colour`."""
    occ = occupied(pos)
    found = bb.NOTHING
    for sniper in snipers(pos, square, colour):
        way = bb.between(square, sniper) & occ
        if len(way) == 1:
            found |= way
    return found


@njit
def pinned_pieces(pos, colour):
    """Return the pieces of `colour` that are pinned to its king by a slider. There are none without a king."""
    king = int(pos.king[colour])
    return bb.NOTHING if king == t.NO_SQUARE else slider_blockers(pos, king, 1 - colour) & pieces(pos, colour)


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
    attacked = bb.NOTHING
    for square in bb.NEAR_KING[colour, king] & pieces(pos, them):
        attacked |= bb.STEP_ATTACKS[them, t.piece_kind(pos.board[square]), square]
    zone = bb.KING_ZONE[king]
    for square in rooks_and_dragons(pos, them):
        if bb.ROOK_LINES[square] & zone:
            attacked |= bb.rook_attacks(square, occ)
    for square in bishops_and_horses(pos, them):
        if bb.BISHOP_LINES[square] & zone:
            attacked |= bb.bishop_attacks(square, occ)
    for square in pieces(pos, them, t.LANCE):
        if bb.ROOK_LINES[square] & zone:  # a coarse test: it is also true for squares next to and behind the lance
            attacked |= bb.lance_attacks(them, square, occ)
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
    takers = attackers_to(pos, square, them, occ) & ~pieces(pos, them, t.KING)
    if takers:
        toward = (
            bb.SOUTH if us == t.BLACK else bb.NORTH
        )  # towards the pawn: a piece pinned along this file may capture it
        if takers & (~pinned_pieces(pos, them) | bb.RAYS[king, toward]):
            return False
    pawn = bb.SQUARE_BITS[square]
    attacked = attacked_near_king(pos, king, them, occ ^ pieces(pos, them, t.KING) | pawn)
    return not bb.STEP_ATTACKS[them, t.KING, king] & ~(pieces(pos, them) | attacked | pawn)
