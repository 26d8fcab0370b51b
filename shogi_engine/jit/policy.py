"""`njit` and the kernels it makes: what happens when Python calls one.

A kernel runs its version in the compiled module, `shogi_engine._kernels`: machine code of the kernels that Python
calls. tools/build_kernels.py makes it, and a wheel carries it. It belongs to the sources it was made of: if one of them
has changed, it is not used. Its constant MANIFEST, as JSON, says what it holds:

    files, digest   the sources, below the package's folder, and their SHA-256
    kernels         by "module:name", the compiled versions: the function's name in the module, and for each argument
                    "number", or "record" or "array" with a dtype's `layout_name`
"""

import functools
import hashlib
import importlib
import importlib.util
import itertools
import json
import os
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from shogi_engine.jit import intrinsics
from shogi_engine.jit.sources import HAS_WORKSHOP, JIT_DISABLED, PACKAGE, kernel_modules
from shogi_engine.language import InputError

# ---- the compiled module -----------------------------------------------------------------------------------------

NAME = "shogi_engine._kernels"
MODULE_VARIABLE = "SHOGI_ENGINE_KERNELS"  # another file to load; 0: none


def _layout(dtype: np.dtype) -> str:
    """Describe where everything lies in memory."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{shape}{_layout(base)}"
    if dtype.fields is None:
        return dtype.str
    fields = [f"{name}:{offset}:{_layout(kind)}" for name, (kind, offset, *_) in dtype.fields.items()]
    return f"{{{','.join(fields)};{dtype.itemsize}}}"


@functools.lru_cache(maxsize=256)
def layout_name(dtype: np.dtype) -> str:
    """Return a short name of a dtype's layout: equal dtypes have equal names, in every process and on every system."""
    return hashlib.sha256(_layout(dtype).encode()).hexdigest()[:16]


def digest_of(files: list[str]) -> str:
    """Return the SHA-256 of source files below the package's folder; '' if one is missing."""
    digest = hashlib.sha256()
    for name in files:
        try:
            content = (PACKAGE / name).read_bytes()
        except OSError:
            return ""
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _find() -> ModuleType | None:
    """Import the module, if there is one that this Python and CPU can load."""
    file = os.environ.get(MODULE_VARIABLE)
    if file == "0":
        return None
    try:
        if not file:
            return importlib.import_module(NAME)
        spec: Any = importlib.util.spec_from_file_location(NAME, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    except ImportError:
        return None


class CompiledModule:
    """The compiled module that belongs to these sources, if there is one.

    Attributes:
        state: "" if it is used, "missing", or "changed": it was made of other sources
    """

    def __init__(self) -> None:
        self.module: Any = _find()
        self.kernels: dict[str, list[dict]] = {}
        self.state = "missing"
        if self.module is not None:
            manifest = json.loads(self.module.MANIFEST)
            self.state = "" if manifest["digest"] == digest_of(manifest["files"]) else "changed"
            if not self.state:
                self.kernels = manifest["kernels"]

    def versions(self, function: Any) -> "list[Version]":
        """Return the compiled versions of a kernel, given its Python function."""
        rows = self.kernels.get(f"{function.__module__}:{function.__qualname__}", ())
        return [Version(getattr(self.module, row["name"]), row["arguments"]) for row in rows]


@functools.cache
def compiled_module() -> CompiledModule:
    """Return the compiled module, looked for once."""
    return CompiledModule()


def _fits(argument: Any, kind: list) -> bool:
    """Tell whether a compiled version takes an argument: any number for a number, else one of the right dtype."""
    dtype = getattr(argument, "dtype", None)
    if kind[0] == "number":
        return dtype is None or dtype.fields is None and not isinstance(argument, np.ndarray)
    if dtype is None or isinstance(argument, np.ndarray) != (kind[0] == "array"):
        return False
    return layout_name(dtype) == kind[1] and (kind[0] == "record" or argument.ndim == kind[2])


class Version:
    """A compiled version of a kernel: `run` for arguments of the given kinds (see MANIFEST)."""

    def __init__(self, run: Callable[..., Any], kinds: list[list]) -> None:
        self.run = run
        self._kinds = kinds

    @property
    def takes_numbers(self) -> bool:
        """Whether all arguments are numbers."""
        return all(kind[0] == "number" for kind in self._kinds)

    def fits(self, arguments: tuple) -> bool:
        """Tell whether this version is for these arguments."""
        return len(arguments) == len(self._kinds) and all(map(_fits, arguments, self._kinds))


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
                if name.startswith(f"{PACKAGE.name}."):  # for arguments that the games of the package do not have
                    raise InputError("a game of your own has to be compiled, and numba is not installed: {0}", INSTALL)
                raise InputError("{0} has to be compiled for this: {1}", name, INSTALL)
            with _lock:
                self._dispatcher = self._dispatcher or intrinsics.workshop().dispatcher_of(self)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of the kernel, which numba asks for where a function names it."""
        return intrinsics.workshop().type_of(self)

    def for_integers(self) -> Callable[..., Any]:
        """Return what runs the kernel for int64 arguments alone, compiled or loaded now."""
        dispatcher = self.dispatcher
        return intrinsics.workshop().entry_for_integers(dispatcher)  # type: ignore[no-any-return]


class CompiledKernel(Kernel):
    """A kernel of the compiled module; the workshop makes only versions that it lacks.

    Args:
        versions: the module's versions
    """

    def __init__(self, function: Callable, versions: list[Version], **options: bool) -> None:
        super().__init__(function, **options)
        self._versions = versions
        self._known: dict[tuple, Callable[..., Any]] = {}  # by the arguments' dtypes

    def __call__(self, *arguments: Any) -> Any:
        """Run the version for these arguments."""
        entry = self._known.get(tuple([getattr(each, "dtype", None) for each in arguments]))
        if entry is None:
            return self._find(arguments)(*arguments)
        try:
            return entry(*arguments)
        except TypeError:  # before the kernel began: perhaps an array with other axes
            other = self._find(arguments)
            if other is entry:
                raise
            return other(*arguments)

    def _find(self, arguments: tuple) -> Callable[..., Any]:
        for version in self._versions:
            if version.fits(arguments):
                self._known[tuple([getattr(each, "dtype", None) for each in arguments])] = version.run
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
        intrinsics.tiny_kernels[function] = Kernel(function, forceinline=forceinline, brief=brief)
        return function
    versions = compiled_module().versions(function)
    if versions:
        return CompiledKernel(function, versions, forceinline=forceinline, brief=brief)
    return Kernel(function, forceinline=forceinline, brief=brief)


def prepare() -> None:
    """Import every library that the kernels need."""
    if HAS_WORKSHOP and not JIT_DISABLED and compiled_module().state:
        intrinsics.workshop()


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
