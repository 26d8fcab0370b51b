"""`njit`, the only way to numba's compiler: how every kernel of this package is compiled and cached."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from numba.extending import overload

from shogi_engine.jit import dispatcher as lean
from shogi_engine.jit.cache import KernelCache
from shogi_engine.jit.folders import cache_folder
from shogi_engine.jit.progress import note_load, note_step
from shogi_engine.jit.settings import JIT_DISABLED, LEAN
from shogi_engine.jit.sources import kernel_modules
from shogi_engine.jit.targets import prebuilt_folders

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # the wrapper for C takes time to compile
}


def njit(function: Any = None, *, forceinline: bool = False, tiny: bool = False, brief: bool = False) -> Any:
    """Compile `function` as a kernel: without the GIL, with C's arithmetic errors, cached under the source stamp.

    A function that is not in a file, for example one typed at a prompt, is not cached.

    Args:
        forceinline: inline the kernel into every caller, for loops that must be vectorised; otherwise LLVM decides,
            usually well
        tiny: Python calls the plain function, because it does too little to be worth a file of machine code that is
            loaded at each start. With Python's arguments it must do the same without numba.
        brief: Python calls the kernel with the GIL held, because releasing and reacquiring the GIL would take longer
            than the call

    Raises:
        TypeError: `function` is a closure, whose variables are not part of the cache's key
    """
    if function is None:
        return functools.partial(njit, forceinline=forceinline, tiny=tiny, brief=brief)
    if JIT_DISABLED:
        return function
    if function.__closure__:
        names = ", ".join(function.__code__.co_freevars)
        raise TypeError(f"kernel {function.__qualname__} closes over {names}; pass them as arguments")
    kernel_modules.add(function.__module__)
    options = OPTIONS | {"forceinline": forceinline, "nogil": not brief}
    dispatcher: Any
    if LEAN:
        kind = lean.TinyDispatcher if tiny else lean.KernelDispatcher
        dispatcher = kind(function, {}, options | {"boundscheck": None})
    else:
        dispatcher = numba.jit(**options)(function)
        dispatcher.get_call_template = functools.partial(_call_template, dispatcher)
        dispatcher.compile = functools.partial(_compile, dispatcher)
    has_file = Path(function.__code__.co_filename).is_file()
    dispatcher._cache = KernelCache(function, cache_folder()) if has_file and _may_load() else NullCache()
    return dispatcher


def _may_load() -> bool:
    """Tell whether compiled kernels may be saved or prebuilt anywhere."""
    return cache_folder() is not None or bool(prebuilt_folders())


def _compile(dispatcher: Any, sig: Any) -> Any:
    """Compile as numba does, and report the step."""
    misses, hits = sum(dispatcher._cache_misses.values()), sum(dispatcher._cache_hits.values())
    entry = Dispatcher.compile(dispatcher, sig)
    if sum(dispatcher._cache_misses.values()) > misses:
        note_step(dispatcher.py_func.__qualname__)
    elif sum(dispatcher._cache_hits.values()) > hits:
        note_load()
    return entry


def _call_template(dispatcher: Any, args: tuple, kws: dict) -> Any:
    """Resolve a kernel's call of another kernel as numba does, but with plain types."""
    return Dispatcher.get_call_template(dispatcher, *lean.plain_types(args, kws))


def overload_stub(stub: Callable, rule_for: Callable[[Any], Any]) -> None:
    """Make compiled calls of `stub` call the kernel that `rule_for` returns for the type of the first argument."""
    if JIT_DISABLED:
        return
    if LEAN:
        lean.overload_directly(stub, rule_for)
        return

    @overload(stub, jit_options={"nogil": True}, strict=False)
    def choose(*arguments):
        rule = rule_for(arguments[0])

        def chosen(*arguments):
            return rule(*arguments)

        return chosen
