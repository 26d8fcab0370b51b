"""Make a folder for people without Python, as a zip: `python -m tools.build_portable --python EMBEDDED.zip --out dist`.

`shogi_engine-VERSION-windows-x64.zip` contains one folder, with Python, the engine and its packages, a program to
double-click, which opens the board in the browser, the programs `shogi-usi.exe` and `shogi-engine.exe`, a page to read
first, and all licences. EMBEDDED.zip is python.org's "Windows
embeddable package", 64-bit or for ARM64 with `--arm64`, of the version of the Python that runs this tool, on any
system. For trying under Wine, `--wine DIR` takes the Python that `python -m tools.platforms.windows make DIR` made. The
launchers come from `distlib`, as pip's do.
"""

import argparse
import compileall
import importlib.metadata
import importlib.resources
import io
import py_compile
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from shogi_engine import __version__
from shogi_engine.jit.sources import kernel_sources
from tools.platforms import MINOR, install
from tools.platforms.windows import WindowsPython

PAGE, PAGE_NAME = Path(__file__).parent / "platforms" / "read_me_first.html", "READ ME FIRST.html"
BOARD = "将棋とオセロ (double-click to play)"
PROGRAMS = {  # the module whose function main is run, and its arguments
    BOARD: ("shogi_engine.__main__", 'sys.argv[1:] or ["serve", "--open"]'),
    "shogi-usi": ("usi.loop", ""),
    "shogi-engine": ("shogi_engine.__main__", ""),
}
OURS = "shogi_engine"
PACKAGES = Path("Lib", "site-packages")
PATHS = (f"python3{MINOR}.zip", ".", "DLLs", r"Lib\site-packages")  # where the folder's Python finds modules
LEFT_OUT = (  # of Python and its packages: what no one runs, or what is elsewhere too
    "**/__pycache__", "**/tests", "**/*.pyi", "**/*.lib", "**/*.h", "**/*.c", "**/*.pyx", "**/*.pxd",
    f"{PACKAGES}/bin", f"{PACKAGES}/*.dist-info/licenses", f"{PACKAGES}/*.dist-info/[dILRWtz]*", f"{PACKAGES}/pygments",
    *(f"{PACKAGES}/numpy/{part}" for part in ("f2py", "distutils", "random/_examples", "random/src", "_core/src")),
)  # fmt: skip
LICENCES = ("LICEN*", "COPYING*", "NOTICE*", "AUTHORS*")
MAIN = "import sys\nfrom {module} import main\nsys.exit(main({arguments}))\n"


def put_python(python: Path, source: Path) -> None:
    """Copy Python, an embeddable zip or a folder, to `python`, where it finds only the modules next to it."""
    if source.is_dir():
        shutil.copytree(source, python, ignore=shutil.ignore_patterns("Lib", "__pycache__"))
        with zipfile.PyZipFile(str(python / f"python3{MINOR}.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for package in (source / "Lib", *(file.parent for file in source.glob("Lib/*/__init__.py"))):
                archive.writepy(str(package))
    else:
        with zipfile.ZipFile(source) as archive:
            archive.extractall(python)
    if not (python / f"python3{MINOR}.dll").is_file():
        raise SystemExit(f"{source} is not Python 3.{MINOR}, which runs this tool")
    (python / f"python3{MINOR}._pth").write_text("\n".join([*PATHS, ""]), encoding="ascii")


def leave_out(python: Path) -> None:
    """Remove what no one runs, and compile the rest to bytecode that stays valid wherever it is unpacked.

    Sources are removed too, except those to which the compiled kernels belong.
    """
    for pattern in LEFT_OUT:
        for path in list(python.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    packages, valid = python / PACKAGES, py_compile.PycInvalidationMode.UNCHECKED_HASH
    engine = packages / OURS
    contents = {file.relative_to(engine).as_posix(): file.read_bytes() for file in engine.glob("**/*.py")}
    kept = {engine / name for name in kernel_sources(OURS, contents)}
    for source in list(packages.rglob("*.py")):
        compileall.compile_file(
            source, quiet=2, stripdir=str(python), invalidation_mode=valid, legacy=source not in kept
        )
        if source not in kept:
            source.unlink()


def write_programs(folder: Path, launcher_name: str = "t64.exe") -> None:
    """Write the launchers: distlib's, then the Python that it starts, then a zip with what Python runs."""
    launcher = (importlib.resources.files("distlib") / launcher_name).read_bytes()
    for name, (module, arguments) in PROGRAMS.items():
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("__main__.py", MAIN.format(module=module, arguments=arguments))
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
    """Put the licences of all parts into one folder."""
    for path, place in list(licences(python)):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / place)


def write_page(folder: Path) -> None:
    """Write the page to read first."""
    text = PAGE.read_text(encoding="utf-8").replace("VERSION", __version__)
    (folder / PAGE_NAME).write_text(text, encoding="utf-8", newline="\r\n")


def build(folder: Path, source: Path, wheel: Path | None, arm64: bool) -> None:
    """Make the portable folder in `folder`.

    Args:
        source: an embeddable zip, or a folder with Python
        wheel: the project's, None to build it
    """
    python = folder / "python"
    put_python(python, source)
    install("windows-arm64" if arm64 else "windows", python / PACKAGES, wheel)
    write_licences(folder / "licences", python)
    leave_out(python)
    write_programs(folder, "t64-arm.exe" if arm64 else "t64.exe")
    write_page(folder)


def main() -> int:
    """Make the zip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--python", type=Path, metavar="ZIP", help="python.org's embeddable package")
    source.add_argument("--wine", type=Path, metavar="DIR", help="the folder of Windows' Python for Wine")
    parser.add_argument("--arm64", action="store_true", help="for Windows on ARM")
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="the engine's wheel; default: build it")
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="DIR")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / f"shogi_engine-{__version__}-windows-{'arm64' if args.arm64 else 'x64'}"
        build(folder, args.python or WindowsPython(args.wine).python, args.wheel, args.arm64)
        args.out.mkdir(parents=True, exist_ok=True)
        result = Path(shutil.make_archive(str(args.out / folder.name), "zip", name, folder.name))
        files = [file for file in folder.rglob("*") if file.is_file()]
        unpacked = sum(file.stat().st_size for file in files)
    print(f"{result}, {result.stat().st_size / 1e6:.1f} MB; {len(files)} files, {unpacked / 1e6:.1f} MB when unpacked")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
