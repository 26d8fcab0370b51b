"""What the search learns while it searches: the order of moves, and where static values are wrong.

Moves are searched in this order: table move, noisy moves, killers, then quiet moves by history. Corrections of static
values (https://www.chessprogramming.org/Static_Evaluation_Correction_History) are kept by `correction_slot` and by the
move before.
"""

import numpy as np

from shogi_engine.game import correction_slot, history_slot, is_quiet, score_moves
from shogi_engine.jit import njit

TABLE_MOVE_SCORE = 1 << 30
NOISY_SCORE = 1 << 24
KILLER_SCORE = 1 << 23
HISTORY_MAX = 16384
CORRECTION_UNIT = 256
CORRECTION_MAX = 128 * CORRECTION_UNIT
CORRECTION_STEP = 1024  # the largest difference that counts, in the game's unit
SORTED_PICKS = 32  # later moves are taken as they come: at a node that got so far, order hardly matters


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
            if ctx.scores[index] >= 0:
                ctx.scores[index] += NOISY_SCORE
        elif move == killer:
            ctx.scores[index] = KILLER_SCORE + 1
        elif move == second:
            ctx.scores[index] = KILLER_SCORE
        else:
            ctx.scores[index] += move_history(ctx, move)


@njit
def pick(ctx, index, end):
    """Bring the best of the moves index..end - 1 to `index` and return it."""
    best = index
    for other in range(index + 1, end):
        if ctx.scores[other] > ctx.scores[best]:
            best = other
    move, score = ctx.moves[best], ctx.scores[best]
    ctx.moves[best], ctx.scores[best] = ctx.moves[index], ctx.scores[index]
    ctx.moves[index], ctx.scores[index] = move, score
    return move


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
