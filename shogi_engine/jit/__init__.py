"""Kernels: functions that run as machine code, made ahead of time or, in the workshop, by numba.

`njit` turns a function into a kernel. When Python calls one, it runs the version of the compiled module (policy.py),
or else the workshop compiles it: jit/workshop, which alone imports numba and llvmlite, and is imported only then. All
else here is Python and numpy: with NUMBA_DISABLE_JIT=1 kernels are plain functions, and so are the intrinsics, so that
tests can compare the two. Kernels differ from functions of `numba.njit(cache=True)` in five ways.

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

    policy       `njit`, what happens when Python calls a kernel, the compiled module
    intrinsics   functions that kernels may call, such as popcount and atomic loads; structured dtypes
    vectors      sums and dot products of int16, layers of uint8 and int8, for networks
    lanes        functions on vectors of uint64, traced into LLVM code    random_numbers   a generator for kernels
    bitboards    sets of up to 128 squares as values with operators    workshop   the compiler
    sources      the environment's settings, the sources of kernels, folders for the workshop's cache
"""

from shogi_engine.jit.intrinsics import (
    address_of,
    array_reader,
    bswap,
    clz,
    ctz,
    emitted,
    load_i16,
    load_i32,
    load_stop,
    load_u64,
    new_record,
    overload_stub,
    points_to,
    popcount,
    prefetch,
    record_at,
    record_dtype,
    record_reader,
    store_u64,
)
from shogi_engine.jit.policy import Entries, Kernel, njit, prepare
from shogi_engine.jit.sources import (
    CACHE_VARIABLE,
    HAS_WORKSHOP,
    JIT_DISABLED,
    KEPT_STAMPS,
    PACKAGE,
    PLAIN_VARIABLE,
    WORKSHOP_VARIABLE,
    add_rule,
    cache_folder,
    is_private,
    known_digest,
    source_folders,
    source_stamp,
    sources_digest,
)

__all__ = [
    "CACHE_VARIABLE", "Entries", "HAS_WORKSHOP", "JIT_DISABLED", "KEPT_STAMPS", "Kernel", "PACKAGE",
    "PLAIN_VARIABLE", "WORKSHOP_VARIABLE", "add_rule", "address_of", "array_reader", "bswap", "cache_folder", "clz",
    "ctz", "emitted", "is_private", "known_digest", "load_i16", "load_i32", "load_stop", "load_u64", "new_record",
    "njit", "overload_stub", "points_to", "popcount", "prefetch", "prepare", "record_at", "record_dtype",
    "record_reader", "source_folders", "source_stamp", "sources_digest", "store_u64",
]  # fmt: skip
