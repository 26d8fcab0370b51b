"""The numba policy: how every kernel of this package is compiled, cached and stopped.

`njit` is the only way to numba's compiler. It differs from `numba.njit(cache=True)` in five ways.

* Cached machine code is keyed by a SHA-256 of *all* sources of the package, and of those of a game added from
  outside. numba stamps only the caller's own file, so after an edit of a rule a cached search would still apply the
  old one.
* One cache entry is one file with a checksum, written under another name and then renamed. numba uses a
  separate index file; if two processes save at once, or one is killed, the index can name the wrong data.
* Cached code is executed, so a folder that another user could write to is not used. If a folder cannot be used, the
  next one is tried, and finally no cache is used. All this is silent, because GUIs treat output on stderr as a failure.
* An index of an array is never negative: kernels do not count from the end, and no code tests for it. With
  NUMBA_BOUNDSCHECK=1, a negative index raises IndexError.
* Only kernels called from Python become machine code. numba optimises, emits and caches every function separately,
  which takes three times as long for a search of 170 kernels and makes slower code.

With NUMBA_DISABLE_JIT=1 everything is plain Python, including the intrinsics, so that tests can compare the two.

    settings     settings that decide how kernels are compiled
    records      structured dtypes
    sources      the digest of the sources    folders    possible cache folders    cache    the cache
    targets      kernels compiled ahead of time    progress    the progress of a compile
    library, lowering, compiler, dispatcher    the lean compiler    policy    `njit`    entries    the fastest calls
    intrinsics   popcount, ctz, atomic loads, prefetch, ...    vectors   sums and dot products of int16, for networks
    layers       of uint8 and int8, for networks    lanes   functions on vectors of uint64, traced into LLVM code
    bitboards    sets of up to 128 squares as values with operators    random_numbers   a generator for kernels
"""

from numba.core.caching import NullCache

from shogi_engine.jit.cache import KernelCache, add_rule, is_saved
from shogi_engine.jit.entries import Entries
from shogi_engine.jit.folders import CACHE_VARIABLE, KEPT_STAMPS, cache_folder, is_private
from shogi_engine.jit.intrinsics import (
    address_of,
    array_reader,
    bswap,
    clz,
    ctz,
    load_i16,
    load_i32,
    load_u64,
    points_to,
    popcount,
    prefetch,
    python_record_at,
    record_at,
    record_reader,
    store_u64,
)
from shogi_engine.jit.policy import njit, overload_stub
from shogi_engine.jit.progress import Progress, Task, compiling, on_progress, shared_task, steps_done
from shogi_engine.jit.records import new_record, record_dtype
from shogi_engine.jit.settings import JIT_DISABLED, LEAN, PLAIN_VARIABLE
from shogi_engine.jit.sources import PACKAGE, known_digest, source_folders, source_stamp, sources_digest
from shogi_engine.jit.targets import build_kernels, prebuilt_folders, target_has

__all__ = [
    "CACHE_VARIABLE",
    "Entries",
    "JIT_DISABLED",
    "KEPT_STAMPS",
    "LEAN",
    "PACKAGE",
    "PLAIN_VARIABLE",
    "KernelCache",
    "NullCache",
    "Progress",
    "Task",
    "add_rule",
    "address_of",
    "array_reader",
    "bswap",
    "build_kernels",
    "cache_folder",
    "clz",
    "compiling",
    "ctz",
    "is_private",
    "is_saved",
    "known_digest",
    "load_i16",
    "load_i32",
    "load_u64",
    "new_record",
    "njit",
    "on_progress",
    "overload_stub",
    "points_to",
    "popcount",
    "prebuilt_folders",
    "prefetch",
    "python_record_at",
    "record_at",
    "record_dtype",
    "record_reader",
    "shared_task",
    "steps_done",
    "source_folders",
    "source_stamp",
    "sources_digest",
    "store_u64",
    "target_has",
]
