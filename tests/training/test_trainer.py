"""The trainer: features as the engine has them, gradients, resumed runs, a network that learns, report, gate."""

import dataclasses
import json
import logging
import math
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.__main__ import parser
from shogi_engine.cli.train import SETTINGS, plan_of
from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.evaluation.network import (
    ACTIVE,
    FEATURES,
    SIDE,
    WEIGHTS,
    decode,
    encode,
    piece_feature,
    view_of,
)
from shogi_engine.interface.game import VALUE_MAX, VALUE_NONE, do_move
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.training import pipeline, recipe
from shogi_engine.training.adamw import state_of, step
from shogi_engine.training.data import load_checkpoint, save_checkpoint
from shogi_engine.training.pipeline import play_match
from shogi_engine.training.recipe import TrainingRequest
from shogi_engine.training.shogi.games import LARGEST, SCALE, Games, Openings
from shogi_engine.training.shogi.networks import parameters_of, quantised
from shogi_engine.training.shogi.own_kernels import BIAS, OUTPUT, OUTPUT_BIAS, bucket_of
from shogi_engine.training.shogi.recipe import RECIPE, DataOptions
from shogi_engine.training.shogi.trainer import Trainer, TrainOptions, new_trainer
from tests.support.training_data import KilledError, data_folder

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
SMALL = TrainOptions(width=32, epochs=4, batch=512, seed=2, held_out=0.1, result_share=(0.1, 0.1))
TABLES = SMALL.model.feature_tables


def trainer(checkpoint, options=SMALL, threads=1):
    """Return a trainer on the games of the tests."""
    return Trainer(Games.load([data_folder()]), options, checkpoint, threads)


def test_blocks_hold_the_quiet_positions_of_the_games_asked_for():
    games = Games.load([data_folder()])
    learning, held_out = games.split(1, 0.1)
    assert len(set(learning) & set(held_out)) == 0
    assert len(held_out) == round(0.1 * len(games.distinct()))
    small = [block.scores.copy() for _, block in games.blocks(learning, 2000, TABLES)]
    (done, whole), *rest = games.blocks(learning, len(games.moves), TABLES)
    assert done == len(learning) and not rest
    assert len(small) > 1
    assert np.array_equal(np.concatenate(small), whole.scores)
    assert 0.3 < len(whole.scores) / (games.begins[learning + 1] - games.begins[learning]).sum() < 0.8
    assert np.abs(whole.scores).max() <= LARGEST
    assert (whole.features <= FEATURES).all()
    assert (np.sort(whole.features)[..., 1:] > np.sort(whole.features)[..., :-1]).all()  # each feature once, all 40


def test_features_are_those_of_the_side_to_move_first():
    pos, undo = GAME.parse_position(GAME.start), new_record(GAME.undo)
    do_move(pos, np.uint32(GAME.parse_move(pos, "7g7f")), undo)
    begins = np.array([0, 2])
    values = np.array([0, 30], np.int16)
    moves = np.array(
        [GAME.parse_move(GAME.parse_position(GAME.start), "7g7f"), GAME.parse_move(pos, "3c3d")], np.uint32
    )
    games = Games.of(
        {
            "moves": moves,
            "values": values,
            "lengths": np.array([2]),
            "results": np.array([1], np.int8),
            "starts": np.zeros(1, np.uint8),
        }
    )
    assert np.array_equal(games.begins, begins)
    _, block = next(games.blocks(np.array([0]), 10, TABLES))
    for place, colour in ((0, 1), (1, 0)):
        view = view_of(colour, int(pos.king[colour]))
        pieces = [(square, int(piece) ^ colour << 4) for square, piece in enumerate(pos.board) if piece]
        expected = [piece_feature(view, piece >> 4, piece & 15, square) for square, piece in pieces]
        assert len(expected) == ACTIVE and block.features[1, place].tolist() == expected
    assert block.outcomes.tolist() == [1, -1]
    assert block.plies.tolist() == [0, 1]
    assert (block.features[1, 0] < SIDE).sum() == 20


