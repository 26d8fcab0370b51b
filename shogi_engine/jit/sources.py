"""The sources of kernels, and the stamp that changes when any of them does."""

import functools
import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from shogi_engine.jit import plain

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
    """Yield the modules of this package that a source may import at its top level, with the packages they are in."""
    for match in OWN_IMPORT.finditer(content):
        module, names = match[1].decode(), (match[2] or b"").decode("utf-8", "replace")
        yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))
        while module:
            yield module
            module = module.rpartition(".")[0]


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
    return value if isinstance(value, FunctionType) and value in plain.tiny_kernels else getattr(value, "py_func", None)


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
