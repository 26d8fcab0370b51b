"""What a node may learn and believe: only of moves that were made, corrected at the root too, by its own kind."""

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.types import PAWN, ROOK
from shogi_engine.interface.game import evaluate, see_ge
from shogi_engine.search.context import ALL_FLAGS, USE_TT, new_context, write_root_moves
from shogi_engine.search.history import BEFORE_ROOT, Histories, learn_correction, prepare_corrections, static_correction
from shogi_engine.search.root_moves import prepare_root
from shogi_engine.search.root_search import search_root
from shogi_engine.search.terms import table_settles
from tests.support.processes import environment, run
from tests.support.searching import place

MIDDLE_GAME = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
# A search in plain Python that notes by ply which moves were made, and looks at those that are to be punished.
WATCHED = f"""
import json
import numpy as np
from shogi_engine.games.shogi import GAME
from shogi_engine.interface.game import VALUE_INFINITE
from shogi_engine.search import alphabeta
from shogi_engine.search.context import ALL_FLAGS, USE_TT, new_context, set_root, write_root_moves
from shogi_engine.search.history import Histories, learn_from_best_move
from shogi_engine.search.root_moves import prepare_root
from shogi_engine.search.root_search import search_root

made, punished, not_made = {{}}, 0, 0
init_picker, make_move = alphabeta.init_picker, alphabeta.make_move

def begin(ctx, *rest):
    made[int(ctx.ply)] = set()
    init_picker(ctx, *rest)

def make(ctx, move):
    made.setdefault(int(ctx.ply), set()).add(int(move))
    make_move(ctx, move)

def learn(ctx, best_move, searched, *rest):
    global punished, not_made
    moves = set(ctx.searched[int(ctx.ply), :searched].tolist())
    punished, not_made = punished + len(moves), not_made + len(moves - made[int(ctx.ply)])
    learn_from_best_move(ctx, best_move, searched, *rest)

alphabeta.init_picker, alphabeta.make_move, alphabeta.history.learn_from_best_move = begin, make, learn
histories, never = Histories(GAME), np.zeros(1, np.uint64)
ctx = new_context(GAME, histories)
set_root(ctx, GAME.parse_position({MIDDLE_GAME!r}))
ctx.search_flags, ctx.stop_address, ctx.node_limit = ALL_FLAGS & ~USE_TT, never.ctypes.data, 4000
write_root_moves(ctx)
prepare_root(ctx)
for depth in range(1, 8):
    search_root(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0)  # so that there are best moves, whatever the weights
print(json.dumps({{"punished": punished, "not_made": not_made}}))
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


def test_only_moves_that_were_made_are_punished():
    """Pruned moves, most of all at small depth, say nothing of themselves."""
    found = run(WATCHED, environment(None, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore"))
    assert found["punished"] > 40 and found["not_made"] == 0


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


@pytest.mark.parametrize("depth", [1, 5, 6, 12])
@pytest.mark.parametrize("fails_high", [False, True])
def test_a_shallow_entry_ends_the_node_that_it_was_expected_to_be(ctx, depth, fails_high):
    value = 50 if fails_high else -50
    expected, surprise = (
        bool(table_settles(ctx, value, depth + 1, 0, depth, cut_node)) for cut_node in (fails_high, not fails_high)
    )
    assert expected and surprise == (depth > 5)
    assert not table_settles(ctx, value, depth - 1, 0, depth, fails_high)
