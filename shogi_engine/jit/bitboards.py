"""Bitboards: sets of squares (0..127) as values with operators. Kernels hold one as two uint64, Python as an int.

    for square in STEP_ATTACKS[us, KING, king] & ~(pieces(pos, us) | attacked): ...

They support `& | ^ ~ << >> == !=`, truth, `len`, `square in`, iteration from the lowest square up, `lo` and `hi`.
`Table` holds constant bitboards; `field` accesses bitboards in records. Operations are lowered in place, without
calls, to vectors of two lanes, so that making and unmaking moves loads, combines and stores whole bitboards. Only
counting and finding squares use the lanes one by one.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
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

from shogi_engine.jit import compiler, lowering

MASK, MASK64 = (1 << 128) - 1, (1 << 64) - 1

# ---- Python --------------------------------------------------------------------------------------------------------


class Bitboard(int):
    """A set of squares; bit s of the number is square s."""

    __slots__ = ()
    lo = property(lambda self: np.uint64(int(self) & MASK64), doc="Squares 0 to 63.")
    hi = property(lambda self: np.uint64(int(self) >> 64), doc="Squares 64 to 127.")

    def __and__(self, other: int) -> "Bitboard":
        return Bitboard(int.__and__(self, other))

    def __or__(self, other: int) -> "Bitboard":
        return Bitboard(int.__or__(self, other))

    def __xor__(self, other: int) -> "Bitboard":
        return Bitboard(int.__xor__(self, other))

    def __lshift__(self, count: int) -> "Bitboard":
        return Bitboard(int.__lshift__(self, count) & MASK)

    def __rshift__(self, count: int) -> "Bitboard":
        return Bitboard(int.__rshift__(self, count))

    def __invert__(self) -> "Bitboard":
        return Bitboard(int.__xor__(self, MASK))

    def __len__(self) -> int:
        return self.bit_count()

    def __contains__(self, square: int) -> bool:
        return bool(int(self) >> int(square) & 1)

    def __iter__(self) -> Iterator[int]:
        left = int(self)
        while left:
            yield (left & -left).bit_length() - 1
            left &= left - 1


def from_halves(lo: Any, hi: Any) -> Bitboard:
    """Return the bitboard made of two uint64."""
    return Bitboard(int(lo) | int(hi) << 64)


class Table:
    """A constant table of bitboards, indexed as table[i, j].

    Attributes:
        values: the bitboards as ints, in nested lists or an array of objects
        numbers: the same as an array of objects
        halves: the same as uint64[..., 2], the form of the kernels
    """

    def __init__(self, values: Any) -> None:
        self.numbers = np.array(values, dtype=object)
        self.shape = self.numbers.shape
        self.halves = np.stack([self.numbers & MASK64, self.numbers >> 64], axis=-1).astype(np.uint64)

    def __getitem__(self, index: Any) -> Bitboard:
        return Bitboard(self.numbers[index])


def lowest(bits: Bitboard) -> int:
    """Return the lowest square of `bits`, which must not be empty."""
    return (bits & -bits).bit_length() - 1


def through_lowest(bits: Bitboard) -> Bitboard:
    """Return all squares up to and including the lowest one of `bits`; all squares if it is empty."""
    return Bitboard((int(bits) ^ int(bits) - 1) & MASK)


def from_highest(bits: Bitboard) -> Bitboard:
    """Return all squares from the highest one of `bits` upwards; all squares if it is empty."""
    return Bitboard(MASK << int(bits | 1).bit_length() - 1 & MASK)


# ---- types ---------------------------------------------------------------------------------------------------------

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
compiler.plain_functions.update((lowest, through_lowest, from_highest))


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


def _lowest(builder, bits):
    lo, hi = _halves(builder, bits)
    in_hi = builder.add(builder.cttz(hi, I1(1)), I64(64))
    return builder.select(builder.icmp_unsigned("!=", lo, ZERO), builder.cttz(lo, I1(1)), in_hi)


def _through_lowest(builder, bits):
    lo, hi = _halves(builder, bits)
    in_hi = builder.xor(hi, builder.sub(hi, ONE))
    in_hi = builder.select(builder.icmp_unsigned("==", lo, ZERO), in_hi, ZERO)
    return _join(builder, builder.xor(lo, builder.sub(lo, ONE)), in_hi)


def _from_highest(builder, bits):
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
_define(lowest, _lowest, types.int64)
_define(through_lowest, _through_lowest, bitboard)
_define(from_highest, _from_highest, bitboard)


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


def field(name: str) -> tuple[Callable, Callable]:
    """Return a reader and a writer of the bitboards in a record's field `name`, uint64[..., 2].

    They are read(record, *index) -> Bitboard and write(record, *index, bitboard); missing indices count as 0.
    """

    def read(record, *index):
        halves = record[name]
        return from_halves(*halves[index + (0,) * (halves.ndim - 1 - len(index))])

    def write(record, *values):
        *index, value = values
        halves = record[name]
        halves[(*index, *(0,) * (halves.ndim - 1 - len(index)))] = value.lo, value.hi

    def address(context, builder, kinds, values):
        record, *kinds = kinds
        start = builder.gep(builder.bitcast(values[0], I8.as_pointer()), [I64(record.offset(name))])
        base, shape = builder.bitcast(start, VECTOR.as_pointer()), record.typeof(name).shape[:-1]
        return _element(context, builder, base, shape, values[1:], kinds)

    class Read(AbstractTemplate):
        key = read

        def generic(self, args, kws):
            return signature(bitboard, *args)

    class Write(AbstractTemplate):
        key = write

        def generic(self, args, kws):
            return signature(types.none, *args) if args[-1] is bitboard else None

    @lower_builtin(read, types.Record, types.VarArg(types.Any))
    def lower_read(context, builder, sig, args):
        return builder.load(address(context, builder, sig.args, args), align=8)

    @lower_builtin(write, types.Record, types.VarArg(types.Any))
    def lower_write(context, builder, sig, args):
        builder.store(args[-1], address(context, builder, sig.args[:-1], args[:-1]), align=8)
        return context.get_dummy_value()

    infer_global(read, types.Function(Read))
    infer_global(write, types.Function(Write))
    compiler.plain_functions.update((read, write))
    return read, write


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
