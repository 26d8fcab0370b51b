"""The histories: entries stay within their limits, lie in the right place, and are forgotten when told."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shogi_engine.games.othello import GAME as OTHELLO
from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.types import UNPROMOTED, move_kind
from shogi_engine.interface.game import (
    HISTORY_SLOTS,
    continuation_slot,
    evaluate,
    history_slot,
    refresh_line,
    usual_slots,
)
from shogi_engine.jit import record_at
from shogi_engine.search.context import make_move, make_null_move, new_context, set_root, unmake_move, write_root_moves
from shogi_engine.search.history import (
    BEFORE_ROOT,
    CORRECTION_MAX,
    LOW_PLIES,
    LOW_PLY_CHANGES,
    LOW_PLY_START,
    START_VALUES,
    Histories,
    clear_low_ply_history,
    continuation_score,
    corrected,
    forget,
    gravity,
    learn_continuations,
    learn_correction,
    learn_from_best_move,
    learn_from_fail_low,
    learn_low_ply,
    learn_main,
    main_history,
    prepare_corrections,
    static_correction,
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
    """Return the thread's history tables that `ctx` uses."""
    return record_at(ctx, ctx.histories)


def shared(ctx):
    """Return the history tables that it shares with other threads."""
    return record_at(tables(ctx), tables(ctx).shared)


def play(ctx, *texts):
    for text in texts:
        make_move(ctx, np.uint32(GAME.parse_move(ctx.pos, text)))


@pytest.mark.parametrize("side", ["b", "w"])
def test_usual_slots_are_those_of_drops_and_pieces_not_promoted(side):
    ctx = new_context(GAME)
    text = f"6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 {side} GSN2L4Pgs2p 1"
    set_root(ctx, GAME.parse_position(text))
    moves = [np.uint32(move) for move in ctx.root_moves[: write_root_moves(ctx)]]
    first, end = usual_slots(ctx.pos)
    usual = [first <= continuation_slot(ctx.pos, move) < end for move in moves]
    assert usual == [UNPROMOTED[move_kind(move)] == move_kind(move) for move in moves]
    assert len(set(usual)) == 2


@given(st.integers(-30000, 30000), st.integers(-1 << 40, 1 << 40), st.sampled_from([1024, 7183, 30000]))
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
    unknown = continuation_score(ctx, answer)
    learn_continuations(ctx, ctx.ply, continuation_slot(ctx.pos, answer), 1000)
    assert continuation_score(ctx, answer) > unknown == continuation_score(ctx, other)
    unmake_move(ctx, np.uint32(GAME.parse_move(GAME.parse_position(GAME.start), "7g7f")))
    play(ctx, "2g2f")
    assert continuation_score(ctx, answer) == unknown  # after another move
    forget(ctx)
    assert (shared(ctx).continuation == START_VALUES["continuation"]).all()


def test_nothing_is_learnt_of_no_move(ctx):
    """Before the root and at null moves there is no move to answer."""
    fresh = shared(ctx).continuation.copy()
    none = shared(ctx).continuation.shape[0] - 1
    assert none == 4 * GAME.continuation_slots and (ctx.frames["continuation_row"][:BEFORE_ROOT] == none).all()
    learn_continuations(ctx, 0, 5, 1000)
    make_null_move(ctx)
    learn_continuations(ctx, ctx.ply, 5, 1000)
    learn_from_fail_low(ctx, -300, 8)
    assert np.array_equal(shared(ctx).continuation, fresh) and not tables(ctx).main.any()
    evaluate(ctx)
    learn_correction(ctx, 300, 8, True)
    assert (shared(ctx).continuation_corrections == START_VALUES["continuation_corrections"]).all()


def test_moves_that_were_not_searched_are_not_punished(ctx):
    moves = {text: np.uint32(GAME.parse_move(ctx.pos, text)) for text in ("7g7f", "2g2f", "6g6f", "1g1f")}
    searched = np.array([moves["2g2f"]], dtype=np.uint32)
    learn_from_best_move(ctx, moves["7g7f"], searched, 6, 0)
    assert main_history(ctx, moves["7g7f"]) > 0 > main_history(ctx, moves["2g2f"])
    assert main_history(ctx, moves["6g6f"]) == main_history(ctx, moves["1g1f"]) == 0


def test_the_move_before_a_fail_low_is_rewarded(ctx):
    move = np.uint32(GAME.parse_move(ctx.pos, "7g7f"))
    ctx.frames[BEFORE_ROOT].static_eval, ctx.frames[BEFORE_ROOT].move_count = 0, 12
    play(ctx, "7g7f")
    learn_from_fail_low(ctx, -400, 8)
    unmake_move(ctx, move)
    assert main_history(ctx, move) > 0


@pytest.mark.parametrize("difference", [-400, -50, 50, 400])
def test_static_values_are_corrected_towards_what_was_found(ctx, difference):
    play(ctx, "7g7f", "3c3d")
    prepare_corrections(ctx)
    value = int(evaluate(ctx))
    assert abs(int(static_correction(ctx))) <= 1
    for _ in range(200):
        learn_correction(ctx, difference - int(static_correction(ctx)), 8, True)
    found = int(corrected(value, static_correction(ctx))) - value
    assert np.sign(found) == np.sign(difference)
    assert abs(difference) - 40 <= abs(found) <= abs(difference) + 40
    for _ in range(1000):
        learn_correction(ctx, 1 << 20, 100, False)
    learnt = shared(ctx)
    assert np.abs(learnt.corrections).max() <= CORRECTION_MAX
    assert learnt.continuation_corrections.max() <= CORRECTION_MAX
    forget(ctx)
    assert abs(int(static_correction(ctx))) <= 1


def test_a_game_without_continuation_slots_keeps_none():
    histories = Histories(OTHELLO)
    ctx = new_context(OTHELLO, histories)
    assert shared(ctx).continuation.shape == (1, 1)
    ctx.pos = OTHELLO.parse_position(OTHELLO.start)
    assert continuation_score(ctx, np.uint32(19)) == 0


def test_contexts_with_histories_of_their_own_share_nothing(histories, ctx):
    other = Histories(GAME)
    second = new_context(GAME, other)
    set_root(second, ctx.pos)
    move = np.uint32(GAME.parse_move(ctx.pos, "7g7f"))
    learn_main(ctx, history_slot(ctx.pos, move), 1000)
    assert main_history(ctx, move) == 1000 and main_history(second, move) == 0
    assert histories.tables.main.any() and not other.tables.main.any()
    histories.clear()
    assert main_history(ctx, move) == 0


@pytest.mark.parametrize("changes", [0, 1, LOW_PLY_CHANGES, LOW_PLY_CHANGES + 1, 3 * LOW_PLY_CHANGES])
def test_clearing_the_history_near_the_root_resets_every_changed_entry(ctx, changes):
    low_ply = tables(ctx).low_ply
    for change in range(changes):
        ctx.ply = change % LOW_PLIES
        learn_low_ply(ctx, change * 7919 % HISTORY_SLOTS, 500)
        learn_low_ply(ctx, change * 7919 % HISTORY_SLOTS, -300)
    assert np.count_nonzero(low_ply != LOW_PLY_START) == changes
    clear_low_ply_history(ctx)
    assert (low_ply == LOW_PLY_START).all()
    learn_low_ply(ctx, 5, 500)  # and the list serves again
    clear_low_ply_history(ctx)
    assert (low_ply == LOW_PLY_START).all()
