"""Shogi's evaluation, kept up to date ply by ply from the moves of the line, and the order of moves.

There are two kinds, and ctx.params.evaluation chooses: material alone, or what each king sees (king_piece.py), a sum of
one weight for each piece and king, with the safety of the kings. A king's own move changes all that it sees, which is
then summed anew.
"""

import numpy as np

from shogi_engine.bits import ZERO, clear_lowest, lowest, popcount2
from shogi_engine.game import CORRECTION_SLOTS, do_move, provides, undo_move
from shogi_engine.games.shogi.bitboard import NEAR_KING, STEP_ATTACKS
from shogi_engine.games.shogi.evaluation.king_piece import (
    ATTACKERS,
    FEATURES,
    GUARDS,
    HAND_BASE,
    HAND_COUNTS,
    RESERVE_WEIGHTS,
    RESERVES,
    SAFETY,
    UNIT,
)
from shogi_engine.games.shogi.params import MATERIAL
from shogi_engine.games.shogi.partial_keys import (
    NEAR_KING_KEY,
    PARTIAL_KEYS,
    PAWN_KEY,
    PIECES_KEY,
    refresh_near_king_keys,
    refresh_partial_keys,
    update_partial_keys,
)
from shogi_engine.games.shogi.rules import VALUE_SUPERIOR
from shogi_engine.games.shogi.types import (
    GOLD_MOVERS,
    KINDS,
    KING,
    NO_SQUARE,
    POSITION,
    PROMOTED,
    SILVER,
    SQUARES,
    UNPROMOTED,
    hand_count,
    is_drop,
    is_promotion,
    move_captured,
    move_from,
    move_kind,
    move_to,
)
from shogi_engine.jit import load_i16, njit, record_dtype

# `material` is in centipawns, black's less white's, and kept in evaluation by material only; else, by colour, what its
# king sees (king_piece.py) in 1/UNIT centipawns, or STALE, and the address of its king's row. `check_squares` is for
# checks.py: by kind, from where it attacks the enemy king. `partial_keys` and `kings` are for partial_keys.py.
ACCUMULATOR = record_dtype(
    [
        ("material", np.int64),
        ("rows", np.uint64, (2,)),
        ("views", np.int64, (2,)),
        ("check_squares", np.uint64, (16, 2)),
        ("partial_keys", np.uint64, (PARTIAL_KEYS,)),
        ("kings", np.int64, (2,)),
    ]
)
STALE = 1 << 40
VALUE_LIMIT = VALUE_SUPERIOR - 1000  # an evaluation is never as sure as a rule on repetition

# A hand times this has in its highest byte the sum of its counts times their weights, as long as that is below 256.
RESERVE_FACTOR = np.uint64(sum(weight << 56 - 8 * kind for kind, weight in enumerate(RESERVE_WEIGHTS)))
S56 = np.uint64(56)

CONTINUATION_SLOTS = 2 * KINDS * SQUARES


# ---- material ----------------------------------------------------------------------------------------------------


@njit
def gain(params, move):
    """Return what `move` changes in the mover's material, in centipawns."""
    value = np.int64(0)
    captured = move_captured(move)
    if captured != 0:
        value += params.values[captured] + params.values[UNPROMOTED[captured]]
    if is_promotion(move):
        kind = move_kind(move)
        value += params.values[PROMOTED[kind]] - params.values[kind]
    return value


@njit
def count_material(ctx):
    """Return black's material less white's in ctx.pos, in centipawns."""
    pos = ctx.pos
    value = np.int64(0)
    for square in range(81):
        piece = int(pos.board[square])
        if piece != 0:
            worth = ctx.params.values[piece & 15]
            value += -worth if piece >> 4 else worth
    for kind in range(1, KING):
        value += ctx.params.values[kind] * (hand_count(pos.hand[0], kind) - hand_count(pos.hand[1], kind))
    return value


@njit
def bring_material_up_to_date(ctx):
    """Make ctx.accumulators[ctx.ply].material right: replay the gains of the moves since the last ply that is."""
    while ctx.computed_ply < ctx.ply:
        done = ctx.computed_ply
        before, after = ctx.accumulators[done], ctx.accumulators[done + 1]
        move = ctx.undo[ctx.game_ply - ctx.ply + done].move
        mover = (int(ctx.pos.side) + ctx.ply - done) & 1
        value = gain(ctx.params, move)
        after.material = before.material + (-value if mover else value)
        update_partial_keys(before, after, move, mover)
        ctx.computed_ply = done + 1
    refresh_near_king_keys(ctx.pos, ctx.accumulators[ctx.ply])


