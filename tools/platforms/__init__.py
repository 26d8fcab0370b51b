"""Checks of an installation on its own system, and Windows and 64-bit ARM on a Linux machine."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tools.measure.check_bench import ROOT, last_bench

# ---- The project and what it needs, installed from wheels for another system into a folder


TAGS = {
    "windows": ["win_amd64"],
    "windows-arm64": ["win_arm64"],
    "arm": [f"manylinux_2_{glibc}_aarch64" for glibc in (28, 27, 17)] + ["manylinux2014_aarch64"],
}
TARGETS = {"windows": "windows-x86_64", "windows-arm64": "windows-arm64", "arm": "linux-aarch64"}  # of compiled kernels
ALSO = {
    "windows": ["colorama"],
    "windows-arm64": ["colorama"],
    "arm": [],
}  # needed there alone: pip evaluates conditions for the system it runs on
MINOR = sys.version_info.minor  # the other system's Python is of the same version
DOWNLOAD = 180.0  # seconds within which pip must be done
UNAVAILABLE = 75  # the exit status if nothing is checked, because this machine cannot get or run what the checks need


def unavailable(reason: str) -> SystemExit:
    """Return what ends the program with the status UNAVAILABLE, and print the reason."""
    print(f"not checked: {reason}", file=sys.stderr)
    return SystemExit(UNAVAILABLE)


def pip(system: str, *words: str) -> None:
    """Run a command of pip that chooses wheels for `system`."""
    platforms = [f"--platform={tag}" for tag in TAGS[system]]
    options = ["-qq", "--only-binary=:all:", "--implementation=cp", f"--python-version=3.{MINOR}", *platforms]
    try:
        subprocess.run([sys.executable, "-m", "pip", words[0], *options, *words[1:]], check=True, timeout=DOWNLOAD)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as fault:
        raise unavailable(f"pip {words[0]} failed") from fault


def install(system: str, folder: Path, wheel: Path | None = None) -> None:
    """Install the project with all that `shogi-engine serve` needs into `folder`, over what is there.

    Args:
        wheel: the project's; None: it is built here
    """
    with tempfile.TemporaryDirectory() as name:
        if wheel is None:
            from tools import build_wheels  # needs numba

            (wheel,) = build_wheels.build([TARGETS[system]], Path(name))
        pip(system, "install", "--upgrade", f"--target={folder}", f"{wheel}[web]", *ALSO[system])


def expected_bench() -> list[str]:
    """Return the option of the checks with the nodes that the bench must visit, none without a git history."""
    try:
        found = last_bench(ROOT)
    except (OSError, subprocess.CalledProcessError):
        found = None
    return ["--bench", str(found[1])] if found else []
