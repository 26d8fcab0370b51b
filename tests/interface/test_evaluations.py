"""Evaluations plug in: kept along the line they are what a fresh look finds, files are refused, one is compiled."""

import random
import subprocess
import sys

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.common.registry import Registry
from shogi_engine.engine import Engine, parameters
from shogi_engine.games.shogi.names import FILE_EVALUATIONS
from shogi_engine.interface.game import (
    do_move,
    do_null,
    evaluate,
    null_allowed,
    provides_evaluation,
    refresh_line,
    root_order_score,
    undo_move,
    undo_null,
)
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.play.players import configure
from shogi_engine.search.context import new_context, set_root, write_root_moves
from shogi_engine.search.parameters import params_for
from shogi_engine.search.root import Searcher
from tests.support import networks
from tests.support.games import game_of, kings_walk
from tests.support.processes import ROOT

SHOGI, OTHELLO = games.load("shogi"), games.load("othello")
STARTS = {
    "shogi": (
        SHOGI.start,
        "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
        "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",  # black has no king
    ),
    "othello": (OTHELLO.start,),
}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Let the games know the evaluation of the tests, for the time of a test."""
    monkeypatch.setattr(SHOGI.evaluations, "_modules", dict(SHOGI.evaluations._modules))
    SHOGI.evaluations.register(kings_walk.NAME, kings_walk.__name__)


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Return a function that returns an evaluation ready for use, with a random network if it needs one."""
    files = {}

    def load(game, name):
        if name not in FILE_EVALUATIONS:
            return game.evaluation(name).load()
        if name not in files:
            files[name] = networks.write_network(tmp_path_factory.mktemp("network"), name)
        return game.evaluation(name).load(files[name])

    return load


EVERY = [(SHOGI, kings_walk.NAME), *((game, name) for game in (SHOGI, OTHELLO) for name in game.evaluations)]
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # JIT off: numpy's scalars wrap and say so
every_evaluation = pytest.mark.parametrize(("game", "name"), EVERY, ids=[f"{game.name}-{name}" for game, name in EVERY])


def step(ctx, move):
    """Make `move`, 0 for the null move, as a search does; without its kernels, which would be compiled for each ctx."""
    undo = ctx.undo[ctx.game_ply]
    do_move(ctx.pos, move, undo) if move else do_null(ctx.pos, undo)
    ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1


def step_back(ctx, move):
    """Take `move` back."""
    ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
    undo = ctx.undo[ctx.game_ply]
    undo_move(ctx.pos, move, undo) if move else undo_null(ctx.pos, undo)
    ctx.computed_ply = min(ctx.computed_ply, ctx.ply)


@every_evaluation
def test_kept_along_random_games_as_found_afresh(game, name, load):
    """Moves and null moves are made and taken back, and the position evaluated now and then, as a search does."""
    evaluator = load(game, name)
    ctx, fresh = (new_context(game, evaluator=evaluator) for _ in range(2))
    lister = new_context(game)
    rng, values, nulls = random.Random(name), set(), 0
    for start in STARTS[game.name] * 3:
        set_root(ctx, game.parse_position(start))
        refresh_line(ctx)
        line = []
        for _ in range(150):
            lister.pos = ctx.pos
            moves = lister.root_moves[: int(write_root_moves(lister))].copy()
            if line and (len(moves) == 0 or ctx.ply > 100 or rng.random() < 0.35):
                step_back(ctx, line.pop())
            elif len(moves):
                null = null_allowed(ctx.pos) and rng.random() < 0.1
                line.append(np.uint32(0) if null else rng.choice(moves))
                step(ctx, line[-1])
                nulls += null
            if rng.random() < 0.5:
                fresh.pos = ctx.pos
                refresh_line(fresh)
                value = int(evaluate(ctx))
                assert value == int(evaluate(fresh)), game.format_position(ctx.pos)
                values.add(value)
    assert len(values) > 50 and (nulls > 10 or game is OTHELLO)


