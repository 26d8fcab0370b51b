"""Othello of examples/games on 6 x 6 squares against a plain twin, and a Batch's memory of it."""

import sys

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.batch import Batch, random_games
from shogi_engine.games import batch as rules_batch
from tests.support.processes import ROOT
from tests.support.twins.naive_othello import State


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