# ---- what the kings see ------------------------------------------------------------------------------------------


@njit
def weight(row, feature):
    """Return a king's weight of `feature`; row : uint64, the address of the king's row of king_piece.Weights.table."""
    return load_i16(row + np.uint64(2 * feature))


@njit
def king_row(ctx, colour):
    """Return the address of the row for `colour`'s king in ctx.pos."""
    king = int(ctx.pos.king[colour])
    if colour != 0 and king != NO_SQUARE:
        king = 80 - king
    return ctx.params.king_piece + np.uint64(2 * FEATURES * king)


@njit
def hand_feature(owner, kind, number):
    """Return the feature of the `number`-th piece of `kind` in a hand; owner : 0 the king's own, 1 the enemy's."""
    return HAND_BASE + (owner << 3 | kind) * HAND_COUNTS + number


@njit
def sum_view(ctx, colour):
    """Return what `colour`'s king sees in ctx.pos, from nothing."""
    pos = ctx.pos
    row = king_row(ctx, colour)
    swap, far = (16, 80) if colour != 0 else (0, 0)
    value = np.int64(0)
    lo, hi = pos.bb[0, 0, 0] | pos.bb[1, 0, 0], pos.bb[0, 0, 1] | pos.bb[1, 0, 1]
    while lo | hi != ZERO:
        square = lowest(lo, hi)
        lo, hi = clear_lowest(lo, hi)
        value += weight(row, (int(pos.board[square]) ^ swap) * SQUARES + abs(far - square))
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, KING):
                for number in range(hand_count(hand, kind)):
                    value += weight(row, hand_feature(owner, kind, number + 1))
    return value


@njit
def view_change(row, colour, mover, move, hand):
    """Return what `move` of `mover`, whose hand (uint64) was `hand`, changes in what `colour`'s king sees.

    Not for a move of that king itself: it then sees everything from elsewhere.
    """
    far = 80 if colour != 0 else 0
    owner = mover ^ colour
    kind, target = move_kind(move), abs(far - move_to(move))
    arrived = int(PROMOTED[kind]) if is_promotion(move) else kind
    value = weight(row, (owner << 4 | arrived) * SQUARES + target)
    if is_drop(move):
        return value - weight(row, hand_feature(owner, kind, hand_count(hand, kind)))
    value -= weight(row, (owner << 4 | kind) * SQUARES + abs(far - move_from(move)))
    captured = move_captured(move)
    if captured != 0:
        value -= weight(row, ((owner ^ 1) << 4 | captured) * SQUARES + target)
        gained = int(UNPROMOTED[captured])
        value += weight(row, hand_feature(owner, gained, hand_count(hand, gained) + 1))
    return value


@njit
def bring_views_up_to_date(ctx):
    """Make ctx.accumulators[ctx.ply].views right. A king's own move leaves its view STALE until it is asked for."""
    while ctx.computed_ply < ctx.ply:
        done = ctx.computed_ply
        undo = ctx.undo[ctx.game_ply - ctx.ply + done]
        before, after = ctx.accumulators[done], ctx.accumulators[done + 1]
        move = undo.move
        mover = (int(ctx.pos.side) + ctx.ply - done) & 1
        for colour in range(2):
            after.rows[colour] = before.rows[colour]
            if before.views[colour] == STALE or move_kind(move) == KING and colour == mover:
                after.views[colour] = STALE
            elif move == 0:
                after.views[colour] = before.views[colour]
            else:
                change = view_change(before.rows[colour], colour, mover, move, undo.hand[mover])
                after.views[colour] = before.views[colour] + change
        update_partial_keys(before, after, move, mover)
        ctx.computed_ply = done + 1
    now = ctx.accumulators[ctx.ply]
    refresh_near_king_keys(ctx.pos, now)
    for colour in range(2):
        if now.views[colour] == STALE:
            now.rows[colour] = king_row(ctx, colour)
            now.views[colour] = sum_view(ctx, colour)


# ---- safety of the kings -----------------------------------------------------------------------------------------


