"""`njit` and the kernels it makes: what happens when Python calls one."""

import functools
import itertools
import threading
from collections.abc import Callable
from typing import Any

from shogi_engine.jit import plain
from shogi_engine.jit.module import Version, compiled_module
from shogi_engine.jit.settings import HAS_WORKSHOP, JIT_DISABLED
from shogi_engine.jit.sources import kernel_modules
from shogi_engine.language import InputError

INSTALL = "pip install 'shogi-engine[workshop]'"
_lock = threading.Lock()


class Kernel:
    """A function that runs as machine code, which the workshop makes when it is first needed.

    Attributes:
        py_func: the Python function
        options: `njit`'s
    """

    def __init__(self, function: Callable, **options: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.options = options
        self._dispatcher: Any = None
        self._run: Callable[..., Any] = self._first_run

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self._run(*arguments)

    def _first_run(self, *arguments: Any) -> Any:
        self._run = self.dispatcher
        return self._run(*arguments)

    @property
    def dispatcher(self) -> Any:
        """The kernel as the workshop compiles it: numba's dispatcher. Raises InputError if numba is not installed."""
        if self._dispatcher is None:
            if not HAS_WORKSHOP:
                name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
                if compiled_module().state == "changed":
                    raise InputError("the compiled kernels are not of these sources: {0}", INSTALL)
                raise InputError("{0} has to be compiled for this: {1}", name, INSTALL)
            with _lock:
                self._dispatcher = self._dispatcher or plain.workshop().dispatcher_of(self)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of the kernel, which numba asks for where a function names it."""
        return plain.workshop().type_of(self)

    def for_integers(self) -> Callable[..., Any]:
        """Return what runs the kernel for int64 arguments alone, compiled or loaded now."""
        dispatcher = self.dispatcher
        return plain.workshop().entry_for_integers(dispatcher)  # type: ignore[no-any-return]


def _kinds(arguments: tuple) -> tuple:
    """Return what a version is chosen by: each argument's dtype and number of dimensions, None and 0 if it has none."""
    return tuple([(getattr(each, "dtype", None), getattr(each, "ndim", 0)) for each in arguments])


class CompiledKernel(Kernel):
    """A kernel of the compiled module; the workshop makes only versions that it lacks.

    Args:
        versions: the module's versions
    """

    def __init__(self, function: Callable, versions: list[Version], **options: bool) -> None:
        super().__init__(function, **options)
        self._versions = versions
        self._known: dict[tuple, Callable[..., Any]] = {}  # by `_kinds`

    def __call__(self, *arguments: Any) -> Any:
        """Run the version for these arguments."""
        entry = self._known.get(_kinds(arguments))
        return entry(*arguments) if entry is not None else self._find(arguments)(*arguments)

    def _find(self, arguments: tuple) -> Callable[..., Any]:
        for version in self._versions:
            if version.fits(arguments):
                self._known[_kinds(arguments)] = version.run
                return version.run
        right = len(arguments) == self.py_func.__code__.co_argcount  # if not, the version says so
        return self._first_run if right else self._versions[0].run

    def for_integers(self) -> Callable[..., Any]:
        """Return what runs the kernel for int64 arguments alone."""
        return next((each.run for each in self._versions if each.takes_numbers), None) or super().for_integers()


def njit(function: Any = None, *, forceinline: bool = False, tiny: bool = False, brief: bool = False) -> Any:
    """Turn `function` into a kernel: without the GIL, with C's arithmetic errors, cached under the source stamp.

    A function that is not in a file, for example one typed at a prompt, is not cached.

    Args:
        forceinline: inline the kernel into every caller, for loops that must be vectorised; otherwise LLVM decides,
            usually well
        tiny: return the plain function, which Python calls because it does too little to be worth machine code. With
            Python's arguments it must do the same as with a kernel's.
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
    if tiny:
        plain.tiny_kernels[function] = Kernel(function, forceinline=forceinline, brief=brief)
        return function
    versions = compiled_module().versions(function)
    if versions:
        return CompiledKernel(function, versions, forceinline=forceinline, brief=brief)
    return Kernel(function, forceinline=forceinline, brief=brief)


def prepare() -> None:
    """Import every library that the kernels need."""
    if HAS_WORKSHOP and not JIT_DISABLED and compiled_module().state:
        plain.workshop()


# ---- Kernels for Python programs that call them a million times a second


class Entries:
    """Kernels by name, as attributes: a call runs their machine code directly, without numba's dispatcher.

    Such a call takes a third of the usual time, and avoids the 10 microseconds that numba needs for a subclass of int.
    All arguments are int64; only their number is checked. A kernel is compiled, or loaded, when it is first called.

    Args:
        kernels: kernels with only int64 arguments
    """

    def __init__(self, *kernels: Any) -> None:
        self._kernels = kernels
        for kernel in kernels:
            setattr(self, kernel.__name__, self._first_call(kernel))

    def _first_call(self, kernel: Any) -> Callable[..., int]:
        return lambda *arguments: self._ready(kernel)(*arguments)

    def _ready(self, kernel: Any) -> Callable[..., int]:
        """Compile or load `kernel`, put it in place and return it."""
        entry = kernel if JIT_DISABLED else kernel.for_integers()
        setattr(self, kernel.__name__, entry)
        return entry  # type: ignore[no-any-return]

    def warmup(self) -> None:
        """Compile or load all of them now."""
        for kernel in self._kernels:
            self._ready(kernel)


# ---- The number of kernels that the workshop has compiled, to be shown to a user who has to wait


watchers: list[Callable[[int], None]] = []  # called with it in the compiling thread, which holds numba's lock
_numbers = itertools.count(1)


def note_kernel() -> None:
    """Tell the watchers that one more kernel is compiled."""
    number = next(_numbers)
    for watcher in list(watchers):
        watcher(number)
