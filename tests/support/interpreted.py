"""For tests without numba: kernels that only a test calls, such as a part of the search, run as plain Python.

The compiled module holds what the package calls. If the package calls a kernel of which the module has no version, that
is refused here too, as it is for users. If that is for a game of a test's, which users would need numba for, the test
is skipped.
"""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shogi_engine.jit import Kernel, policy
from shogi_engine.jit.policy import compiled_module, layout_name

TESTS = str(Path(__file__).resolve().parents[1])
_running = threading.local()  # .kernel: whether a kernel runs as Python in this thread


def _is_called_by_a_test() -> bool:
    """Tell whether the nearest function outside of shogi_engine.jit and the stubs is a test's."""
    frame: Any = sys._getframe(1)
    passed = (policy.__file__, __file__)
    while frame.f_code.co_filename in passed or frame.f_code.co_name == "call":  # a stub
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(TESTS)


def _layouts() -> Iterator[str]:
    """Yield the names of the layouts of all records of which the module has versions."""
    for versions in compiled_module().kernels.values():
        for version in versions:
            yield from (kind[1] for kind in version["arguments"] if kind[0] != "number")


def _is_of_the_package(kernel: Kernel, arguments: tuple) -> bool:
    """Tell whether a kernel and the records it is called with are the package's, not a test's."""
    dtypes: list[np.dtype] = [each.dtype for each in arguments if getattr(each, "dtype", None) is not None]
    records = {layout_name(dtype) for dtype in dtypes if dtype.fields}
    return kernel.py_func.__module__.startswith("shogi_engine.") and records <= set(_layouts())


def _run(kernel: Kernel, *arguments: Any) -> Any:
    """Run a kernel without a version: in place of Kernel._first_run."""
    inside = getattr(_running, "kernel", False)
    if not inside and not _is_called_by_a_test():
        if not _is_of_the_package(kernel, arguments):
            pytest.skip("numba is not installed, and this game or kernel is a test's")
        return kernel.dispatcher(*arguments)  # which raises InputError
    _running.kernel = True
    try:
        return kernel.py_func(*arguments)
    finally:
        _running.kernel = inside


def install() -> None:
    """Let tests call any kernel."""
    Kernel._first_run = _run  # type: ignore[assignment,method-assign]
