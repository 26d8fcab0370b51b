"""The lean dispatcher: how Python and other kernels call a kernel.

A kernel that Python calls is an entry: machine code with a wrapper, saved in the cache. A kernel that is called by a
kernel being compiled is lowered, once in a process, and becomes part of that kernel's entry. `LEAN` says whether the
lean compiler is used.
"""

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba import types
from numba.core import errors, sigutils
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.typing import make_concrete_template
from numba.core.typing.templates import AbstractTemplate
from numba.extending import models, register_model
from numba.np.numpy_support import as_dtype

from shogi_engine.jit.policy import note_kernel
from shogi_engine.jit.sources import PLAIN_COMPILE
from shogi_engine.jit.workshop.compiler import KernelCompiler, Lowered
from shogi_engine.jit.workshop.lowering import EntryLibrary

GC_THRESHOLDS = (200_000, 20, 100)  # a compile creates millions of lasting objects, so collecting them is useless
dtype_of = functools.cache(as_dtype)  # the dtype of a record type
_SHORT = {types.int8, types.uint8, types.int16, types.uint16, types.int32}

_depth = 0  # the depth of nested kernel compilations; changed under numba's lock


@contextlib.contextmanager
def _under_way() -> Iterator[None]:
    """Mark that a kernel is being compiled, with numba's lock held; postpone garbage collection meanwhile."""
    global _depth
    with global_compiler_lock:
        before = gc.get_threshold()
        if not _depth:
            gc.set_threshold(*GC_THRESHOLDS)
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if not _depth:
                gc.set_threshold(*before)


def plain_type(kind: Any) -> Any:
    """Return the type that a kernel takes for an argument of type `kind`: int64 for 0 and for all short integers."""
    kind = types.unliteral(kind)
    return types.int64 if kind in _SHORT else kind


def plain_types(args: Any, kws: dict) -> tuple[tuple, dict]:
    """Return the types that a kernel takes for a call by another kernel.

    numba compiles a version for each literal and each integer width. That multiplies compile time needlessly, because
    LLVM inlines and folds constants anyway. Also, versions of a recursive kernel that call each other crash when a
    second process loads them from the cache.
    """
    return tuple(plain_type(kind) for kind in args), {name: plain_type(kind) for name, kind in kws.items()}


class KernelDispatcher(CPUDispatcher):
    """A compiled function: its entries are in `overloads`, the code for its callers in `lowered`.

    An overload that only kernels have requested holds the lowered code; a call by Python replaces it by machine code.
    """

    overloads: Any
    _cache: Any
    _cache_hits: Any
    _cache_misses: Any
    _can_compile: bool
    _compiler: Any

    def __init__(
        self,
        py_func: Callable,
        locals: dict | None = None,
        targetoptions: dict | None = None,
        pipeline_class: Any = KernelCompiler,
    ) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class)
        self.lowered: dict[tuple, Any] = {}

    # ---- for kernels ------------------------------------------------------------------------------------------

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Resolve a call by a compiled function as numba does, but with plain types; a kernel's call needs no entry."""
        args, kws = plain_types(args, kws)
        if not _depth:
            return super().get_call_template(args, kws)
        pysig, args = self._compiler.fold_argument_types(args, kws)
        signature = self._lower(tuple(args)).signature
        name = self.py_func.__name__
        return make_concrete_template(f"CallTemplate({name})", key=name, signatures=[signature]), pysig, args, {}

    def get_overload(self, sig: Any) -> Any:
        """Return the key under which numba knows the code for `sig`."""
        args = tuple(sigutils.normalize_signature(sig)[0])
        if _depth and args in self.lowered:
            return self.lowered[args].entry_point
        return super().get_overload(sig)

    def _lower(self, args: tuple, return_type: Any = None) -> Any:
        """Return the LLVM code of the kernel for arguments of the types `args`, compiled when first requested."""
        with _under_way(), self._compiling_counter:
            if args not in self.lowered:
                try:
                    result = self._compiler.compile(args, return_type)
                except errors.ForceLiteralArg as fault:
                    raise fault.bind_fold_arguments(self._folded) from None
                result.library._ensure_finalized()
                self._check_globals(result)
                self.lowered[args] = result
                note_kernel()
                self.overloads.setdefault(args, result)
            return self.lowered[args]

    def _folded(self, args: Any, kws: dict) -> Any:
        return self._compiler.fold_argument_types(args, kws)[1]

    def _check_globals(self, result: Any) -> None:
        """Raise TypeError if code to be cached contains an address of this process."""
        if result.library.has_dynamic_globals and not isinstance(self._cache, NullCache):
            raise TypeError(f"{self.py_func.__qualname__} cannot be cached: it uses a global of 1 MB or more")

    # ---- for Python -------------------------------------------------------------------------------------------

    def compile(self, sig: Any) -> Any:
        """Return the machine code for `sig`, from the cache if possible."""
        with global_compiler_lock:
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            args, return_type = sigutils.normalize_signature(sig)
            existing = self.overloads.get(tuple(args))
            if existing is not None and not isinstance(existing.entry_point, Lowered):
                return existing.entry_point
            result = self._cache.load_overload(sig, self.targetctx)
            if result is not None:
                self._cache_hits[sig] += 1
                self._add_entry(result)
            else:
                self._cache_misses[sig] += 1
                with _under_way():
                    result = link_entry(self._lower(tuple(args), return_type), self.targetoptions["nogil"])
                self._add_entry(result)
                self._cache.save_overload(sig, result)
            return result.entry_point

    def _add_entry(self, result: Any) -> None:
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.add_overload(result)

    def _reset_overloads(self) -> None:
        super()._reset_overloads()  # type: ignore[misc]
        self.lowered.clear()


