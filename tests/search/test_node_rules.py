"""What a node may learn and believe: only of moves that were made, corrected at the root too, by its own kind."""

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.bitboard import attackers_to, occupied
from shogi_engine.games.shogi.ordering import least_attacker
from shogi_engine.games.shogi.types import PAWN, ROOK, move_from, move_to
from shogi_engine.interface.game import evaluate, see_ge
from shogi_engine.search.alphabeta import search_root
from shogi_engine.search.context import ALL_FLAGS, USE_TT, new_context, prepare_root, write_root_moves
from shogi_engine.search.history import BEFORE_ROOT, Histories, learn_correction, prepare_corrections, static_correction
from shogi_engine.search.selectivity import table_settles
from tests.support.processes import environment, run
from tests.support.searching import place

MIDDLE_GAME = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
# A search in plain Python. It counts what nodes do that they must not do, with a stack of the nodes being searched: the
# ply of each, the depth and the excluded move that it was called with, the moves that it made, and what it held before
# another search of the same ply.
WATCHED = """
import json
from types import SimpleNamespace
import numpy as np
from shogi_engine import games
from shogi_engine.interface.game import VALUE_INFINITE
from shogi_engine.search import alphabeta as root_search
from shogi_engine.search import alphabeta
from shogi_engine.search.context import ALL_FLAGS, USE_TT, new_context, set_root, write_root_moves
from shogi_engine.search.history import BEFORE_ROOT, Histories, learn_from_best_move
from shogi_engine.search.context import prepare_root
from shogi_engine.search.tt import TranspositionTable

nodes, found = [], {"punished": 0, "not_made": 0, "again": 0, "changed": 0}
init_picker, make_move, search = alphabeta.init_picker, alphabeta.context.make_move, alphabeta.search
next_move = alphabeta.next_move

def begin(picker, start, tt_move):
    look(ctx)
    nodes[-1].tt_move = tt_move
    init_picker(picker, start, tt_move)

def table_move_last(ctx, picker):
    # A singular search then follows other moves of the node.
    node, move = nodes[-1], next_move(ctx, picker)
    if move and move == node.tt_move:
        node.delayed, move = move, next_move(ctx, picker)
    if not move:
        node.delayed, move = move, node.delayed
    return move

def held(ctx):
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    return here.tt_hit, here.tt_pv, here.static_eval, here.move_count, int(ctx.pv_end[ctx.ply])

def look(ctx):
    here, node = ctx.frames[BEFORE_ROOT + ctx.ply], nodes[-1]
    found["changed"] += int((here.depth, here.excluded) != node.called or node.held not in (None, held(ctx)))
    node.held = None

def make(ctx, move):
    look(ctx)
    nodes[-1].made.add(int(move))
    make_move(ctx, move)

def learn(ctx, best_move, searched, *rest):
    moves = set(searched.tolist())
    found["punished"] += len(moves)
    found["not_made"] += len(moves - nodes[-1].made)
    learn_from_best_move(ctx, best_move, searched, *rest)

def watched(ctx, alpha, beta, depth, *rest):
    if nodes and nodes[-1].ply == ctx.ply:
        found["again"] += 1
        nodes[-1].held = held(ctx)
    called = depth, int(ctx.frames[BEFORE_ROOT + ctx.ply].excluded)
    nodes.append(SimpleNamespace(ply=int(ctx.ply), called=called, made=set(), held=None, delayed=0))
    value = search(ctx, alpha, beta, depth, *rest)
    nodes.pop()
    return value

alphabeta.init_picker, alphabeta.next_move, alphabeta.history.learn_from_best_move = begin, table_move_last, learn
alphabeta.context = SimpleNamespace(**vars(alphabeta.context) | {"make_move": make})  # quiescence keeps its own
alphabeta.search = root_search.search = watched
game = games.load(name)
histories, never, table = Histories(game), np.zeros(1, np.uint64), TranspositionTable(1)
ctx = new_context(game, histories)
set_root(ctx, game.parse_position(position))
ctx.search_flags = ALL_FLAGS & ~left_out & game.search_flags
ctx.stop_address, ctx.node_limit = never.ctypes.data, nodes_allowed
ctx.params.nmp_verify_depth = ctx.params.singular_min_depth = 2
table.attach(ctx)
write_root_moves(ctx)
prepare_root(ctx)
for depth in range(1, 9):
    root_search.search_root(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0)  # full windows give best moves
print(json.dumps(found))
"""
WITHOUT_TABLE = ALL_FLAGS & ~USE_TT


