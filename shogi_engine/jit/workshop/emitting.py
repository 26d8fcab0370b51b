"""Emitters: what makes the LLVM instructions that stand in a kernel for the call of a function (jit/intrinsics.py).

An emitter is called with the function, and with the arguments given to `emitted`; it returns numba's type of the
function. Most are made by `emits`, from a signature and a function of an IRBuilder and LLVM values. `target_has` says
for which CPU.
"""

import functools
import importlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from llvmlite import binding as llvm
from numba import types
from numba.core import config
from numba.core.typing.templates import make_intrinsic_template
from numba.extending import typeof_impl

from shogi_engine.jit import intrinsics
from shogi_engine.jit.workshop import dispatcher


def typed(function: Callable, typing_function: Callable) -> Any:
    """Return the type of `function` from its typing function, as `numba.extending.intrinsic` takes it."""
    template: Any = make_intrinsic_template(function, typing_function, function.__name__)
    return types.Function(template)


def emits(signature: Any) -> Callable[[Callable], Callable]:
    """Turn `emit(builder, *values)`, which emits the code and returns the result, into an emitter for one signature."""

    def wrap(emit: Callable) -> Callable:
        def typing_function(typingctx: Any, *arguments: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                result = emit(builder, *args)
                return context.get_dummy_value() if result is None else result

            return signature, codegen

        names = ("typingctx", *(f"value{number}" for number in range(len(signature.args))))
        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        typing_function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return lambda function: typed(function, typing_function)

    return wrap


@functools.cache
def _type_of(function: Callable) -> Any:
    if function in intrinsics.stubs:
        return dispatcher.StubType(function, intrinsics.stubs[function])
    place, arguments = intrinsics.emitters[function]
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)(function, *arguments)


@typeof_impl.register(FunctionType)
def _type_of_function(function: Any, c: Any) -> Any:
    """Return the type of a function that kernels may call; None leaves it to numba."""
    if function in intrinsics.tiny_kernels:
        return types.Dispatcher(intrinsics.tiny_kernels[function].dispatcher)
    return _type_of(function) if intrinsics.is_known(function) else None


# ---- the CPU that kernels are compiled for -----------------------------------------------------------------------

WASM = "wasm"  # no feature of LLVM's: kernels run in WebAssembly

_named: frozenset[str] | None = None  # features of a CPU other than numba's


def set_features(features: frozenset[str]) -> None:
    """Let `target_has` answer for a CPU with only these features, of any architecture. Nothing may be compiled yet."""
    global _named
    _named = features


@functools.cache
def host_features() -> frozenset[str]:
    """Return the features of this machine's CPU, in LLVM's names."""
    try:
        return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)
    except RuntimeError:  # LLVM does not know this CPU
        return frozenset()


def target_has(feature: str) -> bool:
    """Tell whether the CPU that numba compiles for, usually this machine's, has `feature` (LLVM's name)."""
    if _named is not None:
        return feature in _named
    if feature.startswith("avx") and not config.ENABLE_AVX:  # type: ignore[attr-defined]
        return False
    named = config.CPU_FEATURES  # type: ignore[attr-defined]
    return feature in host_features() if named is None else f"+{feature}" in named.split(",")
