"""The state that is updated move by move is the same as when it is computed from scratch."""

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.position import NEAR_KING_KEY, PAWN_KEY, PIECES_KEY
from shogi_engine.interface.game import (
    CORRECTION_SLOTS,
    CORRECTION_TABLES,
    correction_slots,
    do_move,
    evaluate,
    key,
    key_after,
    refresh_line,
)
from shogi_engine.jit import new_record
from shogi_engine.search.context import make_move, make_null_move, new_context, set_root, unmake_move, unmake_null_move
from tests.support.move_lists import legal_moves
from tests.support.searching import random_positions

WITHOUT_BLACK_KING = "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1"


def partial_keys_of(sfen):
    ctx = new_context(GAME)
    ctx.pos = GAME.parse_position(sfen)
    refresh_line(ctx)
    return ctx.states[0].partial_keys.copy()


@pytest.mark.parametrize("evaluated", [True, False])
def test_kept_as_looked_at_anew(evaluated):
    """Random walks down and up the tree, with null moves; looked at now and then only, with `evaluate` and without."""
    rng = np.random.default_rng(8)
    ctx, fresh = new_context(GAME), new_context(GAME)
    compared = kings_moved = 0
    for sfen in [GAME.start] * 25 + [WITHOUT_BLACK_KING]:
        set_root(ctx, GAME.parse_position(sfen))
        refresh_line(ctx)
        line = []
        while ctx.ply < 100 and (moves := legal_moves(ctx)):
            chance = rng.random()
            if line and chance < 0.25:
                move = line.pop()
                if move:
                    unmake_move(ctx, move)
                else:
                    unmake_null_move(ctx)
            elif chance < 0.3 and not (ctx.pos.checkers != 0).any():
                make_null_move(ctx)
                line.append(0)
            else:
                move = moves[rng.integers(len(moves))]
                kings_moved += int(move) >> 15 & 15 == 8
                make_move(ctx, move)
                line.append(move)
            if rng.random() < 0.4:
                fresh.pos = ctx.pos
                refresh_line(fresh)
                assert not evaluated or evaluate(ctx) == evaluate(fresh)
                assert correction_slots(ctx) == correction_slots(fresh)
                now, anew = ctx.states[ctx.ply], fresh.states[0]
                assert now.partial_keys.tolist() == anew.partial_keys.tolist()
                assert now.kings.tolist() == anew.kings.tolist()
                compared += 1
    assert compared > 1000 and kings_moved > 50


@pytest.mark.parametrize(
    ("sfen", "changed"),
    [
        ("lnsgkgsnl/1r5b1/pppppppp1/8p/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", {PAWN_KEY}),
        ("lnsgk1snl/1r4gb1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", {PIECES_KEY + 1, NEAR_KING_KEY + 1}),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B3R3/LNSGKGSNL b - 1", {PIECES_KEY, NEAR_KING_KEY}),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGS1L b n 1", {PIECES_KEY}),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1", {PIECES_KEY, NEAR_KING_KEY}),
    ],
    ids=["a white pawn", "a white gold by its king", "a black rook by its king", "a knight taken", "no black king"],
)
def test_what_each_part_sees(sfen, changed):
    before, after = partial_keys_of(GAME.start), partial_keys_of(sfen)
    assert set(np.flatnonzero(before != after)) == changed


def test_corrections_are_kept_by_side_and_hands():
    def slots(sfen):
        ctx = new_context(GAME)
        ctx.pos = GAME.parse_position(sfen)
        refresh_line(ctx)
        return correction_slots(ctx)

    board = "4k4/9/9/4p4/9/4P4/9/9/4K4"
    first = slots(f"{board} b P 1")
    assert len(first) == CORRECTION_TABLES and all(0 <= slot < CORRECTION_SLOTS for slot in first)
    assert all(one != other for one, other in zip(first, slots(f"{board} w P 1"), strict=True))
    assert [one == other for one, other in zip(first, slots(f"{board} b p 1"), strict=True)] == [True] * 5 + [False]


def test_the_key_after_a_move():
    undo = new_record(GAME.undo)
    kinds = set()
    ctx = new_context(GAME)
    for position in random_positions(GAME, 150, seed=3, longest=150):
        ctx.pos = position
        for move in legal_moves(ctx):
            pos = position.copy()
            expected = key_after(pos, move)
            do_move(pos, move, undo)
            assert key(pos) == expected
            kinds.add((int(move) >> 14 & 1, (int(move) >> 19 & 15) > 0, (int(move) >> 7 & 127) >= 81))
    assert len(kinds) == 5  # moves with and without promotion, of these with and without capture, and drops
