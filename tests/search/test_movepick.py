"""The move picker hands out each move once, the promising ones first, whatever it has learnt."""

import random

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.interface.game import (
    MOVE_NONE,
    capture_slot,
    continuation_slot,
    generate_moves,
    history_slot,
    is_in_check,
    is_quiet,
    refresh_line,
    set_check_info,
)
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import make_move, new_context, set_root
from shogi_engine.search.history import Histories, forget, learn_capture, learn_continuations, learn_main
from shogi_engine.search.movepick import init_picker, next_move, skip_quiet_moves
from tests.support.games import game_of
from tests.support.move_lists import legal_moves
from tests.support.searching import random_positions, searched_moves
from tests.support.sizes import sized

POSITIONS = (
    "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PPSPPPP1P/1B5R1/LN1GKGSNL b - 13",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "4k4/9/9/2R6/9/9/9/9/4K4 b - 1",
)


def picked(ctx, tt_move=MOVE_NONE, start=0, skip_from=None):
    """Return the moves that a picker hands out; skip_from : after that many, quiet moves are skipped."""
    picker, found = ctx.pickers[0, ctx.ply], []
    init_picker(picker, start, np.uint32(tt_move))
    while True:
        if skip_from is not None and len(found) >= skip_from:
            picker.skip_quiets = 1
            skip_quiet_moves(ctx, picker)
        move = next_move(ctx, picker)
        if move == MOVE_NONE:
            return found
        assert ctx.moves[picker.index] == move and start <= picker.index < picker.end
        found.append(int(move))


def all_moves(ctx):
    return {int(move) for move in ctx.moves[: generate_moves(ctx, 0)]}


@pytest.mark.parametrize("name", ["tictactoe", "othello4", "othello", "shogi"])
def test_every_move_comes_exactly_once(name):
    """Of the legal ones those not needless, with any table move; also from the middle of the buffer, and in check."""
    game, rng = game_of(name), random.Random(name)
    histories = Histories(game)
    ctx = new_context(game, histories)
    earlier = MOVE_NONE
    for position in random_positions(game, 10 if JIT_DISABLED else sized(30, 60), 11, 80 if name == "shogi" else 6):
        set_root(ctx, position)
        refresh_line(ctx)
        set_check_info(ctx)
        every, searched = all_moves(ctx), searched_moves(ctx)
        legal = {int(move) for move in legal_moves(ctx)}
        ordered = sorted(every)
        for tt_move in (MOVE_NONE, rng.choice(ordered), rng.choice(ordered), earlier):
            forget(ctx)
            for move in rng.sample(ordered, min(5, len(ordered))):
                learn_main(ctx, history_slot(ctx.pos, np.uint32(move)), rng.randrange(-9000, 9000))
            found = picked(ctx, tt_move, start=rng.choice((0, 7)))
            assert len(found) == len(set(found)), game.format_position(position)
            assert legal & searched <= set(found) <= searched | {int(tt_move)}
            if tt_move in legal and found[0] != tt_move:
                assert tt_move in found  # a game whose `is_legal_tt_move` says no
        earlier = rng.choice(ordered)  # a table move may be one of another position


@pytest.mark.parametrize("skip_from", [0, 1, 5, 40])
def test_skipping_leaves_out_nothing_but_quiet_moves(skip_from):
    """Nor any evasion of a check; skipped from the start they are never generated."""
    ctx = new_context(GAME)
    left_out = 0
    for sfen in POSITIONS:
        set_root(ctx, GAME.parse_position(sfen))
        refresh_line(ctx)
        set_check_info(ctx)
        every = searched_moves(ctx)
        forget(ctx)
        assert set(picked(ctx)) == every
        found = picked(ctx, min(every), skip_from=skip_from)
        assert len(found) == len(set(found)) and set(found) <= every
        missing = every - set(found)
        assert all(is_quiet(ctx.pos, np.uint32(move)) for move in missing)
        assert not missing or not is_in_check(ctx.pos)
        left_out += len(missing)
    assert left_out > 100


def test_captures_come_by_what_they_take_and_lose_last():
    """A rook that takes a defended pawn comes after the quiet moves, a pawn that takes a rook before them."""
    ctx = new_context(GAME)
    set_root(ctx, GAME.parse_position("4k4/9/3p5/4p3r/4R3P/9/9/9/4K4 b - 1"))
    refresh_line(ctx)
    set_check_info(ctx)
    found = [GAME.format_move(ctx.pos, move) for move in picked(ctx)]
    assert found[0] == "1e1d" and found.index("5e5d") > found.index("5i4h")


def test_a_rewarded_continuation_comes_earlier():
    histories = Histories(GAME)
    ctx = new_context(GAME, histories)
    set_root(ctx, GAME.parse_position(GAME.start))
    make_move(ctx, np.uint32(GAME.parse_move(ctx.pos, "7g7f")))
    answer = np.uint32(GAME.parse_move(ctx.pos, "1c1d"))
    learn_continuations(ctx, ctx.ply, continuation_slot(ctx.pos, answer), 5000)
    set_check_info(ctx)
    assert picked(ctx)[0] == answer


def test_a_rewarded_capture_comes_earlier():
    histories = Histories(GAME)
    ctx = new_context(GAME, histories)
    set_root(ctx, GAME.parse_position("4k4/9/9/3p1p3/4S4/9/9/9/4K4 b - 1"))
    refresh_line(ctx)
    set_check_info(ctx)
    for text in ("5e6d", "5e4d"):
        forget(ctx)
        move = np.uint32(GAME.parse_move(ctx.pos, text))
        learn_capture(ctx, capture_slot(ctx.pos, move), 5000)
        assert picked(ctx)[0] == move
