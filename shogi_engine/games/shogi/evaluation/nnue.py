"""Networks in the standard format of Shogi, nn.bin, evaluated as YaneuraOu does, bit for bit.

Each side has an accumulator, the sum of the rows of its features (nnue_file.py). A move subtracts one or two rows
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
from shogi_engine.games.shogi.bitboard import attacks_from, occupied
from shogi_engine.games.shogi.evaluation.nnue_file import (
    CLASSES,
    HAND_COUNTS,
    HAND_FEATURES,
    KING_STACKS,
    LAYERS,
    PIECE_CLASSES,
    SECOND,
    WIDTHS,
    load_network,
)
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.games.shogi.types import NO_SQUARE, SQUARES, piece_colour, piece_kind, relative_square
from shogi_engine.interface.game import MAX_PLY, provides_evaluation, refresh_line, update_line, value_after
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import ctz, load_i32, load_u64, njit, record_dtype, store_u64, vectors
from shogi_engine.jit.vectors import (
    ALIGNMENT,
    LANES,
    add_add_sub_sub_i16,
    add_sub_i16,
    align_up,
    clip_i16_u8,
    clip_i32_u8,
    copy_i16,
    sum_rows_i16,
)

# ---- Codes of pieces with the attacks on their squares, for the feature set HalfKPE9 of nn.bin
#
# A square's attackers are all pieces, kings included, that could move there or protect the piece there. Pins are
# ignored, and a sliding piece stops at the first piece in its way.


MOST = 2  # larger numbers of attackers of a side count as this


@njit
def write_attacked_codes(ctx):
    """Write the code of each square of ctx.pos to ctx.evaluation_cache.codes: its piece's class and its attackers.

    It is CLASSES * (3 * black + white) + class, with at most MOST attackers of a side; 0 without a piece.
    """
    pos, counts = ctx.pos, ctx.evaluation_cache.attackers
    for square in range(SQUARES):
        counts[0, square] = counts[1, square] = 0
    occ = occupied(pos)
    for square in occ:
        piece = int(pos.board[square])
        colour = piece_colour(piece)
        for target in attacks_from(piece_kind(piece), colour, square, occ):
            counts[colour, target] += 1
    codes = ctx.evaluation_cache.codes
    for square in range(SQUARES):
        piece_class = int(PIECE_CLASSES[pos.board[square]])
        ways = 3 * min(int(counts[0, square]), MOST) + min(int(counts[1, square]), MOST)
        codes[square] = CLASSES * ways + piece_class if piece_class else 0


# ---- The memory that the evaluation nnue keeps for each thread, and its layout
#
# From its first multiple of ALIGNMENT on, `memory` holds numbers of fixed sizes, then accumulators as wide as the
# network in use: first by ply and colour, then those kept by colour and king square, with their boards and hands.


LARGEST_WIDTH = WIDTHS[-1]
BOARD_WORDS = -(-SQUARES // 8)
CHANGES = 256  # more than can differ between two positions: 81 squares, 2 hands of 38, 40 missing pieces

# Offsets: activations, uint8[2 * LARGEST_WIDTH]; sums of a layer, int32[largest layer]; blocks of activations that are
# not 0, uint16; addresses of rows added and removed, uint64[CHANGES].
ACTIVATIONS = 0
SUMS = ACTIVATIONS + 2 * LARGEST_WIDTH + ALIGNMENT
LISTED_BLOCKS = SUMS + 4 * max(SECOND) + ALIGNMENT
ADDED = LISTED_BLOCKS + LARGEST_WIDTH + ALIGNMENT
REMOVED = ADDED + 8 * CHANGES
ACCUMULATORS = REMOVED + 8 * CHANGES
BY_PLY = 2 * (MAX_PLY + 2)
MEMORY_BYTES = ACCUMULATORS + 2 * LARGEST_WIDTH * (BY_PLY + 2 * SQUARES) + ALIGNMENT

CACHE = record_dtype(
    [
        ("filled", np.uint8, (2, SQUARES)),
        ("hands", np.uint64, (2, SQUARES, 2)),
        ("boards", np.uint64, (2, SQUARES, BOARD_WORDS)),
        ("codes", np.uint8, (8 * BOARD_WORDS,)),  # of squares, see above
        ("attackers", np.uint8, (2, SQUARES)),
        ("memory", np.uint8, (MEMORY_BYTES,)),
    ]
)


@njit
def memory_at(ctx, offset):
    """Return the address at `offset` bytes in the aligned part of ctx.evaluation_cache.memory."""
    return align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data)) + np.uint64(offset)


@njit
def accumulator_at(ctx, ply, colour):
    """Return the address of `colour`'s accumulator at `ply`."""
    return memory_at(ctx, ACCUMULATORS + ctx.evaluation.row_bytes * (2 * ply + colour))


