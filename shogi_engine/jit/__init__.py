"""The numba policy: how every kernel of this package is compiled, cached and stopped.

`njit` is the only door to numba's compiler. It differs from `numba.njit(cache=True)` in four ways.

* Cached machine code is keyed by a SHA-256 of *all* sources of the package, and of those of a game that is added from
  outside. numba stamps the caller's own file only, so editing a rule would leave a cached search answering with the
  old one.
* One cache entry is one file, checksummed, written aside and renamed into place. numba keeps an index file beside the
  data; two processes saving at once, or one killed half way, can leave an index that names the wrong data.
* Cached code is executed, so a folder that another user could write is not used. A folder that can not be used falls
  back to the next one, and at the end to no cache at all, in silence: a GUI takes a word on stderr for a failure.
* Only what Python calls becomes machine code. numba optimises, emits and caches every function by itself, which for
  a search of 170 kernels takes three times as long, and makes code that is slower.

With NUMBA_DISABLE_JIT=1 all of it is plain Python, the intrinsics included, so that tests can compare.

    settings     what decides how kernels are compiled
    records      structured dtypes
    sources      the sources' digest    folders    where the cache may lie    cache    the cache
    targets      kernels compiled ahead of time    progress    how far a compile is
    library, lowering, compiler, dispatcher    the lean compiler    policy    `njit`    entries    the quickest calls
    intrinsics   popcount, ctz, atomic loads, prefetch, ...    vectors   sums and dot products of int16, for networks
    layers       of uint8 and int8, for networks    lanes   functions on vectors of uint64, traced into LLVM code
    bitboards    sets of up to 128 squares as values with operators
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
