"""4x4 Othello, the test-only game: against a plain twin, and its known perfect play."""

import random
import sys
from functools import cache

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.batch import Batch, random_games
from shogi_engine.games import batch as rules_batch
from shogi_engine.interface.game import do_move, generate_moves, terminal_value, undo_move
from shogi_engine.jit import new_record
from shogi_engine.perft import perft, perft_context
from tests.support.games.othello4 import DISC, GAME
from tests.support.processes import ROOT
from tests.support.sizes import sized
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

    for with_empties, margin in ((True, -10), (False, -8))[: sized(1, 2)]:
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


# ---- 6 by 6 ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def registered():
    sys.path.insert(0, str(ROOT / "examples" / "games"))
    games.register("othello6", "othello6")
    yield
    sys.path.remove(str(ROOT / "examples" / "games"))
    games._registry._modules.pop("othello6")


def test_random_games_are_the_twin_s():
    played = random_games(Batch("othello6"), 12, seed=3)
    passes = 0
    for row, length in enumerate(played.lengths):
        twin, board = State.from_text(games.start("othello6")), games.game_module("othello6", "board").Board()
        for label in played.moves[row, :length].tolist():
            moves = {int(move): str(move) for move in board.legal_moves}
            assert sorted(moves.values()) == sorted(twin.legal_moves()) and "XO"[board.turn] == twin.side
            passes += label == 37
            twin.push(moves[label])
            board.push(label)
        lead = twin.count("X") - twin.count("O")
        assert twin.legal_moves() == [] and played.results[row] == (lead > 0) - (lead < 0)
        assert board.outcome().winner == (None if lead == 0 else lead < 0)
    assert passes


@pytest.mark.parametrize(
    ("text", "said"),
    [("X", "expected 36 characters"), ("-" * 36, "side to move"), ("?" * 36 + " X", "expected 36 characters")],
)
def test_positions_and_moves_that_are_none(text, said):
    board_of = games.game_module("othello6", "board").Board
    with pytest.raises(ValueError, match=said):
        board_of(text)
    with pytest.raises(ValueError, match="'a1' is not a legal move"):
        board_of().push_text("a1")
    with pytest.raises(ValueError, match="'pass' is not a legal move"):
        board_of().push_text("pass")


@pytest.mark.parametrize("most", [2, 1000])
def test_a_batch_remembers_valid_positions_only(most, monkeypatch):
    """A position is checked by Python once; what was never written or checked is not taken for valid."""
    monkeypatch.setattr(rules_batch, "KNOWN_MAX", most)
    rules_batch.rules_of.cache_clear()
    batch = Batch("othello6")
    positions = batch.pack([batch.game.start] * 4)
    after = batch.apply(positions, batch.legal_moves(positions).labels[:, 0])
    read, parsed = batch.texts(after), []
    monkeypatch.setattr(rules_batch, "board_of", lambda game: parsed.append(game))
    assert batch.texts(after) == read and not parsed
    wrong = after.copy()
    wrong[2, 0] = 7
    monkeypatch.undo()
    for _ in range(2):
        with pytest.raises(ValueError, match="row 2"):
            batch.texts(wrong)
    assert np.array_equal(batch.pack(read), after)
    rules_batch.rules_of.cache_clear()
