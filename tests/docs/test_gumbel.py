"""The search of examples/learn_by_gumbel.py: its schedule, its statistics, and what it finds without a network."""

import importlib
import sys

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.batch import Batch
from tests.support.processes import ROOT

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def example():
    for folder in (ROOT / "examples", ROOT / "examples" / "games"):
        sys.path.insert(0, str(folder))
    games.register("connect_four", "connect_four")
    yield importlib.import_module("learn_by_gumbel")
    del sys.path[:2]
    games._registry._modules.pop("connect_four")


class Ignorant:
    """A network that knows nothing."""

    def judge(self, planes):
        return np.zeros((len(planes), 8), np.float32), np.zeros(len(planes), np.float32)


def test_sequential_halving(example):
    """The moves that are left have equally many visits after each round, as in mctx's tests."""
    assert example.halving(1, 3) == [0, 1, 2]
    assert example.halving(2, 6) == [0, 0, 1, 1, 2, 2]
    assert example.halving(4, 8) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert example.halving(4, 16) == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]


def test_a_win_and_a_defence_are_found(example):
    batch = Batch("connect_four")
    rows = ["......."] * 4
    win = "/".join([*rows, "OOO....", "XXX...."])  # X to move: d
    defend = "/".join([*rows[:3], "X......", "O......", "OXXX..O"])  # O to move: e would be lost otherwise
    positions = batch.pack([win, defend])
    search = example.Search(batch, Ignorant(), 256, np.random.default_rng(1))
    moves, policies = search.run(positions, noise=0)
    assert moves[0] == 4 and policies[0].argmax() == 4
    assert moves[1] == 5 and policies[1].argmax() == 5
    assert search.visits[:, 0].sum(axis=1).tolist() == [256, 256]
    assert np.abs(policies.sum(axis=1) - 1).max() < 1e-5
    legal = batch.legal_masks(positions, "ids")
    assert (policies[~legal] == 0).all() and (search.visits[:, 0][~legal] == 0).all()
    means = search.sums / np.maximum(search.visits, 1)
    assert np.abs(means).max() <= 1 + 1e-5 and means[0, 0, 4] == 1
