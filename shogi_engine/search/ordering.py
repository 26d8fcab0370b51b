"""What the search learns while it searches: the order of moves, and where static values are wrong.

Moves are searched in this order: table move, noisy moves, killers, then quiet moves by history: their own, and how they
did after the moves that came 1, 2 and 4 plies before (continuation history,
https://www.chessprogramming.org/History_Heuristic#Continuation_History). Corrections of static values
(https://www.chessprogramming.org/Static_Evaluation_Correction_History) are kept by parts of the position
(`correction_slots`) and by the last two moves. How much is learnt follows Stockfish
(https://github.com/official-stockfish/Stockfish); parameters.py says which numbers are its own.
"""

import numpy as np

from shogi_engine.game import (
    CORRECTION_TABLES,
    MOVE_NONE,
    continuation_slot,
    correction_slots,
    generate_captures,
    generate_moves,
    generate_quiets,
    gives_check,
    history_slot,
    is_in_check,
    is_legal_tt_move,
    is_quiet,
    score_moves,
    see_ge,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import LOOK_BACK

TABLE_MOVE_SCORE = 1 << 30
NOISY_SCORE = 1 << 24
KILLER_SCORE = 1 << 23
LOSING = NOISY_SCORE + (1 << 19)  # what noisy moves that lose material fall by: behind the quiet ones
HISTORY_MAX = 16384
CONTINUATION_MAX = 30000
CORRECTION_MAX = 1024

# What `next_move` has still to write of a node's moves: all of them, all but the table's, the quiet ones, none.
ALL_LEFT, NOISY_LEFT, QUIET_LEFT, NONE_LEFT = range(4)


@njit
def move_history(ctx, move):
    """Return how well quiet moves like `move` did, within +-HISTORY_MAX."""
    return int(ctx.history[history_slot(ctx.pos, move)])


@njit
def continuation_row(ctx, ply, plies):
    """Return the reply slot, a row of ctx.continuation, of the move made `plies` before the one at `ply`."""
    return int(ctx.continuation_rows[LOOK_BACK + ply - plies])


@njit
def continuation_score(ctx, move):
    """Return how well quiet moves like `move` did after the last two moves, within +-2 CONTINUATION_MAX."""
    slot = continuation_slot(ctx.pos, move)
    if slot < 0:
        return 0
    last, other = continuation_row(ctx, ctx.ply, 1), continuation_row(ctx, ctx.ply, 2)
    return int(ctx.continuation[last, slot]) + int(ctx.continuation[other, slot])


@njit
def order_moves(ctx, start, count, table_move):
    """Give each of the `count` moves from `start` its final score in ctx.scores."""
    score_moves(ctx, start, count)
    killer, second = ctx.killers[ctx.ply, 0], ctx.killers[ctx.ply, 1]
    # A forced move answers the last ones only.
    none = ctx.continuation.shape[0] - 1
    first, other = continuation_row(ctx, ctx.ply, 1), continuation_row(ctx, ctx.ply, 2)
    fourth = none if is_in_check(ctx.pos) else continuation_row(ctx, ctx.ply, 4)
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
            score = move_history(ctx, move)
            slot = continuation_slot(ctx.pos, move)
            if slot >= 0:
                score += int(ctx.continuation[first, slot]) + int(ctx.continuation[other, slot])
                score += int(ctx.continuation[fourth, slot])
            ctx.scores[index] += score


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
def is_good_capture(ctx, index):
    """Tell whether the move that `pick_move` put at `index` is noisy and loses no material."""
    return NOISY_SCORE <= ctx.scores[index] < TABLE_MOVE_SCORE


@njit
def pick_move(ctx, index, end):
    """Do as `pick`, but put noisy moves that lose material behind the quiet ones; asked when they are picked."""
    move = pick(ctx, index, end)
    while is_good_capture(ctx, index) and not see_ge(ctx.pos, move, 0):
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
def drop_quiet(ctx, index, end):
    """Leave out the quiet moves that are no threats of the moves index..end - 1; return the new end."""
    kept = index
    for other in range(index, end):
        move = ctx.moves[other]
        if not is_quiet(ctx.pos, move) or gives_check(ctx, move):
            ctx.moves[kept] = move
            ctx.scores[kept] = ctx.scores[other]
            kept += 1
    return kept


@njit
def next_move(ctx, start, index, end, left, table_move, few):
    """Bring the best of the moves not searched yet to `index`; return (end, left) for the next call.

    start, index, end : the moves searched are from start to index, those written go on to end; all equal at first
    left : ALL_LEFT at first.   There is none if `index` is the `end` returned.
    few : quiet moves that are no threats are not wanted.
    Moves are written as late as can be: most nodes are left after the table's move or a capture, and the quiet moves,
    drops above all, are many.
    """
    if left == ALL_LEFT:
        left = NOISY_LEFT
        if table_move != MOVE_NONE and is_legal_tt_move(ctx.pos, table_move):
            ctx.moves[index] = table_move
            ctx.scores[index] = TABLE_MOVE_SCORE
            return index + 1, left
    played = index > start and ctx.moves[start] == table_move
    if left == NOISY_LEFT:
        if is_in_check(ctx.pos):
            left = NONE_LEFT
            count = generate_moves(ctx, end)
        else:
            left = QUIET_LEFT
            count = generate_captures(ctx, end)
        end = write_group(ctx, end, count, table_move, played)
    # At a node that got far, order hardly matters.
    if index < end and (left != NONE_LEFT or index - start < int(ctx.params.sorted_moves)):
        pick_move(ctx, index, end)
    if left == QUIET_LEFT and (index == end or ctx.scores[index] < NOISY_SCORE):
        left = NONE_LEFT
        count = generate_quiets(ctx, end)
        if few:
            count = drop_quiet(ctx, end, end + count) - end
        end = write_group(ctx, end, count, table_move, played)
        if index < end:
            pick_move(ctx, index, end)
    return end, left


@njit
def shifted(value, bonus, limit):
    """Return `value`, within +-limit, moved by `bonus`, the less the nearer it is to the limit already."""
    bonus = min(max(bonus, -limit), limit)
    return np.int16(value + bonus - value * abs(bonus) // limit)


@njit
def reward(ctx, move, bonus):
    """Move the history of a quiet `move` by `bonus`."""
    slot = int(history_slot(ctx.pos, move))
    ctx.history[slot] = shifted(int(ctx.history[slot]), bonus, HISTORY_MAX)


@njit
def update_continuation_histories(ctx, ply, slot, bonus, in_check):
    """Move the continuation histories of the reply slot `slot` at `ply` by `bonus`, shared out by nearness."""
    if slot < 0:
        return
    for place in range(3):
        plies = 1 << place
        row = continuation_row(ctx, ply, plies)
        if row == ctx.continuation.shape[0] - 1 or in_check and plies > 2:
            continue
        share = int(ctx.params.continuation_weights[place])
        ctx.continuation[row, slot] = shifted(int(ctx.continuation[row, slot]), bonus * share // 1024, CONTINUATION_MAX)


@njit
def update_quiet_stats(ctx, start, index, depth):
    """Remember that the quiet move at `index` refuted the position, and that the quiet ones before it did not."""
    move = ctx.moves[index]
    params = ctx.params
    bonus = depth * depth * int(params.main_history_square) + depth * int(params.main_history_depth)
    bonus = min(bonus, int(params.main_history_max))
    if ctx.killers[ctx.ply, 0] != move:
        ctx.killers[ctx.ply, 1] = ctx.killers[ctx.ply, 0]
        ctx.killers[ctx.ply, 0] = move
    reward(ctx, move, bonus)
    for other in range(start, index):
        if is_quiet(ctx.pos, ctx.moves[other]):
            reward(ctx, ctx.moves[other], -bonus)


@njit
def stat_bonus(params, depth):
    """Return what a refutation found or known at `depth` adds to histories."""
    return min(int(params.stat_bonus_scale) * depth - int(params.stat_bonus_offset), int(params.stat_bonus_max))


@njit
def update_tt_move_stats(ctx, move, depth):
    """Remember that the table's `move`, if it is a quiet one, refutes the position again."""
    if move != MOVE_NONE and is_legal_tt_move(ctx.pos, move) and is_quiet(ctx.pos, move):
        bonus = stat_bonus(ctx.params, depth)
        reward(ctx, move, bonus)
        update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, move), bonus, is_in_check(ctx.pos))


@njit
def update_continuation_stats(ctx, start, end, best, depth, table_move):
    """Remember of the moves start..end - 1 that the quiet move `best` was the best after the moves before it.

    A move that is refuted though it stood well tells more.
    """
    params = ctx.params
    in_check = is_in_check(ctx.pos)
    bonus = stat_bonus(params, depth) + (int(params.stat_bonus_tt_move) if best == table_move else 0)
    if ctx.ply > 0:
        bonus += int(ctx.stat_scores[ctx.ply - 1]) * int(params.stat_bonus_stat_score) // 1024
    malus = min(int(params.stat_malus_scale) * depth - int(params.stat_malus_offset), int(params.stat_malus_max))
    bonus = bonus * int(params.stat_bonus_share) // 1024
    update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, best), bonus, in_check)
    for other in range(start, end):
        move = ctx.moves[other]
        if move != best and is_quiet(ctx.pos, move):
            update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, move), -malus, in_check)
            malus = malus * int(params.stat_malus_decay) // 1024


