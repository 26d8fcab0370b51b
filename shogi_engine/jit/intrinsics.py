"""Intrinsics: single machine instructions without a Python equivalent, each with a plain Python twin for JIT off."""

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from shogi_engine.jit.settings import JIT_DISABLED


def typed_intrinsic(python_twin: Callable) -> Callable[[Callable], Any]:
    """Turn a typing function into an intrinsic, or use its plain Python twin when JIT is off."""

    def wrap(typing_function: Callable) -> Any:
        if not JIT_DISABLED:
            return intrinsic(typing_function)
        python_twin.__doc__ = python_twin.__doc__ or typing_function.__doc__
        return python_twin

    return wrap


def kernel_intrinsic(signature: Any, python_twin: Callable) -> Callable[[Callable], Any]:
    """Turn `emit(builder, *values)`, which emits the code and returns the result, into an intrinsic with one signature.

    With JIT off its plain Python twin is used.
    """

    def wrap(emit: Callable) -> Any:
        @functools.wraps(emit)
        def typing_function(typingctx: Any, *arguments: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                result = emit(builder, *args)
                return context.get_dummy_value() if result is None else result

            return signature, codegen

        names = ("typingctx", *(f"value{number}" for number in range(len(signature.args))))
        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        typing_function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return typed_intrinsic(python_twin)(typing_function)

    return wrap


@kernel_intrinsic(types.int64(types.uint64), lambda x: int(x).bit_count())
def popcount(builder, x):
    """Return the number of set bits of the uint64 `x` as int64."""
    return builder.ctpop(x)


@kernel_intrinsic(types.int64(types.uint64), lambda x: (int(x) & -int(x)).bit_length() - 1 if x else 64)
def ctz(builder, x):
    """Return the index of the lowest set bit of the uint64 `x` as int64; 64 if it is 0."""
    return builder.cttz(x, ir.Constant(ir.IntType(1), 0))


@kernel_intrinsic(types.int64(types.uint64), lambda x: 64 - int(x).bit_length())
def clz(builder, x):
    """Return the number of zeros above the highest set bit of the uint64 `x` as int64; 64 if it is 0."""
    return builder.ctlz(x, ir.Constant(ir.IntType(1), 0))


@kernel_intrinsic(types.uint64(types.uint64), lambda x: np.uint64(int.from_bytes(int(x).to_bytes(8, "little"), "big")))
def bswap(builder, x):
    """Return the uint64 `x` with its bytes in reverse order (a board of eight rows upside down)."""
    return builder.bswap(x)


def _python_store(address: Any, value: Any) -> None:
    ctypes.c_uint64.from_address(int(address)).value = int(value)


@kernel_intrinsic(
    types.uint64(types.uint64), lambda address: np.uint64(ctypes.c_uint64.from_address(int(address)).value)
)
def load_u64(builder, address):
    """Return the uint64 at the raw `address` (uint64, 8-byte aligned), read atomically (monotonic).

    The load is atomic so that the compiler can neither hoist a stop flag out of a loop nor split a table entry's word.
    """
    pointer = builder.inttoptr(address, ir.IntType(64).as_pointer())
    return builder.load_atomic(pointer, "monotonic", 8)


@kernel_intrinsic(types.int64(types.uint64), lambda address: ctypes.c_int16.from_address(int(address)).value)
def load_i16(builder, address):
    """Return the int16 at the raw `address` (uint64, 2-byte aligned) as int64; a plain load of constant memory."""
    pointer = builder.inttoptr(address, ir.IntType(16).as_pointer())
    return builder.sext(builder.load(pointer, align=2), ir.IntType(64))


@kernel_intrinsic(types.int64(types.uint64), lambda address: ctypes.c_int32.from_address(int(address)).value)
def load_i32(builder, address):
    """Return the int32 at the raw `address` (uint64, 4-byte aligned) as int64; a plain load as `load_i16`."""
    pointer = builder.inttoptr(address, ir.IntType(32).as_pointer())
    return builder.sext(builder.load(pointer, align=4), ir.IntType(64))


@kernel_intrinsic(types.void(types.uint64, types.uint64), _python_store)
def store_u64(builder, address, value):
    """Write the uint64 `value` at the raw `address` (uint64, 8-byte aligned) atomically (monotonic)."""
    pointer = builder.inttoptr(address, ir.IntType(64).as_pointer())
    builder.store_atomic(value, pointer, "monotonic", 8)


@kernel_intrinsic(types.void(types.uint64), lambda address: None)
def prefetch(builder, address):
    """Ask the CPU to bring the cache line at the raw `address` (uint64) closer; no other effect."""
    i8p, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [i8p, i32, i32, i32])
    function = builder.module.declare_intrinsic("llvm.prefetch", [i8p], kind)
    flags = [ir.Constant(i32, value) for value in (0, 3, 1)]  # read, keep close, data
    builder.call(function, [builder.inttoptr(address, i8p), *flags])


