"""The order of Shogi's moves, and their slots in the history tables."""

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.bitboard import SQUARE_BITS, attackers_to, occupied
from shogi_engine.interface.game import provides
from shogi_engine.jit import njit
from shogi_engine.jit.bitboards import lowest

MOVABLE = t.KINDS - 1  # kinds of pieces, without the empty square's
CONTINUATION_SLOTS = 2 * MOVABLE * t.SQUARES


@provides(t.POSITION)
def is_quiet(pos, move):
    """Tell whether `move` captures nothing. Promotions are quiet, as in YaneuraOu, which found this stronger."""
    return t.move_captured(move) == 0


@provides(t.POSITION)
def capture_value(ctx, move):
    value = np.int64(ctx.params.values[t.move_captured(move)])
    if t.is_promotion(move):
        kind = t.move_kind(move)
        value += ctx.params.values[t.PROMOTED[kind]] - ctx.params.values[kind]
    return value


@provides(t.POSITION)
def history_slot(pos, move):
    """Slots are by source (or dropped kind), target and promotion."""
    promotion = (1 << 14) if t.is_promotion(move) else 0
    return np.int64(pos.side) << 15 | promotion | t.move_from(move) << 7 | t.move_to(move)


@provides(t.POSITION)
def capture_slot(pos, move):
    """Slots are by piece, target and captured kind."""
    return np.int64(pos.side) << 15 | t.move_kind(move) << 11 | t.move_to(move) << 4 | t.move_captured(move)


@provides(t.POSITION)
def continuation_slot(pos, move):
    """Slots are by kind and target; drops and other moves share them."""
    return (np.int64(pos.side) * MOVABLE + t.move_kind(move) - 1) * t.SQUARES + t.move_to(move)


@provides(t.POSITION)
def usual_slots(pos):
    """Moves of pieces that are not promoted, and drops."""
    kinds = np.int64(pos.side) * MOVABLE - 1
    return (kinds + t.PAWN) * t.SQUARES, (kinds + t.KING + 1) * t.SQUARES


@provides(t.POSITION)
def is_recapture(pos, move, last):
    return t.move_to(move) == t.move_to(last)


# ---- Static exchange evaluation: the material gain of a sequence of captures on one square


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
