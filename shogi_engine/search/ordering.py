"""What the search learns while it searches: the order of moves, and where static values are wrong.

Moves are searched in this order: table move, noisy moves, killers, then quiet moves by history. Corrections of static
values (https://www.chessprogramming.org/Static_Evaluation_Correction_History) are kept by `correction_slot` and by the
move before.
"""

import numpy as np

from shogi_engine.game import (
    MOVE_NONE,
    can_play,
    correction_slot,
    exchange_ge,
    forced,
    generate_moves,
    generate_noisy,
    generate_quiet,
    history_slot,
    is_quiet,
    score_moves,
    threatens,
)
from shogi_engine.jit import njit

TABLE_MOVE_SCORE = 1 << 30
NOISY_SCORE = 1 << 24
KILLER_SCORE = 1 << 23
LOSING = NOISY_SCORE + (1 << 19)  # what noisy moves that lose material fall by: behind the quiet ones
HISTORY_MAX = 16384
CORRECTION_UNIT = 256
CORRECTION_MAX = 128 * CORRECTION_UNIT
CORRECTION_STEP = 1024  # the largest difference that counts, in the game's unit
SORTED_PICKS = 32  # later moves are taken as they come: at a node that got so far, order hardly matters

# What `next_move` has still to write of a node's moves: all of them, all but the table's, the quiet ones, none.
ALL_LEFT, NOISY_LEFT, QUIET_LEFT, NONE_LEFT = range(4)


@njit
def move_history(ctx, move):
    """Return how well quiet moves like `move` did, within +-HISTORY_MAX."""
    return int(ctx.history[history_slot(ctx.pos, move)])


@njit
def order_moves(ctx, start, count, table_move):
    """Give each of the `count` moves from `start` its final score in ctx.scores."""
    score_moves(ctx, start, count)
    killer, second = ctx.killers[ctx.ply, 0], ctx.killers[ctx.ply, 1]
    for index in range(start, start + count):
        move = ctx.moves[index]
        if move == table_move:
            ctx.scores[index] = TABLE_MOVE_SCORE
        elif not is_quiet(ctx.pos, move):
            ctx.scores[index] += NOISY_SCORE
        elif move == killer:
            ctx.scores[index] = KILLER_SCORE + 1
        elif move == second:
            ctx.scores[index] = KILLER_SCORE
        else:
            ctx.scores[index] += move_history(ctx, move)


@njit
def pick(ctx, index, end):
    """Bring the best of the moves index..end - 1, of equal ones the first, to `index` and return it."""
    # Score and place in one number: the greatest of many numbers is found by vector instructions.
    first, count = np.uint64(index), np.uint64(end - index)
    best = np.int64(-1) << 62
    for place in range(count):
        best = max(best, np.int64(ctx.scores[first + place]) << 16 | np.int64(0xFFFF) - np.int64(place))
    best = index + 0xFFFF - (best & 0xFFFF)
    move, score = ctx.moves[best], ctx.scores[best]
    ctx.moves[best], ctx.scores[best] = ctx.moves[index], ctx.scores[index]
    ctx.moves[index], ctx.scores[index] = move, score
    return move


@njit
def is_sound(ctx, index):
    """Tell whether the move that `pick_sound` put at `index` is noisy and loses no material."""
    return NOISY_SCORE <= ctx.scores[index] < TABLE_MOVE_SCORE


@njit
def pick_sound(ctx, index, end):
    """Do as `pick`, but put noisy moves that lose material behind the quiet ones; asked when they are picked."""
    move = pick(ctx, index, end)
    while is_sound(ctx, index) and not exchange_ge(ctx.pos, move, 0):
        ctx.scores[index] -= LOSING
        move = pick(ctx, index, end)
    return move


@njit
def write_group(ctx, end, count, table_move, played):
    """Order the `count` moves just written from `end`, the table's left out if it was `played`; return their end."""
    if played:
        for index in range(end, end + count):
            if ctx.moves[index] == table_move:
                count -= 1
                ctx.moves[index] = ctx.moves[end + count]
                break
    order_moves(ctx, end, count, table_move)
    return end + count


