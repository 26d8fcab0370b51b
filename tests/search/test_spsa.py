"""Parameters by name, games in one process, and tools/spsa.py on functions whose best values are known."""

import math
import random
import sys

import pytest
from processes import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import match  # noqa: E402
import spsa  # noqa: E402

from shogi_engine import games, parameters  # noqa: E402

GAMES = [games.load(name) for name in games.NAMES]


@pytest.mark.parametrize("game", GAMES, ids=games.NAMES)
def test_every_parameter_can_be_read_and_set_alone(game):
    names = list(parameters.names(game.default_params()))
    assert "futility_margin" in names and len(names) == len(set(names))
    for name in names:
        params = game.default_params()
        parameters.set_value(params, name, 77)
        changed = [
            each for each in names if parameters.value(params, each) != parameters.value(game.default_params(), each)
        ]
        assert changed in ([name], [])
        assert parameters.value(params, name) == 77


@pytest.mark.parametrize("game", GAMES, ids=games.NAMES)
def test_what_is_declared_for_tuning_makes_sense(game):
    declared = parameters.tunable(game)
    assert set(declared) <= set(parameters.names(game.default_params()))
    for each in declared.values():
        assert each.least <= each.default <= each.most and each.step >= 1
        assert each.default == parameters.value(game.default_params(), each.name)


@pytest.mark.parametrize(
    "name", ["nothing", "king_piece", "values", "values.99", "values.-1", "futility_margin.0", "values.x"]
)
def test_what_is_no_parameter_is_refused(name):
    with pytest.raises(ValueError, match="no parameter"):
        parameters.set_value(GAMES[0].default_params(), name, 1)


def test_a_number_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="can not be"):
        parameters.set_value(GAMES[0].default_params(), "futility_margin", 1 << 40)


def quadratic(best):
    """Return `play`: won by whoever is nearer to `best`, with chance as in games."""

    def play(first, second, number):
        rng = random.Random(f"games {number}")
        loss = [sum(((side[name] - best[name]) / 100) ** 2 for name in best) for side in (first, second)]
        won = 1 / (1 + math.exp(-4 * (loss[1] - loss[0])))
        return sum(1 if rng.random() < won else -1 for _ in range(4))

    return play


def new_state(iterations):
    tuned = [spsa.Tuned("a", 100, 0, 400, 20, 100), spsa.Tuned("b", 250, 0, 400, 20, 250)]
    return spsa.State({"iterations": iterations, "seed": 3}, tuned, 0, [])


def test_it_finds_what_is_better(tmp_path, monkeypatch):
    monkeypatch.setattr(spsa, "RATE", 0.02)
    state = new_state(3000)
    spsa.tune(state, tmp_path / "state", quadratic({"a": 250, "b": 100}))
    a, b = (each.value for each in state.parameters)
    assert abs(a - 250) < 30 and abs(b - 100) < 30
    assert len(state.history) == 3000 / spsa.EVERY


def test_a_run_that_was_stopped_ends_as_one_that_was_not(tmp_path):
    whole, path, play = new_state(60), tmp_path / "state", quadratic({"a": 200, "b": 200})
    spsa.tune(whole, tmp_path / "other", play)
    spsa.tune(new_state(60), path, play, until=23)
    halved = spsa.State.load(path)
    assert halved.iteration == 23
    spsa.tune(halved, path, play)
    assert spsa.State.load(path) == whole != new_state(60)


def test_values_stay_within_their_ranges(tmp_path):
    state = new_state(200)
    spsa.tune(state, tmp_path / "state", lambda first, second, number: 4 if first["a"] > second["a"] else -4)
    assert all(each.least <= each.value <= each.most for each in state.parameters)
    assert state.parameters[0].value > 100


def test_rounding_keeps_the_mean():
    rng = random.Random(5)
    assert sum(spsa.whole(-2.25, rng) for _ in range(20000)) / 20000 == pytest.approx(-2.25, abs=0.02)


def test_wrong_arguments_say_why(tmp_path, capsys):
    for words in ([], ["--parameters", "nothing"], ["--parameters", "futility_margin=5:6:7:1"]):
        assert spsa.main([str(tmp_path / "state"), *words]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    (tmp_path / "broken").write_text("{}")
    assert spsa.main([str(tmp_path / "broken")]) == 2


@pytest.mark.slow
def test_games_in_one_process_do_not_depend_on_the_threads(tmp_path):
    words = ["--in-process", "--a", "futility_margin=60", "--limit", "nodes=300", "--games", "6", "--seed", "4"]
    for threads in (1, 3):
        assert match.main([*words, "--concurrency", str(threads), "--log", str(tmp_path / str(threads))]) == 0
    logs = [match.Log._read(tmp_path / str(threads))[1:] for threads in (1, 3)]
    for log in logs:
        log.sort(key=lambda record: record["game"])
    kept = [[(record["moves"], record["score"], record["reason"]) for record in log] for log in logs]
    assert kept[0] == kept[1]
    assert len({moves for moves, _, _ in kept[0]}) == 6


@pytest.mark.slow
@pytest.mark.parametrize("game", games.NAMES)
def test_more_nodes_win_in_one_process(game, capsys):
    words = ["--in-process", "--game", game, "--limit1", "nodes=3000", "--limit2", "nodes=60", "--games", "10"]
    assert match.main([*words, "--json"]) == 0
    import json

    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert summary["wins"] >= 7


@pytest.mark.slow
def test_tuning_by_games_goes_on(tmp_path):
    words = ["--parameters", "futility_margin,nmp_eval_divisor", "--iterations", "4", "--pairs", "1", "--nodes", "100"]
    one, other = tmp_path / "one", tmp_path / "other"
    assert spsa.main([str(one), *words]) == 0
    assert spsa.main([str(other), *words, "--until", "2", "--threads", "2"]) == 0
    assert spsa.main([str(other)]) == 0
    assert spsa.State.load(one) == spsa.State.load(other)
