"""The numba policy: how every kernel of this package is compiled, cached and stopped.

`njit` is the only door to numba's compiler. It differs from `numba.njit(cache=True)` in three ways.

* Cached machine code is keyed by a SHA-256 of *all* sources of the package, and of those of a game that is added from
  outside. numba stamps the caller's own file only, so editing a rule would leave a cached search answering with the
  old one.
* One cache entry is one file, checksummed, written aside and renamed into place. numba keeps an index file beside the
  data; two processes saving at once, or one killed half way, can leave an index that names the wrong data.
* Cached code is executed, so a folder that another user could write is not used. A folder that can not be used falls
  back to the next one, and at the end to no cache at all, in silence: a GUI takes a word on stderr for a failure.

With NUMBA_DISABLE_JIT=1 all of it is plain Python, the intrinsics below included, so that tests can compare.
"""

import contextlib
import ctypes
import functools
import hashlib
import os
import pickle
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from llvmlite import ir
from numba import types
from numba.core import compiler, config
from numba.core.caching import NullCache, _Cache
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.extending import intrinsic

JIT_DISABLED = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
PACKAGE = Path(__file__).resolve().parent
CACHE_VARIABLE = "SHOGI_ENGINE_CACHE_DIR"
KEPT_STAMPS = 4  # cache folders of other versions of the sources that are left alone, newest first

# numba's settings that change the code it makes; what it makes it for (CPU, system) is told by its codegen.
CODE_SETTINGS = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DISABLE_INTEL_SVML",
    "LLVM_REFPRUNE_PASS",
    "LLVM_REFPRUNE_FLAGS",
    "DEBUGINFO_DEFAULT",
)


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
    plain: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": -(-end // 8) * 8}
    return np.dtype((np.record, np.dtype(plain, align=True)))


def new_record(dtype: np.dtype) -> Any:
    """Return one zeroed record of `dtype`; it owns its memory."""
    return np.zeros(1, dtype=dtype).view(np.recarray)[0]


# ---- the cache ---------------------------------------------------------------------------------------------------


def sources_digest(folder: Path) -> str:
    """Return a SHA-256 over the Python files of `folder`, and of the folders below if it is a package; '' for none."""
    digest = hashlib.sha256()
    pattern = "**/*.py" if (folder / "__init__.py").is_file() else "*.py"
    files = [path for path in sorted(folder.glob(pattern)) if path.is_file()]
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest() if files else ""


known_digest = functools.cache(sources_digest)  # what a folder's sources were when first asked for
_kernel_modules: set[str] = set()


@functools.cache
def source_stamp() -> str:
    """Return the SHA-256 of all sources of this package and of the versions that compile them; '' without sources."""
    sources = known_digest(PACKAGE)
    versions = f"{sys.implementation.cache_tag} {numba.__version__} {llvmlite.__version__} {np.__version__}"
    return hashlib.sha256(f"{sources} {versions}".encode()).hexdigest() if sources else ""


def source_folders(functions: list[Callable]) -> set[Path]:
    """Return the folders whose sources the kernels `functions` are made of: this package, and what lies outside it.

    From each function's module the kernels it names and the modules it names that hold kernels are followed; of a
    module within a package the whole package counts. This package needs no following: it knows nothing outside.
    """
    folders = {PACKAGE}
    waiting = [function.__globals__ for function in functions]  # type: ignore[attr-defined]
    seen: set[int] = set()
    while waiting:
        names = waiting.pop()
        file = names.get("__file__")
        if id(names) in seen or not file or Path(file).is_relative_to(PACKAGE):
            continue
        seen.add(id(names))
        folder = Path(file).resolve().parent
        while (folder.parent / "__init__.py").is_file():
            folder = folder.parent
        folders.add(folder)
        for value in list(names.values()):
            if isinstance(value, Dispatcher):
                waiting.append(value.py_func.__globals__)
            elif isinstance(value, ModuleType):
                name = value.__name__
                if any(each == name or each.startswith(f"{name}.") for each in _kernel_modules):
                    waiting.append(vars(value))
    return folders


