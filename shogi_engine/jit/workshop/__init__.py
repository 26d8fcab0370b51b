"""The workshop: where kernels are compiled. Everything that imports numba and llvmlite is here.

It is imported when a kernel is needed that is not in the compiled module: an own game's or evaluation's, one of changed
sources, and in a checkout every kernel. Nothing else in the package names it, except jit/policy.py and tools.

    emitting   from plain functions to instructions, for a CPU; intrinsics, bitboards, vectors, lanes have those
    lowering, compiler, dispatcher    the lean compiler (docs/architecture.md says why it stays)    cache   the cache
"""

import functools
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from shogi_engine.jit.policy import Kernel, note_kernel
from shogi_engine.jit.sources import cache_folder
from shogi_engine.jit.workshop import bitboards, dispatcher as lean, emitting  # noqa: F401  (they register types)
from shogi_engine.jit.workshop.cache import KernelCache
from shogi_engine.jit.workshop.dispatcher import LEAN

__all__ = ["LEAN", "dispatcher_of", "entry_for_integers", "type_of"]

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # the wrapper for C takes time to compile
}


def dispatcher_of(kernel: Kernel) -> Any:
    """Return numba's dispatcher of a kernel, with nothing compiled yet."""
    function = kernel.py_func
    options = OPTIONS | {"forceinline": kernel.options["forceinline"], "nogil": not kernel.options["brief"]}
    dispatcher: Any
    if LEAN:
        dispatcher = lean.KernelDispatcher(function, {}, options | {"boundscheck": None})
    else:
        dispatcher = numba.jit(**options)(function)
        dispatcher.get_call_template = functools.partial(_call_template, dispatcher)
        dispatcher.compile = functools.partial(_compile, dispatcher)
    folder = cache_folder() if Path(function.__code__.co_filename).is_file() else None
    dispatcher._cache = KernelCache(function, folder) if folder else NullCache()
    return dispatcher


def type_of(kernel: Kernel) -> Any:
    """Return numba's type of a kernel."""
    return types.Dispatcher(kernel.dispatcher)


def entry_for_integers(dispatcher: Any) -> Any:
    """Return the machine code of a kernel for int64 arguments alone."""
    return dispatcher.compile((types.int64,) * dispatcher.py_func.__code__.co_argcount)


def _compile(dispatcher: Any, sig: Any) -> Any:
    """Compile as numba does, and count the kernel."""
    misses = sum(dispatcher._cache_misses.values())
    entry = Dispatcher.compile(dispatcher, sig)
    if sum(dispatcher._cache_misses.values()) > misses:
        note_kernel()
    return entry


def _call_template(dispatcher: Any, args: tuple, kws: dict) -> Any:
    """Resolve a kernel's call of another kernel as numba does, but with plain types."""
    return Dispatcher.get_call_template(dispatcher, *lean.plain_types(args, kws))
