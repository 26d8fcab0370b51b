"""Networks in the standard format of Shogi, nn.bin, evaluated as YaneuraOu does, bit for bit.

Each side has an accumulator, the sum of the rows of its features (nnue_features.py). A move subtracts one or two rows
and adds as many. Accumulators are updated only when they are needed. If a move changes no feature of a side, two plies
share one accumulator. If features depend on the king's square, a king's move changes all features of its side: the sum
is then derived from the last one that the thread had for that king square, by what has changed on the board since. If
rows depend on how squares are attacked, a move changes many rows, and every sum is derived this way.

One set of kernels serves all networks: ctx.evaluation contains the sizes and, as tables, the feature sets.

NNUE is Yu Nasu's, https://github.com/ynasu87/nnue; the format is that of tanuki- and YaneuraOu,
https://github.com/yaneurao/YaneuraOu; keeping a sum for each square of the king is Koivisto's idea, known as Finny
tables, https://www.chessprogramming.org/NNUE.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.evaluation import nnue_memory as memory
from shogi_engine.games.shogi.evaluation.halfkp import HAND_COUNTS, HAND_FEATURES
from shogi_engine.games.shogi.evaluation.nnue_attacks import write_attacked_codes
from shogi_engine.games.shogi.evaluation.nnue_file import LAYERS, load_network
from shogi_engine.games.shogi.evaluation.nnue_layers import king_square, network_output
from shogi_engine.games.shogi.evaluation.root_order import value_after
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.interface.evaluation import Evaluation
from shogi_engine.interface.game import provides_evaluation, refresh_line, update_line
from shogi_engine.jit import ctz, load_i32, load_u64, njit, record_dtype, store_u64
from shogi_engine.jit.vectors import add_add_sub_sub_i16, add_sub_i16, copy_i16, sum_rows_i16

# By colour, the address of its accumulator, int16[width], or STALE, in ctx.evaluation_cache.memory.
ACCUMULATOR = record_dtype([("vectors", np.uint64, (2,))])
STALE = ZERO

SHOWN_LIMIT = 31753  # the largest value that YaneuraOu shows
LAST_WORD = np.uint64((1 << 8 * (t.SQUARES % 8)) - 1)  # the bits of a board's last word that belong to the board
BYTE, BYTE_START = np.uint64(255), 56  # masks: a byte; a bit's number to that of its byte's first bit

EVALUATION = Evaluation(
    "nnue",
    t.POSITION,
    accumulator=ACCUMULATOR,
    cache=memory.CACHE,
    fields=(
        # Addresses: see nnue_file.Contents and nnue_features.FeatureTables.
        ("bias", np.uint64),
        ("rows", np.uint64),
        ("biases", np.uint64, (LAYERS,)),
        ("weights", np.uint64, (LAYERS,)),
        ("pieces", np.uint64),
        # Sizes: a row, and a view's table for a piece, in bytes; the layers as in jit.layers.
        ("width", np.int64),
        ("row_bytes", np.int64),
        ("view_bytes", np.int64),
        ("first", np.int64),
        ("second", np.int64),
        ("stacks", np.int64),
        ("blocks", np.int64, (LAYERS - 1,)),
        ("groups", np.int64, (LAYERS - 1,)),
        # The feature set: see nnue_architectures.FeatureSet.
        ("kings", np.uint32, (t.SQUARES,)),
        ("mirrored", np.uint8, (t.SQUARES,)),
        ("listed", np.int64),
        ("by_king", np.uint8),
        ("attacked", np.uint8),
        ("fv_scale", np.int32),  # the divisor of the network's output
    ),
    load_weights=load_network,
    shown=lambda ctx: shown_value(ctx),
)


# ---- rows --------------------------------------------------------------------------------------------------------


@njit
def king_block(ctx, king):
    """Return the address of the rows for a king on `king`, as `king_square` returns it."""
    return ctx.evaluation.rows + np.uint64(ctx.evaluation.row_bytes * np.int64(ctx.evaluation.kings[king]))


@njit
def king_view(ctx, colour, king):
    """Return the address of the table of row numbers, uint32[codes, SQUARES], for `colour` with its king on `king`."""
    view = 2 * colour + np.int64(ctx.evaluation.mirrored[king])
    return ctx.evaluation.pieces + np.uint64(ctx.evaluation.view_bytes * view)


@njit
def piece_feature(view, code, square):
    """Return the row number, within its block, of a code on `square`; 0 if it has no row."""
    return np.int64(load_i32(view + np.uint64(4 * (code * t.SQUARES + square))))


@njit
def piece_row(ctx, block, view, code, square):
    """Return the address of the row that `piece_feature` numbers."""
    return block + np.uint64(ctx.evaluation.row_bytes * piece_feature(view, code, square))


@njit
def hand_row(ctx, block, owner, kind, number):
    """Return the address of the row for the `number`-th piece of `kind` in a hand.

    Args:
        owner: 0 own, 1 the enemy's
    """
    feature = np.int64(HAND_FEATURES[(owner << 3 | kind) * HAND_COUNTS + number])
    return block + np.uint64(ctx.evaluation.row_bytes * feature)


@njit
def piece_codes(ctx):
    """Return the address of the codes of ctx.pos's squares, by which `piece_feature` finds rows."""
    if ctx.evaluation.attacked:
        write_attacked_codes(ctx)
        return np.uint64(ctx.evaluation_cache.codes.ctypes.data)
    return np.uint64(ctx.pos.board.ctypes.data)


