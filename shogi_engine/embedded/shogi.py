"""Shogi for hosts without Python; see the package. Its own tasks name moves and look for mates."""

import numpy as np

from shogi_engine import games
from shogi_engine.embedded import BLANK, OWN, TEXT_BYTES, answer, page_dtype, word_end
from shogi_engine.games.shogi import texts, types as t
from shogi_engine.games.shogi.mate import search as mate
from shogi_engine.games.shogi.mate.search import MATE, NO_MATE
from shogi_engine.games.shogi.mate.table import GENERATIONS, LENGTH_MAX, MATE_SEARCH
from shogi_engine.interface.game import MOVE_NONE, do_move
from shogi_engine.jit import njit, record_at, record_dtype, record_reader

GAME = games.load("shogi")
NAMES, FIND_MATE = OWN, OWN + 1
ROOT = TEXT_BYTES - texts.SFEN_BYTES - 8  # where the text keeps the root while it is left
LINE_NODES = 1 << 20  # to find the line of a mate again whose proof the table has lost
MATE_PAGE = record_dtype([("search", MATE_SEARCH), ("line", mate.LINE)])
PAGE = page_dtype(GAME, ("mates", np.int64))  # the address of a MATE_PAGE
page_at, mates_at = record_reader(PAGE), record_reader(MATE_PAGE)


@njit
def write_names(page, ctx, length, style):
    """Write the names, in a style of texts.py, of the moves text[:length] that follow the root.

    A blank follows each; they begin at text[length + 1]. They end at an illegal move, or where the text is full. A game
    may be longer than ctx.undo, so the root is read again afterwards.
    """
    text, place, undo = page.text, 0, ctx.undo[ctx.game_ply]
    end, text[length] = length + 1, BLANK
    root_end = texts.write_sfen(ctx.pos, text, ROOT)
    text[root_end] = BLANK
    last = t.move_to(ctx.undo[ctx.game_ply - 1].move) if ctx.game_ply > 0 else -1
    while place < length:
        stop = word_end(text, place, length)
        move = texts.read_move(ctx.pos, text, place, stop)
        if move == MOVE_NONE or end + texts.NAME_BYTES >= ROOT:
            break
        end = texts.write_name(ctx.pos, move, style, last, text, end)
        text[end] = BLANK
        end += 1
        do_move(ctx.pos, move, undo)
        last = t.move_to(move)
        place = stop + 1
    texts.read_sfen(text, ROOT, root_end, ctx.pos)
    return end


@njit
def find_mate(page, ctx, mates, nodes):
    """Look for the shortest mate of the root within `nodes` positions, and write its line with a blank after each move.

    Return -1 if there is none, -2 if nothing is proven.
    """
    search, line = mates.search, mates.line
    end = texts.write_sfen(ctx.pos, page.text, 0)
    page.text[end] = BLANK
    texts.read_sfen(page.text, 0, end, search.pos)
    if search.pos.king[1 - search.pos.side] == t.NO_SQUARE:
        return -1
    search.generation = search.generation % np.uint64(GENERATIONS) + np.uint64(1)
    search.nodes = search.steps = search.ply = 0
    search.node_limit, search.attacker = nodes, int(search.pos.side)
    found = mate.prove_within(search, LENGTH_MAX)
    if found != MATE:
        return -1 if found == NO_MATE else -2
    length = abs(mate.shorten(search, int(search.found.length)))
    search.node_limit = search.nodes + LINE_NODES
    made = mate.write_line(search, line, length, True)
    end = 0
    if made < 0:
        return -2
    for index in range(made):
        end = texts.write_move(search.pos, line.moves[index], page.text, end)
        page.text[end] = BLANK
        end += 1
    return end


@njit
def call(task, page, a, b):
    """Do a `task` (calls.RESET ... or NAMES ...) with the page at an address."""
    shared = page_at(page)
    if task == NAMES:
        return write_names(shared, record_at(shared, shared.ctx), a, b)
    if task == FIND_MATE:
        return find_mate(shared, record_at(shared, shared.ctx), mates_at(shared.mates), a)
    return answer(shared, task, a)
