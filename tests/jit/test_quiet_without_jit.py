"""Without the compiler, kernels run as Python, and NumPy does not warn of their overflow; of the user's it does."""

import os
import subprocess
import sys

from tests.support.processes import ROOT

CODE = """
import numpy as np
from shogi_engine.games.othello.board import Board
board = Board()
board.push_text("f5")
print(board.key() if hasattr(board, "key") else hash(board), len(board.legal_moves), flush=True)
np.int64(1 << 62) * np.int64(4)
"""


def test_kernels_do_not_warn():
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=env, timeout=600, cwd=ROOT)
    assert done.returncode == 0
    told = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert len(told) == 1 and told[0].startswith("<string>"), done.stderr
