"""Vectors of uint64 in registers: plain functions, traced into portable LLVM code for the kernels that call them.

A function decorated with `traced` computes with Python's operators. While a kernel is compiled, the function is called
once for each call in the kernel, with `Lanes` instead of numbers, and each operator emits an LLVM instruction for all
lanes of its operands. So loops and conditions run in Python while tracing. No type inference is needed, and LLVM uses
what the CPU offers (SSE2, AVX2, AVX-512, NEON). With JIT off, the same function computes with numpy's numbers and
arrays.

Operands are single uint64 numbers or vectors of them. They may be mixed: a number then applies to each lane. An int is
a number, a numpy array a vector. Shifts are logical, by less than 64.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from shogi_engine.jit.intrinsics import kernel_intrinsic
from shogi_engine.jit.vectors import ALIGNMENT, array_at

I32, I64 = ir.IntType(32), ir.IntType(64)


class Lanes:
    """A uint64 or a vector of them while a function is traced: operators emit instructions."""

    __array_ufunc__ = None  # numpy leaves `array | lanes` to this class

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    @property
    def count(self) -> int:
        """The number of lanes, 0 for a single uint64."""
        return getattr(self.value.type, "count", 0)

    def like(self, other: Any) -> "Lanes":
        """Return `other`, a number or a vector, as Lanes; if this is a vector, a number becomes one too."""
        if not isinstance(other, Lanes):
            if isinstance(other, np.ndarray):
                constant = ir.Constant(ir.VectorType(I64, len(other)), [int(each) for each in other])
            else:
                constant = ir.Constant(I64, int(other))
            other = Lanes(self.builder, constant)
        if not self.count or other.count:
            return other
        undefined = ir.Constant(ir.VectorType(I64, self.count), ir.Undefined)
        first = self.builder.insert_element(undefined, other.value, I32(0))
        zeros = ir.Constant(ir.VectorType(I32, self.count), None)
        return Lanes(self.builder, self.builder.shuffle_vector(first, undefined, zeros))

    def call(self, name: str, *operands: Any, result: Any = None) -> "Lanes":
        """Return the result of an LLVM intrinsic that is overloaded by the type of this vector or number."""
        suffix = f"v{self.count}i64" if self.count else "i64"
        kind = ir.FunctionType(result or self.value.type, [self.value.type, *(each.type for each in operands)])
        function = cgutils.get_or_insert_function(self.builder.module, kind, f"{name}.{suffix}")
        return Lanes(self.builder, self.builder.call(function, [self.value, *operands]))

    def __invert__(self) -> "Lanes":
        return Lanes(self.builder, self.builder.not_(self.value))


def _operator(emit: str, swapped: bool) -> Callable[[Lanes, Any], Lanes]:
    def operate(self: Lanes, other: Any) -> Lanes:
        right = self.like(other)
        left = right.like(self)
        if swapped:
            left, right = right, left
        return Lanes(self.builder, getattr(self.builder, emit)(left.value, right.value))

    return operate


for _name, _emit in (("and", "and_"), ("or", "or_"), ("xor", "xor"), ("add", "add"), ("sub", "sub"), ("mul", "mul"),
                     ("lshift", "shl"), ("rshift", "lshr")):  # fmt: skip
    setattr(Lanes, f"__{_name}__", _operator(_emit, False))
    setattr(Lanes, f"__r{_name}__", _operator(_emit, True))


class Table:
    """Constant rows of uint64 for traced functions.

    Args:
        rows: uint64[n, lanes]
    """

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.uint64)

    def __getitem__(self, index: Any) -> Any:
        """Return row number `index` as a vector."""
        if not isinstance(index, Lanes):
            return self.rows[int(index)]
        count, lanes = self.rows.shape
        builder, vector = index.builder, ir.VectorType(I64, lanes)
        kind = ir.ArrayType(vector, count)
        constant = ir.Constant(kind, [ir.Constant(vector, [int(each) for each in row]) for row in self.rows])
        memory = cgutils.global_constant(builder, "lanes", constant)
        memory.align, memory.unnamed_addr = ALIGNMENT, True
        return Lanes(builder, builder.load(builder.gep(memory, [I64(0), index.value], inbounds=True)))


# ---- operations without an operator ---------------------------------------------------------------------------------


def where(condition: Any, value: Any) -> Any:
    """Return the lanes of `value` where `condition` is not 0, and 0 elsewhere."""
    if not isinstance(condition, Lanes):
        return np.where(condition != 0, value, np.uint64(0))[()]
    builder, value = condition.builder, condition.like(value)
    zero = ir.Constant(value.value.type, None)
    chosen = builder.icmp_unsigned("!=", condition.value, ir.Constant(condition.value.type, None))
    return Lanes(builder, builder.select(chosen, value.value, zero))


def popcounts(value: Any) -> Any:
    """Return the number of set bits of each lane."""
    if not isinstance(value, Lanes):
        return np.bitwise_count(value).astype(np.uint64)
    return value.call("llvm.ctpop")


def leading_bits(value: Any) -> Any:
    """Return the highest set bit of each lane of a vector; no lane may be 0."""
    if not isinstance(value, Lanes):
        return np.array([1 << int(lane).bit_length() - 1 for lane in value], dtype=np.uint64)
    none_is_zero = ir.Constant(ir.IntType(1), 1)
    zeros: Any = value.call("llvm.ctlz", none_is_zero)
    return (1 << 63) >> zeros


def join(value: Any) -> Any:
    """Return the union of all lanes as a number."""
    if not isinstance(value, Lanes):
        return np.bitwise_or.reduce(value)
    return value.call("llvm.vector.reduce.or", result=I64)


def bytes_of(value: Any, count: int = 8) -> Any:
    """Return a vector of the lowest `count` bytes of a number, the lowest first."""
    if not isinstance(value, Lanes):
        return np.uint64(value) >> np.arange(0, 8 * count, 8, dtype=np.uint64) & np.uint64(255)
    part = value.builder.trunc(value.value, ir.IntType(8 * count)) if count < 8 else value.value
    vector = value.builder.bitcast(part, ir.VectorType(ir.IntType(8), count))
    return Lanes(value.builder, value.builder.zext(vector, ir.VectorType(I64, count)))


# ---- memory: addresses are numbers, and need no alignment beyond four bytes ------------------------------------------


def _pointer(address: Lanes, kind: Any) -> Any:
    return address.builder.inttoptr(address.value, kind.as_pointer())


def load(address: Any, count: int) -> Any:
    """Return `count` uint64 as a vector; if 0, one uint64 as a number."""
    if not isinstance(address, Lanes):
        return array_at(address, count, np.uint64).copy() if count else array_at(address, 1, np.uint64)[0]
    kind = ir.VectorType(I64, count) if count else I64
    return Lanes(address.builder, address.builder.load(_pointer(address, kind), align=4))


def load_i16(address: Any) -> Any:
    """Return the int16 at an address as a number, in two's complement."""
    if not isinstance(address, Lanes):
        return array_at(address, 1, np.int16)[0].astype(np.uint64)
    number = address.builder.load(_pointer(address, ir.IntType(16)), align=2)
    return Lanes(address.builder, address.builder.sext(number, I64))


