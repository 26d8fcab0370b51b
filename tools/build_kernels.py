"""Make the compiled module of all kernels, for one or several systems: `python -m tools.build_kernels --out DIR`.

DIR/TARGET/ gets the file, which belongs in the package's folder. It needs numba and `ziglang` (PyPI), no C compiler,
and makes the modules of all systems on each of them; equal sources give equal files. See tools/kernels. With
`--only wasm32` it makes the engine for pages in a browser, see tools/kernels/wasm.py.
"""

import argparse
import functools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.kernels import ROOT, TARGETS, linking, lowering_environment, wasm


def lower(folder: Path) -> None:
    """Lower all kernels into `folder`."""
    command = [sys.executable, "-m", "tools.kernels.lowering", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, env=lowering_environment())


def build(names: list[str], out: Path) -> dict[str, Path]:
    """Make the modules of the targets called `names`; return their files."""
    built = {}
    with tempfile.TemporaryDirectory() as scratch:
        lower(Path(scratch))
        for name in names:
            work = Path(scratch, name)
            work.mkdir()
            file = linking.build(TARGETS[name], Path(scratch), work)
            print(f"{name} needs {', '.join(sorted(linking.libraries(file))) or 'no library'}", flush=True)
            (out / name).mkdir(parents=True, exist_ok=True)
            built[name] = out / name / file.name
            built[name].write_bytes(file.read_bytes())
    return built


def target_names(text: str, more: tuple[str, ...] = ()) -> list[str]:
    """Return the targets named in `text`, for an option. Raises ArgumentTypeError."""
    names = text.split(",")
    known = [*TARGETS, *more]
    if unknown := [name for name in names if name not in known]:
        raise argparse.ArgumentTypeError(f"unknown targets {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def main() -> int:
    """Build and print where the files are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    names = functools.partial(target_names, more=(wasm.NAME,))
    parser.add_argument("--only", type=names, default=list(TARGETS), metavar="TARGET,...")
    args = parser.parse_args()
    began = time.perf_counter()
    systems = [name for name in args.only if name != wasm.NAME]
    files = [*(build(systems, args.out).values() if systems else ())]
    if wasm.NAME in args.only:
        files += wasm.build(args.out / wasm.NAME)
    for file in files:
        print(f"{file}, {file.stat().st_size} bytes")
    print(f"{time.perf_counter() - began:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
