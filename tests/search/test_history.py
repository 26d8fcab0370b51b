"""The histories: entries stay within their limits, lie in the right place, and are forgotten when told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shogi_engine.game import continuation_slot, evaluate, refresh_line
from shogi_engine.games.othello import GAME as OTHELLO
from shogi_engine.games.shogi import GAME
from shogi_engine.jit import python_record_at
from shogi_engine.search.context import make_move, make_null_move, new_context, set_root, unmake_move
from shogi_engine.search.history import (
    CORRECTION_MAX,
    LOOK_BACK,
    Histories,
    continuation_score,
    correct_static_eval,
    forget,
    gravity,
    move_history,
    update_continuation_histories,
    update_correction_histories,
    update_main_history,
)


@pytest.fixture
def histories():
    return Histories(GAME)


@pytest.fixture
def ctx(histories):
    ctx = new_context(GAME, histories)
    set_root(ctx, GAME.parse_position(GAME.start))
    refresh_line(ctx)
    return ctx


def tables(ctx):
    """Return the history tables that `ctx` uses."""
    return python_record_at(ctx, ctx.histories)


def play(ctx, *texts):
    for text in texts:
        make_move(ctx, np.uint32(GAME.parse_move(ctx.pos, text)))


@given(st.integers(-30000, 30000), st.integers(-1 << 40, 1 << 40), st.sampled_from([1024, 16384, 30000]))
def test_gravity_stays_within_its_limit(value, bonus, limit):
    value = max(-limit, min(limit, value))
    result = int(gravity(value, bonus, limit))
    assert -limit <= result <= limit
    if bonus > 0:
        assert result >= value
    if bonus <= 0:
        assert result <= value
    if abs(bonus) >= limit:
        assert abs(result) == limit


def test_a_continuation_is_remembered_after_the_same_move(ctx):
    play(ctx, "7g7f")
    answer = np.uint32(GAME.parse_move(ctx.pos, "3c3d"))
    other = np.uint32(GAME.parse_move(ctx.pos, "8c8d"))
    assert continuation_score(ctx, answer) == 0
    update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, answer), 1000, False)
    assert continuation_score(ctx, answer) > 0 == continuation_score(ctx, other)
    unmake_move(ctx, np.uint32(GAME.parse_move(GAME.parse_position(GAME.start), "7g7f")))
    play(ctx, "2g2f")
    assert continuation_score(ctx, answer) == 0  # after another move
    forget(ctx)
    assert not tables(ctx).continuation.any()


def test_nothing_is_learnt_of_no_move(ctx):
    """Before the root and at null moves there is no move to answer."""
    none = tables(ctx).continuation.shape[0] - 1
    assert none == GAME.continuation_slots and (ctx.continuation_rows[:LOOK_BACK] == none).all()
    update_continuation_histories(ctx, 0, 5, 1000, False)
    assert not tables(ctx).continuation.any()
    make_null_move(ctx)
    update_continuation_histories(ctx, ctx.ply, 5, 1000, False)
    assert not tables(ctx).continuation.any()
    evaluate(ctx)
    update_correction_histories(ctx, 300, 8, True)
    assert not tables(ctx).continuation_corrections.any()


@pytest.mark.parametrize("difference", [-400, -50, 50, 400])
def test_static_values_are_corrected_towards_what_was_found(ctx, difference):
    play(ctx, "7g7f", "3c3d")
    value = evaluate(ctx)
    assert correct_static_eval(ctx, value) == value
    for _ in range(200):
        update_correction_histories(ctx, value + difference - correct_static_eval(ctx, value), 8, True)
    found = correct_static_eval(ctx, value) - value
    assert np.sign(found) == np.sign(difference)
    assert abs(difference) - 40 <= abs(found) <= abs(difference) + 40
    for _ in range(1000):
        update_correction_histories(ctx, 1 << 20, 100, False)
    learnt = tables(ctx)
    assert np.abs(learnt.corrections).max() <= CORRECTION_MAX
    assert learnt.continuation_corrections.max() <= CORRECTION_MAX
    forget(ctx)
    assert correct_static_eval(ctx, value) == value


def test_a_game_without_continuation_slots_keeps_none():
    histories = Histories(OTHELLO)
    ctx = new_context(OTHELLO, histories)
    assert tables(ctx).continuation.shape == (1, 1)
    ctx.pos = OTHELLO.parse_position(OTHELLO.start)
    assert continuation_score(ctx, np.uint32(19)) == 0


def test_contexts_with_histories_of_their_own_share_nothing(histories, ctx):
    other = Histories(GAME)
    second = new_context(GAME, other)
    set_root(second, ctx.pos)
    move = np.uint32(GAME.parse_move(ctx.pos, "7g7f"))
    update_main_history(ctx, move, 1000)
    assert move_history(ctx, move) == 1000 and move_history(second, move) == 0
    assert histories.tables.main.any() and not other.tables.main.any()
    histories.clear()
    assert move_history(ctx, move) == 0
