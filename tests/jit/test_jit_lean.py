"""The lean compiler: it answers as numba's does, keeps less, and leaves numba as it is for everybody else."""

import numpy as np
import pytest

from shogi_engine.games.shogi import types as t
from shogi_engine.jit.workshop import compiler
from shogi_engine.jit.workshop.dispatcher import LEAN, is_verified
from tests.support.processes import PERFT, REPORT, ROOT, environment, kernel_files, run

pytestmark = pytest.mark.skipif(not LEAN, reason="kernels are compiled as numba does it")
WAYS = pytest.mark.parametrize("plain", ["0", "1"], ids=["lean", "plain"])

SEARCH = (
    REPORT
    + """
from tests.support.games.othello4 import GAME
from shogi_engine.perft import perft
from shogi_engine.search.timeman import Limits
from shogi_engine.search.root import Searcher
position = GAME.parse_position(GAME.start)
found = Searcher(GAME, hash_mb=1).search(position, (), Limits(depth=6))
report(perft=perft(GAME, position, 5).nodes, score=found.score, nodes=found.nodes, pv=found.pv)
"""
)
TEXTBOOK = (
    REPORT
    + """
import numpy as np
from tests.support.games.tictactoe import GAME
from tests.support.searching import place
from shogi_engine.interface.game import MAX_PLY
from shogi_engine.perft import perft
from shogi_engine.search.context import new_context
from shogi_engine.textbook.searches import alpha_beta
position, ctx, visits = GAME.parse_position(GAME.start), new_context(GAME), np.zeros(MAX_PLY + 1, np.int64)
place(ctx, position)
value = int(alpha_beta(ctx, -32001, 32001, 7, 0, visits))
report(perft=perft(GAME, position, 5).nodes, value=value, visits=visits.tolist())
"""
)
KERNELS = """
import numba
import numpy as np
from shogi_engine.jit import njit, record_dtype

RECORD = record_dtype([("values", np.int32, (4,)), ("total", np.int64)])

@njit
def double(x):
    return 2 * x

@njit
def inner(x):
    return double(x) + 1

@njit
def outer(x):
    return inner(x) * inner(x + 1)

@njit
def refuse(x):
    if x > 2:
        raise ValueError("more than two")
    if x < 0:
        raise IndexError("less than", x)
    return x

@njit
def ask(x):
    return refuse(x) + 1

@njit
def halves(n):
    if n == 0:
        return 1
    rest = halves(n - 1)
    if n > 2:
        return rest * 0.5
    return rest

@njit
def is_even(n):
    return True if n == 0 else is_odd(n - 1)

@njit
def is_odd(n):
    return False if n == 0 else is_even(n - 1)

@njit
def squares(n):
    return sum([x * x for x in range(n)])

@njit
def of_fields(record):
    total = 0
    for name in ("total",):
        total += record[name]
    for pair in ((1, 2.5), (3, 4.5)):
        total += pair[0]
    return total

@njit
def sum_of(record):
    record.total = 0
    for value in record.values:
        record.total += value
    return inner(record.total)

@numba.njit
def foreign(x):
    return outer(x) + double(x)

@njit
def over(x):
    return foreign(x) + inner(x)
"""


@pytest.fixture
def kernels(tmp_path):
    """Return a function that runs a source which can import KERNELS, in a process with a cache that stays."""
    (tmp_path / "kernels.py").write_text(KERNELS)

    def go(source, **variables):
        env = environment(tmp_path / "cache", ROOT, tmp_path, **variables)
        return run(f"{REPORT}\nimport kernels\nfrom kernels import *\n{source}", env)

    return go


def saved(folder):
    """Return the names of the kernels in the cache."""
    return sorted(file.name.rpartition("-")[0] for file in kernel_files(folder))


# ---- the same answers, less to keep ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "entry", "inner"),
    [
        pytest.param(PERFT, "count_or_list", "undo_move", id="perft"),
        pytest.param(TEXTBOOK, "alpha_beta", "undo_move", id="textbook", marks=pytest.mark.slow),
        pytest.param(SEARCH, "search_root", "search", id="search", marks=pytest.mark.slow),
    ],
)
def test_a_search_finds_the_same_both_ways(tmp_path, source, entry, inner):
    def found(plain):
        env = environment(tmp_path / plain, SHOGI_ENGINE_PLAIN_COMPILE=plain)
        cold, warm = run(source, env), run(source, env)
        assert warm["misses"] == 0 and warm["hits"] > 0
        for result in (cold, warm):
            for name in ("hits", "misses", "folder"):
                del result[name]
        assert cold == warm
        return cold

    assert found("0") == found("1")
    lean, plain = saved(tmp_path / "0"), saved(tmp_path / "1")
    assert entry in lean and inner not in lean and inner in plain
    assert len(lean) < len(plain) / 2


