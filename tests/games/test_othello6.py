"""Othello of examples/games on 6 x 6 squares against the environment's plain Python, and a Batch's memory of it."""

import sys

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.batch import Batch, random_games
from shogi_engine.environments.agents import SmallOthello
from shogi_engine.games import batch as rules_batch
from tests.support.processes import ROOT


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
        twin, board = SmallOthello(6), games.part("othello6", "board").Board()
        for label in played.moves[row, :length].tolist():
            assert sorted(int(move) - 1 for move in board.legal_moves) == sorted(twin.legal())
            assert board.turn == twin.turn
            passes += label == 37
            twin.play(label - 1)
            board.push(label)
        assert board.is_game_over() and twin.result() == played.results[row]
        winner = board.outcome().winner
        assert twin.result() == (0 if winner is None else 1 if winner == 0 else -1)
    assert passes


@pytest.mark.parametrize(
    ("text", "said"),
    [("X", "expected 36 characters"), ("-" * 36, "side to move"), ("?" * 36 + " X", "expected 36 characters")],
)
def test_positions_and_moves_that_are_none(text, said):
    board_of = games.part("othello6", "board").Board
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
