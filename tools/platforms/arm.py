"""Run the checks on 64-bit ARM by emulation: `python -m tools.platforms.arm all DIR`.

Debian's Python for arm64 and the real wheels for aarch64 run there under qemu. The steps are `make`, which unpacks
Python into DIR, `install`, which installs the project anew, and `check`; together they take half an hour. What follows
is passed on to the checks. Times mean nothing; what is counted must be as elsewhere. Needed are Debian with the Python
that runs this tool, and its package qemu-user-static.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tools.platforms import MINOR, checks, expected_bench, install, unavailable

QEMU = "qemu-aarch64-static"
PYTHON = f"python3.{MINOR}"
TIME_FACTOR = 8.0  # the emulator is that much slower
DEBS = (
    PYTHON, f"{PYTHON}-minimal", f"lib{PYTHON}-minimal", f"lib{PYTHON}-stdlib", "libc6", "zlib1g", "libexpat1",
    "libffi8", "libssl3", "libbz2-1.0", "liblzma5", "libsqlite3-0", "libuuid1", "libncursesw6", "libtinfo6",
    "libreadline8", "libdb5.3", "libcrypt1", "libgcc-s1", "libstdc++6", "libgomp1",
)  # fmt: skip


def make(folder: Path) -> None:
    """Download Python and its libraries with apt, and unpack them into `folder`. Nothing is installed."""
    if not shutil.which(QEMU):
        raise unavailable(f"{QEMU} missing (apt-get install qemu-user-static)")
    debs = folder / "debs"
    for place in (debs, folder / "lists" / "partial"):
        place.mkdir(parents=True, exist_ok=True)
    settings = ["APT::Architecture=arm64", "APT::Architectures=arm64", "Dir::State::status=/dev/null"]
    apt = ["apt-get", "-qq", *(f"-o{each}" for each in (*settings, f"Dir::State::Lists={folder / 'lists'}"))]
    try:
        subprocess.run([*apt, "update"], check=True)
        subprocess.run([*apt, "download", *DEBS], cwd=debs, check=True)
    except subprocess.CalledProcessError as fault:
        raise unavailable("apt-get failed") from fault
    for deb in debs.glob("*.deb"):
        subprocess.run(["dpkg", "-x", deb, folder / "root"], check=True)


def check(folder: Path, words: list[str]) -> int:
    """Run the list of checks with this machine's Python, on the emulated one; return the status."""
    root = folder / "root"
    python = shlex.join([QEMU, "-L", str(root), str(root / "usr" / "bin" / PYTHON)])
    command = [sys.executable, checks.__file__, "--python", python, "--time-factor", str(TIME_FACTOR)]
    environment = os.environ | {"PYTHONPATH": str(folder / "packages")}
    return subprocess.run([*command, *expected_bench(), *words], env=environment, check=False).returncode


def main() -> int:
    """Do the steps that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("all", "make", "install", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="install this wheel; default: build it")
    args, words = parser.parse_known_args()
    folder = args.folder.resolve()
    if args.step in ("all", "make"):
        make(folder)
    if args.step in ("all", "install"):
        shutil.rmtree(folder / "packages", ignore_errors=True)
        install("arm", folder / "packages", args.wheel)
    return check(folder, words) if args.step in ("all", "check") else 0


if __name__ == "__main__":
    sys.exit(main())
