"""Vectors of uint64 in registers: plain functions, traced into portable LLVM code for the kernels that call them.

A function decorated with `traced` computes with Python's operators on numpy's numbers and arrays. While a kernel that
calls it is compiled, it is called once for each call in the kernel, with `Traced` operands instead of numbers
(workshop/lanes.py), and each operator emits an LLVM instruction for all lanes of its operands. So loops and conditions
run in Python while tracing. No type inference is needed, and LLVM uses what the CPU offers (SSE2, AVX2, AVX-512, NEON).

Operands are single uint64 numbers or vectors of them. They may be mixed: a number then applies to each lane. An int is
a number, a numpy array a vector. Shifts are logical, by less than 64.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from shogi_engine.jit.intrinsics import WORKSHOP, emitted
from shogi_engine.jit.vectors import array_at


class Traced:
    """A uint64 or a vector of them while a function is traced: it has a method for each function below."""

    __array_ufunc__ = None  # numpy leaves `array | traced` to this class
    row_of: Callable[..., Any]
    where: Callable[..., Any]
    popcounts: Callable[..., Any]
    leading_bits: Callable[..., Any]
    join: Callable[..., Any]
    bytes_of: Callable[..., Any]
    cpu_has: Callable[[str], bool]
    load: Callable[..., Any]
    load_i16: Callable[..., Any]
    store: Callable[..., None]
    store_i32: Callable[..., None]
    largest_i32: Callable[..., Any]


class Table:
    """Constant rows of uint64 for traced functions.

    Args:
        rows: uint64[n, lanes]
    """

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.uint64)

    def __getitem__(self, index: Any) -> Any:
        """Return row number `index` as a vector."""
        return index.row_of(self.rows) if isinstance(index, Traced) else self.rows[int(index)]


# ---- operations without an operator ---------------------------------------------------------------------------------


def where(condition: Any, value: Any) -> Any:
    """Return the lanes of `value` where `condition` is not 0, and 0 elsewhere."""
    if isinstance(condition, Traced):
        return condition.where(value)
    return np.where(condition != 0, value, np.uint64(0))[()]


def popcounts(value: Any) -> Any:
    """Return the number of set bits of each lane."""
    return value.popcounts() if isinstance(value, Traced) else np.bitwise_count(value).astype(np.uint64)


def leading_bits(value: Any) -> Any:
    """Return the highest set bit of each lane of a vector; no lane may be 0."""
    if isinstance(value, Traced):
        return value.leading_bits()
    return np.array([1 << int(lane).bit_length() - 1 for lane in value], dtype=np.uint64)


def join(value: Any) -> Any:
    """Return the union of all lanes as a number."""
    return value.join() if isinstance(value, Traced) else np.bitwise_or.reduce(value)


def bytes_of(value: Any, count: int = 8) -> Any:
    """Return a vector of the lowest `count` bytes of a number, the lowest first."""
    if isinstance(value, Traced):
        return value.bytes_of(count)
    return np.uint64(value) >> np.arange(0, 8 * count, 8, dtype=np.uint64) & np.uint64(255)


def cpu_has(operand: Any, feature: str) -> bool:
    """Tell whether the CPU for which a function is traced has `feature` (LLVM's name); False in Python."""
    return isinstance(operand, Traced) and operand.cpu_has(feature)


# ---- memory: addresses are numbers, and need no alignment beyond four bytes ------------------------------------------


def load(address: Any, count: int) -> Any:
    """Return `count` uint64 as a vector; if 0, one uint64 as a number."""
    if isinstance(address, Traced):
        return address.load(count)
    return array_at(address, count, np.uint64).copy() if count else array_at(address, 1, np.uint64)[0]


def load_i16(address: Any) -> Any:
    """Return the int16 at an address as a number, in two's complement."""
    return address.load_i16() if isinstance(address, Traced) else array_at(address, 1, np.int16)[0].astype(np.uint64)


def store(address: Any, value: Any) -> None:
    """Write a number or a vector."""
    if isinstance(value, Traced):
        value.store(address)
    else:
        array_at(address, np.size(value), np.uint64)[:] = value


def store_i32(address: Any, value: Any) -> None:
    """Write the lower halves of a vector's lanes as int32."""
    if isinstance(value, Traced):
        value.store_i32(address)
    else:
        array_at(address, len(value), np.uint32)[:] = value.astype(np.uint32)


def largest_i32(address: Any, count: int) -> Any:
    """Return the largest of `count` nonnegative int32 as a number."""
    if isinstance(address, Traced):
        return address.largest_i32(count)
    return np.uint64(array_at(address, count, np.uint32).max())


# ---- functions -----------------------------------------------------------------------------------------------------


def python_of(kernel: Any) -> Callable:
    """Return the Python function of a kernel that calls no other kernel, for use in a traced function."""
    return getattr(kernel, "py_func", kernel)  # type: ignore[no-any-return]


def traced(function: Callable) -> Any:
    """Let kernels contain the traced code of `function`; return it.

    Its arguments are numbers (uint64). It returns a number, or nothing if annotated with `-> None`.
    """
    return emitted(function, f"{WORKSHOP}.lanes:traced")
