"""The cache of compiled kernels: one file with a checksum each, named by the hash of everything it depends on."""

import contextlib
import hashlib
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba import types
from numba.core import compiler, config
from numba.core.caching import _Cache
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from shogi_engine.common.files import write_whole
from shogi_engine.jit.sources import known_digest, record_rules, source_folders, sources_digest
from shogi_engine.jit.workshop.dispatcher import LEAN, dtype_of

# numba's settings that change the generated code. (The codegen's key has the CPU and the system.)
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


def _rules_within(kind: Any) -> Iterator[Callable]:
    """Yield the rules of a record type and of the records inside it."""
    if isinstance(kind, types.Record):
        yield from record_rules.get(dtype_of(kind), ())
        for name in kind.fields:
            yield from _rules_within(kind.typeof(name))


class KernelCache(_Cache):
    """Compiled versions of one function, each in its own file, named by the hash of everything it depends on.

    The file starts with a SHA-256 of its name and contents, because LLVM would crash on damaged code.

    Args:
        folder: where to save
    """

    def __init__(self, function: Any, folder: Path) -> None:
        self.function = function
        self.folder = folder
        self.enabled = True

    @property
    def cache_path(self) -> str:
        """The folder, under the name that numba uses."""
        return str(self.folder)

    def _sources(self, argument_types: Any) -> set[Path]:
        """Return the folders of all sources of a compiled version."""
        rules = [rule for kind in argument_types for rule in _rules_within(kind)]
        return source_folders([self.function, *rules])

    def _path(self, argument_types: Any, codegen: Any) -> Path:
        """Return the file for one signature, on this CPU and under numba's current settings."""
        function, code = self.function, self.function.__code__
        settings = [str(LEAN), *(str(getattr(config, name, None)) for name in CODE_SETTINGS)]
        sources = sorted(known_digest(folder) for folder in self._sources(argument_types))
        place = (function.__module__, function.__qualname__, code.co_firstlineno, code.co_code)
        digest = hashlib.sha256(repr((place, argument_types, codegen.magic_tuple(), settings, sources)).encode())
        return self.folder / f"{function.__name__}-{digest.hexdigest()[:32]}.kernel"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled version for `sig`, or None; a file that cannot be used counts as missing."""
        rtsys.initialize(target_context)  # all that cached code needs; the full refresh (0.15 s) is left to a compile
        if not self.enabled:
            return None
        path = self._path(sig, target_context.codegen())
        with contextlib.suppress(Exception):  # missing, or not usable here: compile and replace it
            content = path.read_bytes()
            if content[:32] == _checksum(path, content[32:]):
                return compiler.CompileResult._rebuild(target_context, *pickle.loads(content[32:]))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the compiled version for `sig`; a full or read-only folder is not an error."""
        if not self.enabled:
            return
        if data.library.has_dynamic_globals or data.lifted:
            raise TypeError(f"{self.function.__qualname__} cannot be cached: it uses a global of 1 MB or more")
        path = self._path(sig, data.codegen)
        payload = dumps(data._reduce())
        with contextlib.suppress(OSError):
            if any(sources_digest(folder) != known_digest(folder) for folder in self._sources(sig)):
                return  # sources were edited since this process began, so the code may be old or new
            write_whole(path, _checksum(path, payload) + payload, durable=False)  # the checksum tells

    def enable(self) -> None:
        """Load and save from now on."""
        self.enabled = True

    def disable(self) -> None:
        """Neither load nor save."""
        self.enabled = False

    def flush(self) -> None:
        """Delete the saved versions of this kernel."""
        for path in self.folder.glob(f"{self.function.__name__}-*.kernel"):
            path.unlink(missing_ok=True)


def _checksum(path: Path, payload: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + payload).digest()
