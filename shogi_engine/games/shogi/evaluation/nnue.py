"""Networks in the standard format of Shogi, nn.bin (HalfKP 256x2-32-32), evaluated as YaneuraOu does, bit for bit.

For each side the rows of what it sees (halfkp.py) are summed in an accumulator, from which a move takes one or two
rows and to which it adds as many. An accumulator is brought up to date when it is asked for, and where a move changes
nothing that a side sees, two plies share one. A move of a side's own king changes all it sees; the sum is then made
from the one that the thread last had for that square of the king, by what has changed on the board since.

NNUE is Yu Nasu's, https://github.com/ynasu87/nnue; the format is that of tanuki- and YaneuraOu,
https://github.com/yaneurao/YaneuraOu; keeping a sum for each square of the king is Koivisto's idea, known as Finny
tables, https://www.chessprogramming.org/NNUE.
"""

import numpy as np

from shogi_engine.bits import ZERO
from shogi_engine.evaluation import Evaluation
from shogi_engine.game import MAX_PLY, provides_evaluation, update_line, value_after
from shogi_engine.games.shogi.evaluation.halfkp import (
    BOARD_FEATURES,
    FILE_MAJOR,
    HAND_COUNTS,
    HAND_FEATURES,
    LISTED,
    PER_KING,
)
from shogi_engine.games.shogi.evaluation.nnue_file import LAYERS, WIDTH, load_network
from shogi_engine.games.shogi.position import side_at
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.games.shogi.types import (
    KING,
    NO_SQUARE,
    POSITION,
    SQUARES,
    UNPROMOTED,
    arriving_kind,
    hand_count,
    is_drop,
    make_piece,
    move_captured,
    move_from,
    move_kind,
    move_to,
    relative_square,
)
from shogi_engine.jit import ctz, load_i32, load_u64, njit, record_dtype
from shogi_engine.jit.vectors import (
    ALIGNMENT,
    add_add_sub_sub_i16,
    add_i16,
    add_sub_i16,
    align_up,
    clip_i16_u8,
    clip_i32_u8,
    copy_i16,
    layer_u8_i8,
    sub_i16,
)

ROW_BYTES = 2 * WIDTH
HIDDEN = LAYERS[0][0]
LARGEST_ACTIVATION, SHIFT = 127, 6
KING_HOME = 76  # where a side that has no king is taken to have it: 5i

# By colour, the address of its accumulator, int16[WIDTH], or STALE. They lie in ctx.evaluation_cache.memory.
ACCUMULATOR = record_dtype([("vectors", np.uint64, (2,))])
STALE = ZERO

