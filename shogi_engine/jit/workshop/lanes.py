"""Tracing of functions on vectors (jit/lanes.py): operands whose operators and methods emit instructions."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from shogi_engine.jit.lanes import Traced
from shogi_engine.jit.vectors import ALIGNMENT
from shogi_engine.jit.workshop.emitting import emits, target_has

I32, I64 = ir.IntType(32), ir.IntType(64)


class Lanes(Traced):
    """A uint64 or a vector of them while a function is traced: operators emit instructions."""

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

    # ---- the functions of jit/lanes.py -----------------------------------------------------------------------------

    def row_of(self, rows: Any) -> "Lanes":
        """Return the row with this number of a constant table."""
        count, lanes = rows.shape
        builder, vector = self.builder, ir.VectorType(I64, lanes)
        kind = ir.ArrayType(vector, count)
        constant = ir.Constant(kind, [ir.Constant(vector, [int(each) for each in row]) for row in rows])
        memory = cgutils.global_constant(builder, "lanes", constant)
        memory.align, memory.unnamed_addr = ALIGNMENT, True
        return Lanes(builder, builder.load(builder.gep(memory, [I64(0), self.value], inbounds=True)))

    def where(self, value: Any) -> "Lanes":
        """Return the lanes of `value` where this is not 0."""
        builder, value = self.builder, self.like(value)
        zero = ir.Constant(value.value.type, None)
        chosen = builder.icmp_unsigned("!=", self.value, ir.Constant(self.value.type, None))
        return Lanes(builder, builder.select(chosen, value.value, zero))

    def popcounts(self) -> "Lanes":
        """Return the number of set bits of each lane."""
        return self.call("llvm.ctpop")

    def leading_bits(self) -> "Lanes":
        """Return the highest set bit of each lane."""
        none_is_zero = ir.Constant(ir.IntType(1), 1)
        zeros: Any = self.call("llvm.ctlz", none_is_zero)
        return (1 << 63) >> zeros  # type: ignore[no-any-return]

    def join(self) -> "Lanes":
        """Return the union of all lanes."""
        return self.call("llvm.vector.reduce.or", result=I64)

    def bytes_of(self, count: int) -> "Lanes":
        """Return the lowest bytes of a number."""
        part = self.builder.trunc(self.value, ir.IntType(8 * count)) if count < 8 else self.value
        vector = self.builder.bitcast(part, ir.VectorType(ir.IntType(8), count))
        return Lanes(self.builder, self.builder.zext(vector, ir.VectorType(I64, count)))

    def cpu_has(self, feature: str) -> bool:
        """Tell whether the target CPU has `feature`."""
        return target_has(feature)

    def _pointer(self, kind: Any) -> Any:
        return self.builder.inttoptr(self.value, kind.as_pointer())

    def load(self, count: int) -> "Lanes":
        """Return what lies at this address."""
        kind = ir.VectorType(I64, count) if count else I64
        return Lanes(self.builder, self.builder.load(self._pointer(kind), align=4))

    def load_i16(self) -> "Lanes":
        """Return the int16 at this address."""
        number = self.builder.load(self._pointer(ir.IntType(16)), align=2)
        return Lanes(self.builder, self.builder.sext(number, I64))

    def store(self, address: "Lanes") -> None:
        """Write all lanes to an address."""
        self.builder.store(self.value, address._pointer(self.value.type), align=4)

    def store_i32(self, address: "Lanes") -> None:
        """Write the lower halves of all lanes to an address."""
        halves = ir.VectorType(I32, self.count)
        self.builder.store(self.builder.trunc(self.value, halves), address._pointer(halves), align=4)

    def largest_i32(self, count: int) -> "Lanes":
        """Return the largest of the int32 at this address."""
        builder, vector = self.builder, ir.VectorType(I32, count)
        kind = ir.FunctionType(I32, [vector])
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.umax.v{count}i32")
        largest = builder.call(function, [builder.load(self._pointer(vector), align=4)])
        return Lanes(builder, builder.zext(largest, I64))


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


def traced(function: Callable) -> Any:
    """Return the type of a traced function."""
    own = inspect.signature(function)
    returns = own.return_annotation is not None
    result = types.uint64 if returns else types.void

    @emits(result(*[types.uint64] * len(own.parameters)))
    def emit(builder: Any, *arguments: Any) -> Any:
        result = function(*(Lanes(builder, each) for each in arguments))
        return result.value if returns else None

    return emit(function)