@njit
def next_move(ctx, start, index, end, left, table_move):
    """Bring the best of the moves not searched yet to `index`; return (end, left) for the next call.

    start, index, end : the moves searched are from start to index, those written go on to end; all equal at first
    left : ALL_LEFT at first.   There is none if `index` is the `end` returned.
    Moves are written as late as can be: most nodes are left after the table's move or a capture, and the quiet moves,
    drops above all, are many.
    """
    if left == ALL_LEFT:
        left = NOISY_LEFT
        if table_move != MOVE_NONE and can_play(ctx.pos, table_move):
            ctx.moves[index] = table_move
            ctx.scores[index] = TABLE_MOVE_SCORE
            return index + 1, left
    played = index > start and ctx.moves[start] == table_move
    if left == NOISY_LEFT:
        if forced(ctx.pos):
            left = NONE_LEFT
            count = generate_moves(ctx, end)
        else:
            left = QUIET_LEFT
            count = generate_noisy(ctx, end)
        end = write_group(ctx, end, count, table_move, played)
    if index < end and (left != NONE_LEFT or index - start < SORTED_PICKS):
        pick_sound(ctx, index, end)
    if left == QUIET_LEFT and (index == end or ctx.scores[index] < NOISY_SCORE):
        left = NONE_LEFT
        end = write_group(ctx, end, generate_quiet(ctx, end), table_move, played)
        if index < end:
            pick_sound(ctx, index, end)
    return end, left


@njit
def drop_quiet(ctx, index, end):
    """Leave out the quiet moves that are no threats of the moves index..end - 1; return the new end."""
    kept = index
    for other in range(index, end):
        move = ctx.moves[other]
        if not is_quiet(ctx.pos, move) or threatens(ctx, move):
            ctx.moves[kept] = move
            ctx.scores[kept] = ctx.scores[other]
            kept += 1
    return kept


@njit
def reward(ctx, move, bonus):
    """Move the history of a quiet `move` towards +-HISTORY_MAX by `bonus`, the less the nearer it is already."""
    slot = int(history_slot(ctx.pos, move))
    value = int(ctx.history[slot])
    ctx.history[slot] = np.int16(value + bonus - value * abs(bonus) // HISTORY_MAX)


@njit
def learn_cutoff(ctx, start, index, depth):
    """Remember that the quiet move at `index` refuted the position, and that the quiet ones before it did not."""
    move = ctx.moves[index]
    bonus = min(depth * depth * 16 + 32 * depth, 2048)
    if ctx.killers[ctx.ply, 0] != move:
        ctx.killers[ctx.ply, 1] = ctx.killers[ctx.ply, 0]
        ctx.killers[ctx.ply, 0] = move
    reward(ctx, move, bonus)
    for other in range(start, index):
        if is_quiet(ctx.pos, ctx.moves[other]):
            reward(ctx, ctx.moves[other], -bonus)


@njit
def corrected(ctx, value):
    """Return the static value `value` of ctx.pos, corrected by what was learnt of such positions and last moves."""
    total = int(ctx.corrections[correction_slot(ctx.pos)])
    if ctx.ply > 0 and ctx.slots[ctx.ply - 1] >= 0:
        total += int(ctx.reply_corrections[ctx.slots[ctx.ply - 1]])
    return value + total // CORRECTION_UNIT


@njit
def moved(correction, target, weight):
    """Return a correction moved towards `target` by weight / 256."""
    value = (correction * (256 - weight) + target * weight) // 256
    return min(max(value, -CORRECTION_MAX), CORRECTION_MAX)


@njit
def learn_correction(ctx, difference, depth):
    """Learn that a search of `depth` plies found a value that is the static one plus `difference`."""
    weight = min(depth + 1, 16)
    target = min(max(difference, -CORRECTION_STEP), CORRECTION_STEP) * CORRECTION_UNIT
    slot = int(correction_slot(ctx.pos))
    ctx.corrections[slot] = moved(int(ctx.corrections[slot]), target, weight)
    if ctx.ply > 0 and ctx.slots[ctx.ply - 1] >= 0:
        slot = int(ctx.slots[ctx.ply - 1])
        ctx.reply_corrections[slot] = moved(int(ctx.reply_corrections[slot]), target, weight)