def _cache_roots() -> Iterator[Path]:
    """Yield the folders that may hold the cache, the best first."""
    for variable in (CACHE_VARIABLE, "NUMBA_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    with contextlib.suppress(OSError, RuntimeError):  # no home folder
        yield Path(platformdirs.user_cache_dir("shogi_engine", appauthor=False))
    yield PACKAGE / "__pycache__" / "kernels"
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    with contextlib.suppress(OSError):  # no folder for temporary files
        yield Path(tempfile.gettempdir()) / f"shogi_engine-{owner}"


def is_private(folder: Path) -> bool:
    """Tell whether nobody can put files in `folder` who could not change this package itself.

    `folder` and all above it must belong to this user, root or the package's owner, and be closed to others; one
    above may be sticky (/tmp), and a user's private group (its number is the user's) counts as the user. Windows'
    profile folders are private.
    """
    if not hasattr(os, "getuid"):
        return True
    trusted = {0, os.getuid(), PACKAGE.stat().st_uid}
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        status = place.stat()
        own_group = status.st_gid == status.st_uid
        open_to_others = status.st_mode & (stat.S_IWOTH if own_group else stat.S_IWOTH | stat.S_IWGRP)
        sticky = place != folder and status.st_mode & stat.S_ISVTX
        if status.st_uid not in trusted or (open_to_others and not sticky):
            return False
    return True


def _remove_old(root: Path, keep: Path) -> None:
    """Remove the folders of old stamps, but for the newest few (another version may be in use)."""
    with contextlib.suppress(OSError):  # another process removes them too
        others = [entry for entry in root.iterdir() if entry.name.startswith("kernels-") and entry != keep]
        others.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in others[KEPT_STAMPS:]:
            shutil.rmtree(entry, ignore_errors=True)


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder that holds this version's compiled kernels, or None if there is none to trust and to write."""
    if not source_stamp():
        return None
    for root in _cache_roots():
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = root.resolve() / f"kernels-{source_stamp()[:20]}"
            fresh = not folder.is_dir()
            folder.mkdir(mode=0o700, exist_ok=True)
            if not is_private(folder):
                continue
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        if fresh:
            _remove_old(folder.parent, folder)
        return folder
    return None


_record_rules: dict[Any, list[Callable]] = {}


def add_rule(dtype: np.dtype, rule: Callable) -> None:
    """Key every kernel that is compiled for records of `dtype` by the sources of `rule` too."""
    _record_rules.setdefault(numba.from_dtype(dtype), []).append(rule)


def _rules_within(kind: Any) -> Iterator[Callable]:
    """Yield the rules of a record type and of the records inside it."""
    if isinstance(kind, types.Record):
        yield from _record_rules.get(kind, ())
        for name in kind.fields:
            yield from _rules_within(kind.typeof(name))


class KernelCache(_Cache):
    """Compiled versions of one function, each in a file of its own whose name is the hash of all it depends on.

    The file starts with a SHA-256 of its name and contents: LLVM would crash on damaged code.
    """

    def __init__(self, function: Any, folder: Path) -> None:
        self.function = function
        self.folder = folder
        self.enabled = True

    @property
    def cache_path(self) -> str:
        """The folder, as numba asks for it."""
        return str(self.folder)

    def _sources(self, argument_types: Any) -> set[Path]:
        """Return the folders of all sources that a compiled version is made of."""
        rules = [rule for kind in argument_types for rule in _rules_within(kind)]
        return source_folders([self.function, *rules])

    def _path(self, argument_types: Any, codegen: Any) -> Path:
        """Return the file for one signature on this CPU under numba's present settings."""
        function, code = self.function, self.function.__code__
        settings = [str(getattr(config, name, None)) for name in CODE_SETTINGS]
        sources = sorted(known_digest(folder) for folder in self._sources(argument_types))
        place = (function.__module__, function.__qualname__, code.co_firstlineno, code.co_code)
        digest = hashlib.sha256(repr((place, argument_types, codegen.magic_tuple(), settings, sources)).encode())
        return self.folder / f"{function.__name__}-{digest.hexdigest()[:32]}.kernel"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled version for `sig`, or None; a file that can not be used counts as none."""
        rtsys.initialize(target_context)  # all that cached code needs; a full refresh, 0.15 s, waits for a compile
        if not self.enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes()
            if content[:32] != _checksum(path, content[32:]):
                return None
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(content[32:]))
        except Exception:  # not there, or not to be used here: compile and replace it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the compiled version for `sig`; a folder that became full or read-only is no failure."""
        if not self.enabled:
            return
        if data.library.has_dynamic_globals or data.lifted:
            raise TypeError(f"{self.function.__qualname__} can not be cached: it holds a global of 1 MB or more")
        path = self._path(sig, data.codegen)
        aside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.tmp")
        payload = dumps(data._reduce())
        with contextlib.suppress(OSError):
            if any(sources_digest(folder) != known_digest(folder) for folder in self._sources(sig)):
                return  # sources edited since this process began: is this the old code or the new?
            try:
                aside.write_bytes(_checksum(path, payload) + payload)
                _replace(aside, path)
            finally:
                aside.unlink(missing_ok=True)

    def enable(self) -> None:
        """Load and save from now on."""
        self.enabled = True

    def disable(self) -> None:
        """Neither load nor save."""
        self.enabled = False

    def flush(self) -> None:
        """Delete what is saved of this kernel."""
        for path in self.folder.glob(f"{self.function.__name__}-*.kernel"):
            path.unlink(missing_ok=True)


def is_saved(kernel: Any) -> bool:
    """Tell whether a compiled version of `kernel` lies in the cache; True as well where nothing can be put there."""
    folder = cache_folder()
    return JIT_DISABLED or folder is None or any(folder.glob(f"{kernel.__name__}-*.kernel"))


def _checksum(path: Path, payload: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + payload).digest()


def _replace(source: Path, target: Path) -> None:
    """Rename over `target`; on Windows a reader may hold it open for a moment."""
    for _ in range(20):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(0.02)


_SHORT = {types.int8, types.uint8, types.int16, types.uint16, types.int32}


def _plain(kind: Any) -> Any:
    """Return the type that a kernel takes for an argument of type `kind`: int64 for 0 and for all short integers."""
    kind = types.unliteral(kind)
    return types.int64 if kind in _SHORT else kind


def _call_template(dispatcher: Any, args: tuple, kws: dict) -> Any:
    """Resolve a kernel's call of another kernel as numba does, but with `_plain` types.

    numba compiles a version for each literal and each width. That multiplies compile time (LLVM inlines and folds
    constants anyway), and versions of a recursive kernel that call each other crash when a second process loads them
    from the cache.
    """
    plain = {name: _plain(kind) for name, kind in kws.items()}
    return Dispatcher.get_call_template(dispatcher, tuple(_plain(kind) for kind in args), plain)


def njit(function: Any = None, *, forceinline: bool = False) -> Any:
    """Compile `function` as a kernel: without the GIL, with C's arithmetic errors, cached under the source stamp.

    forceinline : put its machine code into every caller. For what a loop must hold to be vectorised; LLVM decides
        well for the rest.
    Raises TypeError for a closure: what it closes over is no part of the cache's key. A function that was typed in, or
    that is in no file, is not cached.
    """
    if function is None:
        return functools.partial(njit, forceinline=forceinline)
    if JIT_DISABLED:
        return function
    if function.__closure__:
        names = ", ".join(function.__code__.co_freevars)
        raise TypeError(f"kernel {function.__qualname__} closes over {names}; pass that as an argument")
    _kernel_modules.add(function.__module__)
    options: Any = {"forceinline": forceinline, "no_cfunc_wrapper": True}  # that wrapper, for C, takes time to make
    make: Any = numba.njit(nogil=True, error_model="numpy", **options)
    dispatcher = make(function)
    dispatcher.get_call_template = functools.partial(_call_template, dispatcher)
    folder = cache_folder() if Path(function.__code__.co_filename).is_file() else None
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


def _python_load_i16(address: Any) -> int:
    return ctypes.c_int16.from_address(int(address)).value


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


@_kernel_intrinsic(_python_load_i16)
def load_i16(typingctx, address):
    """Return the int16 at the raw `address` (uint64, 2-byte aligned) as int64; a plain load of what nobody writes."""

    def codegen(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], ir.IntType(16).as_pointer())
        return builder.sext(builder.load(pointer, align=2), ir.IntType(64))

    return types.int64(types.uint64), codegen


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