# ---- accumulators ------------------------------------------------------------------------------------------------


@njit
def list_row(ctx, offset, count, row):
    """Write the address of a row as number `count` of a list in the cache."""
    store_u64(memory.memory_at(ctx, offset + 8 * count), row)


@njit
def list_board_changes(ctx, codes, block, view, colour, king):
    """List the rows that differ between the board kept for `king` and that of ctx.pos, which is then kept instead.

    Returns how many rows were added and removed.
    """
    cache, added, removed = ctx.evaluation_cache, 0, 0
    for word in range(memory.BOARD_WORDS):
        before, now = cache.boards[colour, king, word], load_u64(codes + np.uint64(8 * word))
        if word == memory.BOARD_WORDS - 1:
            now &= LAST_WORD
        differing = before ^ now
        while differing != ZERO:
            shift = np.uint64(ctz(differing) & BYTE_START)
            differing &= ~(BYTE << shift)
            square = 8 * word + (int(shift) >> 3)
            gone = piece_row(ctx, block, view, int(before >> shift & BYTE), square)
            if gone != block:
                list_row(ctx, memory.REMOVED, removed, gone)
                removed += 1
            come = piece_row(ctx, block, view, int(now >> shift & BYTE), square)
            if come != block:
                list_row(ctx, memory.ADDED, added, come)
                added += 1
        cache.boards[colour, king, word] = now
    return added, removed


@njit
def list_hand_changes(ctx, block, colour, king, added, removed):
    """Append the rows that differ between the hands to the list; return the new number of rows."""
    cache = ctx.evaluation_cache
    for side in range(2):
        before, now = cache.hands[colour, king, side], ctx.pos.hand[side]
        if before != now:
            for kind in range(1, t.KING):
                had, has = t.hand_count(before, kind), t.hand_count(now, kind)
                for number in range(has, had):
                    list_row(ctx, memory.REMOVED, removed, hand_row(ctx, block, side ^ colour, kind, number + 1))
                    removed += 1
                for number in range(had, has):
                    list_row(ctx, memory.ADDED, added, hand_row(ctx, block, side ^ colour, kind, number + 1))
                    added += 1
            cache.hands[colour, king, side] = now
    return added, removed


@njit
def kept_accumulator(ctx, codes, colour):
    """Return the address of the accumulator kept for the square of `colour`'s king, brought up to date with ctx.pos.

    Args:
        codes: as `piece_codes` returns it
    """
    king = king_square(ctx.pos, colour) if ctx.evaluation.by_king else 0
    block, view = king_block(ctx, king), king_view(ctx, colour, king)
    vector = memory.kept_at(ctx, colour, king)
    listed = 0  # rows summed in `vector`, including those for missing pieces
    if not ctx.evaluation_cache.filled[colour, king]:
        ctx.evaluation_cache.filled[colour, king] = 1
        copy_i16(vector, ctx.evaluation.bias, ctx.evaluation.width)
        listed = ctx.evaluation.listed
    added, removed = list_board_changes(ctx, codes, block, view, colour, king)
    added, removed = list_hand_changes(ctx, block, colour, king, added, removed)
    for _ in range(listed + removed - added):  # pieces that are missing
        list_row(ctx, memory.ADDED, added, block)
        added += 1
    for _ in range(added - removed - listed):
        list_row(ctx, memory.REMOVED, removed, block)
        removed += 1
    sum_rows_i16(
        vector,
        vector,
        memory.memory_at(ctx, memory.ADDED),
        added,
        memory.memory_at(ctx, memory.REMOVED),
        removed,
        ctx.evaluation.width,
    )
    return vector