def test_a_stale_part_is_found_when_asked_for_and_then_kept():
    ctx = new_context(SHOGI, evaluator=SHOGI.evaluation(kings_walk.NAME).load())
    ctx.pos = SHOGI.parse_position(SHOGI.start)
    refresh_line(ctx)
    for move, refreshes in (("", 1), ("7g7f", 1), ("3c3d", 1), ("5i6h", 2), ("8c8d", 2)):
        if move:
            step(ctx, np.uint32(SHOGI.parse_move(ctx.pos, move)))
        evaluate(ctx)
        assert int(ctx.evaluation_cache.refreshes) == refreshes
    assert int(evaluate(ctx)) == 13 - 7


@every_evaluation
def test_describes_itself(game, name, load):
    described = load(game, name).describe()
    assert described.startswith(name) and "\n" not in described


@every_evaluation
def test_a_missing_file_is_refused_by_one_line(game, name, tmp_path):
    with pytest.raises(ValueError, match=r"none\.bin") as refusal:
        game.evaluation(name).load(tmp_path / "none.bin")
    assert str(refusal.value).startswith("evaluation") and "\n" not in str(refusal.value)


def test_weights_of_a_file_are_used_and_kept_alive(tmp_path):
    file = tmp_path / "weights.txt"
    file.write_text("20 5")
    searcher = Searcher(SHOGI, hash_mb=1)
    searcher.set_evaluation(kings_walk.NAME, str(file))
    ctx = searcher._contexts[0]
    ctx.pos = SHOGI.parse_position("4k4/9/9/9/4K4/9/9/9/9 b - 1")
    refresh_line(ctx)
    assert int(evaluate(ctx)) == 20 + 4 * 5
    file.write_text("1 2 3")
    searcher.set_evaluation(kings_walk.NAME)
    with pytest.raises(ValueError, match="holds 3 numbers, not 2"):
        searcher.set_evaluation(kings_walk.NAME, file)
    assert int(searcher.evaluator.params.tempo) == 13  # as it was


def test_another_evaluation_changes_nothing_else():
    searcher = Searcher(SHOGI, hash_mb=1, threads=2)
    searcher.params.futility_margin = 77
    default, contexts = searcher.evaluator, list(searcher._contexts)
    searcher.set_evaluation("network")
    assert searcher.evaluator is default and searcher._contexts == contexts  # it is that one already
    searcher.set_evaluation("material")
    assert searcher.evaluator.evaluation.name == "material" and len(searcher._contexts) == 2
    assert int(searcher.params.futility_margin) == 77 and searcher.tt.megabytes == 1
    with pytest.raises(
        ValueError, match="there is no evaluation 'none'; there are material, king-piece, network, nnue, kings-walk"
    ):
        searcher.set_evaluation("none")
    assert searcher.evaluator.evaluation.name == "material"


def test_an_evaluation_brings_its_own_search_parameters(monkeypatch):
    material, network = SHOGI.evaluation("material"), SHOGI.evaluation("network")
    monkeypatch.setitem(vars(material), "search_parameters", {"futility_margin": 61, "lmr_cutoffs": (7, 8, 9)})
    game = SHOGI.default_params()
    searcher = Searcher(SHOGI, hash_mb=1)
    params = searcher.params
    searcher.set_evaluation("material")
    assert searcher.params is params  # in place
    assert int(params.futility_margin) == 61 and params.lmr_cutoffs.tolist() == [7, 8, 9]
    other = {"futility_margin", "lmr_cutoffs"}
    assert all(np.array_equal(params[name], game[name]) for name in game.dtype.names if name not in other)
    parameters.assign(searcher, "lmr_cutoffs.1", 5)  # what is set stays
    searcher.set_evaluation("network")
    assert int(params.futility_margin) == int(game.futility_margin) and params.lmr_cutoffs.tolist() == [7, 5, 9]
    begun = Searcher(SHOGI, evaluation="material", hash_mb=1)
    assert int(begun.params.futility_margin) == 61
    assert np.array_equal(np.asarray(params_for(SHOGI, network)), np.asarray(game))
    monkeypatch.setitem(vars(material), "search_parameters", {"futility_margins": 61})
    with pytest.raises(ValueError, match="evaluation material: there is no parameter 'futility_margins'"):
        searcher.set_evaluation("material")
    assert searcher.evaluator.evaluation is network


