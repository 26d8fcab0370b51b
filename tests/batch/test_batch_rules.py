"""Batches find in positions of random games what Boards find."""

import json
import os
import subprocess
import sys

import pytest

from tests.support.processes import ROOT


def checked(game, positions, **variables):
    """Run the checks in a process of their own; return what they saw."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", **variables}
    command = [sys.executable, "-m", "tests.support.batch_checks", game, str(positions)]
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", timeout=1200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("game", "positions"), [("othello", 30), ("shogi", 3)])
def test_a_few_positions_without_compiling(game, positions):
    assert checked(game, positions, NUMBA_DISABLE_JIT="1")["positions"] >= positions


@pytest.mark.slow
@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_many_positions(game):
    seen = checked(game, 100_000)
    assert seen["positions"] >= 100_000 and seen["over"] > 10 and seen["boards"] > 50
