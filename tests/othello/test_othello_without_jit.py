"""The kernels answer the same as plain Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def printed(disable):
    """Return what othello_values.py prints with JIT on (disable "0") or off ("1")."""
    path = os.pathsep.join([str(HERE.parent.parent), str(HERE)])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable, "PYTHONPATH": path}
    command = [sys.executable, str(HERE / "othello_values.py")]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)


@pytest.mark.slow
def test_values_are_the_same():
    compiled, plain = printed("0"), printed("1")
    assert len(compiled) > 200 and compiled == plain
