"""The kernels answer the same as plain Python."""

import json
import os
import subprocess
import sys

import pytest

from tests.support.processes import ROOT


def printed(disable):
    """Return what othello_values.py prints with JIT on (disable "0") or off ("1")."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.support.othello_values"]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)


@pytest.mark.slow
def test_values_are_the_same():
    compiled, plain = printed("0"), printed("1")
    assert len(compiled) > 200 and compiled == plain