@typed_intrinsic(lambda array: np.uint64(array.ctypes.data))
def address_of(typingctx, array):
    """Return the address (uint64) of the first element of `array`, which the caller keeps alive."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.uint64(array), codegen


_pointees: dict[Any, np.dtype] = {}  # numba's type of a record -> the dtype of the record it points to


def points_to(owner: np.dtype, target: np.dtype) -> None:
    """Let `record_at` find records of dtype `target` for records of dtype `owner`.

    Raises ValueError if `owner` already points to another dtype, whose records its kernels would misread.
    """
    if _pointees.setdefault(numba.from_dtype(owner), target) != target:
        raise ValueError("records of one dtype cannot point to records of two")


@functools.lru_cache(maxsize=256)
def _view_at(address: int, dtype: np.dtype) -> Any:
    memory: Any = (ctypes.c_char * dtype.itemsize).from_address(address)
    return np.frombuffer(memory, dtype=dtype, count=1).view(np.recarray)[0]


@functools.lru_cache(maxsize=64)
def _pointee_of(owner: np.dtype) -> np.dtype:
    return _pointees[numba.from_dtype(owner)]


def python_record_at(owner: Any, address: Any) -> Any:
    """The Python version of `record_at`: a view of memory that it does not own."""
    return _view_at(int(address), _pointee_of(owner.dtype))


@typed_intrinsic(python_record_at)
def record_at(typingctx, owner, address):
    """Return the record at the raw `address` (uint64), of the dtype set by `points_to` for the dtype of `owner`.

    The result is a view: tables too large for the record itself are read and written as if they were its fields.
    """
    target = numba.from_dtype(_pointees[owner])

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[1], context.get_value_type(signature.return_type))

    return target(owner, types.uint64), codegen


def record_reader(dtype: np.dtype) -> Any:
    """Return an intrinsic for kernels that get addresses from Python; it returns the record at a raw address.

    It takes the address (int64) and returns a view of memory that it does not own.
    """
    record = numba.from_dtype(dtype)

    def reader(typingctx, address):
        """Return the record at the raw `address` (int64)."""

        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return record(types.int64), codegen

    return typed_intrinsic(lambda address: _view_at(int(address), dtype))(reader)


def _array_at(address: int, count: int, dtype: np.dtype) -> Any:
    memory: Any = (ctypes.c_char * (dtype.itemsize * count)).from_address(address) if count else b""
    return np.frombuffer(memory, dtype=dtype, count=count).view(np.recarray)


def array_reader(dtype: np.dtype) -> Any:
    """Return an intrinsic for kernels that get addresses from Python; it returns an array of records at a raw address.

    It takes (address, count), both int64, and returns a view of memory that it does not own.
    """
    array = types.Array(numba.from_dtype(dtype), 1, "C")

    def reader(typingctx, address, count):
        """Return the array of `count` (int64) records at the raw `address` (int64)."""

        def codegen(context, builder, signature, args):
            view = context.make_array(signature.return_type)(context, builder)
            step = ir.Constant(ir.IntType(64), dtype.itemsize)
            data = builder.inttoptr(args[0], context.get_data_type(array.dtype).as_pointer())
            shape, strides = cgutils.pack_array(builder, [args[1]]), cgutils.pack_array(builder, [step])
            populate_array(view, data=data, shape=shape, strides=strides, itemsize=step, meminfo=None)
            return view._getvalue()

        return array(types.int64, types.int64), codegen

    return typed_intrinsic(lambda address, count: _array_at(int(address), int(count), dtype))(reader)
