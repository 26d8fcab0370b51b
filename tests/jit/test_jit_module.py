"""The compiled module: what it takes and gives, which version is chosen, and what happens without one.

A small module of kernels of every kind is built here, without the package's own.
"""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

from shogi_engine import jit
from shogi_engine.jit import njit, policy, record_dtype
from tests.support.processes import ROOT, copy_package, environment, run
from tools.kernels import TARGETS, lowering_environment

POINT = record_dtype([("x", np.int32), ("y", np.int64)])
NESTED = record_dtype([("points", POINT, (3,)), ("flag", np.uint8)])

KERNELS = """
import numpy as np
from shogi_engine.jit import njit, record_dtype

POINT = record_dtype([("x", np.int32), ("y", np.int64)])
PAIR = record_dtype([("x", np.int64), ("y", np.int64)])

@njit
def add(first, second):
    return first + second

@njit
def bits(word):
    return ~word

@njit(brief=True)
def half(number, wide):
    return number / 2, wide * 2

@njit
def both(one, other):
    return one and not other

@njit
def move(record, by):
    record.x += by
    record.y -= by

@njit
def fill(array, value):
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            array[row, column] = value + row

@njit
def total(records):
    sum = 0
    for index in range(records.shape[0]):
        sum += records[index].x
    return sum
"""
ENTRIES = """
from kernels import *
from tools.kernels.entries import Array, Entry
F32, F64, I64, U64, I16 = np.float32, np.float64, np.int64, np.uint64, np.int16

def entries():
    yield Entry(add, (I64, I64))
    yield Entry(bits, (U64,))
    yield Entry(half, (F32, F64))
    yield Entry(both, (bool, bool))
    for kind in (POINT, PAIR):
        yield Entry(move, (kind, I64))
        yield Entry(total, (Array(kind),))
    yield Entry(fill, (Array(I16, 2), I64))
"""
LOWER = """
import sys
from pathlib import Path
import own_entries
from tools.kernels import linking, lowering
from tools.kernels import TARGETS
lowering.entries = own_entries.entries
folder = Path(sys.argv[1])
lowering.main()
"""
BUILD = LOWER + 'print(linking.build(TARGETS["linux-x86_64"], folder, folder))'


