"""For tests without numba: kernels that only a test calls, such as a part of the search, run as plain Python.

The compiled module holds what the package calls. If the package calls a kernel of which the module has no version, that
is refused here too, as it is for users.
"""

import sys
import threading
from pathlib import Path
from typing import Any

from shogi_engine.jit import Kernel, policy

TESTS = str(Path(__file__).resolve().parents[1])
_running = threading.local()  # .kernel: whether a kernel runs as Python in this thread


def _is_called_by_a_test() -> bool:
    """Tell whether the nearest function outside of shogi_engine.jit and the stubs is a test's."""
    frame: Any = sys._getframe(1)
    passed = (policy.__file__, __file__)
    while frame.f_code.co_filename in passed or frame.f_code.co_name == "call":  # a stub
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(TESTS)


def _run(kernel: Kernel, *arguments: Any) -> Any:
    """Run a kernel without a version: in place of Kernel._first_run."""
    inside = getattr(_running, "kernel", False)
    if not inside and not _is_called_by_a_test():
        return kernel.dispatcher(*arguments)  # which raises InputError
    _running.kernel = True
    try:
        return kernel.py_func(*arguments)
    finally:
        _running.kernel = inside


def install() -> None:
    """Let tests call any kernel."""
    Kernel._first_run = _run  # type: ignore[assignment,method-assign]