# `memory`, from its first multiple of ALIGNMENT on: accumulators by ply and colour; those kept by colour and square of
# the king, for the boards and hands kept with them; activations.
KEPT = ROW_BYTES * 2 * (MAX_PLY + 2)
ACTIVATIONS = KEPT + ROW_BYTES * 2 * SQUARES
SUMS = ACTIVATIONS + 2 * WIDTH
MEMORY_BYTES = SUMS + 4 * HIDDEN
BOARD_WORDS = -(-SQUARES // 8)
LAST_WORD = np.uint64((1 << 8 * (SQUARES % 8)) - 1)  # what the last word of a board has of it
BYTE, BYTE_START = np.uint64(255), 56  # masks: a byte; a bit's number to that of its byte's first bit
CACHE = record_dtype(
    [
        ("filled", np.uint8, (2, SQUARES)),
        ("hands", np.uint64, (2, SQUARES, 2)),
        ("boards", np.uint64, (2, SQUARES, BOARD_WORDS)),
        ("memory", np.uint8, (MEMORY_BYTES + ALIGNMENT,)),
    ]
)

EVALUATION = Evaluation(
    "nnue",
    POSITION,
    accumulator=ACCUMULATOR,
    cache=CACHE,
    fields=(
        # Addresses, see nnue_file.Network.
        ("bias", np.uint64),
        ("rows", np.uint64),
        ("biases", np.uint64, (len(LAYERS),)),
        ("weights", np.uint64, (len(LAYERS),)),
        ("fv_scale", np.int32),  # what the network's output is divided by
    ),
    load_weights=load_network,
)


layer_of_both, layer_of_hidden = layer_u8_i8(2 * WIDTH), layer_u8_i8(HIDDEN)


# ---- where things lie --------------------------------------------------------------------------------------------


@njit
def memory_at(ctx, offset):
    """Return the address of what lies `offset` bytes into the aligned part of ctx.evaluation_cache.memory."""
    return align_up(np.uint64(ctx.evaluation_cache.memory.ctypes.data)) + np.uint64(offset)


@njit
def king_square(pos, colour):
    """Return where `colour`'s king stands as `colour` sees it."""
    king = int(pos.king[colour])
    return KING_HOME if king == NO_SQUARE else relative_square(colour, king)


@njit
def king_block(ctx, king):
    """Return the address of the rows for a king on `king`, as `king_square` returns it."""
    return ctx.evaluation.rows + np.uint64(ROW_BYTES * PER_KING * int(FILE_MAJOR[king]))


@njit
def board_feature(colour, piece, square):
    """Return the index of `piece` on `square` as `colour` sees it, 0 if it is not listed."""
    return int(BOARD_FEATURES[(piece ^ make_piece(colour, 0)) * SQUARES + relative_square(colour, square)])


@njit
def board_row(block, colour, piece, square):
    """Return the address of the row for `piece` on `square`, which is no king, as `colour` sees it."""
    return block + np.uint64(ROW_BYTES * board_feature(colour, piece, square))


@njit
def hand_row(block, owner, kind, number):
    """Return the address of the row for the `number`-th piece of `kind` in a hand; owner : 0 own, 1 the enemy's."""
    return block + np.uint64(ROW_BYTES * int(HAND_FEATURES[(owner << 3 | kind) * HAND_COUNTS + number]))


# ---- accumulators ------------------------------------------------------------------------------------------------


@njit
def update_board(ctx, vector, block, colour, king):
    """Bring `vector`, kept for `king`, from the board kept with it to that of ctx.pos.

    Returns how many more pieces there were on the board before.
    """
    cache, balance = ctx.evaluation_cache, 0
    begin = np.uint64(ctx.pos.board.ctypes.data)
    for word in range(BOARD_WORDS):
        before, now = cache.boards[colour, king, word], load_u64(begin + np.uint64(8 * word))
        if word == BOARD_WORDS - 1:
            now &= LAST_WORD
        differing = before ^ now
        while differing != ZERO:
            shift = np.uint64(ctz(differing) & BYTE_START)
            differing &= ~(BYTE << shift)
            square = 8 * word + (int(shift) >> 3)
            gone = board_feature(colour, int(before >> shift & BYTE), square)
            if gone != 0:
                sub_i16(vector, vector, block + np.uint64(ROW_BYTES * gone), WIDTH)
                balance += 1
            come = board_feature(colour, int(now >> shift & BYTE), square)
            if come != 0:
                add_i16(vector, vector, block + np.uint64(ROW_BYTES * come), WIDTH)
                balance -= 1
        cache.boards[colour, king, word] = now
    return balance


@njit
def update_hands(ctx, vector, block, colour, king):
    """Bring `vector`, kept for `king`, from the hands kept with it to those of ctx.pos.

    Returns how many more pieces there were in hand before.
    """
    cache, balance = ctx.evaluation_cache, 0
    for side in range(2):
        before, now = cache.hands[colour, king, side], ctx.pos.hand[side]
        if before != now:
            for kind in range(1, KING):
                had, has = hand_count(before, kind), hand_count(now, kind)
                balance += had - has
                for number in range(has, had):
                    sub_i16(vector, vector, hand_row(block, side ^ colour, kind, number + 1), WIDTH)
                for number in range(had, has):
                    add_i16(vector, vector, hand_row(block, side ^ colour, kind, number + 1), WIDTH)
            cache.hands[colour, king, side] = now
    return balance


@njit
def refresh_perspective(ctx, ply, colour):
    """Write `colour`'s accumulator of ctx.pos to ctx.accumulators[ply], from the one kept for its king's square."""
    king = king_square(ctx.pos, colour)
    block = king_block(ctx, king)
    vector = memory_at(ctx, KEPT + ROW_BYTES * (SQUARES * colour + king))
    missing = 0  # pieces that are not there now, but were when `vector` was written
    if not ctx.evaluation_cache.filled[colour, king]:
        ctx.evaluation_cache.filled[colour, king] = 1
        copy_i16(vector, ctx.evaluation.bias, WIDTH)
        missing = LISTED
    missing += update_board(ctx, vector, block, colour, king)
    missing += update_hands(ctx, vector, block, colour, king)
    for _ in range(missing):
        add_i16(vector, vector, block, WIDTH)
    for _ in range(-missing):
        sub_i16(vector, vector, block, WIDTH)
    out = memory_at(ctx, ROW_BYTES * (2 * ply + colour))
    copy_i16(out, vector, WIDTH)
    ctx.accumulators[ply].vectors[colour] = out


@njit
def update_perspective(ctx, ply, colour, block):
    """Write `colour`'s accumulator to ctx.accumulators[ply] from that of ply - 1 by the move between them.

    Not for a move of its own king. block : as `king_block` returns it.
    """
    undo = ctx.undo[ctx.game_ply - ctx.ply + ply - 1]
    move, mover = undo.move, side_at(ctx, ply - 1)
    before = ctx.accumulators[ply - 1].vectors[colour]
    kind, captured, target = move_kind(move), move_captured(move), move_to(move)
    if move == 0 or kind == KING and captured == 0:  # nothing that it sees
        ctx.accumulators[ply].vectors[colour] = before
        return
    out = memory_at(ctx, ROW_BYTES * (2 * ply + colour))
    ctx.accumulators[ply].vectors[colour] = out
    owner, hand = mover ^ colour, undo.hand[mover]
    if is_drop(move):
        come = board_row(block, colour, make_piece(mover, kind), target)
        add_sub_i16(out, before, come, hand_row(block, owner, kind, hand_count(hand, kind)), WIDTH)
        return
    come, gone = block, block  # of an enemy king, which is not listed: they cancel out
    if kind != KING:
        come = board_row(block, colour, make_piece(mover, arriving_kind(move)), target)
        gone = board_row(block, colour, make_piece(mover, kind), move_from(move))
    if captured == 0:
        add_sub_i16(out, before, come, gone, WIDTH)
        return
    gained = int(UNPROMOTED[captured])
    won = hand_row(block, owner, gained, hand_count(hand, gained) + 1)
    lost = board_row(block, colour, make_piece(mover ^ 1, captured), target)
    add_add_sub_sub_i16(out, before, come, won, gone, lost, WIDTH)


@njit
def current_vector(ctx, colour):
    """Return the address of `colour`'s accumulator of ctx.pos, after `update_line(ctx)`."""
    ply = ctx.ply
    while ctx.accumulators[ply].vectors[colour] == STALE:
        ply -= 1
        move = ctx.undo[ctx.game_ply - ctx.ply + ply].move
        if move_kind(move) == KING and side_at(ctx, ply) == colour:
            refresh_perspective(ctx, ctx.ply, colour)
            return ctx.accumulators[ctx.ply].vectors[colour]
    block = king_block(ctx, king_square(ctx.pos, colour))
    while ply < ctx.ply:
        ply += 1
        update_perspective(ctx, ply, colour, block)
    return ctx.accumulators[ply].vectors[colour]


@provides_evaluation(EVALUATION)
def refresh_accumulator(ctx, ply):
    for colour in range(2):
        refresh_perspective(ctx, ply, colour)


@provides_evaluation(EVALUATION)
def update_accumulator(ctx, ply):
    """The work waits for `evaluate`; many nodes are left without it."""
    ctx.accumulators[ply].vectors[:] = STALE


# ---- the network -------------------------------------------------------------------------------------------------


@njit
def network_output(ctx, own, other):
    """Return what the network says of the accumulators of the side to move and of the other, given by address."""
    weights, biases = ctx.evaluation.weights, ctx.evaluation.biases
    values, sums = memory_at(ctx, ACTIVATIONS), memory_at(ctx, SUMS)
    clip_i16_u8(values, own, LARGEST_ACTIVATION, WIDTH)
    clip_i16_u8(values + np.uint64(WIDTH), other, LARGEST_ACTIVATION, WIDTH)
    layer_of_both(sums, values, weights[0], biases[0], HIDDEN)
    clip_i32_u8(values, sums, SHIFT, LARGEST_ACTIVATION, HIDDEN)
    layer_of_hidden(sums, values, weights[1], biases[1], HIDDEN)
    clip_i32_u8(values, sums, SHIFT, LARGEST_ACTIVATION, HIDDEN)
    layer_of_hidden(sums, values, weights[2], biases[2], 1)
    return load_i32(sums)


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    update_line(ctx)
    us = int(ctx.pos.side)
    output = network_output(ctx, current_vector(ctx, us), current_vector(ctx, 1 - us))
    scale = max(int(ctx.evaluation.fv_scale), 1)
    value = output // scale if output >= 0 else -(-output // scale)  # toward zero, as in C
    return min(max(value, -VALUE_LIMIT), VALUE_LIMIT)


@provides_evaluation(EVALUATION)
def root_order_score(ctx, move):
    return value_after(ctx, move)
