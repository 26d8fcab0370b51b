"""What the search tests share: contexts at a position, random positions, and each search run to a depth."""

import numpy as np

from shogi_engine.interface.game import MAX_PLY, VALUE_INFINITE, do_move, generate_moves
from shogi_engine.jit import new_record
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import PV, generate_searched_moves, new_context, set_root, start_search
from shogi_engine.search.history import forget
from shogi_engine.textbook.searches import alpha_beta, minimax, negascout
from tests.support.move_lists import legal_moves

NEVER = np.zeros(1, dtype=np.uint64)  # a stop word that is never set


def place(ctx, position, flags=0, table=None):
    """Put `position` into `ctx` as the root of a fresh search with `flags`."""
    set_root(ctx, position)
    forget(ctx)
    ctx.search_flags = flags
    ctx.stop_address = NEVER.ctypes.data
    if table is not None:
        table.attach(ctx)
    start_search(ctx)


def random_positions(game, count, seed, longest):
    """Yield `count` positions, each after a random number (up to `longest`) of random moves, none of them over."""
    rng = np.random.default_rng(seed)
    ctx = new_context(game)
    undo = new_record(game.undo)
    while count:
        pos = game.parse_position(game.start)
        for _ in range(rng.integers(0, longest + 1)):
            ctx.pos = pos
            moves = legal_moves(ctx)
            if not moves:
                break
            do_move(pos, moves[rng.integers(len(moves))], undo)
        ctx.pos = pos
        if generate_moves(ctx, 0):
            count -= 1
            yield pos


def searched_moves(ctx):
    """Return the moves of ctx.pos that a search looks at, legal or not, as a set."""
    return {int(move) for move in ctx.moves[: generate_searched_moves(ctx, 0)]}


def textbook_visits(ctx, depth):
    """Return, by name, the value that each of the textbook searches finds and its visits by ply, int64[MAX_PLY + 2]."""
    found = {}
    for name, run in (
        ("minimax", lambda visits: minimax(ctx, depth, 0, visits)),
        ("alpha-beta", lambda visits: alpha_beta(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0, visits)),
        ("negascout", lambda visits: negascout(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0, visits)),
    ):
        visits = np.zeros(MAX_PLY + 2, dtype=np.int64)
        found[name] = int(run(visits)), visits
    return found


def pvs_value(ctx, depth):
    """Return the value that the shared search finds with its full window."""
    return int(search(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, PV, 0))


def answer(result):
    """Return all of a Result that does not depend on the clock."""
    infos = [(i.depth, i.seldepth, i.multipv, i.score, i.bound, i.nodes, i.hashfull, i.pv) for i in result.infos]
    return result.bestmove, result.ponder, result.score, result.depth, result.nodes, result.pv, infos


def final_position(game, position, moves):
    """Return the position after `moves` (encoded) from `position`, each checked to be legal."""
    pos, undo = position.copy(), new_record(game.undo)
    for move in moves:
        assert game.parse_move(pos, game.format_move(pos, move)) == move
        do_move(pos, np.uint32(move), undo)
    return pos
