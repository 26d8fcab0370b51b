"""Contexts: small without histories, and one way to set their root."""

from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.interface.game import VALUE_INFINITE, do_move, evaluate, refresh_line
from shogi_engine.jit import new_record
from shogi_engine.search.alphabeta import search
from shogi_engine.search.context import (
    ALL_FLAGS,
    MAX_GAME_PLY,
    PV,
    USE_TT,
    context_dtype,
    make_move,
    make_null_move,
    new_context,
    set_root,
    start_search,
    write_root_moves,
)
from shogi_engine.search.history import Histories, scratch_histories, shared_dtype
from tests.support.games import game_of
from tests.support.searching import NEVER, random_positions

NAMES = ["tictactoe", "othello4", "othello", "shogi"]
CYCLE = ("2h3h", "8b7b", "3h2h", "7b8b")


def root_state(ctx):
    """Return all that says which root a context is at."""
    fields = np.asarray(ctx)
    return [fields[name].tobytes() for name in ("pos", "ply", "game_ply", "computed_ply", "state_ply")] + [
        ctx.repetition_filter.tobytes()
    ]


def encoded(position, texts):
    """Return the moves `texts` of Shogi, encoded."""
    pos, undo, moves = position.copy(), new_record(GAME.undo), []
    for text in texts:
        moves.append(GAME.parse_move(pos, text))
        do_move(pos, np.uint32(moves[-1]), undo)
    return moves


def test_shogis_context_is_small():
    """The rules need no histories: 25 MB to list moves would be too much."""
    dtype = context_dtype(GAME, GAME.evaluation())
    assert dtype.itemsize < 3 << 20
    assert new_context(GAME).dtype == dtype


def test_layouts_are_those_of_the_game_whatever_its_name():
    game = game_of("othello4")
    evaluation = game.evaluation()
    wider = replace(game, max_moves=2 * game.max_moves, continuation_slots=7)
    assert context_dtype(wider, evaluation)["root_moves"].shape == (2 * game.max_moves,)
    assert context_dtype(game, evaluation)["root_moves"].shape == (game.max_moves,)
    assert shared_dtype(wider)["continuation"].shape[1] == 8
    assert Histories(wider, scratch=True).tables.dtype != Histories(game, scratch=True).tables.dtype
    assert scratch_histories(wider) is not scratch_histories(game)
    assert context_dtype(replace(game, name="another"), evaluation) is context_dtype(game, evaluation)


def test_contexts_that_differ_by_their_histories_only_are_refused():
    game = game_of("othello4")
    context_dtype(game, game.evaluation())
    with pytest.raises(ValueError, match="point to"):
        context_dtype(replace(game, continuation_slots=game.continuation_slots + 1), game.evaluation())


def test_rules_and_evaluation_learn_nothing():
    ctx = new_context(GAME)
    tables = scratch_histories(GAME).tables
    before = {name: np.array(tables[name]) for name in tables.dtype.names}
    for position in random_positions(GAME, 5, 3, 60):
        set_root(ctx, position)
        refresh_line(ctx)
        evaluate(ctx)
        assert write_root_moves(ctx) > 0
    assert all(np.array_equal(tables[name], before[name]) for name in before)


@pytest.mark.parametrize("name", ["tictactoe", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])])
def test_a_context_without_histories_of_its_own_may_search(name):
    """No kernel follows an address that is 0."""
    game = game_of(name)
    ctx = new_context(game)
    set_root(ctx, game.parse_position(game.start))
    ctx.stop_address = NEVER.ctypes.data
    ctx.search_flags = ALL_FLAGS & game.search_flags & ~USE_TT
    start_search(ctx)
    assert abs(int(search(ctx, -VALUE_INFINITE, VALUE_INFINITE, 2, PV, 0))) < VALUE_INFINITE
    assert ctx.nodes > 1


@pytest.mark.parametrize("name", NAMES)
def test_set_root_leaves_nothing_of_what_was_before(name):
    game = game_of(name)
    used = new_context(game)
    set_root(used, game.parse_position(game.start))
    for position in random_positions(game, 4, 5, 6):
        fresh = new_context(game)
        set_root(fresh, position)
        for _ in range(2):
            write_root_moves(used)
            make_move(used, used.root_moves[0])
        make_null_move(used)
        used.computed_ply = used.state_ply = 2
        set_root(used, position)
        assert root_state(used) == root_state(fresh)
        refresh_line(used)
        refresh_line(fresh)
        assert evaluate(used) == evaluate(fresh)


def test_moves_before_the_root_are_remembered_for_repetition():
    start = GAME.parse_position(GAME.start)
    moves = encoded(start, CYCLE)
    ctx = new_context(GAME)
    set_root(ctx, start, moves)
    assert (ctx.ply, ctx.game_ply, int(ctx.repetition_filter.sum())) == (0, 4, 4)
    assert ctx.pos.tobytes()[:32] == start.tobytes()[:32]
    set_root(ctx, start)
    assert ctx.game_ply == 0 and not ctx.repetition_filter.any() and ctx.pos.tobytes() == start.tobytes()


@pytest.mark.parametrize("count", [MAX_GAME_PLY - 1, MAX_GAME_PLY, MAX_GAME_PLY + 1, 2 * MAX_GAME_PLY])
def test_a_game_longer_than_the_undo_records(count):
    """The position is that after all moves, the records kept are those of the last."""
    start = GAME.parse_position(GAME.start)
    cycle = encoded(start, CYCLE)
    moves = [cycle[number % 4] for number in range(count)]
    ctx = new_context(GAME)
    set_root(ctx, start, moves)
    assert ctx.game_ply == min(count, MAX_GAME_PLY)
    pos, undo = start.copy(), new_record(GAME.undo)
    for move in moves:
        do_move(pos, np.uint32(move), undo)
    assert ctx.pos.tobytes() == pos.tobytes()