def link_entry(lowered: Any, release_gil: bool) -> Any:
    """Return the machine code of a lowered kernel, with a wrapper for Python, as a CompileResult."""
    fndesc, environment = lowered.fndesc, lowered.environment
    context = lowered.target_context.subtarget(environment=environment, fndesc=fndesc)
    library = EntryLibrary(context.codegen(), fndesc.qualname, fndesc.llvm_func_name)
    library.enable_object_caching()
    library.add_linking_library(lowered.library)
    with context.push_code_library(library):
        context.create_cpython_wrapper(library, fndesc, environment, lowered.call_helper, release_gil=release_gil)
    entry_point = context.get_executable(library, fndesc, environment)
    for variable in library._final_module.global_variables:  # callees need them to raise exceptions
        callee = lookup_environment(variable.name)
        if callee is not None:
            library.codegen.set_env(callee.env_name, callee)
    return lowered._replace(entry_point=entry_point, library=library, reload_init=list(library._reload_init))


# ---- stubs -------------------------------------------------------------------------------------------------------


class StubType(types.Function):
    """The type of a stub: a call of it calls the kernel that `rule_for` returns for the first argument's dtype.

    numba's own `overload` would compile a function for each stub that only calls that kernel.
    """

    def __init__(self, stub: Callable, rule_for: Callable[[Any], Any]) -> None:
        super().__init__(type(f"{stub.__name__}_template", (AbstractTemplate,), {"key": stub}))
        self._rule_for = rule_for

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call."""
        first = args[0] if args else next(iter(kws.values()))
        return self._kernel_type(first).get_call_type(context, args, kws)

    def get_impl_key(self, sig: Any) -> Any:
        """Return the key under which numba knows the kernel's code."""
        return self._kernel_type(sig.args[0]).get_overload(sig)

    def _kernel_type(self, first: Any) -> Any:
        """Return the type of the kernel for a first argument of this type."""
        return types.Dispatcher(self._rule_for(dtype_of(first)).dispatcher)


register_model(StubType)(models.OpaqueModel)


# ---- versions ----------------------------------------------------------------------------------------------------

# The lean compiler (compiler.py, lowering.py, dispatcher.py) relies on internals of numba. These are the first and last
# versions with which the tests passed; with any other version, numba's own compiler is used.
LEAN_FIRST, LEAN_LAST = (0, 68), (0, 68)


def is_verified(version: str) -> bool:
    """Tell whether the lean compiler is known to work with this `version` of numba."""
    parts = version.split(".")[:2]
    return all(part.isdigit() for part in parts) and LEAN_FIRST <= tuple(map(int, parts)) <= LEAN_LAST


LEAN = is_verified(numba.__version__) and not PLAIN_COMPILE