def test_games_that_begin_alike_count_once():
    games = Games.load([data_folder()])
    twice = Games.load([data_folder(), data_folder()], older_share=1)
    assert len(twice) == 2 * len(games)
    assert len(twice.distinct()) == len(games.distinct())


def test_values_of_every_generation_mean_the_same_chances():
    """A search that says twice as many centipawns for the same chances is read as one that does not; mates stay."""
    games = Games.load([data_folder()])
    assert games.scale() == pytest.approx(SCALE, abs=20)
    values = np.where(np.abs(games.values) < 4000, games.values * 2, games.values).astype(np.int16)
    twice = replace(games, values=values).scaled()
    usual = np.abs(games.values) < 800  # the fit leaves the largest values out
    assert np.abs(twice.values[usual] - games.values[usual]).max() <= 50
    extreme = np.abs(games.values.astype(int)) > VALUE_MAX
    assert extreme.any() and np.array_equal(twice.values[extreme], games.values[extreme])
    both = Games.load([data_folder(), data_folder()], older_share=1)
    assert np.array_equal(both.values, np.tile(games.values, 2))


def test_values_may_come_from_the_positions_after_them():
    """By a loop over one game at a time; mates stay, and a position without a value passes on the one after it."""
    games, td_lambda = Games.load([data_folder()]), 0.6
    unlabelled = np.random.default_rng(1).random(len(games.moves)) < 0.3
    games = replace(games, values=np.where(unlabelled, VALUE_NONE, games.values))
    mixed = games.with_later_values(td_lambda)
    assert np.abs(games.with_later_values(0).values.astype(int) - games.values).max() <= 1
    seen = set()
    for game in range(0, len(games), 7):
        begin, end = games.begins[game], games.begins[game + 1]
        later = None
        for place in range(end - 1, begin - 1, -1):
            value = int(games.values[place])
            chance = 1 / (1 + math.exp(-value / SCALE))
            if value == VALUE_NONE:
                won = (games.results[game] * (-1 if place - begin & 1 else 1) + 1) / 2
                chance = won if later is None else 1 - later
            elif later is not None:
                chance = (1 - td_lambda) * chance + td_lambda * (1 - later)
            if abs(value) > VALUE_MAX:
                assert mixed.values[place] == value
                seen.add("gap" if value == VALUE_NONE else "mate")
            elif 1e-4 < chance < 1 - 1e-4:
                assert mixed.values[place] == pytest.approx(SCALE * math.log(chance / (1 - chance)), abs=1)
                seen.add("value")
            later = chance
    assert seen == {"gap", "mate", "value"}
    assert np.array_equal(mixed.begins, games.begins)


def test_gradients_are_those_of_the_loss():
    width, random = 32, np.random.default_rng(1)
    parameters = SMALL.model.beginning(SMALL.seed)
    parameters[BIAS * width : OUTPUT * width] = random.uniform(0.1, 0.6, width)
    parameters[OUTPUT_BIAS * width :] = 0.1
    _, block = next(Games.load([data_folder()]).blocks(np.arange(3), 1000, TABLES))
    features, targets = block.features[:20], random.random(20).astype(np.float32)
    order = np.arange(20, dtype=np.int32)
    model, scratch = SMALL.model, SMALL.model.scratch()

    def loss(changed):
        return model.add_gradients(changed, features, targets, order, np.zeros_like(parameters), *scratch)

    gradients = np.zeros_like(parameters)
    assert loss(parameters) == model.add_gradients(parameters, features, targets, order, gradients, *scratch)
    used, bucket = int(features[0, 0, 3]) * width, bucket_of(features[0, 0])
    output = (OUTPUT + 2 * bucket) * width
    for index in (used, used + 7, BIAS * width + 3, output + 5, output + width + 9, OUTPUT_BIAS * width + bucket):
        up, down = parameters.copy(), parameters.copy()
        up[index] += 1e-2
        down[index] -= 1e-2
        assert (loss(up) - loss(down)) / 2e-2 == pytest.approx(gradients[index], rel=0.05, abs=2e-4)