@pytest.fixture
def histories():
    return Histories(GAME)


@pytest.fixture
def ctx(histories):
    """A context ready to search a middle game, without a table."""
    ctx = new_context(GAME, histories)
    place(ctx, GAME.parse_position(MIDDLE_GAME), WITHOUT_TABLE)
    write_root_moves(ctx)
    prepare_root(ctx)
    return ctx


@pytest.mark.parametrize(
    ("name", "position", "left_out", "nodes"),
    [
        pytest.param("shogi", MIDDLE_GAME, USE_TT, 3000, id="shogi, no table", marks=pytest.mark.slow),
        pytest.param("shogi", MIDDLE_GAME, 0, 2000, id="shogi"),
        pytest.param("othello", "startpos", 0, 3000, id="othello", marks=pytest.mark.slow),
    ],
)
def test_only_moves_that_were_made_are_punished(name, position, left_out, nodes):
    """Pruned moves, most of all at small depth, say nothing of themselves; nor does a singular search of the same ply.

    Other searches of the same ply leave the node as it was.
    """
    env = environment(None, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    given = name, position, left_out, nodes
    found = run(f"name, position, left_out, nodes_allowed = {given}\n{WATCHED}", env)
    assert found["punished"] > 40 and found["not_made"] == 0
    assert found["changed"] == 0 and (found["again"] > 3 or left_out == USE_TT)


def test_the_static_value_of_the_root_is_corrected(ctx):
    value = int(evaluate(ctx))
    prepare_corrections(ctx)
    for _ in range(20):
        learn_correction(ctx, 400, 8, True)
    correction = int(static_correction(ctx))
    assert correction > 20
    search_root(ctx, value - 1000, value + 1000, 1, 0)
    assert int(ctx.frames[BEFORE_ROOT].static_eval) == value + correction


def test_exchanges_are_counted_by_the_parameters(ctx):
    ctx.pos = GAME.parse_position("4k4/9/9/4g4/4p4/9/9/4R4/4K4 b - 1")
    move = np.uint32(GAME.parse_move(ctx.pos, "5h5e"))  # a pawn that a gold protects
    assert not see_ge(ctx, move, 0)
    ctx.params.values[ROOK] = ctx.params.values[PAWN] // 2
    assert see_ge(ctx, move, 0)


def test_the_least_attacker_is_the_least_by_the_parameters(ctx):
    pos = GAME.parse_position("4k4/9/9/9/R3p4/4P4/9/9/4K4 b - 1")
    pawn, rook = (np.uint32(GAME.parse_move(pos, text)) for text in ("5f5e", "9e5e"))
    attackers = attackers_to(pos, move_to(pawn), 0, occupied(pos))
    assert least_attacker(pos, ctx.params, attackers) == move_from(pawn)
    ctx.params.values[ROOK] = ctx.params.values[PAWN] - 1
    assert least_attacker(pos, ctx.params, attackers) == move_from(rook)


@pytest.mark.parametrize("depth", [1, 5, 6, 12])
@pytest.mark.parametrize("fails_high", [False, True])
def test_a_shallow_entry_ends_the_node_that_it_was_expected_to_be(ctx, depth, fails_high):
    value = 50 if fails_high else -50
    expected, surprise = (
        bool(table_settles(ctx, value, depth + 1, 0, depth, cut_node)) for cut_node in (fails_high, not fails_high)
    )
    assert expected and surprise == (depth > 5)
    assert not table_settles(ctx, value, depth - 1, 0, depth, fails_high)
