"""Plain functions that kernels may call: for Python they are what they are, for a kernel something else.

The workshop asks here what a call in a kernel means. Python calls all of them as they stand, with or without numba.
"""

import importlib
from collections.abc import Callable
from typing import Any

WORKSHOP = "shogi_engine.jit.workshop"  # imported by its name, when it is first needed

emitters: dict[Callable, tuple[str, tuple]] = {}  # function -> what emits its instructions, as "module:name", arguments
stubs: dict[Callable, Callable[[Any], Any]] = {}  # function -> what returns the kernel for the first argument's dtype
tiny_kernels: dict[Callable, Any] = {}  # function -> its Kernel


def emitted(function: Any, emitter: str = "", *arguments: Any) -> Any:
    """Let kernels contain instructions in place of calls of `function`, which computes the same; return the function.

    Args:
        emitter: what emits them, as "module:name" (see workshop/emitting.py), or a name in the workshop's module that
            is called as the function's module; '' if it is also called as the function
        arguments: passed to the emitter
    """
    if ":" not in emitter:
        emitter = f"{WORKSHOP}.{function.__module__.rpartition('.')[2]}:{emitter or function.__name__}"
    emitters[function] = emitter, arguments
    return function


def overload_stub(stub: Callable, rule_for: Callable[[Any], Any]) -> None:
    """Let kernels that call `stub` call the kernel that `rule_for` returns for the dtype of the first argument."""
    stubs[stub] = rule_for


def is_known(function: Callable) -> bool:
    """Tell whether kernels may call `function`."""
    return function in emitters or function in stubs or function in tiny_kernels


def workshop() -> Any:
    """Return the workshop's package, which imports numba."""
    return importlib.import_module(WORKSHOP)
