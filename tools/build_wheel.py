"""Build a wheel with compiled kernels: `python -m tools.build_wheel --target x86-64-v3 --out dist`.

With the same versions of Python, numba, llvmlite and numpy, on a CPU with the target's features, the installed engine
starts without compiling. Otherwise kernels are compiled at the first start, as from a plain wheel. The wheel is for
this system and this version of Python. Nothing is written into the checkout. The tool needs pip, and network access
unless `--no-isolation` is given and setuptools is installed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = shutil.ignore_patterns("__pycache__", "_prebuilt", "*.egg-info")
PARTS = ("shogi_engine", "usi", "pyproject.toml", "README.md", "LICENSE")


def copy_sources(folder: Path) -> None:
    """Copy the files for a wheel into `folder`."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / part, folder / part)


def build_kernels(folder: Path, target: str) -> dict:
    """Compile all kernels for `target` into the package below `folder`; return the compiled files."""
    out = folder / "shogi_engine" / "_prebuilt"
    command = [sys.executable, "-P", "-m", "shogi_engine", "warmup", "--target", target, "--out", str(out), "--json"]
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(command, env=env, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def build_wheel(folder: Path, out: Path, platform: str, isolated: bool = True) -> Path:
    """Make a wheel of the sources in `folder`, for `platform` and this version of Python; return its file."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    # One setting for both: before version 23.1 pip keeps only the last of several.
    options = [f"--config-settings=--build-option=--plat-name={platform} --python-tag={tag}"]
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), *options]
    subprocess.run([*command, *([] if isolated else ["--no-build-isolation"]), str(folder)], check=True)
    return max(out.glob(f"*-{tag}-*.whl"), key=lambda file: file.stat().st_mtime)


def main() -> int:
    """Build and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="x86-64-v3", metavar="CPU")
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="DIR")
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    parser.add_argument("--platform", default=here, help=f"the wheel's platform tag, default {here}")
    parser.add_argument("--no-isolation", action="store_true", help="build with the setuptools that is installed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_sources(folder)
        built = build_kernels(folder, args.target)
        print(f"{built['target']}: {built['files']} kernels, {built['bytes']} bytes, {built['seconds']:.0f} s")
        wheel = build_wheel(folder, args.out.resolve(), args.platform, not args.no_isolation)
        print(f"{wheel}, {wheel.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
