"""Emitters: what makes the LLVM instructions that stand in a kernel for the call of a plain function (jit/plain.py).

An emitter is called with the function, and with the arguments given to `emitted`; it returns numba's type of the
function. Most are made by `emits`, from a signature and a function of an IRBuilder and LLVM values.
"""

import functools
import importlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba import types
from numba.core.typing.templates import make_intrinsic_template
from numba.extending import typeof_impl

from shogi_engine.jit import plain
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
    if function in plain.stubs:
        return dispatcher.StubType(function, plain.stubs[function])
    place, arguments = plain.emitters[function]
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)(function, *arguments)


@typeof_impl.register(FunctionType)
def _type_of_function(function: Any, c: Any) -> Any:
    """Return the type of a function that kernels may call; None leaves it to numba."""
    if function in plain.tiny_kernels:
        return types.Dispatcher(plain.tiny_kernels[function].dispatcher)
    return _type_of(function) if plain.is_known(function) else None
