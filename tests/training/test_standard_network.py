"""Networks of the standard format that are trained here: features, gradients, and a file that other readers take."""

import re
import struct
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.evaluation.nnue_file import Architecture, encode, feature_set
from shogi_engine.interface.game import evaluate, refresh_line
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import new_context, set_root
from shogi_engine.training import pipeline
from shogi_engine.training.shogi.games import SCALE, Games
from shogi_engine.training.shogi.kernels import write_position
from shogi_engine.training.shogi.networks import OUTPUT_LIMIT
from shogi_engine.training.shogi.recipe import RECIPE, DataOptions
from shogi_engine.training.shogi.sfnn_kernels import stack_of
from shogi_engine.training.shogi.standard_kernels import BIAS, FEATURES, OUTPUT, OUTPUT_BIAS, WEIGHTS1, WEIGHTS2, WIDTH
from shogi_engine.training.shogi.trainer import TrainOptions
from tests.support import nnbin
from tests.support.training_data import data_folder

KP = nnbin.ARCHITECTURES["kp_256x2-32-32"]
SFNN = nnbin.ARCHITECTURES["SFNN_kp_256_15_32_k3k3"]
OPTIONS = TrainOptions(architecture="k-p", epochs=3, batch=512, seed=2, held_out=0.1, result_share=(0.1, 0.1))
SFNN_OPTIONS = replace(OPTIONS, architecture="sfnn")
SFENS = nnbin.EXPECTED["sfens"]


@pytest.mark.parametrize(
    ("title", "width", "first", "second"), [("K-P", 256, 32, 32), ("HalfKP", 64, 8, 96), ("HalfKP_vm", 128, 16, 64)]
)
def test_what_is_written_is_read_by_the_slow_reader_and_the_engine(title, width, first, second, tmp_path):
    features, random = feature_set(title), np.random.default_rng(3)
    shape = Architecture(features, width, first, second)
    layers = [
        (random.integers(-3000, 3000, outputs).astype(np.int32), random.integers(-128, 128, size).astype(np.int8))
        for size in shape.layers
        for outputs in size[:1]
    ]
    bias, rows = (random.integers(-40, 60, size).astype(np.int16) for size in (width, (features.rows, width)))
    file = tmp_path / "nn.bin"
    file.write_bytes(encode(shape, bias, rows, [layers]))
    known = nnbin.Architecture(features.name, width, first, second)
    assert file.stat().st_size == known.size
    version, file_hash, length = struct.unpack("<III", file.read_bytes()[:12])
    assert (version, file_hash, length) == (nnbin.VERSION, known.hashes[0], len(known.text))
    evaluator, reader = GAME.evaluation("nnue").load(file), nnbin.Reader(file, known)
    assert evaluator.describe() == f"nnue: {file}, {shape}"  # nothing is unusual about it
    assert np.array_equal(reader.bias, bias) and np.array_equal(reader.weight, rows)
    ctx = new_context(GAME, evaluator=evaluator)
    for sfen in SFENS[:10]:
        set_root(ctx, GAME.parse_position(sfen))
        refresh_line(ctx)
        assert int(evaluate(ctx)) == reader.value(sfen)


def test_a_written_sfnn_is_read_by_the_slow_reader_and_the_engine(tmp_path):
    shape, random = SFNN_OPTIONS.model.shape, np.random.default_rng(3)
    stacks = [
        [
            (random.integers(-3000, 3000, outputs).astype(np.int32), random.integers(-128, 128, (outputs, inputs)))
            for outputs, inputs in shape.layers
        ]
        for _ in range(shape.stacks)
    ]
    bias, rows = random.integers(-400, 600, shape.width), random.integers(-40, 60, (shape.features.rows, shape.width))
    rows[:3] = random.integers(-9000, 9000, (3, shape.width))  # of three bytes
    file = tmp_path / "nn.bin"
    file.write_bytes(encode(shape, bias.astype(np.int16), rows.astype(np.int16), stacks))
    evaluator, reader = GAME.evaluation("nnue").load(file), nnbin.Reader(file, SFNN)
    assert evaluator.describe() == f"nnue: {file}, {shape}"  # nothing is unusual about it
    assert np.array_equal(reader.bias, bias) and np.array_equal(reader.weight, rows)
    for found, expected in zip(reader.stacks, stacks, strict=True):
        for (known, weights), (written, same) in zip(found, expected, strict=True):
            assert np.array_equal(known, written) and np.array_equal(weights, same)


