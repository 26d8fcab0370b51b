"""The king-piece evaluation: every piece by its place relative to each king, and the safety of the kings.

One weight for each piece and king (king_piece_weights.py) is summed for each king's perspective, and the sums are kept
up to date move by move. A king's own move changes its whole perspective, which is recomputed when it is needed.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.evaluation import king_piece_weights as weights
from shogi_engine.games.shogi.evaluation.king_safety import king_safety_difference
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.interface.evaluation import Evaluation
from shogi_engine.interface.game import do_move, provides_evaluation, undo_move, update_line
from shogi_engine.jit import load_i16, njit, record_dtype

# By colour: the sum of its king's perspective in 1/UNIT centipawns, or STALE, and the address of its king's row.
ACCUMULATOR = record_dtype([("rows", np.uint64, (2,)), ("sums", np.int64, (2,))])
STALE = 1 << 40

EVALUATION = Evaluation(
    "king-piece",
    t.POSITION,
    accumulator=ACCUMULATOR,
    fields=(
        ("table", np.uint64),  # the address of king_piece_weights.Weights.table
        ("tempo", np.int32),  # centipawns for the side to move
    ),
    load_weights=weights.load_weights,
)


@njit
def weight(row, feature):
    """Return a king's weight of `feature`.

    Args:
        row: uint64, the address of the king's row of the weights' table
    """
    return load_i16(row + np.uint64(2 * feature))


@njit
def king_row(ctx, colour):
    """Return the address of the row for `colour`'s king in ctx.pos."""
    king = int(ctx.pos.king[colour])
    if king != t.NO_SQUARE:
        king = t.relative_square(colour, king)
    return ctx.evaluation.table + np.uint64(2 * weights.FEATURES * king)


@njit
def hand_feature(owner, kind, number):
    """Return the feature of the `number`-th piece of `kind` in a hand.

    Args:
        owner: 0 for the king's own side, 1 for the enemy
    """
    return weights.HAND_BASE + (owner << 3 | kind) * weights.HAND_COUNTS + number


@njit
def perspective_sum(pos, row, colour):
    """Return the sum of the weights of `colour`'s perspective of `pos`.

    Args:
        row: as `king_row` returns it
    """
    enemy = t.make_piece(colour, 0)  # turns black's pieces and white's into the king's own and the enemy's
    value = np.int64(0)
    for square in occupied(pos):
        value += weight(row, (int(pos.board[square]) ^ enemy) * t.SQUARES + t.relative_square(colour, square))
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, t.KING):
                for number in range(t.hand_count(hand, kind)):
                    value += weight(row, hand_feature(owner, kind, number + 1))
    return value


@njit
def perspective_change(row, colour, mover, move, hand):
    """Return the change of the sum of `colour`'s perspective by `move` of `mover`, whose hand (uint64) was `hand`.

    It cannot be used for a move of that king, which changes the row.
    """
    owner = mover ^ colour
    kind, target = t.move_kind(move), t.relative_square(colour, t.move_to(move))
    value = weight(row, t.make_piece(owner, t.arriving_kind(move)) * t.SQUARES + target)
    if t.is_drop(move):
        return value - weight(row, hand_feature(owner, kind, t.hand_count(hand, kind)))
    value -= weight(row, t.make_piece(owner, kind) * t.SQUARES + t.relative_square(colour, t.move_from(move)))
    captured = t.move_captured(move)
    if captured != 0:
        value -= weight(row, t.make_piece(owner ^ 1, captured) * t.SQUARES + target)
        gained = int(t.UNPROMOTED[captured])
        value += weight(row, hand_feature(owner, gained, t.hand_count(hand, gained) + 1))
    return value


@njit
def refresh_perspective(ctx, ply, colour):
    """Write the row and the sum of `colour`'s perspective of ctx.pos to ctx.accumulators[ply]."""
    row = king_row(ctx, colour)
    ctx.accumulators[ply].rows[colour] = row
    ctx.accumulators[ply].sums[colour] = perspective_sum(ctx.pos, row, colour)


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    for colour in range(2):
        refresh_perspective(ctx, ply, colour)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    """After a king's own move, its perspective is STALE until it is needed."""
    before, after = ctx.accumulators[ply - 1], ctx.accumulators[ply]
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    move, mover = undo.move, side_at(ctx, ply - 1)
    for colour in range(2):
        after.rows[colour] = before.rows[colour]
        if before.sums[colour] == STALE or t.move_kind(move) == t.KING and colour == mover:
            after.sums[colour] = STALE
        elif move == 0:
            after.sums[colour] = before.sums[colour]
        else:
            change = perspective_change(before.rows[colour], colour, mover, move, undo.hand[mover])
            after.sums[colour] = before.sums[colour] + change


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    us = int(ctx.pos.side)
    sums = ctx.accumulators[ctx.ply].sums
    for colour in range(2):
        if sums[colour] == STALE:
            refresh_perspective(ctx, ctx.ply, colour)
    value = sums[us] - sums[1 - us] + king_safety_difference(ctx.evaluation.table, ctx.pos, us)
    value = value // weights.UNIT + ctx.evaluation.tempo
    return min(max(value, -VALUE_LIMIT), VALUE_LIMIT)


@njit
def order_by_king_piece(ctx, move):
    """Return the mover's value after `move` by ctx.evaluation.table, in 1/UNIT centipawns."""
    pos = ctx.pos
    us, undo = int(pos.side), ctx.undo[ctx.game_ply]
    do_move(pos, move, undo)
    value = perspective_sum(pos, king_row(ctx, us), us) - perspective_sum(pos, king_row(ctx, 1 - us), 1 - us)
    value += king_safety_difference(ctx.evaluation.table, pos, us)
    undo_move(pos, move, undo)
    return value


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return order_by_king_piece(ctx, move)  # finer than `evaluate`
