"""The engine for hosts without Python: one kernel for each game, which answers tasks on texts in one piece of memory.

`tools.build_kernels --only wasm32` makes a module of WebAssembly of each, and a file with the memory that it needs.

A task has a number and two integers; it finds its text at the beginning of the page's `text` and writes its answer
there: positions, moves and searches. What it returns is the end of the answer unless it says otherwise. The tasks that
both games have are here; `shogi` and `othello` have a game's record, and its kernel `call`.
"""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import (
    DIGIT,
    MAX_PLY,
    MINUS,
    MOVE_NONE,
    VALUE_MATE,
    VALUE_MATE_IN_MAX,
    Game,
    put,
    words,
    write_number,
)
from shogi_engine.jit import njit, points_to, record_at, record_dtype
from shogi_engine.perft import _count
from shogi_engine.search import history
from shogi_engine.search.context import MAX_GAME_PLY, begin_game, context_dtype, play_move
from shogi_engine.search.deepening import (
    COMPLETE,
    MAX_DEPTH,
    advance,
    begin,
    choose_lines,
    extend_line,
    is_seen,
    run_dtype,
)
from shogi_engine.search.tt import GENERATIONS

RESET, POSITION, WRITE, MOVES, STATUS, PREPARE, DEEPEN, BEST, PERFT, OWN = range(10)  # OWN: the first of a game's own
TEXT_BYTES = 1 << 16
LINE_BYTES = 1024  # at least the length of a line that `write_line` writes: its moves take 6 each
BLANK, END_OF_LINE, LETTER_M = (ord(letter) for letter in " \nm")


def page_dtype(game: Game, *fields: tuple) -> np.dtype:
    """Return the dtype of a page, the record that a host and the kernels share, with a game's own `fields`."""
    dtype = record_dtype(
        [
            ("text", np.uint8, (TEXT_BYTES,)),
            ("ctx", np.uint64),  # the address of the search's context
            ("search_flags", np.int64),  # of a search, and its Multi-ProbCut margin
            ("margin", np.int64),
            ("run", run_dtype(game)),
            ("seen", np.uint64, (MAX_PLY + 2,)),
            *fields,
        ]
    )
    points_to(dtype, context_dtype(game, game.evaluation()))
    return dtype


START_CAPTURES, START_CONTINUATION = history.START_VALUES["captures"], history.START_VALUES["continuation"]
START_CORRECTIONS = history.START_VALUES["continuation_corrections"]
INFO_WORDS = words(
    *("info depth ", " seldepth ", " multipv ", " score cp ", " score mate "),
    *(" lowerbound", " upperbound", " nodes ", " pv"),
)
DEPTH, SELDEPTH, MULTIPV, CENTIPAWNS, MATE, LOWER, UPPER, NODES, PV = range(len(INFO_WORDS))


@njit
def write_numbers(text, numbers):
    """Write a tuple of integers, with a blank after each."""
    end = 0
    for number in numbers:
        end = write_number(text, end, number)
        text[end] = BLANK
        end += 1
    return end


@njit
def word_end(text, start, length):
    """Return the end of the word at text[start:length]."""
    while start < length and text[start] != BLANK:
        start += 1
    return start


@njit
def read_number(text, start, length):
    """Return (integer, end) of the digits, perhaps after a minus, at text[start:length]."""
    number, sign, stop = 0, 1, word_end(text, start, length)
    for index in range(start, stop):
        if text[index] == MINUS:
            sign = -1
        else:
            number = 10 * number + int(text[index]) - DIGIT
    return sign * number, stop


@njit
def set_position(ctx, text, length):
    """Make text[:length], a position and perhaps ' moves ' with moves, the root.

    Return the number of moves made; -1 if there is no position, -2 - n if move n (from 0) is illegal.
    """
    text[length] = BLANK
    stop = 0
    while stop < length and not is_moves_word(text, stop, length):
        stop += 1
    if rules.read_position(ctx.pos, text, 0, stop) == 0:
        return -1
    begin_game(ctx)
    place, made = stop + 7, 0
    while place < length:
        end = word_end(text, place, length)
        move = rules.read_move(ctx.pos, text, place, end)
        if move == MOVE_NONE:
            return -2 - made
        made += 1
        if ctx.game_ply == MAX_GAME_PLY:
            ctx.game_ply = 0  # only the last moves are kept; see context.replay_game
        play_move(ctx, move)
        place = end + 1
    return made


@njit
def is_moves_word(text, place, length):
    """Tell whether ' moves ' stands at text[place:]: no position has a blank before an m."""
    return place + 6 < length and text[place] == BLANK and text[place + 1] == LETTER_M and text[place + 6] == BLANK


@njit
def write_moves(ctx, text):
    """Write the legal moves, with a blank after each."""
    end = 0
    for index in range(rules.list_legal(ctx, 0, rules.generate_moves(ctx, 0))):
        end = rules.write_move(ctx.pos, ctx.moves[index], text, end)
        text[end] = BLANK
        end += 1
    return end


@njit
def write_status(ctx, text):
    """Write termination and value of `game_result`, whether the side to move is in check, the side, moves made."""
    termination, value = rules.game_result(ctx, rules.list_legal(ctx, 0, rules.generate_moves(ctx, 0)))
    in_check, side = np.int64(rules.is_in_check(ctx.pos)), np.int64(ctx.pos.side)
    return write_numbers(text, (np.int64(termination), np.int64(value), in_check, side, np.int64(ctx.game_ply)))


