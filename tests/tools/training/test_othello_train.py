"""The tool that trains the pattern weights: a tiny training from nothing, resumed, and the same again."""

import json
import subprocess
import sys

import numpy as np
import pytest
from processes import ROOT

from shogi_engine.games.othello.evaluation import pattern_weights as weights
from shogi_engine.jit import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="takes hours without JIT")


def train(work, *arguments):
    """Run the tool; return what it printed."""
    command = [sys.executable, "-m", "tools.training.othello_train", str(work), "--tiny", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_tiny_training(tmp_path):
    printed = train(tmp_path / "a", "--output", str(tmp_path / "out.bin"))
    assert printed.startswith("mean absolute error")
    knots, spread = weights.read(tmp_path / "out.bin")
    assert np.count_nonzero(knots) > 1000 and (spread[:, 3:] > 0).all()
    losses = json.loads((tmp_path / "a" / "loss.json").read_text())
    assert len(losses["generations"]) == 2
    for generation in losses["generations"]:
        train_mae = [each["train_mae"] for each in generation["curve"]]
        assert 0 < train_mae[-1] < 6
        assert {"samples", "mae", "rms"} == set(next(iter(generation["test"].values())))
    # Interrupted half way, it goes on to the same weights.
    (tmp_path / "a" / "weights2.bin").unlink()
    (tmp_path / "a" / "games2-000000.npy").unlink()
    train(tmp_path / "a", "--output", str(tmp_path / "again.bin"))
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "out.bin").read_bytes()
