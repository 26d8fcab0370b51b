"""What the search learns of moves and static values: within its limits, in the right place, and forgotten when told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shogi_engine.game import (
    MOVE_NONE,
    continuation_slot,
    evaluate,
    generate_captures,
    generate_moves,
    gives_check,
    is_quiet,
    refresh_accumulator,
    set_check_info,
)
from shogi_engine.games.othello import GAME as OTHELLO
from shogi_engine.games.shogi import GAME
from shogi_engine.search.context import LOOK_BACK, forget, make_move, make_null_move, new_context, unmake_move
from shogi_engine.search.ordering import (
    ALL_LEFT,
    CORRECTION_MAX,
    continuation_score,
    corrected,
    next_move,
    order_moves,
    shifted,
    update_continuation_histories,
    update_correction_histories,
)


@pytest.fixture
def ctx():
    ctx = new_context(GAME)
    ctx.pos = GAME.parse_position(GAME.start)
    refresh_accumulator(ctx)
    return ctx


def play(ctx, *texts):
    for text in texts:
        make_move(ctx, np.uint32(GAME.parse_move(ctx.pos, text)))


@given(st.integers(-30000, 30000), st.integers(-1 << 40, 1 << 40), st.sampled_from([1024, 16384, 30000]))
def test_shifted_stays_within_its_limit(value, bonus, limit):
    value = max(-limit, min(limit, value))
    result = int(shifted(value, bonus, limit))
    assert -limit <= result <= limit
    if bonus > 0:
        assert result >= value
    if bonus <= 0:
        assert result <= value
    if abs(bonus) >= limit:
        assert abs(result) == limit


def test_a_reply_is_remembered_after_the_same_move(ctx):
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
    assert not ctx.continuation.any()


def test_a_reply_comes_earlier(ctx):
    play(ctx, "7g7f")
    answer = np.uint32(GAME.parse_move(ctx.pos, "1c1d"))
    update_continuation_histories(ctx, ctx.ply, continuation_slot(ctx.pos, answer), 5000, False)
    count = generate_moves(ctx, 0)
    order_moves(ctx, 0, count, 0)
    assert ctx.moves[np.argmax(ctx.scores[:count])] == answer


def test_nothing_is_learnt_of_no_move(ctx):
    """Before the root and at null moves there is no move to answer."""
    none = ctx.continuation.shape[0] - 1
    assert none == GAME.continuation_slots and (ctx.continuation_rows[:LOOK_BACK] == none).all()
    update_continuation_histories(ctx, 0, 5, 1000, False)
    assert not ctx.continuation.any()
    make_null_move(ctx)
    update_continuation_histories(ctx, ctx.ply, 5, 1000, False)
    assert not ctx.continuation.any()
    evaluate(ctx)
    update_correction_histories(ctx, 300, 8, True)
    assert not ctx.continuation_corrections.any()


@pytest.mark.parametrize("difference", [-400, -50, 50, 400])
def test_static_values_are_corrected_towards_what_was_found(ctx, difference):
    play(ctx, "7g7f", "3c3d")
    value = evaluate(ctx)
    assert corrected(ctx, value) == value
    for _ in range(200):
        update_correction_histories(ctx, value + difference - corrected(ctx, value), 8, True)
    found = corrected(ctx, value) - value
    assert np.sign(found) == np.sign(difference)
    assert abs(difference) - 40 <= abs(found) <= abs(difference) + 40
    for _ in range(1000):
        update_correction_histories(ctx, 1 << 20, 100, False)
    assert np.abs(ctx.corrections).max() <= CORRECTION_MAX and ctx.continuation_corrections.max() <= CORRECTION_MAX
    forget(ctx)
    assert corrected(ctx, value) == value


def test_the_few_moves_written_late_are_noisy_or_threaten(ctx):
    """What is left out are quiet moves that do not threaten; nothing else, and nothing of it when all are wanted."""
    left_out = threats = promotions = 0
    for sfen in (
        "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PPSPPPP1P/1B5R1/LN1GKGSNL b - 13",
        "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "4k4/9/9/2R6/9/9/9/9/4K4 b - 1",
    ):
        ctx.pos = GAME.parse_position(sfen)
        refresh_accumulator(ctx)
        set_check_info(ctx)
        every = {int(move) for move in ctx.moves[: generate_moves(ctx, 0)]}
        for few in (False, True):
            index, end, left, found = -1, 0, ALL_LEFT, []
            while True:
                index += 1
                end, left = next_move(ctx, 0, index, end, left, MOVE_NONE, few)
                if index == end:
                    break
                found.append(int(ctx.moves[index]))
            assert len(found) == len(set(found))
            if not few:
                assert set(found) == every
        missing = every - set(found)
        assert not any(gives_check(ctx, np.uint32(move)) or not is_quiet(ctx.pos, np.uint32(move)) for move in missing)
        noisy = {int(move) for move in ctx.moves[: generate_captures(ctx, 0)]}
        left_out += len(missing)
        threats += sum(is_quiet(ctx.pos, np.uint32(move)) for move in set(found) - noisy)
        promotions += sum(not is_quiet(ctx.pos, np.uint32(move)) for move in set(found) - noisy)
    assert left_out > 100 and threats > 5 and promotions > 5


def test_a_game_without_reply_slots_keeps_none():
    ctx = new_context(OTHELLO)
    assert ctx.continuation.shape == (1, 1)
    ctx.pos = OTHELLO.parse_position(OTHELLO.start)
    assert continuation_score(ctx, np.uint32(19)) == 0
