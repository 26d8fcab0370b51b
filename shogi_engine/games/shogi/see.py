"""Static exchange evaluation: the material gain of a sequence of captures on one square."""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.attacks import attackers_to
from shogi_engine.games.shogi.bitboard import SQUARE_BITS
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import lowest

# The usual order of the pieces. It decides between pieces of equal value.
BY_VALUE = (
    *(t.PAWN, t.LANCE, t.KNIGHT, t.SILVER, t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER),
    *(t.GOLD, t.BISHOP, t.HORSE, t.ROOK, t.DRAGON, t.KING),
)
RANK = np.array([BY_VALUE.index(kind) if kind in BY_VALUE else 0 for kind in range(t.KINDS)], dtype=np.uint8)  # by kind
RANKS = 16  # more than any rank

KING_VALUE = 1 << 14


@njit
def exchange_value(params, kind):
    """Return the gain of capturing a piece of `kind`: its value on the board plus its value in hand.

    A king is worth more than everything else together.
    """
    return KING_VALUE if kind == t.KING else int(params.values[kind]) + int(params.values[t.UNPROMOTED[kind]])


@njit
def attacker_rank(pos, params, square):
    """Return the rank of the piece on `square` by its value; of pieces of equal value, by RANK."""
    kind = t.piece_kind(pos.board[square])
    return RANKS * (KING_VALUE if kind == t.KING else int(params.values[kind])) + int(RANK[kind])


@njit
def least_attacker(pos, params, attackers):
    """Return the square of the least valuable of `attackers`, the lowest among equals. There must be at least one."""
    best = lowest(attackers)
    least = attacker_rank(pos, params, best)
    for square in attackers:
        rank = attacker_rank(pos, params, square)
        if rank < least:
            best, least = square, rank
    return best


@njit
def exchange_ge(pos, params, move, threshold):
    """Tell whether the exchange that begins with `move` gains at least `threshold`.

    Both sides keep recapturing with their least valuable attacker; pins and promotions on recapture are ignored.
    Source: swap algorithm, Chess Programming Wiki, "SEE - The Swap Algorithm".

    Args:
        pos: record[shogi.POSITION], in, unchanged
        params: record[PARAMS], for its values
        move: uint32, pseudo-legal in `pos`
        threshold: centipawns, for the side to move
    """
    target = t.move_to(move)
    kind = t.move_kind(move)
    balance = -threshold
    captured = t.move_captured(move)
    if captured != 0:
        balance += exchange_value(params, captured)
    if t.is_promotion(move):
        promoted = int(t.PROMOTED[kind])
        balance += int(params.values[promoted]) - int(params.values[kind])
        kind = promoted
    if balance < 0:
        return False
    balance -= exchange_value(params, kind)  # the worst case: the moved piece is captured for nothing
    if balance >= 0:
        return True

    occ = occupied(pos) | SQUARE_BITS[target]
    if not t.is_drop(move):
        occ &= ~SQUARE_BITS[t.move_from(move)]
    mover = int(pos.side)
    side = 1 - mover
    while True:
        attackers = attackers_to(pos, target, side, occ) & occ
        if not attackers:
            break
        taker = least_attacker(pos, params, attackers)
        kind = t.piece_kind(pos.board[taker])
        occ &= ~SQUARE_BITS[taker]
        side = 1 - side
        balance = -balance - 1 - exchange_value(params, kind)
        if balance >= 0:
            # A king cannot capture a protected piece.
            if kind == t.KING and attackers_to(pos, target, side, occ) & occ:
                side = 1 - side
            break
    return side != mover


@provides(t.POSITION)
def see_ge(ctx, move, threshold):
    """Double the threshold: margins count a piece once, an exchange twice (off the board and into the hand)."""
    return exchange_ge(ctx.pos, ctx.params, move, 2 * threshold)
