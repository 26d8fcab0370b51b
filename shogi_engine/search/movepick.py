"""The move picker: yields the moves of a node one by one, best first, and generates them in stages.

The order is, with Stockfish's names (https://github.com/official-stockfish/Stockfish, movepick.cpp):

* TT_MOVE: the table's move
* GOOD_CAPTURE: captures that lose little, with scores above LEAST_GOOD_CAPTURE
* GOOD_QUIET: quiet moves by their histories
* BAD_CAPTURE: the other captures, all with the score -params.bad_quiet
* BAD_QUIET: quiet moves with bad histories, whose scores are below that

"Captures" are all moves that change the value at once (`generate_captures`). Most nodes are cut by the table's move or
a capture, and there are many quiet moves, especially drops, so they are generated late. From then on, the order is only
that of the scores.
"""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MOVE_NONE
from shogi_engine.jit import njit, record_at
from shogi_engine.search.history import BEFORE_ROOT, LOW_PLIES, main_history, prefetch_quiet_histories

TT_MOVE_SCORE = 1 << 30
CAPTURE_SCORE = 1 << 24  # added to the scores of captures until they turn out to be bad
LEAST_GOOD_CAPTURE = CAPTURE_SCORE // 2  # between the scores of captures and those of quiet moves

# The stages of a picker: the table's move comes next, captures are generated next, good captures come next and then
# quiet moves are generated, or all moves have been generated. In check, all evasions are generated at once.
TT_MOVE, GENERATE_CAPTURES, GOOD_CAPTURE, ALL_GENERATED = range(4)


@njit
def init_picker(picker, start, tt_move):
    """Prepare `picker` for the moves of a node; it uses ctx.moves and ctx.scores from `start` on."""
    picker.stage = TT_MOVE
    picker.start = start
    picker.index = start - 1
    picker.end = start
    picker.tt_move = tt_move
    picker.skip_quiets = 0


@njit
def next_move(ctx, picker):
    """Return the next move of ctx.pos, or MOVE_NONE after the last. Moves are pseudo-legal.

    ctx.moves[picker.start : picker.index + 1] are the moves returned so far; ctx.moves[picker.end:] is free.
    """
    tt_move = picker.tt_move
    index = picker.index + 1
    picker.index = index

    if picker.stage == TT_MOVE:
        picker.stage = GENERATE_CAPTURES
        if tt_move != MOVE_NONE and rules.is_legal_tt_move(ctx.pos, tt_move):
            ctx.moves[index] = tt_move
            picker.end = index + 1
            return tt_move

    end = picker.end
    is_tt_move_done = index > picker.start and ctx.moves[picker.start] == tt_move
    if picker.stage == GENERATE_CAPTURES:
        if rules.is_in_check(ctx.pos):
            picker.stage = ALL_GENERATED
            count = rules.generate_evasions(ctx, end)
        else:
            picker.stage = GOOD_CAPTURE
            count = rules.generate_captures(ctx, end)
        end = without_tt_move(ctx, end, count, tt_move, is_tt_move_done)
        score_captures(ctx, picker.end, end, tt_move)

    # When many moves have failed to cut, the order hardly matters.
    if index < end and (picker.stage != ALL_GENERATED or index - picker.start < ctx.params.sorted_moves):
        pick_move(ctx, index, end)

    if picker.stage == GOOD_CAPTURE and (index == end or ctx.scores[index] < LEAST_GOOD_CAPTURE):
        picker.stage = ALL_GENERATED
        if not picker.skip_quiets:
            prefetch_quiet_histories(ctx)
            count = rules.generate_quiets(ctx, end)
            first, end = end, without_tt_move(ctx, end, count, tt_move, is_tt_move_done)
            score_quiets(ctx, first, end, tt_move)
            if index < end:
                pick_move(ctx, index, end)

    picker.end = end
    return ctx.moves[index] if index < end else MOVE_NONE


@njit
def skip_quiet_moves(ctx, picker):
    """Drop the quiet moves that `picker` has not returned yet, except check evasions, and let it generate no more."""
    picker.skip_quiets = 1
    if picker.stage != ALL_GENERATED or rules.is_in_check(ctx.pos):
        return
    kept = picker.index + 1
    for other in range(kept, picker.end):
        move = ctx.moves[other]
        if not rules.is_quiet(ctx.pos, move):
            ctx.moves[kept] = move
            ctx.scores[kept] = ctx.scores[other]
            kept += 1
    picker.end = kept


