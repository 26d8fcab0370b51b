"""What compiled kernels belong to: settings, the stamp of their sources, and the folders in which they are kept."""

import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from shogi_engine.jit.intrinsics import tiny_kernels

# ---- settings: numba's switch, and variables of this package -----------------------------------------------------


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


WORKSHOP_VARIABLE = "SHOGI_ENGINE_WORKSHOP"  # 0: as if numba were not installed
PLAIN_VARIABLE = "SHOGI_ENGINE_PLAIN_COMPILE"  # any value except 0: numba's own compiler, not the lean one

# Whether all kernels are plain Python functions.
JIT_DISABLED = _is_set("NUMBA_DISABLE_JIT")
if JIT_DISABLED:  # kernels let integers overflow, of which NumPy warns in Python
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, r"shogi_engine\.")
# Whether kernels can be compiled here.
HAS_WORKSHOP = os.environ.get(WORKSHOP_VARIABLE) != "0" and importlib.util.find_spec("numba") is not None
PLAIN_COMPILE = _is_set(PLAIN_VARIABLE)


# ---- sources -----------------------------------------------------------------------------------------------------

PACKAGE = Path(__file__).resolve().parent.parent
kernel_modules: set[str] = set()  # the names of all modules that hold kernels
OWN_IMPORT = re.compile(rf"^(?:from|import) ({PACKAGE.name}[\w.]*)(?: import (\([^)]*\)|.*))?".encode(), re.MULTILINE)
record_rules: dict[np.dtype, list[Callable]] = {}  # the rules of the records of a dtype


def add_rule(dtype: np.dtype, rule: Callable) -> None:
    """Add the sources of `rule` to the key of every kernel compiled for records of `dtype`."""
    record_rules.setdefault(dtype, []).append(rule)


def sources_digest(folder: Path) -> str:
    """Return a SHA-256 of the Python files in `folder` that kernels may depend on; '' if there are none.

    These are all files in a folder, or in a package and its subfolders; in this package, those in `kernel_sources`.
    """
    paths = folder.glob("**/*.py" if (folder / "__init__.py").is_file() else "*.py")
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if path.is_file()}
    if folder == PACKAGE:
        contents = kernel_sources(folder.name, contents)
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest() if contents else ""


def kernel_sources(package: str, contents: dict[str, bytes]) -> dict[str, bytes]:
    """Return those of a package's sources that its kernels depend on, file name -> content.

    These are the modules that define kernels or what is compiled in place of a call (`emits`), and all that they
    import, directly or not, by imports at the top level; and this package's folder jit, with the compiler. (An import
    inside of a function is not followed: kernels have none.)
    """
    files = {f"{package}/{name}"[:-3].removesuffix("/__init__").replace("/", "."): name for name in contents}
    words = (b"njit", b"provides", b"emits")
    compiler = f"{__package__}."
    found = {module for module in files if module.startswith(compiler)}
    found |= {module for module, name in files.items() if any(word in contents[name] for word in words)}
    waiting = list(found)
    for module in waiting:  # grows
        new = {name for name in _imports(contents[files[module]]) if name in files} - found
        found |= new
        waiting += new
    return {files[module]: contents[files[module]] for module in found}


def _imports(content: bytes) -> Iterator[str]:
    """Yield the modules of this package that a source may name at its top level.

    The packages they are in are run too, but a kernel has nothing from them unless they are named themselves.
    """
    for match in OWN_IMPORT.finditer(content):
        module, names = match[1].decode(), (match[2] or b"").decode("utf-8", "replace")
        yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))
        while module:
            yield module
            module = "" if names else module.rpartition(".")[0]  # `import a.b` gives a, too


known_digest = functools.cache(sources_digest)  # the digest that a folder's sources had when it was first requested


@functools.cache
def source_stamp() -> str:
    """Return the SHA-256 of the sources of this package's kernels and of what compiles them; '' without sources."""
    from importlib.metadata import version  # slow, and needed by the workshop alone

    sources = known_digest(PACKAGE)
    versions = f"{sys.implementation.cache_tag} {version('numba')} {version('llvmlite')} {np.__version__}"
    return hashlib.sha256(f"{sources} {versions}".encode()).hexdigest() if sources else ""


def _kernel_function(value: Any) -> Any:
    """Return the Python function of a kernel, ours or numba's; None for anything else."""
    is_tiny = isinstance(value, FunctionType) and value in tiny_kernels
    return value if is_tiny else getattr(value, "py_func", None)


def source_folders(functions: list[Callable]) -> set[Path]:
    """Return the folders of the sources of the kernels `functions`: this package, and what lies outside it.

    From the module of each function, follow the kernels that it names, and the modules that it names if they hold
    kernels. A module in a package stands for the whole package. This package is not followed, because it refers to
    nothing outside.
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
            kernel = _kernel_function(value)
            if kernel is not None:
                waiting.append(kernel.__globals__)
            elif isinstance(value, ModuleType):
                name = value.__name__
                if any(each == name or each.startswith(f"{name}.") for each in kernel_modules):
                    waiting.append(vars(value))
    return folders


# ---- Folders for compiled kernels: which are possible, which can be trusted, and which is used


CACHE_VARIABLE = "SHOGI_ENGINE_CACHE_DIR"
KEPT_STAMPS = 4  # cache folders of other source versions that are kept, newest first


def _named_folders() -> list[Path]:
    """Return the folders that the environment names; a relative one is below the folder that is the current one now."""
    names = [os.environ[name] for name in (CACHE_VARIABLE, "NUMBA_CACHE_DIR") if os.environ.get(name)]
    with contextlib.suppress(OSError):  # the current folder is gone
        names = [os.path.abspath(name) for name in names]
    return [Path(name) for name in names]


_named = _named_folders()  # at the start, as the first kernel may be called after a change of the folder


def _cache_roots() -> Iterator[Path]:
    """Yield the folders that may hold the cache, the best first."""
    import platformdirs

    yield from _named
    with contextlib.suppress(OSError, RuntimeError):  # no home folder
        yield Path(platformdirs.user_cache_dir("shogi_engine", appauthor=False))
    yield PACKAGE / "__pycache__" / "kernels"
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    with contextlib.suppress(OSError):  # no folder for temporary files
        yield Path(tempfile.gettempdir()) / f"shogi_engine-{owner}"


def is_private(folder: Path) -> bool:
    """Tell whether only users who could change this package can put files in `folder`.

    `folder` and all its parents must belong to this user, root or the package's owner, and others must not be able to
    write there. A parent may be sticky (/tmp), and a user's private group (with the user's number) counts as the user.
    Windows' profile folders are private.
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
    """Remove the folders of old stamps except the newest few (another version may be in use)."""
    with contextlib.suppress(OSError):  # another process removes them too
        others = [entry for entry in root.iterdir() if entry.name.startswith("kernels-") and entry != keep]
        others.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in others[KEPT_STAMPS:]:
            shutil.rmtree(entry, ignore_errors=True)


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder that holds this version's compiled kernels, or None if no folder can be trusted and written."""
    if not HAS_WORKSHOP or not source_stamp():
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
