"""4x4 Othello, the test-only game: against a plain twin, and its known perfect play."""

import random
from functools import cache

import numpy as np
import pytest

from shogi_engine.interface.game import do_move, generate_moves, terminal_value, undo_move
from shogi_engine.jit import new_record
from shogi_engine.perft import perft, perft_context
from tests.support.games.othello4 import DISC, GAME
from tests.support.twins.naive_othello import State, perft as naive_perft


def test_random_games():
    ctx, passes, early = perft_context(GAME), 0, 0
    for number in range(300):
        rng, twin = random.Random(number), State.from_text(GAME.start)
        ctx.pos = GAME.parse_position(GAME.start)
        undo = new_record(GAME.undo)
        while True:
            text = GAME.format_position(ctx.pos)
            assert text == twin.text()
            moves = ctx.moves[: generate_moves(ctx, 0)].copy()
            names = [GAME.format_move(ctx.pos, move) for move in moves]
            assert names == twin.legal_moves()
            assert [GAME.parse_move(ctx.pos, name) for name in names] == moves.tolist()
            if not names:
                break
            before, move = ctx.pos.tobytes(), rng.choice(moves)
            do_move(ctx.pos, move, undo)
            undo_move(ctx.pos, move, undo)
            assert ctx.pos.tobytes() == before
            do_move(ctx.pos, move, undo)
            twin.push(GAME.format_move(ctx.pos, move))
            passes += names == ["pass"]
        assert terminal_value(ctx) == DISC * twin.score()
        early += "-" in text
    assert passes and early


@pytest.mark.parametrize("free_pass", [False, True])
def test_perft(free_pass):
    start, twin = GAME.parse_position(GAME.start), State.from_text(GAME.start)
    for depth in range(1, 8):
        for bulk in (False, True):
            assert perft(GAME, start, depth, bulk=bulk, free_pass=free_pass).nodes == naive_perft(
                twin, depth, free_pass
            )


def test_perfect_play_ends_3_11():
    """Black loses by 8 discs on the board, and by 10 when the winner is given the empty squares."""
    ctx, undo = perft_context(GAME), np.zeros(32, dtype=GAME.undo).view(np.recarray)

    @cache
    def best(packed, ply, with_empties):
        moves = ctx.moves[: generate_moves(ctx, 0)].copy()
        if not len(moves):
            mine, theirs = (int(ctx.pos.discs[side]).bit_count() for side in (ctx.pos.turn, 1 - ctx.pos.turn))
            return int(terminal_value(ctx)) // DISC if with_empties else mine - theirs
        found = []
        for move in moves:
            do_move(ctx.pos, move, undo[ply])
            found.append(-best(ctx.pos.tobytes(), ply + 1, with_empties))
            undo_move(ctx.pos, move, undo[ply])
        return max(found)

    for with_empties, margin in ((False, -8), (True, -10)):
        ctx.pos = GAME.parse_position(GAME.start)
        assert best(ctx.pos.tobytes(), 0, with_empties) == margin


EMPTY = "-" * 16


@pytest.mark.parametrize("text", ["", EMPTY, EMPTY[1:] + " X", EMPTY + " x", EMPTY + "  X", "Y" + EMPTY[1:] + " X"])
def test_positions_refused(text):
    with pytest.raises(ValueError, match="16 of X, O and -"):
        GAME.parse_position(text)


@pytest.mark.parametrize("text", ["", "a1", "b2", "e5", "pass", "A2"])
def test_moves_refused(text):
    with pytest.raises(ValueError, match="is no legal move"):
        GAME.parse_move(GAME.parse_position(GAME.start), text)