@njit
def kept_at(ctx, colour, king):
    """Return the address of the accumulator kept for `colour`'s king on `king`."""
    return memory_at(ctx, ACCUMULATORS + ctx.evaluation.row_bytes * (BY_PLY + SQUARES * colour + king))


# ---- The layers of a network in nn.bin: from the accumulators of both sides to its output
#
# In the plain kind the sums are clipped to activations, as are the outputs of the first two layers. In SFNN the
# activations of each side are multiplied in pairs. The first layer's outputs enter the second layer twice, squared and
# unchanged; an additional one goes straight to the output. Most products are 0, so SFNN's first layer skips zeros.


KING_HOME = 76  # 5i: the assumed king square of a side without a king
FEW, MANY = vectors.inputs_in_block(vectors.FEW_OUTPUTS), vectors.inputs_in_block(vectors.FEW_OUTPUTS + 1)

layer_of_many, layer_of_few = vectors.layer_of(MANY), vectors.layer_of(FEW)
sparse_layer_of_many, sparse_layer_of_few = vectors.sparse_layer_of(MANY), vectors.sparse_layer_of(FEW)
nonzero_blocks_of_many, nonzero_blocks_of_few = vectors.nonzero_blocks_of(MANY), vectors.nonzero_blocks_of(FEW)
dot_product = vectors.dot_of()


@njit
def king_square(pos, colour):
    """Return the square of `colour`'s king as `colour` sees it."""
    king = int(pos.king[colour])
    return KING_HOME if king == NO_SQUARE else relative_square(colour, king)


@njit
def layer_stack(ctx):
    """Return the number of the layer stack for ctx.pos, by the third of the board in which each side sees its king."""
    if ctx.evaluation.stacks != KING_STACKS:
        return 0
    us = int(ctx.pos.side)
    own, enemy = king_square(ctx.pos, us) // 27, king_square(ctx.pos, 1 - us) // 27
    return 3 * own + enemy


@njit
def whole(count, step):
    """Return the least multiple of `step` that is at least `count`."""
    return (count + step - 1) // step * step


@njit
def last_layers(ctx, values, sums, stack):
    """Return the output for the second layer's inputs at `values`, which are overwritten."""
    params = ctx.evaluation
    blocks, groups, second = params.blocks[1], params.groups[1], params.second
    weights = params.weights[1] + np.uint64(stack * groups * (blocks + 1) * ALIGNMENT)
    layer_of_many(sums, values, weights, params.biases[1] + np.uint64(stack * groups * ALIGNMENT), blocks, groups)
    clip_i32_u8(values, sums, vectors.CLIP_SHIFT, vectors.LARGEST_ACTIVATION, second)
    output = params.weights[2] + np.uint64(stack * whole(second, ALIGNMENT))
    return load_i32(params.biases[2] + np.uint64(4 * stack)) + dot_product(values, output, whole(second, ALIGNMENT))


@njit
def plain_output(ctx, own, other):
    """Return the output of a network of the plain kind for the accumulators, given by address."""
    params = ctx.evaluation
    values, sums, width = memory_at(ctx, ACTIVATIONS), memory_at(ctx, SUMS), params.width
    blocks, groups = params.blocks[0], params.groups[0]
    clip_i16_u8(values, own, vectors.LARGEST_ACTIVATION, width)
    clip_i16_u8(values + np.uint64(width), other, vectors.LARGEST_ACTIVATION, width)
    if params.first > vectors.FEW_OUTPUTS:
        layer_of_many(sums, values, params.weights[0], params.biases[0], blocks, groups)
    else:
        layer_of_few(sums, values, params.weights[0], params.biases[0], blocks, groups)
    clip_i32_u8(values, sums, vectors.CLIP_SHIFT, vectors.LARGEST_ACTIVATION, whole(params.first, LANES))
    return last_layers(ctx, values, sums, 0)