@njit
def score_captures(ctx, start, end, tt_move):
    """Write the ordering scores of the captures, or evasions, ctx.moves[start:end] to ctx.scores."""
    params = ctx.params
    tables = record_at(ctx, ctx.histories)
    shared = record_at(tables, tables.shared)
    in_check = rules.is_in_check(ctx.pos)
    last_row = ctx.frames[BEFORE_ROOT + ctx.ply - 1].continuation_row
    for index in range(start, end):
        move = ctx.moves[index]
        if move == tt_move:
            ctx.scores[index] = TT_MOVE_SCORE
        elif not rules.is_quiet(ctx.pos, move):
            score = CAPTURE_SCORE + params.order_capture * rules.capture_value(ctx, move)
            if not in_check:
                score += int(tables.captures[rules.capture_slot(ctx.pos, move)])
            ctx.scores[index] = score
        else:
            slot = rules.continuation_slot(ctx.pos, move)
            ctx.scores[index] = main_history(ctx, move) + (int(shared.continuation[last_row, slot]) if slot >= 0 else 0)


@njit
def score_quiets(ctx, start, end, tt_move):
    """Write the ordering scores of the quiet moves ctx.moves[start:end] to ctx.scores."""
    params = ctx.params
    tables = record_at(ctx, ctx.histories)
    continuation = record_at(tables, tables.shared).continuation
    here = BEFORE_ROOT + ctx.ply
    row1, row2 = ctx.frames[here - 1].continuation_row, ctx.frames[here - 2].continuation_row
    row3, row4 = ctx.frames[here - 3].continuation_row, ctx.frames[here - 4].continuation_row
    row6 = ctx.frames[here - 6].continuation_row
    near_root = ctx.ply < LOW_PLIES
    low_ply_share = 1024 * params.order_low_ply // (1 + ctx.ply)
    order_main, order_check = params.order_main, params.order_check
    rules.score_moves(ctx, start, end - start)
    # Reading the tables from memory is slow. This loop does nothing else, so that the reads of many moves overlap.
    for index in range(start, end):
        move = ctx.moves[index]
        history = rules.history_slot(ctx.pos, move)
        score = ctx.scores[index] + order_main * int(tables.main[history])
        slot = rules.continuation_slot(ctx.pos, move)
        if slot >= 0:
            score += int(continuation[row1, slot]) + int(continuation[row2, slot]) + int(continuation[row3, slot])
            score += int(continuation[row4, slot]) + int(continuation[row6, slot])
        if near_root:
            score += low_ply_share * int(tables.low_ply[ctx.ply, history]) // 1024
        ctx.scores[index] = score
    for index in range(start, end):
        move = ctx.moves[index]
        if rules.gives_check(ctx, move) and rules.see_ge(ctx, move, -params.order_check_see):
            ctx.scores[index] += order_check
        if move == tt_move:  # for games that cannot tell whether a stored move is legal
            ctx.scores[index] = TT_MOVE_SCORE


@njit
def pick(ctx, index, end):
    """Swap the best of the moves ctx.moves[index:end] (the first of equals) to `index` and return it."""
    # Score and index are packed into one number, so that vector instructions find the maximum.
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
def pick_move(ctx, index, end):
    """Do the same as `pick`, but put bad captures behind most quiet moves. SEE is computed only for picked captures."""
    move = pick(ctx, index, end)
    while LEAST_GOOD_CAPTURE < ctx.scores[index] < TT_MOVE_SCORE and not rules.is_in_check(ctx.pos):
        score = ctx.scores[index] - CAPTURE_SCORE
        if rules.see_ge(ctx, move, -score // ctx.params.good_capture_see):
            break
        ctx.scores[index] = -ctx.params.bad_quiet
        move = pick(ctx, index, end)
    return move


@njit
def without_tt_move(ctx, end, count, tt_move, is_tt_move_done):
    """Return the end of the `count` moves generated at `end`, without the table's move if it has been returned."""
    if is_tt_move_done:
        for index in range(end, end + count):
            if ctx.moves[index] == tt_move:
                count -= 1
                ctx.moves[index] = ctx.moves[end + count]
                break
    return end + count
