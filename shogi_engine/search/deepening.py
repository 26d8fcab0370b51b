"""Iterative deepening: the state of a search between two calls, its lines, and which of them it ends with.

Python (root.py) and a page in the browser call `begin`, then `advance` until the search is over or stopped, then
`choose_lines`. Between the calls they report, look at the clock and stop.
"""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MAX_PLY, MOVE_NONE, VALUE_MATE, VALUE_MATE_IN_MAX, Game
from shogi_engine.jit import njit, record_dtype
from shogi_engine.search.alphabeta import open_window, search_root
from shogi_engine.search.context import USE_MULTI_PROBCUT, USE_PRUNING, USE_REDUCTIONS, prepare_root, sort_root_moves
from shogi_engine.search.tt import entry_move, probe_entry

MAX_DEPTH = 100
SALT_FACTOR = np.uint64(0x9E3779B97F4A7C15 >> 16)  # searches with different margins do not share table entries
NOTHING, FOUND, COMPLETE = range(3)  # what a call of `advance` has found

# What is known of a line. Depth 0: nothing.
LINE = record_dtype(
    [
        ("depth", np.int64),
        ("seldepth", np.int64),
        ("score", np.int64),
        ("bound", np.int64),  # -1: the score is an upper bound, 1: a lower bound, else 0
        ("proven", np.int64),  # whether the search pruned nothing: if it reached the game's end, the score is exact
        ("pv_end", np.int64),
        ("pv", np.uint32, (MAX_PLY + 2,)),
    ]
)

_dtypes: dict[int, np.dtype] = {}


def run_dtype(game: Game) -> np.dtype:
    """Return the dtype of the state of a search, `run` below."""
    if game.max_moves not in _dtypes:
        _dtypes[game.max_moves] = record_dtype(
            [
                # Set before `begin`:
                ("depth", np.int64),  # the first depth; then the one that is searched
                ("max_depth", np.int64),
                ("longest", np.int64),  # a depth that reaches the end of every game, at most MAX_DEPTH
                ("repeats", np.int64),  # whether such a depth is searched again, without Multi-ProbCut
                ("mate", np.int64),  # end with a mate within this many plies, 0 for none
                ("lines", np.int64),  # the number of best moves wanted
                # Set by kernels:
                ("multipv", np.int64),  # the number of lines: no more than there are root moves
                ("line", np.int64),  # searched next
                ("open", np.int64),  # whether its window is open
                ("over", np.int64),
                ("running", LINE, (game.max_moves,)),  # of the iteration that is not complete
                ("complete", LINE, (game.max_moves,)),  # of the last complete iteration, best first
            ]
        )
    return _dtypes[game.max_moves]


@njit
def is_selective(ctx):
    """Tell whether Multi-ProbCut is in use."""
    return ctx.search_flags & USE_MULTI_PROBCUT != 0 and ctx.params.multi_probcut_margin > 0


@njit
def forget_lines(lines, count):
    """Mark the first `count` lines as unknown."""
    for index in range(count):
        lines[index].depth = 0


@njit
def begin(ctx, run):
    """Start a search of ctx.pos, whose parameters and limits are set; ctx.root_count is 0 for all moves."""
    ctx.tt_key_salt = np.uint64(0)
    if is_selective(ctx):
        ctx.tt_key_salt = np.uint64(ctx.params.multi_probcut_margin) * SALT_FACTOR
    prepare_root(ctx)
    run.multipv = min(run.lines, ctx.root_count)
    run.max_depth = min(run.max_depth, run.longest)
    run.line = run.open = 0
    run.over = int(run.depth > run.max_depth or run.multipv == 0)
    forget_lines(run.running, run.multipv)
    forget_lines(run.complete, run.multipv)


@njit
def copy_line(to, source):
    """Copy a line."""
    to.depth, to.seldepth, to.score, to.bound = source.depth, source.seldepth, source.score, source.bound
    to.proven, to.pv_end = source.proven, source.pv_end
    for index in range(source.pv_end):
        to.pv[index] = source.pv[index]


@njit
def note_line(ctx, run, score, bound):
    """Record the line that is searched, with the principal variation of the root."""
    line = run.running[run.line]
    line.depth, line.score, line.bound = run.depth, score, bound
    line.seldepth = max(ctx.seldepth, run.depth)
    pruning = ctx.search_flags & (USE_PRUNING | USE_REDUCTIONS) != 0 or is_selective(ctx)
    line.proven = int(bound == 0 and ctx.stopped == 0 and not pruning)
    line.pv[0] = ctx.root_moves[run.line]
    line.pv_end = 1
    if ctx.pv_end[0] > 0 and ctx.pv[0, 0] == line.pv[0]:
        line.pv_end = int(ctx.pv_end[0])
        for index in range(line.pv_end):
            line.pv[index] = ctx.pv[0, index]


@njit
def take_best(lines, count):
    """Return the index of the best of the known lines, the first of equals; -1 if none is known."""
    best = -1
    for index in range(count):
        if lines[index].depth > 0 and (best < 0 or lines[index].score > lines[best].score):
            best = index
    return best