def test_players_of_matches_have_the_evaluations_parameters():
    engine = Engine("shogi", hash_mb=1)
    own = SHOGI.evaluation("material").search_parameters
    assert own
    for settings in ({"evaluation": "material"}, {}, {"evaluation": "material", "futility_margin": 77}):
        configure(engine, settings)
        expected = SHOGI.default_params()
        for name, number in (own if settings else {}).items():
            expected[name] = number
        expected.futility_margin = settings.get("futility_margin", expected.futility_margin)
        assert np.array_equal(np.asarray(engine.searcher.params), np.asarray(expected))


@every_evaluation
def test_its_search_parameters_are_those_of_the_game(game, name, load):
    params_for(game, game.evaluation(name))


def test_settings_by_name():
    searcher = Searcher(SHOGI, hash_mb=1)
    settings = parameters.parse_settings("evaluation=kings-walk, tempo=5, futility_margin=80")
    parameters.check(SHOGI, settings)
    for name, setting in settings.items():
        parameters.assign(searcher, name, setting)
    assert (int(searcher.evaluator.params.tempo), int(searcher.params.futility_margin)) == (5, 80)
    assert parameters.defaults(SHOGI).keys() == set(parameters.names(SHOGI.default_params()))  # weights are no numbers
    for wrong in ("evaluation=none", "evaluation=material,tempo=1", "rank=1"):
        with pytest.raises(ValueError, match="there is no"):
            parameters.check(SHOGI, parameters.parse_settings(wrong))


def test_a_game_with_one_evaluation_has_it_without_a_name():
    game = game_of("tictactoe")
    assert game.evaluation().load().describe() == "evaluation"
    with pytest.raises(ValueError, match="has one evaluation"):
        game.evaluation("material")


def test_the_registry():
    registry = Registry("evaluation", "EVALUATION", {"one": "tests.support.games.kings_walk"}, default="one")
    assert list(registry) == ["one"] and "one" in registry and "two" not in registry and len(registry) == 1
    assert registry.load() is registry.load("one") is kings_walk.EVALUATION
    registry.register("two", "no.such.module")  # not imported before it is used
    with pytest.raises(ModuleNotFoundError):
        registry.load("two")
    registry.register("one", "tests.support.games.kings_walk")
    with pytest.raises(ValueError, match="'one': tests.support.games.kings_walk defines it already"):
        registry.register("one", "another.module")
    with pytest.raises(ValueError, match="no evaluation 'three'; there are one, two"):
        registry.load("three")
    with pytest.raises(ValueError, match="default"):
        Registry("evaluation", "EVALUATION", {}, default="one")


def test_what_no_evaluation_can_provide_is_refused():
    mine = Evaluation("mine", SHOGI.position)

    def generate_moves(ctx, start):
        return 0

    def update_accumulator(ctx):
        return 0

    def probcut(ctx, depth):
        return np.int64(0), np.int64(0)

    with pytest.raises(TypeError, match="no kernel of an evaluation 'generate_moves'"):
        provides_evaluation(mine)(generate_moves)
    with pytest.raises(TypeError, match="should have the parameters"):
        provides_evaluation(mine)(update_accumulator)
    provides_evaluation(mine)(probcut)
    with pytest.raises(TypeError, match="provided twice"):
        provides_evaluation(Evaluation("mine", SHOGI.position))(probcut)


def test_only_the_evaluation_in_use_is_loaded():
    code = """
import sys
from shogi_engine import games
for name in games.NAMES:
    games.load(name).evaluation().load()
print(*(name for name in sys.modules if name.startswith("shogi_engine.games") and ".evaluation." in name))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert {"network", "patterns"} <= loaded and not {"material", "king_piece", "nnue", "features"} & loaded, (
        done.stderr
    )


def test_root_moves_are_ordered_by_the_evaluation_in_use():
    """A bishop that is taken is worth more than a step."""
    position = SHOGI.parse_position("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3")
    for name in ("material", "king-piece", "network"):
        ctx = new_context(SHOGI, evaluator=SHOGI.evaluation(name).load())
        ctx.pos = position
        moves = {text: np.uint32(SHOGI.parse_move(ctx.pos, text)) for text in ("8h2b+", "8h7g")}
        assert root_order_score(ctx, moves["8h2b+"]) > root_order_score(ctx, moves["8h7g"]), name
