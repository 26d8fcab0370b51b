"""What is asked of the kernels of every game: no floats, no index out of bounds, the same answers without JIT."""

import json
import subprocess
import sys

import pytest

from shogi_engine.jit import JIT_DISABLED
from tests.support.cases import CASES
from tests.support.processes import ROOT, TESTS, environment, needs_workshop, run

pytestmark = [pytest.mark.skipif(JIT_DISABLED, reason="with JIT off nothing is compiled"), needs_workshop]
SMALL = "tictactoe"  # it is compiled in seconds, and played in seconds without JIT
games = pytest.mark.parametrize(
    "case", [pytest.param(case, id=str(case), marks=() if str(case) == SMALL else pytest.mark.slow) for case in CASES]
)


CONFORMANCE = ["-p", "no:cacheprovider", "-x", str(TESTS / "conformance" / "test_conformance.py")]
CHOSEN = {str(case): str(case) for case in CASES} | {"othello": "othello and not othello4"}


@games
def test_no_variable_of_a_kernel_is_a_float_no_search_kernel_has_two_versions_no_index_is_out_of_bounds(case, tmp_path):
    """The kernels are compiled once, with every index checked; the conformance tests run with them too."""
    command = [sys.executable, "-m", "tests.support.float_variables", str(case), *CONFORMANCE, "-k", CHOSEN[str(case)]]
    env = environment(tmp_path, NUMBA_BOUNDSCHECK="1")
    result = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT, timeout=1200)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert "passed" in result.stdout
    kernels = json.loads(result.stdout.splitlines()[-1])
    assert kernels["floats"] == []
    # A version for each literal or width would multiply compile time, and crash a recursive kernel from the cache.
    assert [name for name in kernels["versions"] if name.startswith("shogi_engine.search.")] == []
    asked = ("shogi_engine.common.bits", "shogi_engine.perft", "shogi_engine.search", f"shogi_engine.games.{case}.")
    assert [name for name in kernels["never"] if name.startswith(asked)] == []
    assert {"shogi_engine.perft._count", "shogi_engine.search.alphabeta.search"} <= set(kernels["compiled"])


def test_floats_and_versions_are_found(tmp_path):
    """Each of these turns uint64 with int64 into a float. A version for another record is none for another width."""
    (tmp_path / "floats.py").write_text(
        "import numpy as np\nfrom shogi_engine.jit import njit, record_dtype\n"
        "RECORD, OTHER = record_dtype([('x', np.float32)]), record_dtype([('x', np.int64)])\n"
        "@njit\ndef largest(a, b):\n    return a < max(a, b)\n"
        "@njit\ndef chosen(a, b):\n    c = a if a else b\n    return c == b if c == a else False\n"
        "@njit\ndef ratio(a, b):\n    return int(a / b)\n"
        "@njit\ndef field(record):\n    record.x = 1\n    return 0\n"
        "@njit\ndef pure(a, b):\n    return a - np.uint64(b)\n"
        "@njit\ndef wide(record, a):\n    return 0\n"
    )
    source = """
import json
import numpy as np
from floats import OTHER, RECORD, chosen, field, largest, pure, ratio, wide
from tests.support.float_variables import float_variables
from shogi_engine.jit import new_record
for kernel in (largest, chosen, ratio, pure):
    kernel(np.uint64(3), 2)
field(new_record(RECORD))
field(new_record(OTHER))
for width in (2, np.uint32(2)):
    wide(new_record(OTHER), width)
found = float_variables()
names = sorted({line.split(":")[0].split(" returns")[0] for line in found["floats"] if line.startswith("floats.")})
print(json.dumps([names, [name for name in found["versions"] if name.startswith("floats.")]]))
"""
    found = run(source, environment(tmp_path / "cache", ROOT, tmp_path))
    assert found == [["floats.chosen", "floats.field", "floats.largest", "floats.ratio"], ["floats.wide"]]


@pytest.mark.parametrize("chosen", [SMALL, pytest.param("othello4", marks=pytest.mark.slow)])
def test_conformance_without_jit(chosen, tmp_path):
    command = [sys.executable, "-m", "pytest", *CONFORMANCE, "-k", chosen]
    env = environment(tmp_path, NUMBA_DISABLE_JIT="1")
    result = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT, timeout=1200)
    assert result.returncode == 0 and "passed" in result.stdout, result.stdout
