"""The evaluation by the network: int16 sums of each side's features, updated move by move, and a layer on top.

A move changes one or two rows of each side's sum (network_features.py). A king that crosses the middle file changes all
features of its side, whose sum is then recomputed when it is needed. The sums of a ply lie in the context's
evaluation cache, side by side and aligned for vectors.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.evaluation.network_features import hand_feature, output_bucket, piece_feature, view_of
from shogi_engine.games.shogi.evaluation.network_weights import SHIFT, WIDTH, load_weights
from shogi_engine.games.shogi.evaluation.root_order import value_after
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.interface.evaluation import Evaluation
from shogi_engine.interface.game import MAX_PLY, provides_evaluation, update_line
from shogi_engine.jit import load_u64, njit, record_dtype, vectors

PLIES = MAX_PLY + 2
SUMS_BYTES = 2 * WIDTH
ACCUMULATOR = record_dtype([("views", np.uint64, (2,))])  # by colour: the view (view_of) summed, or STALE
CACHE = record_dtype([("memory", np.uint8, (PLIES * 2 * SUMS_BYTES + vectors.ALIGNMENT,))])
STALE = 8

EVALUATION = Evaluation(
    "network",
    t.POSITION,
    accumulator=ACCUMULATOR,
    cache=CACHE,
    fields=(
        ("rows", np.uint64),  # the addresses of network_weights.Network's arrays
        ("bias", np.uint64),
        ("output_weights", np.uint64),
        ("output_bias", np.uint64),
        ("qa", np.uint64),
        ("shift", np.uint64),
        ("multiplier", np.uint64),
    ),
    load_weights=load_weights,
)


@njit
def sums_address(ctx, ply, colour):
    """Return the address of the sums of `colour` at `ply`, int16[WIDTH]."""
    begin = vectors.align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data))
    return begin + np.uint64((ply * 2 + colour) * SUMS_BYTES)


@njit
def row_address(ctx, feature):
    """Return the address of a feature's row, int16[WIDTH]."""
    return ctx.evaluation.rows + np.uint64(feature * SUMS_BYTES)


@njit
def refresh_view(ctx, ply, colour):
    """Compute the sums of `colour` for ctx.pos from scratch and write them to `ply`."""
    pos = ctx.pos
    sums, view = sums_address(ctx, ply, colour), view_of(colour, int(pos.king[colour]))
    vectors.copy_i16(sums, ctx.evaluation.bias, WIDTH)
    for square in occupied(pos):
        piece = int(pos.board[square]) ^ colour << 4
        vectors.add_i16(sums, sums, row_address(ctx, piece_feature(view, piece >> 4, piece & 15, square)), WIDTH)
    for owner in range(2):
        hand = pos.hand[colour ^ owner]
        if hand != ZERO:
            for kind in range(1, t.KING):
                for number in range(1, t.hand_count(hand, kind) + 1):
                    vectors.add_i16(sums, sums, row_address(ctx, hand_feature(owner, kind, number)), WIDTH)
    ctx.accumulators[ply].views[colour] = view


@njit
def update_view(ctx, ply, colour, view, mover, move, hand):
    """Derive the sums of `colour` at `ply` from those of the ply before, after which `mover` made `move`.

    Args:
        view: the view of `colour`, which the move does not change
        hand: uint64, the mover's hand before the move
    """
    before, after = sums_address(ctx, ply - 1, colour), sums_address(ctx, ply, colour)
    owner, kind, target = mover ^ colour, t.move_kind(move), t.move_to(move)
    arrives = row_address(ctx, piece_feature(view, owner, t.arriving_kind(move), target))
    if t.is_drop(move):
        leaves = row_address(ctx, hand_feature(owner, kind, t.hand_count(hand, kind)))
    else:
        leaves = row_address(ctx, piece_feature(view, owner, kind, t.move_from(move)))
    captured = t.move_captured(move)
    if captured == 0:
        vectors.add_sub_i16(after, before, arrives, leaves, WIDTH)
    else:
        gained = int(t.UNPROMOTED[captured])
        lost = row_address(ctx, piece_feature(view, owner ^ 1, captured, target))
        won = row_address(ctx, hand_feature(owner, gained, t.hand_count(hand, gained) + 1))
        vectors.add_add_sub_sub_i16(after, before, arrives, won, leaves, lost, WIDTH)


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    for colour in range(2):
        refresh_view(ctx, ply, colour)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    """After a king crosses the middle file, its view is STALE until it is needed."""
    before, after = ctx.accumulators[ply - 1], ctx.accumulators[ply]
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    move, mover = undo.move, side_at(ctx, ply - 1)
    for colour in range(2):
        view = int(before.views[colour])
        after.views[colour] = view
        if view == STALE:
            continue
        if move == 0:
            vectors.copy_i16(sums_address(ctx, ply, colour), sums_address(ctx, ply - 1, colour), WIDTH)
        elif colour == mover and t.move_kind(move) == t.KING and view_of(colour, t.move_to(move)) != view:
            after.views[colour] = STALE
        else:
            update_view(ctx, ply, colour, view, mover, move, undo.hand[mover])


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    us = int(ctx.pos.side)
    for colour in range(2):
        if ctx.accumulators[ctx.ply].views[colour] == STALE:
            refresh_view(ctx, ctx.ply, colour)
    bucket = output_bucket(ctx.pos)
    ours = ctx.evaluation.output_weights + np.uint64(bucket * 2 * SUMS_BYTES)
    theirs = ours + np.uint64(SUMS_BYTES)
    qa, shift = np.int64(ctx.evaluation.qa), np.int64(ctx.evaluation.shift)
    total = np.int64(load_u64(ctx.evaluation.output_bias + np.uint64(8 * bucket)))
    total += vectors.screlu_dot_i16(sums_address(ctx, ctx.ply, us), ours, qa, shift, WIDTH)
    total += vectors.screlu_dot_i16(sums_address(ctx, ctx.ply, 1 - us), theirs, qa, shift, WIDTH)
    return min(max(total * np.int64(ctx.evaluation.multiplier) >> SHIFT, -VALUE_LIMIT), VALUE_LIMIT)


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return value_after(ctx, move)