def test_a_step_is_adams():
    parameters, gradients = np.array([0.5, 1.9799], np.float32), np.array([[2.0, -3.0], [2.0, -3.0]], np.float32)
    first_moments, second_moments = np.zeros(2, np.float32), np.zeros(2, np.float32)
    rates = np.float32(0.01), np.float32(0.1)
    step(parameters, first_moments, second_moments, gradients, 0, 2, 2, *rates, 1, np.float32(1.98))
    assert parameters.tolist() == pytest.approx([0.5 - 0.01 * (1 + 0.05), 1.98])
    assert not gradients.any()
    assert first_moments.tolist() == pytest.approx([0.2, -0.3])


def test_killed_and_resumed_is_the_same_network(tmp_path):
    whole = trainer(tmp_path / "whole.npz", threads=2)
    whole.run()
    epochs = []

    def told(losses):
        epochs.append(losses)
        if len(epochs) in (1, 3):
            raise KilledError

    for _ in range(2):
        with pytest.raises(KilledError):
            trainer(tmp_path / "torn.npz", threads=2).run(on_epoch=told)
    torn = trainer(tmp_path / "torn.npz", threads=2)
    assert len(torn.state.losses) == 3
    torn.run()
    assert np.array_equal(torn.state.parameters, whole.state.parameters)
    assert torn.state.losses == whole.state.losses
    assert torn.weights({}) == whole.weights({})


def test_checkpoints_of_other_runs_are_refused_and_damaged_ones_made_again(tmp_path):
    file = tmp_path / "network.checkpoint.npz"
    one = TrainOptions(width=32, epochs=1, batch=512, seed=2)
    first = trainer(file, one)
    first.run()
    with pytest.raises(ValueError, match="another run"):
        trainer(file, TrainOptions(width=32, epochs=1, batch=512, seed=3))
    file.write_bytes(file.read_bytes()[:1000])
    second = trainer(file, one)
    assert second.state.losses == []
    second.run()
    assert np.array_equal(second.state.parameters, first.state.parameters)


def test_a_network_that_labelled_is_refined(tmp_path):
    """Rounded parameters give the same network again; a run begins there, and never where another run stopped."""
    first = trainer(tmp_path / "first.npz")
    first.run()
    file = tmp_path / "first.bin"
    file.write_bytes(first.weights({}))
    network = WEIGHTS.load(file)
    parameters = parameters_of(network)
    again = quantised(parameters, network.width, {})
    assert np.array_equal(again.rows, network.rows) and np.array_equal(again.bias, network.bias)
    assert np.abs(parameters_of(again) - parameters).max() <= 1 / min(again.qb, network.qb)
    rescaled = parameters_of(replace(network, scale=2 * network.scale))  # the same chances, said in more centipawns
    assert np.allclose(rescaled[OUTPUT * 32 :], 2 * parameters[OUTPUT * 32 :])

    options = replace(SMALL, epochs=1, refine=True, rate=2e-4, seed=3)
    request = TrainingRequest([data_folder()], options, tmp_path / "second.npz", 1, str(file))
    second = new_trainer(request)
    larger = tmp_path / "larger.bin"
    larger.write_bytes(encode(replace(network, scale=2 * network.scale)))
    other = new_trainer(replace(request, labeller=str(larger)))  # fitted to the values, whatever its own scale
    assert np.allclose(other.state.parameters, second.state.parameters, rtol=0.03)
    before = second.losses_now(0.1)["validation"]
    plain = Trainer(second.games, replace(options, refine=False), tmp_path / "plain.npz")
    assert before < 0.9 * plain.losses_now(0.1)["validation"]
    second.run()
    assert second.losses[-1]["training"] < first.losses[0]["training"]
    file.write_bytes(second.weights({}))
    with pytest.raises(ValueError, match="another run"):
        new_trainer(request)
    third = tmp_path / "third.npz"
    for labeller, width, message in ((str(file), 64, "has width 32, not 64"), ("none.bin", 32, "cannot be read")):
        with pytest.raises(ValueError, match=message):
            new_trainer(TrainingRequest([data_folder()], replace(options, width=width), third, 1, labeller))
    fresh = new_trainer(
        TrainingRequest([data_folder()], options, third, 1, "king-piece")
    )  # it has no network to begin with
    assert np.array_equal(fresh.state.parameters, options.model.beginning(options.seed))