@njit
def sort_lines(run, place):
    """Move the lines of the running iteration to run.complete[place:], best first; return the end."""
    while True:
        best = take_best(run.running, run.multipv)
        if best < 0:
            return place
        copy_line(run.complete[place], run.running[best])
        run.running[best].depth = 0
        place += 1


@njit
def is_settled(run):
    """Tell whether to stop deepening: the requested mate was found, or a mate that no deeper search can shorten."""
    score = run.complete[0].score
    plies = VALUE_MATE - abs(score)
    if abs(score) < VALUE_MATE_IN_MAX:
        return False
    if run.mate > 0 and score > 0:
        return plies <= run.mate
    return plies <= run.depth - 2 and plies < MAX_PLY and run.lines == 1


@njit
def complete_depth(ctx, run):
    """End an iteration: sort its lines, and choose the next depth."""
    sort_lines(run, 0)
    if run.multipv > 1:
        sort_root_moves(ctx, run.multipv)
    run.line = 0
    if is_settled(run):
        run.over = 1
    elif run.depth < run.max_depth:
        run.depth += 1
    elif run.repeats != 0 and run.max_depth == run.longest < MAX_DEPTH and is_selective(ctx):
        ctx.search_flags &= ~USE_MULTI_PROBCUT
        ctx.tt_key_salt = np.uint64(0)
    else:
        run.over = 1


@njit
def advance(ctx, run):
    """Search the next window of a line, widening it if the last value was outside.

    Return NOTHING: the search was stopped before it found more about the line. FOUND: run.running[line] is new; the
    search may have been stopped. COMPLETE: all lines of the depth are searched, and are in run.complete.
    """
    line = run.line
    if run.open == 0:
        last = run.complete[line]
        ctx.pv_end[0] = 0
        if last.depth > 0:
            ctx.pv_end[0] = last.pv_end
            for index in range(last.pv_end):
                ctx.pv[0, index] = last.pv[index]
        open_window(ctx, line, run.depth)
        run.open = 1
    alpha, beta = int(ctx.window.alpha), int(ctx.window.beta)
    value = int(search_root(ctx, alpha, beta, int(ctx.window.depth), line))
    if ctx.stopped:  # the best move found so far may have a value already
        value = int(ctx.root_scores[line])
        if value <= alpha:
            return NOTHING
        note_line(ctx, run, value, int(value >= beta))
        return FOUND
    note_line(ctx, run, value, int(ctx.window.failed))
    if ctx.window.failed != 0:
        return FOUND
    run.open = 0
    run.line += 1
    if run.line < run.multipv:
        return FOUND
    complete_depth(ctx, run)
    return COMPLETE


@njit
def choose_lines(run):
    """Write the lines that the search ends with to run.complete, best first; return their number.

    A single line is that of the running iteration if it has found one: even if its value is a bound, it says more than
    the value of the iteration before. Only a lost one is not believed, because the other moves have not been searched.
    Several lines are those of the last completed iteration, because values of different depths cannot be compared;
    before there is one, those of the first.
    """
    best, has_complete = run.running[0], run.multipv > 0 and run.complete[0].depth > 0
    lost = best.score <= -VALUE_MATE_IN_MAX and best.bound == 0
    if run.multipv == 0 or best.depth == 0 or has_complete and (run.multipv > 1 or lost):
        return run.multipv if has_complete else 0
    copy_line(run.complete[0], best)
    best.depth = 0
    return sort_lines(run, 1)


@njit
def extend_line(ctx, moves, count, length, seen):
    """Extend a legal line from ctx.pos by the table's best moves to at most `length` moves; return the new length.

    ctx.moves and ctx.undo[ctx.game_ply:] are free. A line does not repeat a position.

    Args:
        moves: uint32[>= max(count, length)], in-out, the line: its first `count` moves
        seen: uint64[>= length], out, a hash of each position of the line
    """
    made = 0
    while made < max(count, length):
        repetition = rules.repetition_key(ctx.pos)
        if made >= count:
            move = entry_move(probe_entry(ctx, rules.key(ctx.pos) ^ ctx.tt_key_salt)[0])
            if move == MOVE_NONE or not is_listed(ctx, move) or is_seen(seen, made, repetition):
                break
            moves[made] = move
        seen[made] = repetition
        rules.do_move(ctx.pos, moves[made], ctx.undo[ctx.game_ply + made])
        made += 1
    for index in range(made - 1, -1, -1):
        rules.undo_move(ctx.pos, moves[index], ctx.undo[ctx.game_ply + index])
    return made


@njit
def is_seen(seen, count, number):
    """Tell whether a number is among the first `count`."""
    for index in range(count):
        if seen[index] == number:
            return True
    return False


@njit
def is_listed(ctx, move):
    """Tell whether `move` is legal in ctx.pos; ctx.moves is free."""
    for index in range(rules.generate_moves(ctx, 0)):
        if ctx.moves[index] == move:
            return rules.is_legal(ctx.pos, move)
    return False