@pytest.mark.slow
def test_both_ways_may_share_a_cache(tmp_path):
    for plain in ("0", "1", "0", "1"):
        result = run(SEARCH, environment(tmp_path, SHOGI_ENGINE_PLAIN_COMPILE=plain))
    assert result["misses"] == 0
    names = saved(tmp_path)
    assert len(names) > len(set(names))


def test_what_only_kernels_call_is_not_saved_until_python_calls_it(kernels, tmp_path):
    assert kernels("report(answer=outer(3))") == {"answer": 63, "hits": 0, "misses": 1} | folder(tmp_path)
    assert saved(tmp_path / "cache") == ["outer"]
    assert kernels("report(answer=[outer(3), inner(3), outer(3), inner(4)])")["answer"] == [63, 7, 63, 9]
    assert saved(tmp_path / "cache") == ["inner", "outer"]


def folder(tmp_path):
    """Return the part of a report that names the cache's folder."""
    return {"folder": str(next((tmp_path / "cache").glob("kernels-*")))}


def test_a_kernel_lowered_for_another_becomes_an_entry(kernels, tmp_path):
    source = "found = inner.dispatcher\nreport(answer=[outer(3), inner(3), double(3)], "
    source += "entries=len(found.overloads), kinds=len(found.lowered))"
    result = kernels(source)
    assert (result["answer"], result["entries"], result["kinds"]) == ([63, 7, 6], 1, 1)
    assert saved(tmp_path / "cache") == ["double", "inner", "outer"]


def test_code_does_not_depend_on_what_the_cache_holds(kernels):
    kernels("report(answer=inner(3))")
    result = kernels("report(answer=outer(3))")
    assert (result["answer"], result["hits"]) == (63, 0)


# ---- what can go wrong in a kernel -------------------------------------------------------------------------------

FAULTS = """
def fault(kernel, *arguments):
    try:
        return kernel(*arguments)
    except Exception as e:
        return [type(e).__name__, *map(str, e.args)]

report(answer=[fault(ask, 1), fault(ask, 3), fault(ask, -1), fault(refuse, 3), fault(refuse, -2)])
"""


@WAYS
def test_exceptions_of_inner_kernels_reach_python(kernels, plain):
    expected = [2, ["ValueError", "more than two"], ["IndexError", "less than", "-1"]]
    expected += [expected[1], ["IndexError", "less than", "-2"]]
    for _ in range(2):  # compiled, and from the cache
        assert kernels(FAULTS, SHOGI_ENGINE_PLAIN_COMPILE=plain)["answer"] == expected


def test_a_kernel_with_a_type_error_can_be_called_with_other_types(kernels):
    source = "try:\n    outer('a')\n    found = ''\nexcept Exception as e:\n    found = type(e).__name__\n"
    assert kernels(source + "report(found=found, answer=outer(3))")["answer"] == 63


@WAYS
def test_recursion(kernels, plain):
    """The return type of `halves` is taken for an integer at first."""
    found = kernels("report(answer=[halves(1), halves(4)])", SHOGI_ENGINE_PLAIN_COMPILE=plain)
    assert found["answer"] == [1.0, 0.25]


@pytest.mark.parametrize(("again", "expected"), [("first", [6765, 1]), ("0", ["NumbaRuntimeError", 0])])
def test_literals_in_recursive_calls(tmp_path, again, expected):
    """A literal would give a recursive kernel a second version: numba refuses it, and does not crash."""
    (tmp_path / "recursive.py").write_text(
        "from shogi_engine.jit import njit\n"
        "@njit\ndef fibonacci(n, first):\n    if n < 2:\n        return n + first\n"
        f"    return fibonacci(n - 1, {again}) + fibonacci(n - 2, first)\n"
    )
    source = """
import json
from recursive import fibonacci
try:
    found = fibonacci(20, 0)
except Exception as fault:
    found = type(fault).__name__
print(json.dumps([found, len(fibonacci.dispatcher.signatures)]))
"""
    env = environment(tmp_path / "cache", ROOT, tmp_path)
    assert [run(source, env) for _ in range(2)] == [expected] * 2  # the second meets what the first has cached


def test_mutual_recursion_in_one_process(kernels):
    assert kernels("report(answer=[bool(is_even(10)), bool(is_odd(10)), bool(is_odd(7))])")["answer"] == [1, 0, 1]


def test_rarer_python(kernels):
    source = "from shogi_engine.jit import new_record\nrecord = new_record(RECORD)\nrecord.total = 7\n"
    source += "record.values[:] = 1, 2, 3, 4\n"
    source += "report(answer=[int(squares(4)), int(sum_of(record)), int(record.total)])"
    for _ in range(2):
        assert kernels(source)["answer"] == [0 + 1 + 4 + 9, 21, 10]


def test_kernels_without_a_cache(kernels, tmp_path):
    source = "names = {'njit': njit, 'inner': inner, '__name__': 'typed_in'}\n"
    source += (
        "exec('@njit\\ndef one(x):\\n    return inner(x)\\n@njit\\ndef two(x):\\n    return one(x) + one(x)', names)\n"
    )
    assert kernels(source + "report(answer=[names['two'](3), names['one'](3)])")["answer"] == [14, 7]
    assert saved(tmp_path / "cache") == []