@njit
def safety_index(pos, colour):
    """Return where king_piece's row SAFETY has the safety of `colour`'s king, which must be there."""
    king = int(pos.king[colour])
    enemy, own = pos.bb[1 - colour], pos.bb[colour]
    attackers = popcount2(enemy[0, 0] & NEAR_KING[colour, king, 0], enemy[0, 1] & NEAR_KING[colour, king, 1])
    next_lo, next_hi = STEP_ATTACKS[colour, KING, king, 0], STEP_ATTACKS[colour, KING, king, 1]
    guards = popcount2(
        (own[SILVER, 0] | own[GOLD_MOVERS, 0]) & next_lo, (own[SILVER, 1] | own[GOLD_MOVERS, 1]) & next_hi
    )
    reserve = int(pos.hand[1 - colour] * RESERVE_FACTOR >> S56)
    return (min(attackers, ATTACKERS - 1) * GUARDS + min(guards, GUARDS - 1)) * RESERVES + min(reserve, RESERVES - 1)


@njit
def king_safety(ctx, colour):
    """Return the safety of `colour`'s king, 0 if there is none."""
    if ctx.pos.king[colour] == NO_SQUARE:
        return np.int64(0)
    return weight(ctx.params.king_piece + np.uint64(2 * FEATURES * SAFETY), safety_index(ctx.pos, colour))


@njit
def safety_lead(ctx, colour):
    """Return by how much `colour`'s king is safer than the other."""
    return king_safety(ctx, colour) - king_safety(ctx, 1 - colour)


# ---- the rules ---------------------------------------------------------------------------------------------------


@provides(POSITION)
def refresh_accumulator(ctx):
    ctx.computed_ply = 0
    refresh_partial_keys(ctx.pos, ctx.accumulators[0])
    if ctx.params.evaluation == MATERIAL:
        ctx.accumulators[0].material = count_material(ctx)
        return
    for colour in range(2):
        ctx.accumulators[0].rows[colour] = king_row(ctx, colour)
        ctx.accumulators[0].views[colour] = sum_view(ctx, colour)


@provides(POSITION)
def evaluate(ctx):
    us = int(ctx.pos.side)
    if ctx.params.evaluation == MATERIAL:
        bring_material_up_to_date(ctx)
        material = ctx.accumulators[ctx.ply].material
        return -material if us else material
    bring_views_up_to_date(ctx)
    views = ctx.accumulators[ctx.ply].views
    value = views[us] - views[1 - us] + safety_lead(ctx, us)
    value = value // UNIT + ctx.params.tempo
    return min(max(value, -VALUE_LIMIT), VALUE_LIMIT)


@provides(POSITION)
def is_quiet(pos, move):
    return move_captured(move) == 0 and not is_promotion(move)


@provides(POSITION)
def score_moves(ctx, start, count):
    for index in range(start, start + count):
        move = ctx.moves[index]
        if is_quiet(ctx.pos, move):
            ctx.scores[index] = -64 if is_drop(move) else 0
            continue
        ctx.scores[index] = 16 * gain(ctx.params, move) - ctx.params.values[move_kind(move)]


@provides(POSITION)
def root_order_score(ctx, move):
    pos = ctx.pos
    us, undo = int(pos.side), ctx.undo[ctx.game_ply]
    do_move(pos, move, undo)
    value = sum_view(ctx, us) - sum_view(ctx, 1 - us) + safety_lead(ctx, us)
    undo_move(pos, move, undo)
    return value


@provides(POSITION)
def correction_slots(ctx):
    """By the partial keys and by the hands."""
    pos, keys = ctx.pos, ctx.accumulators[ctx.ply].partial_keys
    side, mask = np.int64(pos.side), np.uint64(CORRECTION_SLOTS // 2 - 1)
    return (
        np.int64(keys[PAWN_KEY] & mask) << 1 | side,
        np.int64(keys[PIECES_KEY] & mask) << 1 | side,
        np.int64(keys[PIECES_KEY + 1] & mask) << 1 | side,
        np.int64(keys[NEAR_KING_KEY] & mask) << 1 | side,
        np.int64(keys[NEAR_KING_KEY + 1] & mask) << 1 | side,
        np.int64(pos.hand_key & mask) << 1 | side,
    )


@provides(POSITION)
def history_slot(pos, move):
    kind = move_kind(move) | (16 if is_drop(move) else 0)
    return np.int64(pos.side) << 12 | kind << 7 | move_to(move)


@provides(POSITION)
def continuation_slot(pos, move):
    """Drops and moves of a kind to a square are one."""
    return (np.int64(pos.side) * KINDS + move_kind(move)) * SQUARES + move_to(move)
