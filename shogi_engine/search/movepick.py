"""The move picker: hands out a node's moves one by one, the most promising first, generating them as late as it can.

Order: the transposition table's move, captures that lose no material, killers, then quiet moves by their histories, and
bad captures last. "Captures" are all moves that change the value at once (`generate_captures`), promotions included.
Most nodes are left after the first move or a capture, and quiet moves, drops above all, are many: so they are
generated in stages, as in Stockfish (https://github.com/official-stockfish/Stockfish, movepick.cpp).
"""

import numpy as np

from shogi_engine.game import (
    MOVE_NONE,
    continuation_slot,
    generate_captures,
    generate_moves,
    generate_quiets,
    gives_check,
    is_in_check,
    is_legal_tt_move,
    is_quiet,
    score_moves,
    see_ge,
)
from shogi_engine.jit import njit, record_at
from shogi_engine.search.context import KILLERS
from shogi_engine.search.history import continuation_row, move_history, no_move_row

TT_MOVE_SCORE = 1 << 30
CAPTURE_SCORE = 1 << 24
KILLER_SCORE = 1 << 23
BAD_CAPTURE_MALUS = CAPTURE_SCORE + (1 << 19)  # puts captures that lose material behind the quiet moves

# The stages of a picker: what it will generate next. In check all evasions are generated at once.
TT_MOVE, GENERATE_CAPTURES, GENERATE_QUIETS, ALL_GENERATED = range(4)


@njit
def init_picker(ctx, start, tt_move):
    """Prepare ctx.pickers[ctx.ply] for the moves of ctx.pos; it uses ctx.moves and ctx.scores from `start`."""
    picker = ctx.pickers[ctx.ply]
    picker.stage = TT_MOVE
    picker.start = start
    picker.index = start - 1
    picker.end = start
    picker.tt_move = tt_move
    picker.skip_quiets = 0


@njit
def next_move(ctx):
    """Return the next move of ctx.pickers[ctx.ply], MOVE_NONE when there are no more; it may be only pseudo-legal.

    The move is then ctx.moves[picker.index], those handed out before it lie between picker.start and it, and ctx.moves
    is free from picker.end.   picker.skip_quiets : generate no quiet moves but those that give check.
    """
    picker = ctx.pickers[ctx.ply]
    tt_move = picker.tt_move
    index = picker.index + 1
    picker.index = index

    if picker.stage == TT_MOVE:
        picker.stage = GENERATE_CAPTURES
        if tt_move != MOVE_NONE and is_legal_tt_move(ctx.pos, tt_move):
            ctx.moves[index] = tt_move
            ctx.scores[index] = TT_MOVE_SCORE
            picker.end = index + 1
            return tt_move

    end = picker.end
    is_tt_move_done = index > picker.start and ctx.moves[picker.start] == tt_move
    if picker.stage == GENERATE_CAPTURES:
        if is_in_check(ctx.pos):
            picker.stage = ALL_GENERATED
            count = generate_moves(ctx, end)
        else:
            picker.stage = GENERATE_QUIETS
            count = generate_captures(ctx, end)
        end = score_group(ctx, end, count, tt_move, is_tt_move_done)

    # At a node that got far the order hardly matters any more.
    if index < end and (picker.stage != ALL_GENERATED or index - picker.start < int(ctx.params.sorted_moves)):
        pick_move(ctx, index, end)

    if picker.stage == GENERATE_QUIETS and (index == end or ctx.scores[index] < CAPTURE_SCORE):
        picker.stage = ALL_GENERATED
        count = generate_quiets(ctx, end)
        if picker.skip_quiets:
            count = keep_captures_and_checks(ctx, end, end + count) - end
        end = score_group(ctx, end, count, tt_move, is_tt_move_done)
        if index < end:
            pick_move(ctx, index, end)

    picker.end = end
    return ctx.moves[index] if index < end else MOVE_NONE


@njit
def skip_quiet_moves(ctx):
    """Drop the quiet moves that give no check from those that ctx.pickers[ctx.ply] has generated and not handed out.

    Only once everything is generated; before, picker.skip_quiets does it.
    """
    picker = ctx.pickers[ctx.ply]
    if picker.stage == ALL_GENERATED:
        picker.end = keep_captures_and_checks(ctx, picker.index + 1, picker.end)


@njit
def is_good_capture(ctx, index):
    """Tell whether the move that `pick_move` put at `index` is a capture that loses no material."""
    return CAPTURE_SCORE <= ctx.scores[index] < TT_MOVE_SCORE


@njit
def order_moves(ctx, start, count, tt_move):
    """Write the scores that order ctx.moves[start : start + count] to ctx.scores."""
    score_moves(ctx, start, count)
    tables = record_at(ctx, ctx.histories)
    killer, second = MOVE_NONE, MOVE_NONE
    if ctx.search_flags & KILLERS:
        killer, second = ctx.killers[ctx.ply, 0], ctx.killers[ctx.ply, 1]
    first, other = continuation_row(ctx, ctx.ply, 1), continuation_row(ctx, ctx.ply, 2)
    # An evasion answers the last two moves only.
    fourth = no_move_row(ctx) if is_in_check(ctx.pos) else continuation_row(ctx, ctx.ply, 4)
    for index in range(start, start + count):
        move = ctx.moves[index]
        if move == tt_move:
            ctx.scores[index] = TT_MOVE_SCORE
        elif not is_quiet(ctx.pos, move):
            ctx.scores[index] += CAPTURE_SCORE
        elif move == killer:
            ctx.scores[index] = KILLER_SCORE + 1
        elif move == second:
            ctx.scores[index] = KILLER_SCORE
        else:
            score = move_history(ctx, move)
            slot = continuation_slot(ctx.pos, move)
            if slot >= 0:
                score += int(tables.continuation[first, slot]) + int(tables.continuation[other, slot])
                score += int(tables.continuation[fourth, slot])
            ctx.scores[index] += score


@njit
def pick(ctx, index, end):
    """Swap the best-scored of the moves index..end - 1, the first of equals, to `index` and return it."""
    # Score and place are packed into one number: the maximum of many numbers is found by vector instructions.
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
    """Do as `pick`, but move captures that lose material behind the quiet moves; SEE runs only on captures picked."""
    move = pick(ctx, index, end)
    while is_good_capture(ctx, index) and not see_ge(ctx.pos, move, 0):
        ctx.scores[index] -= BAD_CAPTURE_MALUS
        move = pick(ctx, index, end)
    return move


@njit
def score_group(ctx, end, count, tt_move, is_tt_move_done):
    """Score the `count` moves just generated at `end`, without the table's if it was handed out; return their end."""
    if is_tt_move_done:
        for index in range(end, end + count):
            if ctx.moves[index] == tt_move:
                count -= 1
                ctx.moves[index] = ctx.moves[end + count]
                break
    order_moves(ctx, end, count, tt_move)
    return end + count


@njit
def keep_captures_and_checks(ctx, index, end):
    """Remove the quiet moves that give no check from the moves index..end - 1; return the new end."""
    kept = index
    for other in range(index, end):
        move = ctx.moves[other]
        if not is_quiet(ctx.pos, move) or gives_check(ctx, move):
            ctx.moves[kept] = move
            ctx.scores[kept] = ctx.scores[other]
            kept += 1
    return kept