@njit
def refresh_perspective(ctx, ply, colour, codes):
    """Write `colour`'s accumulator of ctx.pos to ctx.accumulators[ply], from the one kept for its king's square."""
    vector, out = kept_accumulator(ctx, codes, colour), memory.accumulator_at(ctx, ply, colour)
    copy_i16(out, vector, ctx.evaluation.width)
    ctx.accumulators[ply].vectors[colour] = out


@njit
def update_perspective(ctx, ply, colour, block, view):
    """Derive `colour`'s accumulator in ctx.accumulators[ply] from that of ply - 1 by the move between them.

    It cannot be used for a move of the king on which the rows depend.

    Args:
        block, view: as `king_block` and `king_view` return them
    """
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    move, mover = undo.move, side_at(ctx, ply - 1)
    before = ctx.accumulators[ply - 1].vectors[colour]
    if move == 0:
        ctx.accumulators[ply].vectors[colour] = before
        return
    kind, captured, target, width = t.move_kind(move), t.move_captured(move), t.move_to(move), ctx.evaluation.width
    owner, hand, out = mover ^ colour, undo.hand[mover], memory.accumulator_at(ctx, ply, colour)
    come = piece_row(ctx, block, view, t.make_piece(mover, t.arriving_kind(move)), target)
    if t.is_drop(move):
        gone = hand_row(ctx, block, owner, kind, t.hand_count(hand, kind))
        add_sub_i16(out, before, come, gone, width)
    else:
        gone = piece_row(ctx, block, view, t.make_piece(mover, kind), t.move_from(move))
        if captured != 0:
            gained = int(t.UNPROMOTED[captured])
            won = hand_row(ctx, block, owner, gained, t.hand_count(hand, gained) + 1)
            lost = piece_row(ctx, block, view, t.make_piece(mover ^ 1, captured), target)
            add_add_sub_sub_i16(out, before, come, won, gone, lost, width)
        elif come == gone:  # a king without rows
            out = before
        else:
            add_sub_i16(out, before, come, gone, width)
    ctx.accumulators[ply].vectors[colour] = out


@njit
def current_vector(ctx, colour):
    """Return the address of `colour`'s accumulator for ctx.pos, after `update_line(ctx)`.

    It cannot be used for feature sets in which rows depend on attacks.
    """
    ply = ctx.ply
    while ctx.accumulators[ply].vectors[colour] == STALE:
        ply -= 1
        move = ctx.undo[ctx.game_ply - ctx.ply + ply].move
        if t.move_kind(move) == t.KING and ctx.evaluation.by_king and side_at(ctx, ply) == colour:
            refresh_perspective(ctx, ctx.ply, colour, piece_codes(ctx))
            return ctx.accumulators[ctx.ply].vectors[colour]
    king = king_square(ctx.pos, colour)
    block, view = king_block(ctx, king), king_view(ctx, colour, king)
    while ply < ctx.ply:
        ply += 1
        update_perspective(ctx, ply, colour, block, view)
    return ctx.accumulators[ply].vectors[colour]


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    codes = piece_codes(ctx)
    for colour in range(2):
        refresh_perspective(ctx, ply, colour, codes)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    """Do nothing: `evaluate` updates accumulators, since many nodes are never evaluated."""
    ctx.accumulators[ply].vectors[:] = STALE


# ---- values ------------------------------------------------------------------------------------------------------


@njit
def network_value(ctx):
    """Return the network's value of ctx.pos, not clipped."""
    update_line(ctx)
    us = int(ctx.pos.side)
    if ctx.evaluation.attacked:
        codes = piece_codes(ctx)
        own, other = kept_accumulator(ctx, codes, us), kept_accumulator(ctx, codes, 1 - us)
    else:
        own, other = current_vector(ctx, us), current_vector(ctx, 1 - us)
    output = np.int64(network_output(ctx, own, other))
    scale = max(int(ctx.evaluation.fv_scale), 1)
    return output // scale if output >= 0 else -(-output // scale)  # toward zero, as in C


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    return min(max(network_value(ctx), -VALUE_LIMIT), VALUE_LIMIT)


@njit
def shown_value(ctx):
    """Return the network's value of the root as YaneuraOu shows it."""
    refresh_line(ctx)
    return min(max(network_value(ctx), -SHOWN_LIMIT), SHOWN_LIMIT)


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return value_after(ctx, move)
