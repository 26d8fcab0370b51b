"""Run Python in a process of its own, with a cache of its own, as tests of compiling and caching need it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shogi_engine import jit
from tests.support import forks
from tests.support.forks import ROOT

TESTS = ROOT / "tests"
needs_workshop = pytest.mark.skipif(not jit.HAS_WORKSHOP, reason="numba is not installed")
ARE_PLAIN = jit.JIT_DISABLED or not jit.HAS_WORKSHOP  # whether kernels that only tests call run as plain Python
IN_WAY = ("SHOGI_ENGINE_CACHE_DIR", "NUMBA_", "PYTHONPATH", "PYTHONWARNINGS", "XDG_CACHE_HOME")

# Count what was compiled (misses) and what came from the cache (hits), over all kernels of the process.
REPORT = """
import gc, json
from numba.core.dispatcher import Dispatcher
from shogi_engine import jit

def report(**results):
    kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher)]
    hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels)
    misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels)
    print(json.dumps(dict(results, hits=hits, misses=misses, folder=str(jit.cache_folder()))))
"""

PERFT = (
    REPORT
    + """
from tests.support.games.tictactoe import GAME
from shogi_engine.perft import perft
report(answer=perft(GAME, GAME.parse_position(GAME.start), 5).nodes)
"""
)
QUICK = (
    REPORT
    + """
from shogi_engine.games.shogi.bitboard import between, lance_attacks
report(answer=len(lance_attacks(0, 76, between(4, 76))))
"""
)
QUICK_ANSWER = 1  # the lance stops at the first square of a full file
PERFT_5 = 9 * 8 * 7 * 6 * 5  # no game of tic-tac-toe ends before the fifth move


def environment(cache: Path | str | None, *paths: Path, **variables: str) -> dict[str, str]:
    """Return an environment with `cache` as cache folder, in which Python finds `paths` (or this checkout)."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(IN_WAY)}
    if cache is not None:
        clean["SHOGI_ENGINE_CACHE_DIR"] = str(cache)
    clean["PYTHONPATH"] = os.pathsep.join(map(str, paths or (ROOT,)))
    clean["PYTHONDONTWRITEBYTECODE"] = "1"  # Python takes an edit within the same second for none
    return clean | variables


def start(source: str, env: dict[str, str], cwd: Path | None = None) -> subprocess.Popen:
    """Start Python on `source`; the folder it starts in is not among those searched for modules."""
    command = [sys.executable, "-P", "-c", source]
    return forks.start(command, env, cwd, stdout=forks.PIPE, stderr=forks.PIPE, text=True)


def finish(process: subprocess.Popen, timeout: float = 300) -> Any:
    """Wait for `process`, which must end well and without a word on stderr; return the JSON of its last line."""
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert err == ""
    return json.loads(out.splitlines()[-1])


def run(source: str, env: dict[str, str], cwd: Path | None = None) -> Any:
    """Run Python on `source` and return the JSON of its last line; it must end well and write nothing to stderr."""
    return finish(start(source, env, cwd))


# ---- copies of the package, and its cache ------------------------------------------------------------------------


def copy_package(folder: Path) -> Path:
    """Copy the package's sources below `folder` and return `folder`."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "shogi_engine", folder / "shogi_engine", ignore=ignored)
    return folder


def edit(file: Path, old: str, new: str) -> None:
    """Replace `old`, which must be there once, by `new`."""
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def kernel_files(cache: Path) -> list[Path]:
    """Return all files of cached kernels."""
    return sorted(cache.glob("kernels-*/*.kernel"))