def test_features_are_those_of_the_format():
    for sfen in SFENS:
        seen = np.zeros((2, 40), np.uint16)
        write_position(GAME.parse_position(sfen), OPTIONS.model.feature_tables[0], seen)
        expected, side, _ = nnbin.features(sfen, "K+P")
        for found, view in zip(seen, (side, 1 - side), strict=True):
            assert sorted(found[found < FEATURES]) == sorted(set(expected[view]) - {0}), sfen  # 0: missing


def mirrored(sfen):
    """Return the mirror image of a position: file f becomes 10 - f."""
    board, *rest = sfen.split()
    return " ".join(["/".join("".join(re.findall(r"\+?.", row)[::-1]) for row in board.split("/")), *rest])


def test_half_of_the_games_are_mirrored_in_each_epoch():
    games, tables, mine = Games.load([data_folder()]), OPTIONS.model.feature_tables, np.arange(10)

    def seen(*how):
        return next(games.blocks(mine, 1 << 13, *how))[1]

    plain, mirrored, first, second = seen(tables[:1]), seen(tables[1:]), seen(tables, 0), seen(tables, 1)
    game = np.cumsum(np.diff(plain.plies, prepend=1000) < 0) - 1
    assert set(game) == set(mine)
    for block, odd in ((first, 1), (second, 0)):
        expected = np.where((game % 2 == odd)[:, None, None], mirrored.features, plain.features)
        assert np.array_equal(block.features, expected) and (expected != plain.features).any()


def test_a_mirror_table_sees_the_mirror_image():
    plain, mirror = OPTIONS.model.feature_tables
    seen = np.zeros((2, 2, 40), np.uint16)
    for sfen in SFENS:
        write_position(GAME.parse_position(mirrored(sfen)), plain, seen[0])
        write_position(GAME.parse_position(sfen), mirror, seen[1])
        assert np.array_equal(np.sort(seen[0]), np.sort(seen[1])), sfen


def test_a_missing_piece_is_no_feature():
    seen = np.zeros((2, 40), np.uint16)
    write_position(GAME.parse_position("4k4/9/9/9/9/9/9/9/4K4 b 2P 1"), OPTIONS.model.feature_tables[0], seen)
    assert (seen == FEATURES).sum(axis=1).tolist() == [36, 36]
    assert {1, 2} < set(seen[0]) and {20, 21} < set(seen[1])


def test_stacks_are_those_of_the_format():
    seen, stacks = np.zeros((2, 40), np.uint16), set()
    for sfen in SFENS:
        write_position(GAME.parse_position(sfen), SFNN_OPTIONS.model.feature_tables[0], seen)
        stack = nnbin.features(sfen, "K+P")[2]
        assert stack_of(seen) == stack, sfen
        stacks.add(stack)
    assert len(stacks) > 3


def test_slopes_of_sfnn_are_those_of_the_loss():
    model, random, width = replace(SFNN_OPTIONS, width=64).model, np.random.default_rng(1), 64
    parameters = model.beginning(1)
    parameters[model.first_stack :] *= 2
    for *_, (weights, bias) in model.stacks(parameters):
        weights[:], bias[:] = random.normal(0, 0.5, weights.shape), random.normal(0, 0.5)
    features, targets = np.zeros((2, 2, 40), np.uint16), random.random(2).astype(np.float32)  # more would hit kinks
    for seen, sfen in zip(features, SFENS[1:3], strict=True):
        write_position(GAME.parse_position(sfen), model.feature_tables[0], seen)
    order, scratch = np.arange(2, dtype=np.int32), model.scratch()

    def loss(changed):
        return model.add_gradients(changed, features, targets, order, np.zeros_like(parameters), *scratch)

    gradients = np.zeros_like(parameters)
    assert loss(parameters) == model.add_gradients(parameters, features, targets, order, gradients, *scratch)
    begin = model.first_stack + stack_of(features[0]) * (parameters.size - model.first_stack) // 9
    used, rest = int(features[0, 0, 3]) * width, begin + width * 16
    places = [
        used, used + 7, used + 39, BIAS * width + 3, begin + 5, begin + 15, begin + 40 * 16 + 9, rest + 3, rest + 15,
    ]  # fmt: skip
    places += [rest + 21, rest + 16 + 20 * 32 + 9, rest + 16 + 960 + 4, rest + 1010, rest + 1040]
    measured = []
    for index in places:
        up, down = parameters.copy(), parameters.copy()
        up[index] += 2e-3
        down[index] -= 2e-3
        measured.append((loss(up) - loss(down)) / 4e-3)
        assert measured[-1] == pytest.approx(gradients[index], rel=0.02, abs=1e-4), index
    assert np.count_nonzero(np.abs(measured) > 0.01) > 4


@pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
def test_slopes_are_those_of_the_loss():
    model, random = OPTIONS.model, np.random.default_rng(1)
    parameters = model.beginning(1)
    parameters[OUTPUT:] = random.normal(0, 0.5, len(parameters) - OUTPUT)
    _, block = next(Games.load([data_folder()]).blocks(np.arange(3), 1000, model.feature_tables[:1]))
    features, targets = block.features[:20], random.random(20).astype(np.float32)
    order, scratch = np.arange(20, dtype=np.int32), model.scratch()

    def loss(changed):
        return model.add_gradients(changed, features, targets, order, np.zeros_like(parameters), *scratch)

    gradients = np.zeros_like(parameters)
    assert loss(parameters) == model.add_gradients(parameters, features, targets, order, gradients, *scratch)
    used = int(features[0, 0, 3]) * WIDTH
    places = (used, used + 7, BIAS * WIDTH + 3, WEIGHTS1 + 5, WEIGHTS2 - 3, WEIGHTS2 + 40, OUTPUT - 2, OUTPUT + 9)
    largest = 0.0
    for index in (*places, OUTPUT_BIAS):
        up, down = parameters.copy(), parameters.copy()
        up[index] += 2e-3
        down[index] -= 2e-3
        measured = (loss(up) - loss(down)) / 4e-3
        assert measured == pytest.approx(gradients[index], rel=0.05, abs=1e-3)
        largest = max(largest, abs(measured))
    assert largest > 0.05


@pytest.mark.skipif(JIT_DISABLED, reason="whole games, searched")
@pytest.mark.parametrize(("options", "known"), [(OPTIONS, KP), (SFNN_OPTIONS, SFNN)])
def test_from_games_to_a_file_that_plays(options, known, tmp_path):
    """The pipeline but for its first stage; the file says what the trainer means, and the gate plays with it."""
    (tmp_path / "gen0").mkdir()
    (tmp_path / "gen0" / "data").symlink_to(data_folder())
    plan = pipeline.Plan(tmp_path, DataOptions(), options, threads=2, name="nn", gate_games=2, gate_nodes=20)
    told = []
    outcome = pipeline.run(plan, stages=("train", "report", "gate"), on_line=told.append)
    assert len(outcome.scores) == 2
    file = plan.file(0, "bin")
    assert file.name == "nn.bin"
    if options is OPTIONS:
        assert file.stat().st_size == KP.size == 893_917
    assert RECIPE.named_evaluation(str(file)) == ("nnue", file)
    learner = pipeline.trainer(plan, 0)
    assert len(learner.losses) == options.epochs
    assert learner.losses[-1]["training"] < 0.95 * learner.losses[0]["training"]
    parameters, model = learner.state.parameters, learner.model
    if options is OPTIONS:
        assert np.abs(parameters[OUTPUT:OUTPUT_BIAS]).max() <= OUTPUT_LIMIT + 1e-6
    reader, evaluator = nnbin.Reader(file, known), RECIPE.named_evaluator(str(file))
    ctx = new_context(GAME, evaluator=evaluator)
    whole = [sfen for sfen in SFENS if 0 not in nnbin.features(sfen, "K+P")[0][0]]
    features = np.zeros((len(whole), 2, 40), np.uint16)
    for seen, sfen in zip(features, whole, strict=True):
        write_position(GAME.parse_position(sfen), model.feature_tables[0], seen)
    outputs = np.zeros(len(whole), np.float32)
    model.write_outputs(parameters, features, outputs, *model.scratch())
    for sfen, value, output in zip(whole, model.values(parameters, features), outputs * SCALE, strict=True):
        set_root(ctx, GAME.parse_position(sfen))
        refresh_line(ctx)
        assert value == reader.value(sfen) == int(evaluate(ctx)), sfen
        assert abs(value - output) < 60  # what rounding does
    facts = plan.file(0, "report.json").read_text()
    assert str(learner.model.shape) in facts and '"by pieces in hand"' in facts


def test_runs_that_can_not_be_are_refused():
    with pytest.raises(ValueError, match="no architecture 'halfkp'; there are own, k-p, sfnn"):
        TrainOptions(architecture="halfkp")
    with pytest.raises(ValueError, match="architecture k-p has width 256, not 128"):
        TrainOptions(architecture="k-p", width=128)
    with pytest.raises(ValueError, match="a width of sfnn is a multiple of 64 up to 2048, not 100"):
        TrainOptions(architecture="sfnn", width=100)
    with pytest.raises(ValueError, match="cannot be refined"):
        replace(OPTIONS, refine=True).model.refining("network", None)
