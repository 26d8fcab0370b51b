"""The numba policy: how every kernel of this package is compiled, cached and stopped.

`njit` is the only door to numba's compiler. It differs from `numba.njit(cache=True)` in three ways.

* Cached machine code is keyed by a SHA-256 of *all* sources of the package. numba stamps the caller's own file only,
  so editing a rule would leave a cached search answering with the old one.
* One cache entry is one file, written aside and renamed into place. numba keeps an index file beside the data; two
  processes saving at once, or one killed half way, can leave an index that names the wrong data.
* A folder that can not be written falls back to the next one, and at the end to no cache at all, in silence: a GUI
  takes a word on stderr for a failure.

With NUMBA_DISABLE_JIT=1 all of it is plain Python, the intrinsics below included, so that tests can compare.
"""

import ctypes
import functools
import hashlib
import inspect
import os
import pickle
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from llvmlite import ir
from numba import types
from numba.core import compiler
from numba.core.caching import NullCache, _Cache
from numba.core.serialize import dumps
from numba.extending import intrinsic

JIT_DISABLED = bool(numba.config.DISABLE_JIT)
PACKAGE = Path(__file__).resolve().parent
CACHE_VARIABLE = "SHOGI_ENGINE_CACHE_DIR"
KEPT_STAMPS = 4  # cache folders of other versions of the sources that are left alone, newest first


def record_dtype(fields: list[tuple]) -> np.dtype:
    """Return an aligned structured dtype whose elements are `np.record`s (attributes work with and without JIT).

    Every size is a multiple of 8: numpy forgets the alignment of a record dtype when it stands inside another.
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
    plain = {"names": names, "formats": formats, "offsets": offsets, "itemsize": -(-end // 8) * 8}
    return np.dtype((np.record, np.dtype(plain, align=True)))


def new_record(dtype: np.dtype) -> Any:
    """Return one zeroed record of `dtype`; it owns its memory."""
    return np.zeros(1, dtype=dtype).view(np.recarray)[0]


# ---- the cache ---------------------------------------------------------------------------------------------------


def digest_of(files: list[Path]) -> str:
    """Return a SHA-256 over the names and contents of `files`."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0")
        digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def source_stamp() -> str:
    """Return the SHA-256 of all sources of this package and of the versions that compile them."""
    digest = hashlib.sha256(digest_of(sorted(PACKAGE.rglob("*.py"))).encode())
    digest.update(f"{sys.implementation.cache_tag} {numba.__version__} {np.__version__}".encode())
    return digest.hexdigest()


@functools.cache
def folder_stamp(source_file: str) -> str:
    """Return the stamp of a kernel's own folder if it lies outside this package (a game added from outside), else ''."""
    folder = Path(source_file).resolve().parent
    if folder.is_relative_to(PACKAGE) or not folder.is_dir():
        return ""
    return digest_of(sorted(folder.glob("*.py")))


