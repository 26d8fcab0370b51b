"""A literal in a recursive kernel's call of itself is refused where it is compiled; it never crashes a process."""

import json
import subprocess
import sys

import pytest

from shogi_engine.jit import JIT_DISABLED
from tests.support.processes import ROOT, environment, needs_workshop

pytestmark = [pytest.mark.skipif(JIT_DISABLED, reason="with JIT off nothing is compiled"), needs_workshop]

KERNEL = """
from shogi_engine.jit import njit

@njit
def fibonacci(n, first):
    if n < 2:
        return n + first
    return fibonacci(n - 1, {again}) + fibonacci(n - 2, first)
"""
CALL = """
import json
from recursive import fibonacci
try:
    found = fibonacci(20, 0)
except Exception as fault:
    found = type(fault).__name__
print(json.dumps([found, len(fibonacci.dispatcher.signatures)]))
"""


@pytest.mark.parametrize(("again", "expected"), [("first", [6765, 1]), ("0", ["NumbaRuntimeError", 0])])
def test_literals_in_recursive_calls(tmp_path, again, expected):
    (tmp_path / "recursive.py").write_text(KERNEL.format(again=again))
    env = environment(tmp_path / "cache", ROOT, tmp_path)
    for _ in range(2):  # the second process meets what the first has cached
        result = subprocess.run([sys.executable, "-c", CALL], env=env, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout) == expected
