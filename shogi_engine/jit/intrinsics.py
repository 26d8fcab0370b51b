"""What kernels and Python share: functions that both may call, machine instructions among them, and records.

Such a function is for Python what it is, for a kernel something else. The workshop asks here what a call in a kernel
means. Python calls all of them as they stand, with or without numba. A call of an intrinsic becomes a machine
instruction without a Python equivalent (workshop/intrinsics.py).
"""

import ctypes
import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

# ---- functions that kernels may call -----------------------------------------------------------------------------

WORKSHOP = "shogi_engine.jit.workshop"  # imported by its name, when it is first needed

emitters: dict[Callable, tuple[str, tuple]] = {}  # function -> what emits its instructions, as "module:name", arguments
stubs: dict[Callable, Callable[[Any], Any]] = {}  # function -> what returns the kernel for the first argument's dtype
tiny_kernels: dict[Callable, Any] = {}  # function -> its Kernel


def emitted(function: Any, emitter: str = "", *arguments: Any) -> Any:
    """Let kernels contain instructions in place of calls of `function`, which computes the same; return the function.

    Args:
        emitter: what emits them, as "module:name" (see workshop/emitting.py), or a name in the workshop's module that
            is called as the function's module; '' if it is also called as the function
        arguments: passed to the emitter
    """
    if ":" not in emitter:
        emitter = f"{WORKSHOP}.{function.__module__.rpartition('.')[2]}:{emitter or function.__name__}"
    emitters[function] = emitter, arguments
    return function


def overload_stub(stub: Callable, rule_for: Callable[[Any], Any]) -> None:
    """Let kernels that call `stub` call the kernel that `rule_for` returns for the dtype of the first argument."""
    stubs[stub] = rule_for


def is_known(function: Callable) -> bool:
    """Tell whether kernels may call `function`."""
    return function in emitters or function in stubs or function in tiny_kernels


def workshop() -> Any:
    """Return the workshop's package, which imports numba."""
    return importlib.import_module(WORKSHOP)


# ---- intrinsics --------------------------------------------------------------------------------------------------


@emitted
def popcount(x: Any) -> int:
    """Return the number of set bits of the uint64 `x` as int64."""
    return int(x).bit_count()


@emitted
def ctz(x: Any) -> int:
    """Return the index of the lowest set bit of the uint64 `x` as int64; 64 if it is 0."""
    return (int(x) & -int(x)).bit_length() - 1 if x else 64


@emitted
def clz(x: Any) -> int:
    """Return the number of zeros above the highest set bit of the uint64 `x` as int64; 64 if it is 0."""
    return 64 - int(x).bit_length()


@emitted
def bswap(x: Any) -> np.uint64:
    """Return the uint64 `x` with its bytes in reverse order (a board of eight rows upside down)."""
    return np.uint64(int.from_bytes(int(x).to_bytes(8, "little"), "big"))


@emitted
def load_u64(address: Any) -> np.uint64:
    """Return the uint64 at the raw `address` (uint64, 8-byte aligned), read atomically (monotonic).

    The load is atomic so that the compiler can neither hoist a stop flag out of a loop nor split a table entry's word.
    """
    return np.uint64(ctypes.c_uint64.from_address(int(address)).value)


@emitted
def load_stop(address: Any) -> np.uint64:
    """Return the uint64 at the raw `address` (uint64), which becomes nonzero to end a search.

    In WebAssembly the host is asked (its function `poll`): no message reaches a worker that searches.
    """
    return load_u64(address)


@emitted
def load_i16(address: Any) -> int:
    """Return the int16 at the raw `address` (uint64, 2-byte aligned) as int64; a plain load of constant memory."""
    return ctypes.c_int16.from_address(int(address)).value


@emitted
def load_i32(address: Any) -> int:
    """Return the int32 at the raw `address` (uint64, 4-byte aligned) as int64; a plain load as `load_i16`."""
    return ctypes.c_int32.from_address(int(address)).value


@emitted
def store_u64(address: Any, value: Any) -> None:
    """Write the uint64 `value` at the raw `address` (uint64, 8-byte aligned) atomically (monotonic)."""
    ctypes.c_uint64.from_address(int(address)).value = int(value)


@emitted
def prefetch(address: Any) -> None:
    """Ask the CPU to bring the cache line at the raw `address` (uint64) closer; no other effect."""


@emitted
def address_of(array: Any) -> np.uint64:
    """Return the address (uint64) of the first element of `array`, which the caller keeps alive."""
    return np.uint64(array.ctypes.data)


# ---- records at addresses: views of memory that they do not own ----------------------------------------------------

pointees: dict[np.dtype, np.dtype] = {}  # the dtype of a record -> the dtype of the record it points to


def points_to(owner: np.dtype, target: np.dtype) -> None:
    """Let `record_at` find records of dtype `target` for records of dtype `owner`.

    Raises ValueError if `owner` already points to another dtype, whose records its kernels would misread.
    """
    if pointees.setdefault(owner, target) != target:
        raise ValueError("records of one dtype cannot point to records of two")


@functools.lru_cache(maxsize=256)
def _view_at(address: int, dtype: np.dtype) -> Any:
    memory: Any = (ctypes.c_char * dtype.itemsize).from_address(address)
    return np.frombuffer(memory, dtype=dtype, count=1).view(np.recarray)[0]


@emitted
def record_at(owner: Any, address: Any) -> Any:
    """Return the record at the raw `address` (uint64), of the dtype set by `points_to` for the dtype of `owner`.

    The result is a view: tables too large for the record itself are read and written as if they were its fields.
    """
    return _view_at(int(address), pointees[owner.dtype])


def record_reader(dtype: np.dtype) -> Any:
    """Return a function for kernels that get addresses from Python; it returns the record at a raw address.

    It takes the address (int64) and returns a view of memory that it does not own.
    """

    def reader(address: Any) -> Any:
        return _view_at(int(address), dtype)

    return emitted(reader, "record_reader", dtype)


def array_reader(dtype: np.dtype) -> Any:
    """Return a function for kernels that get addresses from Python; it returns an array of records at a raw address.

    It takes (address, count), both int64, and returns a view of memory that it does not own.
    """

    def reader(address: Any, count: Any) -> Any:
        size = dtype.itemsize * int(count)
        memory: Any = (ctypes.c_char * size).from_address(int(address)) if size else b""
        return np.frombuffer(memory, dtype=dtype, count=int(count)).view(np.recarray)

    return emitted(reader, "array_reader", dtype)


# ---- Records: the structured dtypes that kernels and plain Python share


def record_dtype(fields: list[tuple]) -> np.dtype:
    """Return an aligned structured dtype whose elements are `np.record`s (attributes work with and without JIT).

    Every size is a multiple of 8, because numpy forgets the alignment of a record dtype inside another one.
    """
    names, formats, offsets, end = [], [], [], 0
    for name, *layout in fields:
        element = np.dtype(tuple(layout) if len(layout) > 1 else layout[0])
        scalar = element.base
        step = 8 if scalar.names else scalar.itemsize
        offset = -(-end // step) * step
        names.append(name)
        formats.append(element)
        offsets.append(offset)
        end = offset + element.itemsize
    plain: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": -(-end // 8) * 8}
    return np.dtype((np.record, np.dtype(plain, align=True)))


def new_record(dtype: np.dtype) -> Any:
    """Return one zeroed record of `dtype`; it owns its memory."""
    return np.zeros(1, dtype=dtype).view(np.recarray)[0]