def test_the_mean_of_parts(tmp_path):
    """Each part refines the same network alone, and a killed run comes to the same mean."""
    begun = trainer(tmp_path / "begun.npz", replace(SMALL, epochs=2))
    begun.run()
    file = tmp_path / "begun.bin"
    file.write_bytes(begun.weights({}))
    options = replace(SMALL, epochs=2, refine=True, parts=3, seed=3)
    request = TrainingRequest([data_folder()], options, tmp_path / "mean.npz", 1, str(file))
    run = new_trainer(request)
    first = run.state.parameters.copy()
    splits = [(run.learning[k::3], run.held_out) for k in range(3)]
    parts = [
        Trainer(run.games, options, tmp_path / f"{k}.npz", 1, state_of(first.copy()), split)
        for k, split in enumerate(splits)
    ]
    assert sorted(game for part in parts for game in part.learning) == sorted(run.learning)
    for part in parts:
        part.run()
    expected = np.mean([part.state.parameters for part in parts], axis=0)

    def kill(done, text):
        if text.startswith("part 3/3, epoch 2"):
            raise KilledError

    with pytest.raises(KilledError):
        run.run(kill)
    told = []
    again = new_trainer(request)
    again.run(None, told.append)
    assert np.allclose(again.state.parameters, expected, atol=1e-6)
    assert len(again.losses) == 6 and told[-1] == again.losses[-1]
    assert again.losses[-1]["values"] == pytest.approx(again.losses_now(0)["values"])
    assert not list(tmp_path.glob("*part*"))
    with pytest.raises(ValueError, match="parts refine a network, and king-piece is none"):
        new_trainer(replace(request, labeller="king-piece"))
    with pytest.raises(ValueError, match="games to learn from cannot have 1000000 parts"):
        new_trainer(replace(request, options=replace(options, parts=1_000_000), checkpoint=tmp_path / "many.npz"))
    with pytest.raises(ValueError, match="with refine=true"):
        replace(options, refine=False)


def test_from_games_to_a_network_that_learnt(tmp_path):
    """The pipeline but for its first stage; what it writes can be read, played with and looked at."""
    (tmp_path / "gen0").mkdir()
    (tmp_path / "gen0" / "data").symlink_to(data_folder())
    said = []
    plan = pipeline.Plan(tmp_path, DataOptions(), SMALL, threads=2, progress=lambda done, text: said.append(done))
    losses = []
    pipeline.train(plan, 0, losses.append)
    assert losses[-1]["training"] < 0.95 * losses[0]["training"]
    assert said == sorted(said) and said[0] >= 0 and said[-1] < 1
    network = WEIGHTS.load(plan.file(0, "bin"))
    assert network.made["command"] == plan.command
    assert network.made["epochs"] == SMALL.epochs
    before = plan.file(0, "bin").read_bytes()
    pipeline.export(plan, 0)
    assert plan.file(0, "bin").read_bytes() == before
    pipeline.report(plan, 0)
    facts = json.loads(plan.file(0, "report.json").read_text())
    assert len(facts["losses"]) == SMALL.epochs
    assert sum(cell["positions"] for cell in facts["by ply"]) == facts["games"]["positions"]
    assert sum(cell["positions"] for cell in facts["calibration"]) == facts["games"]["positions"]
    assert 0 <= facts["neurons"]["dead"] <= 1
    assert plan.file(0, "report.html").read_text().count("<svg") == 2
    run = pipeline.trainer(plan, 0)
    values = run.outputs(run.validation) * network.scale
    own, other = run.validation.features[0]
    assert abs(network.output((own, other)) - values[0]) < 60
    assert decode(before, plan.file(0, "bin")).scale == network.scale