def _cache_roots() -> Iterator[Path]:
    """Yield the folders that may hold the cache, the best first."""
    for variable in (CACHE_VARIABLE, "NUMBA_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    try:
        yield Path(platformdirs.user_cache_dir("shogi_engine", appauthor=False))
    except (OSError, RuntimeError):  # no home folder
        pass
    yield PACKAGE / "__pycache__" / "kernels"
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    yield Path(tempfile.gettempdir()) / f"shogi_engine-{owner}"


def _is_ours(folder: Path) -> bool:
    """Tell whether no other user can have put files in `folder`: cached code is executed."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _remove_old(root: Path, keep: Path) -> None:
    """Remove the folders of old stamps, but for the newest few (another version may be in use)."""
    others = [entry for entry in root.iterdir() if entry.name.startswith("kernels-") and entry != keep]
    others.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in others[KEPT_STAMPS:]:
        shutil.rmtree(entry, ignore_errors=True)


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder that holds this version's compiled kernels, or None if none can be written."""
    for root in _cache_roots():
        folder = root / f"kernels-{source_stamp()[:20]}"
        try:
            fresh = not folder.is_dir()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(folder):
                continue
            tempfile.TemporaryFile(dir=folder).close()
            if fresh:
                _remove_old(root, folder)
        except OSError:
            continue
        return folder
    return None


_record_stamps: dict[Any, str] = {}


def stamp_record(dtype: np.dtype, source_file: str) -> None:
    """Key every kernel that is compiled for `dtype` by the folder of `source_file` too (a game's rules live there)."""
    stamp = folder_stamp(source_file)
    if stamp:
        _record_stamps[numba.from_dtype(dtype)] = stamp


def _stamps_within(kind: Any) -> Iterator[str]:
    """Yield the stamps of a record type and of the records inside it."""
    if isinstance(kind, types.Record):
        if kind in _record_stamps:
            yield _record_stamps[kind]
        for name in kind.fields:
            yield from _stamps_within(kind.typeof(name))


class KernelCache(_Cache):
    """Compiled versions of one function, each in a file of its own whose name is the hash of all it depends on."""

    def __init__(self, function: Callable, folder: Path) -> None:
        self.function = function
        self.folder = folder
        self.enabled = True

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def _path(self, argument_types: Any, codegen: Any) -> Path:
        """Return the file for one signature on this CPU."""
        function = self.function
        where = inspect.getfile(function)
        digest = hashlib.sha256(f"{function.__module__} {function.__qualname__} {argument_types!r}".encode())
        digest.update(f"{codegen.magic_tuple()!r} {folder_stamp(where)}".encode())
        digest.update(f"{function.__code__.co_firstlineno}".encode() + function.__code__.co_code)
        for kind in argument_types:
            for stamp in _stamps_within(kind):
                digest.update(stamp.encode())
        return self.folder / f"{function.__name__}-{digest.hexdigest()[:32]}.kernel"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled version for `sig`, or None; a file that can not be used counts as none."""
        target_context.refresh()
        if not self.enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            payload = pickle.loads(path.read_bytes())
            return compiler.CompileResult._rebuild(target_context, *payload)
        except FileNotFoundError:
            return None
        except Exception:  # a damaged file: compile again and replace it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the compiled version for `sig`; a folder that became full or read-only is no failure."""
        if not self.enabled:
            return
        if data.library.has_dynamic_globals or data.lifted:
            raise TypeError(f"{self.function.__qualname__} can not be cached: it holds a global of 1 MB or more")
        path = self._path(sig, data.codegen)
        aside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.tmp")
        try:
            aside.write_bytes(dumps(data._reduce()))
            _replace(aside, path)
        except OSError:
            aside.unlink(missing_ok=True)

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False

    def flush(self) -> None:
        for path in self.folder.glob(f"{self.function.__name__}-*.kernel"):
            path.unlink(missing_ok=True)


def _replace(source: Path, target: Path) -> None:
    """Rename over `target`; on Windows a reader may hold it open for a moment."""
    for _ in range(20):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(0.02)
    source.unlink(missing_ok=True)


def njit(function: Callable | None = None, *, forceinline: bool = False) -> Any:
    """Compile `function` as a kernel: without the GIL, with C's arithmetic errors, cached under the source stamp.

    forceinline : put its machine code into every caller. For what a loop must hold to be vectorised; LLVM decides
        well for the rest.
    """
    if function is None:
        return functools.partial(njit, forceinline=forceinline)
    if JIT_DISABLED:
        return function
    dispatcher = numba.njit(nogil=True, error_model="numpy", forceinline=forceinline)(function)
    folder = cache_folder()
    dispatcher._cache = KernelCache(function, folder) if folder else NullCache()
    return dispatcher


# ---- intrinsics --------------------------------------------------------------------------------------------------


def _kernel_intrinsic(python_twin: Callable) -> Callable[[Callable], Any]:
    """Make an intrinsic of a typing function, or use its plain Python twin when JIT is off."""

    def wrap(typing_function: Callable) -> Any:
        return python_twin if JIT_DISABLED else intrinsic(typing_function)

    return wrap


@_kernel_intrinsic(lambda x: int(x).bit_count())
def popcount(typingctx, x):
    """Return the number of set bits of the uint64 `x` as int64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@_kernel_intrinsic(lambda x: (int(x) & -int(x)).bit_length() - 1 if x else 64)
def ctz(typingctx, x):
    """Return the index of the lowest set bit of the uint64 `x` as int64; 64 if it is 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@_kernel_intrinsic(lambda x: 64 - int(x).bit_length())
def clz(typingctx, x):
    """Return the number of zeros above the highest set bit of the uint64 `x` as int64; 64 if it is 0."""

    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@_kernel_intrinsic(lambda x: np.uint64(int.from_bytes(int(x).to_bytes(8, "little"), "big")))
def bswap(typingctx, x):
    """Return the uint64 `x` with its bytes in reverse order (a board of eight rows upside down)."""

    def codegen(context, builder, signature, args):
        return builder.bswap(args[0])

    return types.uint64(types.uint64), codegen


def _python_load(address: Any) -> np.uint64:
    return np.uint64(ctypes.c_uint64.from_address(int(address)).value)


def _python_store(address: Any, value: Any) -> None:
    ctypes.c_uint64.from_address(int(address)).value = int(value)


@_kernel_intrinsic(_python_load)
def load_u64(typingctx, address):
    """Return the uint64 at the raw `address` (uint64, 8-byte aligned), read atomically (monotonic).

    Atomic so that the compiler may neither hoist a stop flag out of a loop nor tear a table entry's word.
    """

    def codegen(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(pointer, "monotonic", 8)

    return types.uint64(types.uint64), codegen


@_kernel_intrinsic(_python_store)
def store_u64(typingctx, address, value):
    """Write the uint64 `value` at the raw `address` (uint64, 8-byte aligned) atomically (monotonic)."""

    def codegen(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        builder.store_atomic(args[1], pointer, "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), codegen


@_kernel_intrinsic(lambda address: None)
def prefetch(typingctx, address):
    """Ask the CPU to bring the cache line at the raw `address` (uint64) closer; no effect otherwise."""

    def codegen(context, builder, signature, args):
        i8p, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [i8p, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [i8p], kind)
        flags = [ir.Constant(i32, value) for value in (0, 3, 1)]  # read, keep close, data
        builder.call(function, [builder.inttoptr(args[0], i8p), *flags])
        return context.get_dummy_value()

    return types.void(types.uint64), codegen
