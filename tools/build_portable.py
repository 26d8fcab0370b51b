"""Make a folder for people without Python, as a zip: `python -m tools.build_portable --python EMBEDDED.zip --out dist`.

`shogi_engine-VERSION-windows-x64.zip` contains Python, the engine with its packages and compiled kernels, the programs
`shogi-usi.exe` and `shogi-engine.exe`, a page to read first, and all licences. On a CPU with the target's features the
engine starts without compiling. EMBEDDED.zip is python.org's "Windows embeddable package (64-bit)" of the Python that
runs this tool. Outside Windows, `--wine DIR` takes the Python that `python -m tools.platforms.windows make DIR` has
made, and Wine compiles the kernels; such a zip is for trying only. The launchers come from `distlib`, as pip's do.
"""

import argparse
import compileall
import importlib.metadata
import importlib.resources
import io
import py_compile
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from shogi_engine import __version__
from tools.platforms.packages import MINOR, install
from tools.platforms.windows import WindowsPython, windows_path

PAGE, PAGE_NAME = Path(__file__).parent / "platforms" / "read_me_first.html", "READ ME FIRST.html"
PROGRAMS = {"shogi-usi": "usi.loop", "shogi-engine": "shogi_engine.__main__"}  # each has a function main
TARGET = "x86-64-v3"
PACKAGES = Path("Lib", "site-packages")
PATHS = (f"python3{MINOR}.zip", ".", "DLLs", "Lib", r"Lib\site-packages")  # where the folder's Python finds modules
LEFT_OUT = (  # of Python and its packages: what no one runs
    "**/__pycache__", "**/tests", "**/*.pyi", "**/*.lib", "**/*.h", "**/*.c", "**/*.pyx", "**/*.pxd",
    f"{PACKAGES}/bin", f"{PACKAGES}/*.dist-info/RECORD", f"{PACKAGES}/*.dist-info/direct_url.json",
    f"{PACKAGES}/numpy/f2py", f"{PACKAGES}/numba/cuda",
)  # fmt: skip
LICENCES = ("LICEN*", "COPYING*", "NOTICE*", "AUTHORS*")
MAIN = "import sys\nfrom {module} import main\nsys.exit(main())\n"

Run = Callable[..., int]  # runs the Python of the folder with the words it is given


def put_python(python: Path, source: Path) -> None:
    """Copy Python, an embeddable zip or a folder, to `python`, where it finds only the modules next to it."""
    if source.is_dir():
        shutil.copytree(source, python, ignore=shutil.ignore_patterns("site-packages", "__pycache__"))
    else:
        with zipfile.ZipFile(source) as archive:
            archive.extractall(python)
    if not (python / f"python3{MINOR}.dll").is_file():
        raise SystemExit(f"{source} is not Python 3.{MINOR}, which runs this tool")
    (python / f"python3{MINOR}._pth").write_text("\n".join([*PATHS, ""]), encoding="ascii")


def compile_kernels(python: Path, run: Run) -> None:
    """Compile all kernels for TARGET into the package."""
    kernels = python / PACKAGES / "shogi_engine" / "_prebuilt"
    if run("-m", "shogi_engine", "warmup", "--target", TARGET, "--out", windows_path(kernels)):
        raise SystemExit("the kernels could not be compiled")


def leave_out(python: Path) -> None:
    """Remove what no one runs, and compile the rest to bytecode that stays valid wherever it is unpacked."""
    for pattern in LEFT_OUT:
        for path in list(python.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    valid = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(python, quiet=2, stripdir=str(python), invalidation_mode=valid)


def write_programs(folder: Path) -> None:
    """Write the launchers: distlib's, then the Python that it starts, then a zip with what Python runs."""
    launcher = (importlib.resources.files("distlib") / "t64.exe").read_bytes()
    for name, module in PROGRAMS.items():
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("__main__.py", MAIN.format(module=module))
        shebang = b"#!<launcher_dir>\\python\\python.exe\r\n"
        (folder / f"{name}.exe").write_bytes(launcher + shebang + packed.getvalue())


def licences(python: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each licence file and its place in the folder of licences."""
    for path in (file for folder in (python, python / "Lib") for file in folder.glob("LICENSE.txt")):
        yield path, Path("Python", path.name)
    for info in (python / PACKAGES).glob("*.dist-info"):
        named = {path for pattern in LICENCES for path in info.glob(pattern)}
        for path in (*named, *info.glob("licenses/**/*")):
            if path.is_file():
                yield path, Path(info.stem, path.relative_to(info))
    for file in importlib.metadata.files("distlib") or ():
        if file.name.startswith("LICENSE"):
            yield Path(str(file.locate())), Path("distlib (shogi-usi.exe and shogi-engine.exe)", file.name)


def write_licences(folder: Path, python: Path) -> None:
    """Copy the licences of all parts to one folder."""
    for path, place in licences(python):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / place)


def write_page(folder: Path) -> None:
    """Write the page to read first."""
    text = PAGE.read_text(encoding="utf-8").replace("VERSION", __version__)
    (folder / PAGE_NAME).write_text(text, encoding="utf-8", newline="\r\n")


def build(folder: Path, source: Path, runner: Callable[[Path], Run]) -> None:
    """Make the portable folder in `folder`.

    Args:
        source: an embeddable zip, or a folder with Python
        runner: makes of the folder's Python what runs it
    """
    python = folder / "python"
    put_python(python, source)
    install("windows", python / PACKAGES)
    leave_out(python)
    compile_kernels(python, runner(python))
    write_programs(folder)
    write_licences(folder / "licences", python)
    write_page(folder)


def natively(python: Path) -> Run:
    """Return what runs the folder's Python on Windows."""
    return lambda *words: subprocess.run([str(python / "python.exe"), *words], check=False).returncode


def main() -> int:
    """Make the zip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--python", type=Path, metavar="ZIP", help="python.org's embeddable package")
    source.add_argument("--wine", type=Path, metavar="DIR", help="the folder of Windows' Python for Wine")
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="DIR")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / f"shogi_engine-{__version__}-windows-x64"
        if args.wine:
            windows = WindowsPython(args.wine)
            build(folder, windows.python, windows.runner)
        else:
            build(folder, args.python, natively)
        args.out.mkdir(parents=True, exist_ok=True)
        result = Path(shutil.make_archive(str(args.out / folder.name), "zip", folder))
        unpacked = sum(file.stat().st_size for file in folder.rglob("*"))
    print(f"{result}, {result.stat().st_size / 1e6:.1f} MB, {unpacked / 1e6:.1f} MB when unpacked")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
