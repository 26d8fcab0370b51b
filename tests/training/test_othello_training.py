"""Othello's training by the same stages: labels, gradients, runs that continue, report, gate, the command."""

import json
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.__main__ import main
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.evaluation import patterns
from shogi_engine.games.othello.notation import legal_moves
from shogi_engine.interface.game import VALUE_NONE, do_move
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.training import recipe
from shogi_engine.training.data import Workbench, read_shard, shard_path
from shogi_engine.training.othello import positions as spread, recipe as own_recipe
from shogi_engine.training.othello.positions import LabelledGames
from shogi_engine.training.othello.trainer import Trainer, TrainOptions
from tests.support.training_data import OTHELLO, KilledError, othello_folder

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
OPTIONS = TrainOptions(epochs=7, held_out=0.1, endings=1, spread_positions=12, seed=2)


@pytest.fixture
def folder():
    """Return the folder of games."""
    return othello_folder()


def positions(moves):
    """Return the positions of a game before each move."""
    pos, undo, found = GAME.parse_position(GAME.start), new_record(GAME.undo), []
    for move in moves:
        assert int(move) in legal_moves(pos)
        found.append(pos.copy())
        do_move(pos, np.uint32(move), undo)
    assert not legal_moves(pos)
    return found, pos


def test_games_are_legal_and_their_ends_exact(folder):
    shard, solver, at = read_shard(shard_path(folder, 3, 0)), Solver(GAME, hash_mb=1), 0
    lengths = set()
    for game, length in enumerate(shard["lengths"]):
        found, last = positions(shard["moves"][at : at + length])
        values = shard["values"][at : at + length]
        empties = np.array([64 - int(pos.own | pos.opponent).bit_count() for pos in found])
        lengths.add(int(np.argmax(values != VALUE_NONE)))
        assert (values[empties <= 8] != VALUE_NONE).all()  # random moves too are solved
        if game < 8:
            for pos, value, count in zip(found, values, empties, strict=True):
                assert count > 8 or value == 100 * solver.solve(pos).score
        black = (last.own if last.side == 0 else last.opponent).item().bit_count()
        white = (last.opponent if last.side == 0 else last.own).item().bit_count()
        assert shard["results"][game] == (black > white) - (black < white)
        at += length
    assert min(lengths) >= 4 and max(lengths) > 20


def test_a_piece_depends_on_options_seed_and_number_only():
    first, second = Workbench(OTHELLO), Workbench(OTHELLO)
    second.shard(5)
    assert first.shard(0) == second.shard(0) != first.shard(1)
    assert json.loads(OTHELLO.text)["exact"] == 8
    assert replace(OTHELLO, exact=9).text != OTHELLO.text


def test_values_are_mixed_with_later_ones_up_to_random_moves_and_exact_ones(folder):
    shard = read_shard(shard_path(folder, 3, 0))
    alone, mixed = (LabelledGames.load([folder], 1, td_lambda).samples for td_lambda in (0, 0.5))
    length = int(shard["lengths"][0])
    values, boards = shard["values"][:length].astype(int), positions(shard["moves"][:length])[0]
    expected, later = [], None
    for pos, value in reversed(list(zip(boards, values, strict=True))):
        exact = 64 - int(pos.own | pos.opponent).bit_count() <= 8
        if value == VALUE_NONE:
            later = None
            continue
        later = value if exact or later is None else (500 * value - 500 * later) // 1000
        expected.insert(0, later)
    assert mixed["value"][: len(expected)].tolist() == expected
    assert alone["value"][: len(expected)].tolist() == values[values != VALUE_NONE].tolist()
    assert alone["game"].tolist() == mixed["game"].tolist() == sorted(mixed["game"])


def trainer(folder, checkpoint, **changes):
    """Return a trainer on the games of the tests, without earlier weights."""
    options = replace(OPTIONS, **changes)
    games = LabelledGames.load([folder], 1, options.td_lambda)
    nothing = np.zeros((patterns.KNOTS, patterns.file_weights()), dtype=np.int16)
    return Trainer(games, options, checkpoint, 2, nothing)


def test_the_fit_has_no_slope_left(folder, tmp_path):
    """At the end of enough steps the penalised squared error is at its least: gather is predict's transpose."""
    run = trainer(folder, tmp_path / "c.npz", epochs=40, penalty=30.0)
    assert set(np.unique(run.learning.samples["game"])).isdisjoint(run.validation.samples["game"])
    start = run.learning.gather(run.learning.values)
    run.run()
    weights = run.state.weights
    gradient = run.learning.gather(run.learning.values - run.learning.predict(weights)) - 30 * weights
    assert np.abs(gradient).max() < 0.02 * np.abs(start).max()
    assert run.losses[-1]["training"] < 0.5 * run.losses[0]["training"]


