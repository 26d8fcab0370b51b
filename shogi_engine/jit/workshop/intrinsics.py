"""The instructions of the intrinsics (jit/intrinsics.py)."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import populate_array

from shogi_engine.jit.intrinsics import pointees
from shogi_engine.jit.workshop.dispatcher import dtype_of
from shogi_engine.jit.workshop.emitting import WASM, emits, target_has, typed

I16, I32, I64 = (ir.IntType(bits) for bits in (16, 32, 64))


@emits(types.int64(types.uint64))
def popcount(builder, x):
    return builder.ctpop(x)


@emits(types.int64(types.uint64))
def ctz(builder, x):
    return builder.cttz(x, ir.Constant(ir.IntType(1), 0))


@emits(types.int64(types.uint64))
def clz(builder, x):
    return builder.ctlz(x, ir.Constant(ir.IntType(1), 0))


@emits(types.uint64(types.uint64))
def bswap(builder, x):
    return builder.bswap(x)


@emits(types.uint64(types.uint64))
def load_u64(builder, address):
    return builder.load_atomic(builder.inttoptr(address, I64.as_pointer()), "monotonic", 8)


@emits(types.uint64(types.uint64))
def load_stop(builder, address):
    if not target_has(WASM):
        return builder.load_atomic(builder.inttoptr(address, I64.as_pointer()), "monotonic", 8)
    kind = ir.FunctionType(I64, [I64])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, "poll"), [address])


@emits(types.int64(types.uint64))
def load_i16(builder, address):
    return builder.sext(builder.load(builder.inttoptr(address, I16.as_pointer()), align=2), I64)


@emits(types.int64(types.uint64))
def load_i32(builder, address):
    return builder.sext(builder.load(builder.inttoptr(address, I32.as_pointer()), align=4), I64)


@emits(types.void(types.uint64, types.uint64))
def store_u64(builder, address, value):
    builder.store_atomic(value, builder.inttoptr(address, I64.as_pointer()), "monotonic", 8)


@emits(types.void(types.uint64))
def prefetch(builder, address):
    i8p = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [i8p, I32, I32, I32])
    function = builder.module.declare_intrinsic("llvm.prefetch", [i8p], kind)
    flags = [ir.Constant(I32, value) for value in (0, 3, 1)]  # read, keep close, data
    builder.call(function, [builder.inttoptr(address, i8p), *flags])


def address_of(function: Callable) -> Any:
    """Return the type of `address_of`, for arrays of any type."""

    def typing_function(typingctx, array):
        def codegen(context, builder, signature, args):
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            return builder.ptrtoint(data, I64)

        return types.uint64(array), codegen

    return typed(function, typing_function)


# ---- records at addresses ----------------------------------------------------------------------------------------


def record_at(function: Callable) -> Any:
    """Return the type of `record_at`, for records that point to others."""

    def typing_function(typingctx, owner, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[1], context.get_value_type(signature.return_type))

        return numba.from_dtype(pointees[dtype_of(owner)])(owner, types.uint64), codegen

    return typed(function, typing_function)


def record_reader(function: Callable, dtype: np.dtype) -> Any:
    """Return the type of a `record_reader` of `dtype`."""

    def typing_function(typingctx, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return numba.from_dtype(dtype)(types.int64), codegen

    return typed(function, typing_function)


def array_reader(function: Callable, dtype: np.dtype) -> Any:
    """Return the type of an `array_reader` of `dtype`."""
    array = types.Array(numba.from_dtype(dtype), 1, "C")

    def typing_function(typingctx, address, count):
        def codegen(context, builder, signature, args):
            view = context.make_array(signature.return_type)(context, builder)
            step = ir.Constant(I64, dtype.itemsize)
            data = builder.inttoptr(args[0], context.get_data_type(array.dtype).as_pointer())
            shape, strides = cgutils.pack_array(builder, [args[1]]), cgutils.pack_array(builder, [step])
            populate_array(view, data=data, shape=shape, strides=strides, itemsize=step, meminfo=None)
            return view._getvalue()

        return array(types.int64, types.int64), codegen

    return typed(function, typing_function)
