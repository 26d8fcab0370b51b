"""The training of Othello's network: its gradient, runs that continue, its integers, the command."""

import json
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.__main__ import main
from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.evaluation import network as network_weights
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.training.othello import kernels, positions, recipe, trainer as network_trainer
from shogi_engine.training.othello.positions import LabelledGames
from shogi_engine.training.othello.recipe import errors_of
from shogi_engine.training.othello.trainer import NETWORK, NetworkTrainer, TrainOptions
from tests.support.training_data import KilledError, othello_folder

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
OPTIONS = TrainOptions(architecture=NETWORK, epochs=3, held_out=0.1, endings=1, spread_positions=12, seed=2)


@pytest.fixture
def folder():
    """Return the folder of games."""
    return othello_folder()


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(network_trainer, "BATCH", 256)


def trainer(folder, checkpoint, threads=1, **changes):
    """Return a trainer on the games of the tests."""
    options = replace(OPTIONS, **changes)
    return NetworkTrainer(LabelledGames.load([folder], 1, options.td_lambda), options, checkpoint, threads)


def test_gradients_are_those_of_differences(folder, tmp_path):
    run = trainer(folder, tmp_path / "c.npz")
    rng, learning = np.random.default_rng(4), run.learning
    parameters = run.state.parameters + rng.normal(0, 0.05, kernels.PARAMETERS).astype(np.float32)
    batch = rng.permutation(len(learning.targets))[:50].astype(np.int32)
    arguments = learning.rows, learning.phases, learning.targets, batch

    def loss(parameters):
        outputs = np.zeros(len(batch), dtype=np.float32)
        kernels.write_outputs(parameters, learning.rows[batch], learning.phases[batch], outputs, kernels.scratch()[0])
        return float(((outputs.astype(float) - learning.targets[batch]) ** 2).sum())

    gradients = np.zeros_like(parameters)
    assert kernels.add_gradients(parameters, *arguments, gradients, *kernels.scratch()) == pytest.approx(
        loss(parameters), rel=1e-4
    )
    used = np.flatnonzero(gradients)
    parts = [
        used[used < kernels.BIAS],
        used[(used >= kernels.BIAS) & (used < kernels.OUTPUT)],
        used[used >= kernels.OUTPUT],
    ]
    for part in parts:
        largest = part[np.argsort(-np.abs(gradients[part]))[:12]]
        for place in largest:
            moved = [parameters.copy(), parameters.copy()]
            moved[0][place] -= 1e-3
            moved[1][place] += 1e-3
            slope = (loss(moved[1]) - loss(moved[0])) / (float(moved[1][place]) - float(moved[0][place]))
            assert slope == pytest.approx(float(gradients[place]), rel=0.05)


def test_killed_and_resumed_is_the_same_run(folder, tmp_path):
    whole = trainer(folder, tmp_path / "whole.npz", 2)
    whole.run()

    def told(losses):
        if len(torn.losses) == 2:
            raise KilledError

    torn = trainer(folder, tmp_path / "torn.npz", 2)
    with pytest.raises(KilledError):
        torn.run(on_epoch=told)
    torn = trainer(folder, tmp_path / "torn.npz", 2)
    assert len(torn.losses) == 2
    torn.run()
    assert np.array_equal(torn.state.parameters, whole.state.parameters) and torn.losses == whole.losses
    with pytest.raises(ValueError, match="another run"):
        trainer(folder, tmp_path / "torn.npz", seed=3)


def test_what_is_learnt_is_what_the_integers_say(folder, tmp_path):
    """Errors on the games learnt fall, and the kernels of the search have nearly the errors of the trainer."""
    run = trainer(folder, tmp_path / "c.npz", epochs=12)
    untaught = run._error(run.learning)
    run.run()
    assert run.losses[-1]["training"] < 0.9 * untaught
    found = errors_of(Evaluator(GAME.evaluation(NETWORK), run.network({})), run.learning.samples)
    assert float(np.mean(found)) == pytest.approx(run._error(run.learning), rel=0.02)


def test_the_command_trains_a_network(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(recipe, "ENDINGS", (6, 12))
    monkeypatch.setattr(positions, "DEEPEST", 6)
    words = ["train", "othello", str(tmp_path), "--games", "60", "--labels", "patterns", "--name", "network", "--set"]
    words += ["nodes=20,exact=8,epochs=2,architecture=network,endings=1,gate_games=2,gate_nodes=20"]
    assert main(words) == 0
    assert "validation" in capsys.readouterr().out
    file = tmp_path / "gen0" / "network.bin"
    network = network_weights.WEIGHTS.load(file)
    assert network.made["epochs"] == 2 and (network.spread[:, 3:] > 0).all()
    facts = json.loads((tmp_path / "gen0" / "network.report.json").read_text())
    assert set(facts["weights"]) == {"rows not zero", "at their limit"}
    assert all(row["error"] != row["error before"] for row in facts["error by empty squares"][1:])
    assert sum(json.loads((tmp_path / "gen0" / "network.gate.json").read_text())["scores"].values()) <= 2
    assert main([*words[:4], "60", "--set", "architecture=rows"]) == 2
    assert "there is no architecture 'rows'" in capsys.readouterr().err
