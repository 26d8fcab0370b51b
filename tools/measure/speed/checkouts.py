"""Checkouts of this repository to be compared: each runs with its own sources and kernel cache. Unix only."""

import os
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class Checkout:
    """A folder with the package's sources.

    Args:
        cache: the folder of its kernels, None for the default
    """

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.folder = folder.resolve()
        if not (self.folder / "shogi_engine").is_dir():
            raise ValueError(f"there is no shogi_engine in {self.folder}")
        self.cache = cache

    def __str__(self) -> str:
        return str(self.folder)

    def command(self, *words: str) -> list[str]:
        """Return the command that runs this Python on `words` with this checkout's sources and cache."""
        variables = [f"PYTHONPATH={self.folder}"]
        if self.cache is not None:
            variables.append(f"SHOGI_ENGINE_CACHE_DIR={self.cache}")
        return ["env", *variables, sys.executable, "-P", *words]

    def run(self, *words: str) -> str:
        """Run Python on `words` and return its output. Raises ValueError with its error message."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, cwd=os.path.sep)
        if done.returncode:
            raise ValueError(f"{self}: {shlex.join(words)}: {done.stderr.strip()[-500:]}")
        return done.stdout


def child_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds, user and system, of the processes that `work` starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