def store(address: Any, value: Any) -> None:
    """Write a number or a vector."""
    if not isinstance(value, Lanes):
        array_at(address, np.size(value), np.uint64)[:] = value
        return
    value.builder.store(value.value, _pointer(address, value.value.type), align=4)


def store_i32(address: Any, value: Any) -> None:
    """Write the lower halves of a vector's lanes as int32."""
    if not isinstance(value, Lanes):
        array_at(address, len(value), np.uint32)[:] = value.astype(np.uint32)
        return
    halves = ir.VectorType(I32, value.count)
    value.builder.store(value.builder.trunc(value.value, halves), _pointer(address, halves), align=4)


def largest_i32(address: Any, count: int) -> Any:
    """Return the largest of `count` nonnegative int32 as a number."""
    if not isinstance(address, Lanes):
        return np.uint64(array_at(address, count, np.uint32).max())
    builder, vector = address.builder, ir.VectorType(I32, count)
    kind = ir.FunctionType(I32, [vector])
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.umax.v{count}i32")
    largest = builder.call(function, [builder.load(_pointer(address, vector), align=4)])
    return Lanes(builder, builder.zext(largest, I64))


# ---- functions -----------------------------------------------------------------------------------------------------


def python_of(kernel: Any) -> Callable:
    """Return the Python function of a kernel that calls no other kernel, for use in a traced function."""
    return getattr(kernel, "py_func", kernel)


def traced(function: Callable) -> Any:
    """Turn `function` into an intrinsic for kernels by tracing it.

    Its arguments are numbers (uint64). It returns a number, or nothing if annotated with `-> None`.
    """
    own = inspect.signature(function)
    returns = own.return_annotation is not None

    @functools.wraps(function)
    def emit(builder: Any, *arguments: Any) -> Any:
        result = function(*(Lanes(builder, each) for each in arguments))
        return result.value if returns else None

    result = types.uint64 if returns else types.void
    return kernel_intrinsic(result(*[types.uint64] * len(own.parameters)), function)(emit)
