"""The types of bitboards (jit/bitboards.py) and of their tables, and the instructions of all their operations.

A bitboard is a vector of two lanes, so that making and unmaking moves loads, combines and stores whole bitboards. Only
counting and finding squares use the lanes one by one.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import RefType, iternext_impl, lower_constant
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global
from numba.extending import (
    NativeValue,
    box,
    infer_getattr,
    lower_builtin,
    lower_getattr,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from shogi_engine.jit.bitboards import MASK64, Bitboard, Table, from_halves
from shogi_engine.jit.workshop import compiler, lowering
from shogi_engine.jit.workshop.emitting import emits

I1, I8, I32, I64, I128 = (ir.IntType(bits) for bits in (1, 8, 32, 64, 128))
VECTOR, STRUCT = ir.VectorType(I64, 2), ir.LiteralStructType([I64, I64])
ZERO, ONE = I64(0), I64(1)


class BitboardIterator(types.SimpleIteratorType):
    """The state of a loop over a bitboard: the address of the remaining squares."""


class BitboardType(types.IterableType):
    """The type of bitboards."""

    iterator_type = BitboardIterator("BitboardIterator", types.int64)


class TableType(types.Type):
    """The type of a Table with a certain shape."""

    def __init__(self, shape: tuple) -> None:
        self.shape = shape
        super().__init__(f"BitboardTable{shape}")


bitboard = BitboardType("Bitboard")
for _kind, _model in (BitboardType, VECTOR), (BitboardIterator, STRUCT.as_pointer()), (TableType, VECTOR.as_pointer()):
    register_model(_kind)(lambda manager, kind, model=_model: models.PrimitiveModel(manager, kind, model))
typeof_impl.register(Bitboard)(lambda value, c: bitboard)
typeof_impl.register(Table)(lambda value, c: TableType(value.shape))
lowering.add_uncounted(BitboardType, BitboardIterator, TableType)
compiler.plain_arguments.append(BitboardType)
compiler.plain_values.append(Table)


@lower_constant(BitboardType)
def _constant(context, builder, kind, value):
    return VECTOR([int(value.lo), int(value.hi)])


@lower_constant(TableType)
def _constant_table(context, builder, kind, value):
    data = cgutils.create_constant_array(I8, bytearray(value.halves.tobytes()))
    variable = cgutils.global_constant(builder, ".const.bitboards", data)
    variable.align = 16
    return builder.bitcast(variable, VECTOR.as_pointer())


# ---- operators -----------------------------------------------------------------------------------------------------


def _halves(builder: Any, bits: Any) -> tuple[Any, Any]:
    return builder.extract_element(bits, I32(0)), builder.extract_element(bits, I32(1))


def _join(builder: Any, lo: Any, hi: Any) -> Any:
    return builder.insert_element(builder.insert_element(VECTOR(ir.Undefined), lo, I32(0)), hi, I32(1))


joined = emits(bitboard(types.uint64, types.uint64))(_join)


def _invert(builder, bits):
    return builder.xor(bits, VECTOR([MASK64, MASK64]))


def _shift(instruction: str) -> Callable:
    """Return the lowering of a shift across the halves."""

    def lower(builder, bits, count):
        lo, hi = (builder.zext(half, I128) for half in _halves(builder, bits))
        whole = builder.or_(lo, builder.shl(hi, I128(64)))
        whole = getattr(builder, instruction)(whole, builder.zext(count, I128))
        return _join(builder, builder.trunc(whole, I64), builder.trunc(builder.lshr(whole, I128(64)), I64))

    return lower


def _compare(sign: str) -> Callable:
    """Return the lowering that compares with another bitboard or with an empty one."""

    def lower(builder, bits, *other):
        number = builder.bitcast(builder.xor(bits, *other) if other else bits, I128)
        return builder.icmp_unsigned(sign, number, I128(0))

    return lower


def _len(builder, bits):
    lo, hi = _halves(builder, bits)
    return builder.add(builder.ctpop(lo), builder.ctpop(hi))


def _contains(builder, bits, square):
    half = builder.select(builder.icmp_signed("<", square, I64(64)), *_halves(builder, bits))
    return builder.trunc(builder.lshr(half, builder.and_(square, I64(63))), I1)


@emits(types.int64(bitboard))
def lowest(builder, bits):
    lo, hi = _halves(builder, bits)
    in_hi = builder.add(builder.cttz(hi, I1(1)), I64(64))
    return builder.select(builder.icmp_unsigned("!=", lo, ZERO), builder.cttz(lo, I1(1)), in_hi)


@emits(bitboard(bitboard))
def through_lowest(builder, bits):
    lo, hi = _halves(builder, bits)
    in_hi = builder.xor(hi, builder.sub(hi, ONE))
    in_hi = builder.select(builder.icmp_unsigned("==", lo, ZERO), in_hi, ZERO)
    return _join(builder, builder.xor(lo, builder.sub(lo, ONE)), in_hi)


@emits(bitboard(bitboard))
def from_highest(builder, bits):
    def up(half):
        return builder.shl(I64(MASK64), builder.sub(I64(63), builder.ctlz(half, I1(1))))

    lo, hi = _halves(builder, bits)
    found = cgutils.alloca_once(builder, VECTOR)
    with builder.if_else(builder.icmp_unsigned("!=", hi, ZERO)) as (high, low):
        with high:
            builder.store(_join(builder, ZERO, up(hi)), found)
        with low:
            builder.store(_join(builder, up(builder.or_(lo, ONE)), I64(MASK64)), found)
    return builder.load(found)


def _define(function: Any, lower: Callable, result: Any, *rest: Any) -> None:
    """Lower calls of `function` with a bitboard and arguments of types `rest` in place."""

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            fits = args[0] is bitboard and len(args) == 1 + len(rest)
            for have, want in zip(args[1:], rest, strict=False):
                fits = fits and (have is want or want is types.int64 and isinstance(have, types.Integer))
            return signature(result, bitboard, *rest) if fits else None

    lower_builtin(function, bitboard, types.VarArg(types.Any))(lambda c, builder, sig, args: lower(builder, *args))


for _name, _inplace in ("and_", "iand"), ("or_", "ior"), ("xor", "ixor"):
    _define(getattr(operator, _name), getattr(ir.IRBuilder, _name), bitboard, bitboard)
    _define(getattr(operator, _inplace), getattr(ir.IRBuilder, _name), bitboard, bitboard)
_define(operator.invert, _invert, bitboard)
_define(operator.lshift, _shift("shl"), bitboard, types.int64)
_define(operator.rshift, _shift("lshr"), bitboard, types.int64)
_define(operator.eq, _compare("=="), types.boolean, bitboard)
_define(operator.ne, _compare("!="), types.boolean, bitboard)
_define(bool, _compare("!="), types.boolean)
_define(operator.truth, _compare("!="), types.boolean)
_define(operator.not_, _compare("=="), types.boolean)
_define(operator.contains, _contains, types.boolean, types.int64)
_define(len, _len, types.int64)


@lower_builtin("getiter", bitboard)
def _getiter(context, builder, sig, args):
    place = cgutils.alloca_once(builder, STRUCT)
    for half, bits in enumerate(_halves(builder, args[0])):
        builder.store(bits, builder.gep(place, [I32(0), I32(half)]))
    return place


@lower_builtin("iternext", BitboardIterator)
@iternext_impl(RefType.UNTRACKED)
def _iternext(context, builder, sig, args, result):
    left = builder.load(args[0])
    lo, hi = builder.extract_value(left, 0), builder.extract_value(left, 1)
    some = builder.icmp_unsigned("!=", builder.or_(lo, hi), ZERO)
    result.set_valid(some)
    with builder.if_then(some), builder.if_else(builder.icmp_unsigned("!=", lo, ZERO)) as branches:
        for half, (bits, branch) in enumerate(zip((lo, hi), branches, strict=True)):
            with branch:
                result.yield_(builder.add(builder.cttz(bits, I1(1)), I64(64 * half)))
                rest = builder.and_(bits, builder.sub(bits, ONE))
                builder.store(rest, builder.gep(args[0], [I32(0), I32(half)]))


@infer_getattr
class _Halves(AttributeTemplate):
    key = BitboardType

    def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]
        return types.uint64 if name in ("lo", "hi") else None


lower_getattr(BitboardType, "lo")(lambda context, builder, kind, bits: _halves(builder, bits)[0])
lower_getattr(BitboardType, "hi")(lambda context, builder, kind, bits: _halves(builder, bits)[1])


# ---- memory --------------------------------------------------------------------------------------------------------


def _element(context: Any, builder: Any, base: Any, shape: tuple, values: list, kinds: tuple) -> Any:
    """Return the address of one of the bitboards at `base`; missing indices count as 0, none may be negative."""
    place: Any = ZERO
    for axis, size in enumerate(shape):
        place = builder.mul(place, I64(size))
        if axis < len(values):
            place = builder.add(place, context.cast(builder, values[axis], kinds[axis], types.int64))
    return builder.gep(base, [place])


def _index_types(index: Any) -> tuple[Any, ...]:
    """Return the types of an index, which is a number or a tuple of numbers."""
    return tuple(index) if isinstance(index, types.BaseTuple) else (index,)  # type: ignore[arg-type]


@infer_global(operator.getitem)
class _TableItem(AbstractTemplate):
    def generic(self, args, kws):
        table, index = args
        fits = isinstance(table, TableType) and len(_index_types(index)) == len(table.shape)
        return signature(bitboard, table, index) if fits else None


@lower_builtin(operator.getitem, TableType, types.Any)
def _getitem(context, builder, sig, args):
    table, index = sig.args
    values = cgutils.unpack_tuple(builder, args[1]) if isinstance(index, types.BaseTuple) else [args[1]]
    return builder.load(_element(context, builder, args[0], table.shape, values, _index_types(index)), align=16)


def _field_element(context: Any, builder: Any, name: str, kinds: Any, values: Any) -> Any:
    """Return the address of the bitboard at an index, the rest of `values`, in the field `name` of a record."""
    record, *kinds = kinds
    start = builder.gep(builder.bitcast(values[0], I8.as_pointer()), [I64(record.offset(name))])
    base, shape = builder.bitcast(start, VECTOR.as_pointer()), record.typeof(name).shape[:-1]
    return _element(context, builder, base, shape, values[1:], kinds)


def read_field(function: Callable, name: str) -> Any:
    """Return the type of the reader of the field `name`."""

    class Read(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            return signature(bitboard, *args)

    @lower_builtin(function, types.Record, types.VarArg(types.Any))
    def lower_read(context, builder, sig, args):
        return builder.load(_field_element(context, builder, name, sig.args, args), align=8)

    return types.Function(Read)


def write_field(function: Callable, name: str) -> Any:
    """Return the type of the writer of the field `name`."""

    class Write(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            return signature(types.none, *args) if args[-1] is bitboard else None

    @lower_builtin(function, types.Record, types.VarArg(types.Any))
    def lower_write(context, builder, sig, args):
        builder.store(args[-1], _field_element(context, builder, name, sig.args[:-1], args[:-1]), align=8)
        return context.get_dummy_value()

    return types.Function(Write)


# ---- from and to Python --------------------------------------------------------------------------------------------


@unbox(BitboardType)
def _unbox(kind, value, c):
    halves = []
    for name in ("lo", "hi"):
        half = c.pyapi.object_getattr_string(value, name)
        number = c.pyapi.number_long(half)
        halves.append(c.pyapi.long_as_ulonglong(number))
        for each in (half, number):
            c.pyapi.decref(each)
    return NativeValue(_join(c.builder, *halves))


@box(BitboardType)
def _box(kind, value, c):
    make = c.pyapi.unserialize(c.pyapi.serialize_object(from_halves))
    halves = [c.pyapi.long_from_ulonglong(half) for half in _halves(c.builder, value)]
    result = c.pyapi.call_function_objargs(make, halves)
    for each in (make, *halves):
        c.pyapi.decref(each)
    return result
