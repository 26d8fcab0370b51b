"""The list of kernels that Python calls (tools/kernels/entries.py): complete, and such as wrappers can call."""

import dis
import gc
import importlib
import pkgutil
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FunctionType, ModuleType

import pytest

import shogi_engine
import usi
from shogi_engine.jit import JIT_DISABLED, Kernel, intrinsics
from tools.kernels.entries import entries

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="there are no kernels")

# What looks like a call: a field, a method, a function of numpy's with this name; and what serves games of rules alone.
OTHER = {
    "shogi_engine.games.batch.write_planes",
    "shogi_engine.perft._count",
    "shogi_engine.search.history.continuation_row",
    "shogi_engine.training.adamw.clip",
}


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes(each)


def named(function: FunctionType) -> Iterator[Kernel]:
    """Yield the kernels that a function names, also through a module."""
    for code in codes(function.__code__):
        values = [function.__globals__.get(name) for name in code.co_names]
        steps = [(each.opname, each.argval) for each in dis.get_instructions(code)]
        inside = [
            vars(home).get(name)
            for (step, what), (_, name) in pairwise(steps)
            if step == "LOAD_GLOBAL" and isinstance(home := function.__globals__.get(what), ModuleType)
        ]
        yield from (each for each in [*values, *inside] if isinstance(each, Kernel))


def test_every_kernel_that_python_code_names_is_an_entry():
    left_out = ("shogi_engine.environments", "shogi_engine.web", "shogi_engine.jit.workshop")  # need more packages
    for package in (shogi_engine, usi):
        for name in [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]:
            if not name.startswith(left_out) and not name.endswith(("__main__", "network_code")):
                importlib.import_module(name)
    declared = {entry.kernel.py_func for entry in entries()}
    objects = gc.get_objects()  # a weak proxy among them may have lost what isinstance would ask: ask for types
    kernels = {each.py_func for each in objects if issubclass(type(each), Kernel)}
    known = {*kernels, *intrinsics.emitters, *intrinsics.tiny_kernels}
    missing = set()
    for function in [each for each in objects if type(each) is FunctionType]:
        home = function.__module__ or ""
        ours = home.startswith(("shogi_engine.", "usi.")) and not home.startswith("shogi_engine.jit")
        if ours and function not in known:
            missing |= {each.py_func for each in named(function)} - declared
    assert {f"{each.__module__}.{each.__qualname__}" for each in missing} <= OTHER


def test_entries_have_the_arguments_of_their_kernels():
    found = list(entries())
    assert len({(entry.kernel.py_func, entry.arguments) for entry in found}) == len(found) > 200
    for entry in found:
        assert len(entry.arguments) == entry.kernel.py_func.__code__.co_argcount, entry.kernel.py_func
