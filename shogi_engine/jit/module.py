"""The compiled module, `shogi_engine._kernels`: machine code of the kernels that Python calls.

tools/build_kernels.py makes it, and a wheel carries it. It belongs to the sources it was made of: if one of them has
changed, it is not used. Its constant MANIFEST, as JSON, says what it holds:

    files, digest   the sources, below the package's folder, and their SHA-256
    kernels         by "module:name", the compiled versions: the function's name in the module, and for each argument
                    "number", or "record" or "array" with a dtype's `layout_name`
"""

import functools
import hashlib
import importlib
import importlib.util
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

NAME = "shogi_engine._kernels"
MODULE_VARIABLE = "SHOGI_ENGINE_KERNELS"  # another file to load; 0: none
PACKAGE = Path(__file__).resolve().parent.parent


def _layout(dtype: np.dtype) -> str:
    """Describe where everything lies in memory."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{shape}{_layout(base)}"
    if dtype.fields is None:
        return dtype.str
    fields = [f"{name}:{offset}:{_layout(kind)}" for name, (kind, offset, *_) in dtype.fields.items()]
    return f"{{{','.join(fields)};{dtype.itemsize}}}"


@functools.lru_cache(maxsize=256)
def layout_name(dtype: np.dtype) -> str:
    """Return a short name of a dtype's layout: equal dtypes have equal names, in every process and on every system."""
    return hashlib.sha256(_layout(dtype).encode()).hexdigest()[:16]


def digest_of(files: list[str]) -> str:
    """Return the SHA-256 of source files below the package's folder; '' if one is missing."""
    digest = hashlib.sha256()
    for name in files:
        try:
            content = (PACKAGE / name).read_bytes()
        except OSError:
            return ""
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _find() -> ModuleType | None:
    """Import the module, if there is one that this Python and CPU can load."""
    file = os.environ.get(MODULE_VARIABLE)
    if file == "0":
        return None
    try:
        if not file:
            return importlib.import_module(NAME)
        spec: Any = importlib.util.spec_from_file_location(NAME, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    except ImportError:
        return None


class CompiledModule:
    """The compiled module that belongs to these sources, if there is one.

    Attributes:
        state: "" if it is used, "missing", or "changed": it was made of other sources
    """

    def __init__(self) -> None:
        self.module: Any = _find()
        self.kernels: dict[str, list[dict]] = {}
        self.state = "missing"
        if self.module is not None:
            manifest = json.loads(self.module.MANIFEST)
            self.state = "" if manifest["digest"] == digest_of(manifest["files"]) else "changed"
            if not self.state:
                self.kernels = manifest["kernels"]

    def versions(self, function: Any) -> "list[Version]":
        """Return the compiled versions of a kernel, given its Python function."""
        rows = self.kernels.get(f"{function.__module__}:{function.__qualname__}", ())
        return [Version(getattr(self.module, row["name"]), row["arguments"]) for row in rows]


@functools.cache
def compiled_module() -> CompiledModule:
    """Return the compiled module, looked for once."""
    return CompiledModule()


def _fits(argument: Any, kind: list) -> bool:
    """Tell whether a compiled version takes an argument: any number for a number, else one of the right dtype."""
    dtype = getattr(argument, "dtype", None)
    if kind[0] == "number":
        return dtype is None or dtype.fields is None and not isinstance(argument, np.ndarray)
    if dtype is None or isinstance(argument, np.ndarray) != (kind[0] == "array"):
        return False
    return layout_name(dtype) == kind[1] and (kind[0] == "record" or argument.ndim == kind[2])


class Version:
    """A compiled version of a kernel: `run` for arguments of the given kinds (see MANIFEST)."""

    def __init__(self, run: Callable[..., Any], kinds: list[list]) -> None:
        self.run = run
        self._kinds = kinds

    @property
    def takes_numbers(self) -> bool:
        """Whether all arguments are numbers."""
        return all(kind[0] == "number" for kind in self._kinds)

    def fits(self, arguments: tuple) -> bool:
        """Tell whether this version is for these arguments."""
        return len(arguments) == len(self._kinds) and all(map(_fits, arguments, self._kinds))
