"""The order in which moves are searched: table move, noisy moves, killers, then quiet moves by history."""

import numpy as np

from shogi_engine.game import HISTORY_SLOTS, history_slot, is_quiet, score_moves
from shogi_engine.jit import njit

TABLE_MOVE_SCORE = 1 << 30
NOISY_SCORE = 1 << 24
KILLER_SCORE = 1 << 23
HISTORY_MAX = 16384
SORTED_PICKS = 16  # later moves are taken as they come: at a node that got so far, order hardly matters


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
            ctx.scores[index] += int(ctx.history[history_slot(ctx.pos, move)])


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
    slot = int(history_slot(ctx.pos, move)) & (HISTORY_SLOTS - 1)
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