@njit
def corrected(ctx, value):
    """Return the static value `value` of ctx.pos, corrected by what was learnt of such positions and last moves."""
    slots = correction_slots(ctx)
    total = 0
    for table in range(CORRECTION_TABLES):
        total += int(ctx.params.correction_weights[table]) * int(ctx.corrections[table, slots[table]])
    if ctx.ply > 0:
        last = int(ctx.continuation_corrections[continuation_row(ctx, ctx.ply, 2), continuation_row(ctx, ctx.ply, 1)])
        total += int(ctx.params.continuation_correction_weight) * last
    return value + total // CORRECTION_MAX


@njit
def update_correction_histories(ctx, difference, depth, found):
    """Learn that a search of `depth` plies found a value that is the corrected static one plus `difference`.

    found : by a move, and not that no move reaches alpha.
    """
    params = ctx.params
    limit = int(params.correction_bonus_max)
    rate = int(params.correction_best_move) if found else int(params.correction_fail_low)
    step = min(max(difference * depth * rate // 128, -limit), limit)
    slots = correction_slots(ctx)
    for table in range(CORRECTION_TABLES):
        slot, bonus = slots[table], step * int(params.correction_rates[table]) // 1024
        ctx.corrections[table, slot] = shifted(int(ctx.corrections[table, slot]), bonus, CORRECTION_MAX)
    none = ctx.continuation.shape[0] - 1
    row, last = continuation_row(ctx, ctx.ply, 2), continuation_row(ctx, ctx.ply, 1)
    if row != none and last != none:
        known = int(ctx.continuation_corrections[row, last])
        ctx.continuation_corrections[row, last] = shifted(known, step, CORRECTION_MAX)