@njit
def prepare(page, ctx, length):
    """Start a search of the root. Return the number of root moves.

    text[:length] is the number of the table's clusters, the greatest depth, the number of lines, of nodes, and
    the Multi-ProbCut margin and the longest mate wanted (-1 and 0 for the usual), then the moves to choose from.
    """
    text, run = page.text, page.run
    clusters, place = read_number(text, 0, length)
    run.max_depth, place = read_number(text, place + 1, length)
    run.lines, place = read_number(text, place + 1, length)
    ctx.node_limit, place = read_number(text, place + 1, length)
    margin, place = read_number(text, place + 1, length)
    run.mate, place = read_number(text, place + 1, length)
    ctx.tt_clusters = np.uint64(clusters)
    ctx.generation = (ctx.generation + np.uint64(1)) % np.uint64(GENERATIONS)
    ctx.search_flags = page.search_flags
    ctx.params.multi_probcut_margin = page.margin if margin < 0 else margin
    ctx.root_count = 0
    while place + 1 < length:
        start, place = place + 1, word_end(text, place + 1, length)
        move = rules.read_move(ctx.pos, text, start, place)
        if move != MOVE_NONE and not is_seen(ctx.root_moves, ctx.root_count, move):
            ctx.root_moves[ctx.root_count] = move
            ctx.root_count += 1
    run.depth, run.repeats = 1, int(margin < 0)
    left = rules.plies_left(ctx.pos)
    run.longest = min(left, MAX_DEPTH) if left > 0 else MAX_DEPTH
    begin(ctx, run)
    return ctx.root_count


@njit
def write_line(ctx, text, end, line, number):
    """Write a line (deepening.LINE) as USI's info."""
    end = write_number(text, put(text, end, INFO_WORDS, DEPTH), line.depth)
    end = write_number(text, put(text, end, INFO_WORDS, SELDEPTH), line.seldepth)
    end = write_number(text, put(text, end, INFO_WORDS, MULTIPV), number)
    plies = VALUE_MATE - abs(line.score)
    if abs(line.score) >= VALUE_MATE_IN_MAX:
        end = write_number(text, put(text, end, INFO_WORDS, MATE), plies if line.score > 0 else -plies)
    else:
        end = write_number(text, put(text, end, INFO_WORDS, CENTIPAWNS), line.score)
    if line.bound != 0:
        end = put(text, end, INFO_WORDS, LOWER if line.bound > 0 else UPPER)
    end = write_number(text, put(text, end, INFO_WORDS, NODES), ctx.nodes)
    end = put(text, end, INFO_WORDS, PV)
    for index in range(line.pv_end):
        text[end] = BLANK
        end = rules.write_move(ctx.pos, line.pv[index], text, end + 1)
    text[end] = END_OF_LINE
    return end + 1


@njit
def write_lines(page, ctx, count):
    """Write the best `count` lines that are complete, those for which the text has room."""
    end = 0
    for number in range(count):
        if end + LINE_BYTES > TEXT_BYTES:
            break
        end = write_line(ctx, page.text, end, page.run.complete[number], number + 1)
    return end


@njit
def deepen(page, ctx):
    """Search until a depth is complete, and write its lines; return 0 if the search was stopped before, or is over."""
    run = page.run
    while run.over == 0:
        found = advance(ctx, run)
        if found == COMPLETE:
            return write_lines(page, ctx, run.multipv)
        if ctx.stopped:
            break
    return 0


@njit
def write_best(page, ctx):
    """Write the lines that the search ends with, extended by the table's moves; a move alone if none was searched."""
    run = page.run
    count = choose_lines(run)
    for number in range(count):
        line = run.complete[number]
        plies = VALUE_MATE - abs(line.score)
        length = plies if abs(line.score) >= VALUE_MATE_IN_MAX else max(line.depth, 2)
        line.pv_end = extend_line(ctx, line.pv, line.pv_end, min(length, MAX_PLY), page.seen)
    if count == 0 and ctx.root_count > 0:
        return rules.write_move(ctx.pos, ctx.root_moves[0], page.text, 0)
    return write_lines(page, ctx, count)


@njit
def start_histories(ctx):
    """Set the histories that `ctx` uses, whose memory is all zeros, to their initial values."""
    tables = record_at(ctx, ctx.histories)
    shared = record_at(tables, tables.shared)
    tables.low_ply[:] = history.LOW_PLY_START
    tables.captures[:] = START_CAPTURES
    shared.continuation[:] = START_CONTINUATION
    shared.continuation_corrections[:] = START_CORRECTIONS


@njit
def answer(page, task, a):
    """Do a task that both games have; `a` is the length of its text, or the depth of PERFT, which returns the count."""
    ctx = record_at(page, page.ctx)
    if task == RESET:  # the memory of the histories is zeroed
        start_histories(ctx)
    elif task == POSITION:
        return set_position(ctx, page.text, a)
    elif task == WRITE:
        return rules.write_position(ctx.pos, page.text, 0)
    elif task == MOVES:
        return write_moves(ctx, page.text)
    elif task == STATUS:
        return write_status(ctx, page.text)
    elif task == PREPARE:
        return prepare(page, ctx, a)
    elif task == DEEPEN:
        return deepen(page, ctx)
    elif task == BEST:
        return write_best(page, ctx)
    elif task == PERFT:
        return _count(ctx, a, ctx.game_ply, 0, True, False)
    return 0