def test_a_large_global_of_an_inner_kernel_is_refused(tmp_path):
    (tmp_path / "large.py").write_text(
        "import numpy as np\nfrom shogi_engine.jit import njit\nTABLE = np.zeros(1 << 17)\n"
        "@njit\ndef look(index):\n    return TABLE[index]\n@njit\ndef ask(index):\n    return look(index)\n"
    )
    source = REPORT + "from large import ask\ntry:\n    ask(1)\nexcept TypeError as e:\n    report(message=str(e))\n"
    assert "look cannot be cached" in run(source, environment(tmp_path / "cache", ROOT, tmp_path))["message"]


def test_threads_that_compile_kernels_with_common_callees(kernels):
    source = """
import threading
gate, results = threading.Barrier(3), []
def work(kernel):
    gate.wait()
    results.append(kernel(3))
threads = [threading.Thread(target=work, args=(each,)) for each in (outer, inner, over)]
for thread in threads: thread.start()
for thread in threads: thread.join()
report(answer=sorted(results))
"""
    assert kernels(source)["answer"] == [7, 63, 76]


# ---- with numba's own cache ------------------------------------------------------------------------------------------

BESIDE = """
import json
import gc
import numba
from numba.core import codegen, registry
from shogi_engine.games.shogi.bitboard import between

before = gc.get_threshold()

@numba.njit
def mine(values):
    return [value + 1 for value in values]

@numba.njit
def calls(x):
    return outer(x) - 1

@numba.vectorize
def larger(a, b):
    return max(a, b)

first, pair = mine(numba.typed.List([1, 2])), np.array([2, 5])
{middle}
second = mine(numba.typed.List([1.5]))
answers = [list(first), list(second), int(calls(3)), larger(pair, pair[::-1]).tolist(), foreign(3)]
library = next(iter(mine.overloads.values())).library
kinds = [type(mine) is registry.CPUDispatcher, type(library) is codegen.JITCodeLibrary, gc.get_threshold() == before]
print(json.dumps({{"answers": answers, "kinds": kinds}}))
"""


@pytest.mark.parametrize("middle", ["", "outer(1)", "over(1)\nbetween(4, 76)"])
def test_functions_of_numba_are_compiled_as_ever(kernels, middle):
    found = kernels(BESIDE.format(middle=middle))
    assert found["answers"] == [[2, 3], [2.5], 62, [5, 5], 69]
    assert found["kinds"] == [True, True, True]


def test_stubs_can_be_called_by_functions_of_numba(tmp_path):
    source = """
import numba
import numpy as np
import shogi_engine.jit.workshop
from tests.support.games.othello4 import GAME
from shogi_engine.interface.game import key, move_cost

@numba.njit
def keys(pos):
    return key(pos) ^ np.uint64(move_cost(pos, np.uint32(1)))

position = GAME.parse_position(GAME.start)
report(answer=int(keys(position)) == int(key(position)) ^ 1)
"""
    assert run(REPORT + source, environment(tmp_path))["answer"] is True


@pytest.mark.parametrize(
    ("version", "verified"),
    [("0.68.1", True), ("0.68.0rc1", True), ("0.60.0", False), ("0.99.0", False), ("1.0", False), ("dev", False)],
)
def test_versions_of_numba(version, verified):
    assert is_verified(version) is verified


# ---- plain code --------------------------------------------------------------------------------------------------

TABLE = np.arange(3)
NAMES = ["a", "b"]


def plain(x):
    """Count in a way that needs none of the rarer passes."""
    total = np.int64(0)
    for index in range(len(TABLE)):
        total += max(TABLE[index], x)
    return total


def with_comprehension(x):
    return sum([x for _ in range(3)])


def with_raise(x):
    if x:
        raise ValueError
    return x


def with_try(x):
    try:
        return 1 // x
    except Exception:
        return 0


def with_unknown_name(x):
    return NAMES[x]


def with_text(x):
    return x["field"]


def with_lambda(x):
    return (lambda y: y + 1)(x)


def generator(x):
    yield x


def with_kernels_of_a_module(x):
    return t.move_to(x) + t.SQUARES


def with_another_function_of_a_module(x):
    return t.record_dtype(x)


def test_plain_code_is_told_from_other_code():
    from numba import types

    assert compiler.is_plain(with_kernels_of_a_module, (types.int64,))
    assert not compiler.is_plain(with_another_function_of_a_module, (types.int64,))
    assert compiler.is_plain(plain, (types.int64,))
    assert not compiler.is_plain(plain, (types.UniTuple(types.int64, 2),))
    for function in (with_comprehension, with_raise, with_try, with_unknown_name, with_text, with_lambda, generator):
        assert not compiler.is_plain(function, (types.int64,)), function
