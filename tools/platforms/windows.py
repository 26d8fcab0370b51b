"""Run the checks on Windows' Python under Wine: `python -m tools.platforms.windows all DIR`.

A real python3XX.dll and the real wheels of numpy and of the project for Windows run there. The steps are `make`, which
makes Python in DIR, `install`, which installs the project anew, and `check`; most of the time goes into the wheel,
unless `--wheel` names one.
What follows is passed on to the checks. Needed are Wine and mingw:

    apt-get install --no-install-recommends wine wine64 gcc-mingw-w64-x86-64-win32 binutils-mingw-w64-x86-64

Wine is not Windows: what fails here deserves a look, and what passes here is run on Windows by the workflow too.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import IO

from tools.kernels.wrappers import DATA, FUNCTIONS
from tools.platforms import MINOR, checks, expected_bench, install, pip, unavailable

GCC, OBJDUMP = "x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-objdump"
DLL = f"python3{MINOR}.dll"
BESIDE_EXE = {DLL, "vcruntime140.dll", "vcruntime140_1.dll"}
LEFT_OUT = ("site-packages", "__pycache__", "test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3")
PYTHON_C = f"""#include <windows.h>
int wmain(int argc, wchar_t **argv) {{
    HMODULE python = LoadLibraryW(L"{DLL}");
    int (*start)(int, wchar_t **) = python ? (void *)GetProcAddress(python, "Py_Main") : 0;
    return start ? start(argc, argv) : 99;
}}
"""
UNZIPPED = "将棋 エンジン"  # on drive C, for the portable folder


class WindowsPython:
    """Windows' Python in `folder`/python, and the Wine that runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.python = self.folder / "python"
        self.packages = self.python / "Lib" / "site-packages"
        self.drive = self.folder / "wine" / "drive_c"

    def make(self) -> None:
        """Make Python, without packages."""
        missing = [name for name in ("wine", GCC, OBJDUMP) if not shutil.which(name)]
        if missing:
            raise unavailable(f"{', '.join(missing)} missing; see python -m tools.platforms.windows --help")
        (self.python / "DLLs").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as got:
            pip("windows", "download", "--no-deps", f"--dest={got}", "panda3d")  # its wheel contains Python's DLLs
            with zipfile.ZipFile(next(Path(got).glob("*.whl"))) as wheel:
                for file in map(Path, wheel.namelist()):
                    if file.parent.name == "deploy_libs" and file.suffix.lower() in (".dll", ".pyd"):
                        home = self.python if file.name.lower() in BESIDE_EXE else self.python / "DLLs"
                        (home / file.name).write_bytes(wheel.read(file.as_posix()))
        ignored = shutil.ignore_patterns(*LEFT_OUT, "config-*", "lib-dynload")
        shutil.copytree(sysconfig.get_paths()["stdlib"], self.python / "Lib", dirs_exist_ok=True, ignore=ignored)
        self._make_stable_library()
        source = self.folder / "python.c"
        source.write_text(PYTHON_C, encoding="utf-8")
        subprocess.run([GCC, "-municode", "-O1", "-o", self.python / "python.exe", source], check=True)
        version = ["wine", "reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"]
        quiet = subprocess.DEVNULL
        try:
            subprocess.run(version, env=self.environment(), stdout=quiet, stderr=quiet, check=True, timeout=240)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as fault:
            raise unavailable("Wine does not start") from fault

    def _make_stable_library(self) -> None:
        """Make python3.dll, the names of the stable ABI that kernels use; the DLL of this version has them."""
        names = [f" {name} = {Path(DLL).stem}.{name}" for name in FUNCTIONS]
        names += [f" {name} = {Path(DLL).stem}.{name} DATA" for name in DATA]
        exports = self.folder / "python3.def"
        exports.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names, ""]), encoding="ascii")
        command = [GCC, "-shared", "-nostdlib", "-Wl,--entry=0", "-o", str(self.python / "python3.dll"), str(exports)]
        subprocess.run(command, check=True)

    def install(self, wheel: Path | None) -> None:
        """Install the project and its packages anew; `wheel` is the project's, None to build it."""
        shutil.rmtree(self.packages, ignore_errors=True)
        install("windows", self.packages, wheel)
        complete_math(self.python, self.packages)

    def environment(self) -> dict[str, str]:
        """Return the environment in which Wine runs."""
        own = {"WINEPREFIX": str(self.folder / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml="}
        return os.environ | own | {"LC_ALL": "C.UTF-8"}  # of file names

    def run(self, *words: str) -> int:
        """Run Python, pass its output on and return its status."""
        command = ["wine", str(self.python / "python.exe"), *words]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(command, env=self.environment(), **streams)  # type: ignore[call-overload]
        process.stdin.close()
        # Wine's Python cannot use files of Linux as its standard streams. The pipe's end does not come before that of
        # Wine's services, which another program may need.
        output = threading.Thread(target=pass_on, args=(process.stdout,), daemon=True)
        output.start()
        process.wait()
        output.join(timeout=2)
        return int(process.returncode)

    def check(self, *words: str) -> int:
        """Run the list of checks under Wine; return the status."""
        return self.run(windows_path(Path(checks.__file__)), *words)


def pass_on(stream: IO[bytes]) -> None:
    """Write what comes to standard output."""
    for line in stream:
        sys.stdout.buffer.write(line)
        sys.stdout.flush()


def windows_path(path: Path) -> str:
    """Return the name of a file on Windows, under Wine too."""
    return str(path) if os.name == "nt" else "Z:" + str(path.resolve()).replace("/", "\\")


# ---- what Wine lacks ----------------------------------------------------------------------------------------------

MATH = b"api-ms-win-crt-math-l1-1-0.dll"
SHIM = b"shimcrtmath.dll"
COMPLEX = re.compile(r"^c(real|imag|abs|arg|cos|cosh|sin|sinh|tan|tanh|exp|pow|log|sqrt)[fl]?$")
REAL = {"cos", "cosf", "cosh", "coshf", "cosl"}
SHIM_C = """#include <complex.h>
#include <stdint.h>
uint64_t build_complex(float r, float i) {{ union {{ float f[2]; uint64_t u; }} x = {{{{r, i}}}}; return x.u; }}
void *keep[] = {{{names}}};
int __stdcall DllMain(void *a, unsigned b, void *c) {{ return 1; }}
"""


def imports_of(file: Path, library: bytes) -> set[str]:
    """Return the names that a DLL imports from `library`."""
    listing = subprocess.run([OBJDUMP, "-p", file], capture_output=True, text=True, check=True).stdout
    parts = [part.split("\n\n")[0] for part in listing.split("DLL Name: ")[1:] if part.split()[0].encode() == library]
    return set(re.findall(r"^\t[0-9a-f]+\t +\d+ +(\w+)", "\n".join(parts), re.MULTILINE))


def complete_math(python: Path, packages: Path) -> None:
    """Make Wine able to load numpy: its ucrtbase lacks complex functions, which a DLL made here provides.

    The DLL forwards all other functions to ucrtbase. The files of the packages are changed to name this DLL.
    """
    libraries = [file for kind in ("pyd", "dll") for file in packages.glob(f"num*/**/*.{kind}")]
    files = [file for file in libraries if MATH in file.read_bytes()]
    wanted = sorted(set().union(*(imports_of(file, MATH) for file in files)))
    made = [name for name in wanted if COMPLEX.match(name) and name not in REAL]
    exports = []
    for name in wanted:
        target = name if name in made else f"ucrtbase.{name}"
        exports.append(f" {name} = {'build_complex' if name == '_FCbuild' else target}\n")
    with tempfile.TemporaryDirectory() as folder:
        source, names = Path(folder) / "shim.c", Path(folder) / "shim.def"
        source.write_text(SHIM_C.format(names=", ".join(f"(void *){name}" for name in made)), encoding="utf-8")
        names.write_text(f"LIBRARY {SHIM.decode()}\nEXPORTS\n{''.join(exports)}", encoding="utf-8")
        flags = ["-shared", "-O1", "-fno-builtin", "-static-libgcc", "-static", "-w"]
        subprocess.run([GCC, *flags, "-o", python / SHIM.decode(), source, names, "-lmingwex"], check=True)
    for file in files:
        file.write_bytes(file.read_bytes().replace(MATH, SHIM.ljust(len(MATH), b"\0")))


# ---- the command --------------------------------------------------------------------------------------------------


def unzip(windows: WindowsPython, portable: Path) -> str:
    """Unpack a portable folder to drive C, and make it run under Wine; return its name."""
    folder = windows.drive / UNZIPPED
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(portable) as archive:
        archive.extractall(folder)
    (unzipped,) = folder.iterdir()
    complete_math(unzipped / "python", unzipped / "python" / "Lib" / "site-packages")
    return rf"C:\{UNZIPPED}\{unzipped.name}"


def main() -> int:
    """Do the steps that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("all", "make", "install", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="install this wheel; default: build it")
    parser.add_argument("--portable", type=Path, metavar="ZIP", help="check this portable folder, unzipped on drive C")
    args, words = parser.parse_known_args()
    windows = WindowsPython(args.folder)
    if args.step in ("all", "make"):
        windows.make()
    if args.step in ("all", "install"):
        windows.install(args.wheel)
    if args.step not in ("all", "check"):
        return 0
    if args.portable:
        words += ["--portable", unzip(windows, args.portable)]
    return windows.check(*expected_bench(), *words)


if __name__ == "__main__":
    sys.exit(main())