def test_killed_and_resumed_is_the_same_run(folder, tmp_path):
    whole = trainer(folder, tmp_path / "whole.npz")
    whole.run()

    def told(losses):
        if len(torn.losses) == 6:
            raise KilledError

    torn = trainer(folder, tmp_path / "torn.npz")
    with pytest.raises(KilledError):
        torn.run(on_epoch=told)
    torn = trainer(folder, tmp_path / "torn.npz")
    assert len(torn.losses) == 5  # of a checkpoint
    torn.run()
    assert np.array_equal(torn.state.weights, whole.state.weights)
    assert torn.losses == whole.losses
    with pytest.raises(ValueError, match="another run"):
        trainer(folder, tmp_path / "torn.npz", seed=3)
    (tmp_path / "torn.npz").write_bytes((tmp_path / "torn.npz").read_bytes()[:1000])
    assert trainer(folder, tmp_path / "torn.npz").losses == []


@pytest.mark.parametrize("endings", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_the_command_goes_from_games_to_weights_and_back_again(tmp_path, capsys, monkeypatch, endings):
    """All stages; weights that are read and played with, a report, a gate; the same bytes from what is there."""
    monkeypatch.setattr(own_recipe, "ENDINGS", (6, 12))
    monkeypatch.setattr(spread, "DEEPEST", 6)
    words = ["train", "othello", str(tmp_path), "--games", "60", "--set", "nodes=20,exact=8,epochs=6"]
    words += ["--labels", "patterns", "--set", f"endings={endings},gate_games=2,gate_nodes=20"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "MB are free" in printed and "validation" in printed
    file = tmp_path / "gen0" / "weights.bin"
    found = patterns.read(file)
    knots, spreads = found.arrays["knots"], found.arrays["spread"]
    assert np.count_nonzero(knots != patterns.read(patterns.SHIPPED).arrays["knots"]) > 1000
    assert (spreads[:, 3:] > 0).all()
    assert found.header["made"]["epochs"] == 6
    facts = json.loads((tmp_path / "gen0" / "weights.report.json").read_text())
    rows = facts["error by empty squares"]
    assert sum(row["positions"] for row in rows) == facts["games"]["positions"]
    assert all(0 < row["error"] < 12 and 0 < row["error before"] < 12 for row in rows)
    assert [row["empty squares"] for row in facts["error on endings"]] == ([6, 12] if endings else [])
    assert all(row["error"] < 20 for row in facts["error on endings"])
    assert (tmp_path / "gen0" / "weights.report.html").read_text().count("<svg") == 2
    scores = json.loads((tmp_path / "gen0" / "weights.gate.json").read_text())["scores"]
    assert len(scores) == 2 and ("the last one" in printed) == (sum(scores.values()) <= 1)
    before = file.read_bytes()
    assert main([*words, "--stage", "export"]) == 0
    assert file.read_bytes() == before
    assert main([*words, "--set", "nodes=21"]) == 2
    assert "other options" in capsys.readouterr().err


def test_options_of_the_other_game_are_refused(tmp_path, capsys):
    assert main(["train", "othello", str(tmp_path), "--set", "width=32"]) == 2
    assert "'width' is not a setting of othello; there are architecture, decided, " in capsys.readouterr().err
    assert main(["train", "othello", str(tmp_path), "--noted", str(tmp_path / "a.psv")]) == 2
    assert "--noted is not an option of othello" in capsys.readouterr().err
    assert main(["train", "shogi", str(tmp_path), "--noted", str(tmp_path / "a.psv")]) == 2
    assert "a.psv" in capsys.readouterr().err
    assert main(["train", "shogi", str(tmp_path), "--set", "exact=3"]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_game_without_a_recipe_is_refused():
    with pytest.raises(ValueError, match="the game 'go' has no recipe"):
        recipe.load("go")


def test_spreads_are_fitted_to_even_positions(folder, monkeypatch):
    """Unbalanced positions, whose values jump from depth to depth, would widen all margins."""
    fitted = []

    def values(player, samples, first, last):
        fitted.append(samples)
        return np.random.default_rng(1).integers(-300, 300, (len(samples), last - first + 1))

    monkeypatch.setattr(spread, "search_values", values)
    samples = LabelledGames.load([folder], 1.0, 0.8).samples
    spread.fit_spread(GAME.evaluation("patterns").load(), samples, 1 << 20, 1)
    found = np.concatenate(fitted)
    even = np.abs(samples["value"]) <= 1600
    assert 0 < len(found) <= np.count_nonzero(even) < len(samples)
    assert np.abs(found["value"]).max() <= 1600