def test_a_run_makes_what_is_missing_and_reads_games_once(tmp_path, monkeypatch):
    (tmp_path / "gen0").mkdir()
    (tmp_path / "gen0" / "data").symlink_to(data_folder())
    plan = pipeline.Plan(tmp_path, DataOptions(), SMALL, gate_games=2, gate_nodes=20)
    told, read, made = [], [], pipeline.trainer
    monkeypatch.setattr(pipeline, "trainer", lambda *given: read.append(given) or made(*given))
    outcome = pipeline.run(plan, stages=("train", "report", "gate"), on_line=told.append)
    assert len(read) == 1 and len(outcome.scores) == 2
    titles = [line.partition(":")[0] for line in told if line.startswith("generation")]
    assert titles[:3] == ["generation 0, train", "generation 0, report", "generation 0, gate"]
    assert plan.file(0, "report.html").exists() and plan.file(0, "gate.json").exists()
    with pytest.raises(ValueError, match="no stage 'play'; there are data, train"):
        pipeline.run(plan, stages=("play",))


def test_a_gate_is_seeded_and_goes_on(tmp_path):
    first, second = RECIPE.named_evaluator("king-piece"), RECIPE.named_evaluator("king-piece")
    whole = play_match(RECIPE, first, second, 6, nodes=60, seed=4, threads=2)
    assert set(whole.scores) == set(range(6))
    assert whole.estimate.low < whole.estimate.elo < whole.estimate.high
    record = tmp_path / "gate.json"
    play_match(RECIPE, first, second, 2, nodes=60, seed=4, record=record)
    assert play_match(RECIPE, first, second, 6, nodes=60, seed=4, record=record).scores == whole.scores
    with pytest.raises(ValueError, match="another match"):
        play_match(RECIPE, first, second, 6, nodes=61, seed=4, record=record)
    record.write_text("[")
    with pytest.raises(ValueError, match="cannot be read"):
        play_match(RECIPE, first, second, 6, nodes=60, seed=4, record=record)


def test_equals_split_each_pair():
    """Searches and openings are the same for both, so the second game repeats the first with colours swapped."""
    first, second = RECIPE.named_evaluator("king-piece"), RECIPE.named_evaluator("king-piece")
    openings = Openings(random_share=1.0)  # no one searches in them
    scores = play_match(RECIPE, first, second, 8, nodes=60, seed=5, openings=openings).scores
    assert all(scores[game] + scores[game + 1] == 1 for game in range(0, 8, 2))


def test_a_width_that_no_kernel_has_is_refused_at_once():
    for width in (0, 48, 512):
        with pytest.raises(ValueError, match=f"not {width}"):
            TrainOptions(width=width)


def test_settings_reach_the_plan_or_are_refused():
    words = ["train", "shogi", "run", "--set", "td_lambda=0.7,nodes=300", "--set", "result_share=0.1:0.2,refine=true"]
    plan = plan_of(parser().parse_args(words))
    assert (plan.training.td_lambda, plan.training.result_share, plan.training.refine) == (0.7, (0.1, 0.2), True)
    assert (plan.data.nodes, plan.data.label_share) == (300, 0.25)
    with pytest.raises(ValueError, match="^train: 'exact' is not a setting of shogi"):
        plan_of(parser().parse_args(["train", "shogi", "run", "--set", "exact=1"]))


def test_the_settings_of_the_command_are_those_of_the_recipes():
    kinds = [kind for name in games.NAMES for kind in (recipe.load(name).data, recipe.load(name).training)]
    kinds.append(pipeline.Plan)
    known = {field.name for kind in kinds for field in dataclasses.fields(kind)}
    assert {setting.dest for listed in SETTINGS.values() for setting in listed} <= known


# ---- damaged checkpoints -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:1000],
        lambda data: data[:-30],
        lambda data: b"",
        lambda data: b"PK",
        lambda data: data[:400] + b"\0" * 200 + data[600:],
    ],
)
def test_a_damaged_checkpoint_is_told(tmp_path, caplog, damage):
    file = tmp_path / "network.checkpoint.npz"
    with caplog.at_level(logging.WARNING):
        assert load_checkpoint(file, "a run") is None and not caplog.records
        save_checkpoint(file, "a run", [], {"parameters": np.arange(300.0)})
        assert load_checkpoint(file, "a run") is not None and not caplog.records
        file.write_bytes(damage(file.read_bytes()))
        assert load_checkpoint(file, "a run") is None
    (told,) = caplog.messages
    assert str(file) in told and "damaged" in told and "begins again" in told and "\n" not in told
