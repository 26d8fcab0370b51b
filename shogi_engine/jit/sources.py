"""The sources of kernels, and the stamp that changes when any of them does."""

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

PACKAGE = Path(__file__).resolve().parent.parent
kernel_modules: set[str] = set()  # the names of all modules that hold kernels


def sources_digest(folder: Path) -> str:
    """Return a SHA-256 of the Python files in `folder`, and in its subfolders if it is a package; '' without files."""
    digest = hashlib.sha256()
    pattern = "**/*.py" if (folder / "__init__.py").is_file() else "*.py"
    files = [path for path in sorted(folder.glob(pattern)) if path.is_file()]
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest() if files else ""


known_digest = functools.cache(sources_digest)  # the digest that a folder's sources had when it was first requested


@functools.cache
def source_stamp() -> str:
    """Return the SHA-256 of all sources of this package and of the versions that compile them; '' without sources."""
    sources = known_digest(PACKAGE)
    versions = f"{sys.implementation.cache_tag} {numba.__version__} {llvmlite.__version__} {np.__version__}"
    return hashlib.sha256(f"{sources} {versions}".encode()).hexdigest() if sources else ""


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
            if isinstance(value, Dispatcher):
                waiting.append(value.py_func.__globals__)
            elif isinstance(value, ModuleType):
                name = value.__name__
                if any(each == name or each.startswith(f"{name}.") for each in kernel_modules):
                    waiting.append(vars(value))
    return folders