@njit
def sfnn_output(ctx, own, other):
    """Return the output of an SFNN for the accumulators, given by address."""
    params = ctx.evaluation
    values, sums, listed = memory_at(ctx, ACTIVATIONS), memory_at(ctx, SUMS), memory_at(ctx, LISTED_BLOCKS)
    blocks, groups, half, stack = params.blocks[0], params.groups[0], params.width >> 1, layer_stack(ctx)
    vectors.pair_products(values, own, half)
    vectors.pair_products(values + np.uint64(half), other, half)
    weights = params.weights[0] + np.uint64(stack * groups * (blocks + 1) * ALIGNMENT)
    biases = params.biases[0] + np.uint64(stack * groups * ALIGNMENT)
    if params.first >= vectors.FEW_OUTPUTS:
        count = nonzero_blocks_of_many(listed, values, blocks)
        sparse_layer_of_many(sums, values, weights, biases, blocks, groups, listed, count)
    else:
        count = nonzero_blocks_of_few(listed, values, blocks)
        sparse_layer_of_few(sums, values, weights, biases, blocks, groups, listed, count)
    shortcut = load_i32(sums + np.uint64(4 * params.first))
    vectors.squares_and_clipped(values, sums, params.first)
    return last_layers(ctx, values, sums, stack) + shortcut


@njit
def network_output(ctx, own, other):
    """Return the network's output for the accumulators of the side to move and of the other, given by address."""
    return sfnn_output(ctx, own, other) if ctx.evaluation.stacks else plain_output(ctx, own, other)


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
    cache=CACHE,
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
    store_u64(memory_at(ctx, offset + 8 * count), row)


@njit
def list_board_changes(ctx, codes, block, view, colour, king):
    """List the rows that differ between the board kept for `king` and that of ctx.pos, which is then kept instead.

    Returns how many rows were added and removed.
    """
    cache, added, removed = ctx.evaluation_cache, 0, 0
    for word in range(BOARD_WORDS):
        before, now = cache.boards[colour, king, word], load_u64(codes + np.uint64(8 * word))
        if word == BOARD_WORDS - 1:
            now &= LAST_WORD
        differing = before ^ now
        while differing != ZERO:
            shift = np.uint64(ctz(differing) & BYTE_START)
            differing &= ~(BYTE << shift)
            square = 8 * word + (int(shift) >> 3)
            gone = piece_row(ctx, block, view, int(before >> shift & BYTE), square)
            if gone != block:
                list_row(ctx, REMOVED, removed, gone)
                removed += 1
            come = piece_row(ctx, block, view, int(now >> shift & BYTE), square)
            if come != block:
                list_row(ctx, ADDED, added, come)
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
                    list_row(ctx, REMOVED, removed, hand_row(ctx, block, side ^ colour, kind, number + 1))
                    removed += 1
                for number in range(had, has):
                    list_row(ctx, ADDED, added, hand_row(ctx, block, side ^ colour, kind, number + 1))
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
    vector = kept_at(ctx, colour, king)
    listed = 0  # rows summed in `vector`, including those for missing pieces
    if not ctx.evaluation_cache.filled[colour, king]:
        ctx.evaluation_cache.filled[colour, king] = 1
        copy_i16(vector, ctx.evaluation.bias, ctx.evaluation.width)
        listed = ctx.evaluation.listed
    added, removed = list_board_changes(ctx, codes, block, view, colour, king)
    added, removed = list_hand_changes(ctx, block, colour, king, added, removed)
    for _ in range(listed + removed - added):  # pieces that are missing
        list_row(ctx, ADDED, added, block)
        added += 1
    for _ in range(added - removed - listed):
        list_row(ctx, REMOVED, removed, block)
        removed += 1
    sum_rows_i16(vector, vector, memory_at(ctx, ADDED), added, memory_at(ctx, REMOVED), removed, ctx.evaluation.width)
    return vector


@njit
def refresh_perspective(ctx, ply, colour, codes):
    """Write `colour`'s accumulator of ctx.pos to ctx.accumulators[ply], from the one kept for its king's square."""
    vector, out = kept_accumulator(ctx, codes, colour), accumulator_at(ctx, ply, colour)
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
    owner, hand, out = mover ^ colour, undo.hand[mover], accumulator_at(ctx, ply, colour)
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
