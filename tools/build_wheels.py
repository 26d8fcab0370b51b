"""Build the wheels that users install, one for each system: `python -m tools.build_wheels --out DIR`.

Such a wheel holds the compiled module of all kernels (tools/build_kernels.py), for CPython 3.11 and all later versions,
and needs numpy and small libraries, but not numba, which compiles kernels of one's own and is the extra `workshop`. All
wheels are made on any one system; equal sources give equal files. The tool needs pip, and network access unless
`--no-isolation` is given and setuptools is installed. Nothing is written into the checkout.
"""

import argparse
import base64
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools import build_kernels
from tools.kernels import TARGETS

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = shutil.ignore_patterns("__pycache__", "_kernels*", "*.egg-info")
PARTS = ("shogi_engine", "usi", "pyproject.toml", "README.md", "LICENSE")
PYTHON = "cp311-abi3"
COMPILER = '"numba>=0.61", '  # what a checkout depends on and a wheel does not
DATE = (1980, 1, 1, 0, 0, 0)  # of every file, so that equal sources give equal wheels


def copy_sources(folder: Path) -> None:
    """Copy the files for a wheel into `folder`, with the dependencies of a wheel."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / part, folder / part)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if project.count(COMPILER) != 1:
        raise SystemExit(f"pyproject.toml should name {COMPILER} once, among the dependencies")
    (folder / "pyproject.toml").write_text(project.replace(COMPILER, ""), encoding="utf-8")


def build_plain(folder: Path, isolated: bool) -> Path:
    """Build a wheel of Python files alone from the sources in `folder`; return its file."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder / "wheel")]
    subprocess.run([*command, *([] if isolated else ["--no-build-isolation"]), str(folder)], check=True)
    return next((folder / "wheel").glob("*.whl"))


def add_module(plain: Path, module: Path, tags: str, out: Path) -> Path:
    """Write the wheel for a system: `plain`, with the compiled module; return its file.

    Args:
        tags: the systems, as in a wheel's name
    """
    name, version = plain.name.split("-")[:2]
    wheel = out / f"{name}-{version}-{PYTHON}-{tags}.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(plain) as source:
        files = {each: source.read(each) for each in source.namelist() if not each.endswith("/")}
    files[f"shogi_engine/{module.name}"] = module.read_bytes()
    tagged = "".join(f"Tag: {PYTHON}-{tag}\n" for tag in tags.split("."))
    kept = [
        line for line in files[f"{info}/WHEEL"].decode().splitlines() if line and not line.startswith(("Tag", "Root"))
    ]
    files[f"{info}/WHEEL"] = "\n".join([*kept, "Root-Is-Purelib: false", tagged]).encode()
    del files[f"{info}/RECORD"]
    rows = []
    for each, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{each},sha256={digest},{len(data)}")
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in sorted(files.items()):
            entry = zipfile.ZipInfo(each, DATE)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build(targets: list[str], out: Path, isolated: bool = True) -> list[Path]:
    """Build the wheels of these targets in `out`; return their files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_sources(folder)
        plain = build_plain(folder, isolated)
        modules = build_kernels.build(targets, folder / "modules")
        return [add_module(plain, module, TARGETS[target].tags, out) for target, module in modules.items()]


def main() -> int:
    """Build and print where they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="DIR")
    parser.add_argument("--only", type=build_kernels.target_names, default=list(TARGETS), metavar="TARGET,...")
    parser.add_argument("--no-isolation", action="store_true", help="build with the setuptools that is installed")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for wheel in build(args.only, args.out, not args.no_isolation):
        print(f"{wheel}, {wheel.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
