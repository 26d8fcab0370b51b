"""Kernels: a stop flag is seen, the answers without JIT are the same; and what `provides` refuses to register."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from shogi_engine import jit
from shogi_engine.interface.game import provides
from shogi_engine.jit import load_u64, njit, record_dtype
from tests.support.processes import ROOT, TESTS, environment, needs_workshop
from tests.support.sizes import sized

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")

# ---- kernels -----------------------------------------------------------------------------------------------------


@njit
def spin(address):
    """Count until the word at `address` is not 0."""
    count = 0
    while load_u64(address) == np.uint64(0):
        count += 1
    return count


@needs_workshop
def test_a_stop_flag_is_seen_by_a_running_kernel():
    flag = np.ones(1, np.uint64)
    address = np.uint64(flag.ctypes.data)
    spin(address)  # compiled
    for _ in range(5):
        flag[0] = 0
        thread = threading.Thread(target=spin, args=(address,), daemon=True)
        thread.start()
        time.sleep(0.05)
        assert thread.is_alive()
        flag[0] = 1
        thread.join(10)
        assert not thread.is_alive()


def values_of_kernels(tmp_path: Path, **variables: str) -> dict:
    """Return what kernel_values.py prints."""
    env = environment(tmp_path, **variables)
    command = [sys.executable, "-m", "tests.support.kernel_values"]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


@needs_workshop
def test_kernels_answer_the_same_without_jit(tmp_path):
    compiled = values_of_kernels(tmp_path)
    assert len(compiled["words"]) > 200
    for variable in sized(["NUMBA_DISABLE_JIT"], ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"]):
        assert values_of_kernels(tmp_path, **{variable: "1"}) == compiled


def test_the_tests_of_bits_pass_without_jit():
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(TESTS / "jit" / "test_bitboards.py")]
    env = environment(None, NUMBA_DISABLE_JIT="1")
    result = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert result.returncode == 0, result.stdout


# ---- registration ------------------------------------------------------------------------------------------------


def rule(name: str, parameters: str):
    """Return a function of that name and of those parameters."""
    names: dict = {"__name__": "somewhere.rules"}
    exec(f"def {name}({parameters}):\n    return 0\n", names)
    return names[name]


def fresh_dtype(name: str) -> np.dtype:
    """Return a position dtype like no other."""
    return record_dtype([(name, np.uint64)])


@pytest.mark.parametrize("name, parameters, message", [
    ("genrate_moves", "ctx, start", r"no rule 'genrate_moves'.*generate_moves"),
    ("do_move", "position, move, undo", r"do_move\(position, move, undo\).*\(pos, move, undo\)"),
    ("do_move", "pos, undo, move", r"should have the parameters \(pos, move, undo\)"),
    ("key", "", r"key\(\) should have the parameters \(pos\)"),
])  # fmt: skip
def test_a_rule_that_does_not_fit_is_refused(name, parameters, message):
    with pytest.raises(TypeError, match=message):
        provides(fresh_dtype("misfit"))(rule(name, parameters))


def test_a_second_rule_of_the_same_name_is_refused():
    dtype = fresh_dtype("twice")
    provides(dtype)(rule("key", "pos"))
    with pytest.raises(TypeError, match="somewhere: key is provided twice"):
        provides(dtype)(rule("key", "pos"))


def test_a_dtype_that_another_game_has_is_refused():
    provides(fresh_dtype("taken"))(rule("key", "pos"))
    other = rule("do_move", "pos, move, undo")
    other.__module__ = "elsewhere.rules"
    with pytest.raises(TypeError, match="elsewhere: a position dtype equal .* belongs to somewhere already"):
        provides(fresh_dtype("taken"))(other)  # equal, though made anew


def test_a_position_with_a_field_named_pos_is_refused():
    with pytest.raises(TypeError, match="'pos'"):
        provides(record_dtype([("pos", np.uint64)]))(rule("key", "pos"))


# ---- without the compiler ----------------------------------------------------------------------------------------


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
