"""Games in one process, and tools/tuning/spsa.py on functions whose best values are known."""

import json
import math
import random

import pytest

from shogi_engine import games
from shogi_engine.__main__ import main
from tools.tuning import spsa


def quadratic(best):
    """Return `play`: the player nearer to `best` is likelier to win, as in games."""

    def play(first, second, number):
        rng = random.Random(f"games {number}")
        loss = [sum(((side[name] - best[name]) / 100) ** 2 for name in best) for side in (first, second)]
        won = 1 / (1 + math.exp(-4 * (loss[1] - loss[0])))
        return sum(1 if rng.random() < won else -1 for _ in range(4))

    return play


def new_state(iterations):
    tuned = [spsa.Tuned("a", 100, 0, 400, 20, 100), spsa.Tuned("b", 250, 0, 400, 20, 250)]
    return spsa.SpsaState({"iterations": iterations, "seed": 3}, tuned, 0, [])


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
    halved = spsa.SpsaState.load(path)
    assert halved.iteration == 23
    spsa.tune(halved, path, play)
    assert spsa.SpsaState.load(path) == whole != new_state(60)


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
    words = ["engine:futility_margin=60", "engine", "--limit", "nodes=300", "--games", "6", "--seed", "4"]
    for threads in (1, 3):
        assert main(["match", *words, "--concurrency", str(threads), "--log", str(tmp_path / str(threads))]) == 0
    logs = [[*map(json.loads, (tmp_path / str(threads)).read_text().splitlines()[1:])] for threads in (1, 3)]
    for log in logs:
        log.sort(key=lambda record: record["game"])
    kept = [[(record["moves"], record["score"], record["reason"]) for record in log] for log in logs]
    assert kept[0] == kept[1]
    assert len({moves for moves, _, _ in kept[0]}) == 6


@pytest.mark.slow
@pytest.mark.parametrize("game", games.NAMES)
def test_more_nodes_win_in_one_process(game, capsys):
    words = ["engine", "engine", "--game", game, "--limit", "nodes=3000", "--limit", "nodes=60", "--games", "10"]
    assert main(["match", *words, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert summary["wins"] >= 7


@pytest.mark.slow
def test_tuning_by_games_goes_on(tmp_path):
    words = ["--parameters", "futility_margin,nmp_base", "--iterations", "4", "--pairs", "1", "--nodes", "100"]
    one, other = tmp_path / "one", tmp_path / "other"
    assert spsa.main([str(one), *words]) == 0
    assert spsa.main([str(other), *words, "--until", "2", "--threads", "2"]) == 0
    assert spsa.main([str(other)]) == 0
    assert spsa.SpsaState.load(one) == spsa.SpsaState.load(other)