def run_with_kernels(folder, source):
    """Write the kernels into a folder, and run Python there as it is run to lower them."""
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "own_entries.py").write_text(ENTRIES)
    env = lowering_environment() | {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}
    subprocess.run(
        [sys.executable, "-P", "-c", source, str(folder)], check=True, env=env, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a folder with the kernels and their module."""
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    folder = tmp_path_factory.mktemp("module")
    run_with_kernels(folder, BUILD)
    return folder


@pytest.fixture
def ask(built):
    """Return a function that runs Python with the kernels, their module, and no workshop."""
    own = {"SHOGI_ENGINE_KERNELS": str(built / "_kernels.abi3.so"), "SHOGI_ENGINE_WORKSHOP": "0"}

    def ask(source):
        start = "import json, sys\nfrom kernels import *\nfrom shogi_engine.jit import new_record\n"
        return run(start + source, environment(None, ROOT, built, **own))

    return ask


@pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")
class TestCalls:
    def test_numbers(self, ask):
        source = """
results = [add(2, 3), add(-(1 << 62), -1), bits(0), bits(np.uint64(5)), *half(3.0, np.float32(0.25)), both(True, 0)]
kinds = [type(each).__name__ for each in results]
print(json.dumps([results, kinds, "numba" in sys.modules]))
"""
        numbers = [5, -(1 << 62) - 1, (1 << 64) - 1, (1 << 64) - 6, 1.5, 0.5, True]
        assert ask(source) == [numbers, ["int"] * 4 + ["float"] * 2 + ["bool"], False]

    def test_records_and_arrays_of_two_dtypes(self, ask):
        source = """
one, other, array = new_record(POINT), new_record(PAIR), np.zeros((3, 2), np.int16)
move(one, 5), move(other, -7), fill(array, 100)
many = np.zeros(4, PAIR).view(np.recarray)
many["x"] = range(4)
print(json.dumps([int(one.x), int(one.y), int(other.x), int(other.y), array.tolist(), total(many), total(many[:0])]))
"""
        assert ask(source) == [5, -5, -7, 7, [[100, 100], [101, 101], [102, 102]], 6, 0]

    def test_wrong_arguments_are_refused(self, ask):
        source = """
from shogi_engine.jit import record_dtype
array, found = np.zeros((3, 4), np.int16), []
tries = [
    lambda: add(1), lambda: add("a", 1), lambda: add(1 << 63, 0), lambda: half(None, 1.0),
    lambda: fill(array[:, ::2], 1), lambda: fill(array[0], 1), lambda: fill(array.astype(np.int32), 1),
    lambda: move(new_record(record_dtype([("x", np.int16), ("y", np.int64)])), 1), lambda: move(None, 1),
]
for each in tries:
    try:
        each()
        found.append("")
    except Exception as fault:
        found.append(f"{type(fault).__name__} {fault}")
print(json.dumps([found, array.any().item()]))
"""
        found, changed = ask(source)
        kinds = [each.partition(" ")[0] for each in found]
        assert kinds == ["TypeError", "TypeError", "OverflowError", "TypeError", "ValueError", *["InputError"] * 4]
        assert "pip install 'shogi-engine[workshop]'" in found[-1] and "kernels.move" in found[-1] and not changed

    def test_many_threads_at_once(self, ask):
        source = """
from concurrent.futures import ThreadPoolExecutor
records = [new_record(POINT) for _ in range(8)]
def work(record):
    for _ in range(2000):
        move(record, 1)
list(ThreadPoolExecutor(8).map(work, records))
print(json.dumps([int(each.x) for each in records]))
"""
        assert ask(source) == [2000] * 8


def test_kernels_lowered_in_another_folder_and_process_are_equal(built, tmp_path):
    run_with_kernels(tmp_path, LOWER)
    for name in ("kernels.ll", "rows.pickle"):
        assert (tmp_path / name).read_bytes() == (built / name).read_bytes()


@pytest.mark.parametrize("name", TARGETS)
def test_files_for_a_system_are_equal_and_need_only_its_libraries(built, tmp_path, name):
    linking = pytest.importorskip("tools.kernels.linking", reason="numba is not installed")
    files = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        files.append(linking.build(TARGETS[name], built, folder).read_bytes())
    assert files[0] == files[1]
    assert files[0].startswith({"l": b"\x7fELF", "w": b"MZ", "m": b"\xcf\xfa\xed\xfe"}[name[0]])


def test_a_module_of_other_sources_is_not_used(built, tmp_path):
    package = copy_package(tmp_path)
    own = {"SHOGI_ENGINE_KERNELS": str(built / "_kernels.abi3.so"), "SHOGI_ENGINE_WORKSHOP": "0"}
    source = (
        "import json\nfrom shogi_engine.jit.policy import compiled_module\nprint(json.dumps(compiled_module().state))"
    )
    assert run(source, environment(None, package, **own)) == ""
    file = package / "shogi_engine" / "search" / "tt.py"
    file.write_text(file.read_text() + "\n")
    assert run(source, environment(None, package, **own)) == "changed"
    file.unlink()
    assert run(source, environment(None, package, **own)) == "changed"


def test_layouts_have_names():
    same = record_dtype([("x", np.int32), ("y", np.int64)])
    assert policy.layout_name(POINT) == policy.layout_name(same)
    others = [
        NESTED,
        record_dtype([("x", np.int32), ("z", np.int64)]),
        record_dtype([("x", np.uint32), ("y", np.int64)]),
    ]
    assert len({policy.layout_name(each) for each in [POINT, *others]}) == 4


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
@pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")
def test_without_a_module_the_workshop_compiles():
    @njit
    def triple(number):
        return 3 * number

    assert triple(4) == 12 and triple.dispatcher.signatures
