"""Screening of parameters: the regression finds what was put in, and a run continues where it was stopped."""

import random

import numpy as np
import pytest

from tools.tuning import screen


def test_the_effects_of_changes_are_told_apart():
    """Games at random, whose outcome depends on three of five changes: each effect within its interval."""
    truth = np.array([80.0, -60.0, 0.0, 40.0, 0.0])
    rng = random.Random(5)
    rows = []
    for pair in range(6000):
        first, second = screen.drawn(3, pair, len(truth))
        score = 1 / (1 + 10 ** (-(np.subtract(first, second) @ truth) / 400))
        rows.append((first, second, sum(1 if rng.random() < score else -1 for _ in range(2))))
    elo, error = screen.effects(rows)
    assert (np.abs(elo - truth) < 1.5 * error).all() and (error < 20).all()
    assert (elo[:2] * np.sign(truth[:2]) > error[:2]).all()


def test_each_pair_draws_its_own_changes():
    draws = {screen.drawn(1, pair, 8)[0].__repr__() for pair in range(50)}
    assert len(draws) > 40 and screen.drawn(1, 7, 8) == screen.drawn(1, 7, 8) != screen.drawn(2, 7, 8)


@pytest.mark.parametrize("changes", ["", "nothing=1", "futility_margin", "futility_margin=x"])
def test_a_wrong_change_is_one_error(changes, tmp_path, capsys):
    assert screen.main([str(tmp_path / "log"), "--changes", changes]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1 and not (tmp_path / "log").exists()


def test_a_log_of_another_run_is_refused(tmp_path):
    log = tmp_path / "log.jsonl"
    assert screen.read(log, {"seed": 1}) == {}
    with log.open("a") as file:
        file.write('{"pair": 3, "won": -2}\n')
    assert screen.read(log, {"seed": 1}) == {3: -2}
    with pytest.raises(ValueError, match="other settings"):
        screen.read(log, {"seed": 2})
