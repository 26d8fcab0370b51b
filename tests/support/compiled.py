"""The compiled module with which the whole suite runs, as an installed wheel does.

It is made once, in some 90 seconds of CPU time, and kept with the compiled kernels; without it the suite compiles for
ten minutes. A part of the suite compiles what it needs. SHOGI_ENGINE_KERNELS=0 tests the compiler instead. With
SHOGI_ENGINE_WORKSHOP=0 numba makes the module but is not there for the tests, as it is not for users of a wheel: a call
of the package that finds no compiled version fails, and what tests numba is skipped.
"""

import dataclasses
import os
import platform
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from shogi_engine import jit
from shogi_engine.jit.policy import MODULE_VARIABLE, compiled_module
from shogi_engine.jit.sources import cache_folder, known_digest
from tests.support.processes import ROOT

_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


def prepare(config: pytest.Config) -> str:
    """Have the processes of a run of the whole suite use the module; return a line for the report."""
    whole = config.args == config.getini("testpaths") and not config.getoption("keyword")
    if hasattr(config, "workerinput") or not whole or not config.getoption("numprocesses", None):
        return ""  # one process has loaded its kernels by now
    if os.environ.get(MODULE_VARIABLE) or jit.JIT_DISABLED or not compiled_module().state:
        return ""
    if find_spec("numba") is None or find_spec("ziglang") is None:
        return ""
    try:
        file = _made()
    except (OSError, subprocess.CalledProcessError) as fault:
        return f"kernels: compiled one by one, as their module cannot be made: {fault}"
    if file is None:
        return ""
    os.environ[MODULE_VARIABLE] = str(file)
    return f"kernels: {file}"


def _made() -> Path | None:
    """Return the module for this machine, made if it is not there; None if there is no place or no such target."""
    if not jit.HAS_WORKSHOP:
        with_numba = {name: value for name, value in os.environ.items() if name != jit.WORKSHOP_VARIABLE}
        command = [sys.executable, "-c", f"from {__name__} import _made; print(_made() or '')"]
        done = subprocess.run(command, check=True, cwd=ROOT, env=with_numba, stdout=subprocess.PIPE, text=True)
        *_, name = done.stdout.splitlines()
        return Path(name) if name else None
    from tools.build_kernels import lower
    from tools.kernels import TARGETS, linking

    machine = platform.machine().lower().replace("amd64", "x86_64")
    target = TARGETS.get(f"{_SYSTEMS.get(sys.platform)}-{machine}")
    folder = cache_folder()
    if folder is None or target is None:
        return None
    file = folder / f"module-{known_digest(ROOT / 'tools' / 'kernels')[:20]}" / target.file
    if not file.is_file():
        print("making the module of all kernels, once", flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            lower(Path(scratch))
            best = dataclasses.replace(target, levels=target.levels[-1:])
            made = linking.build(best, Path(scratch), Path(scratch))
            file.parent.mkdir(exist_ok=True)
            made.replace(file)
    return file
