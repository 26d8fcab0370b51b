"""Put faults into a copy of the source, one after the other, and run the tests that must see each.

    python -m tools.mutants                                # all faults of tools/mutants.toml
    python -m tools.mutants usi. clock.pause               # those whose names begin so
    python -m tools.mutants --list

A fault is a text that replaces another in one file. It is seen if the tests named with it fail with it; they have to
pass without it, which is tried first. The copy holds what git would commit, in a temporary folder; kernels are taken
from SHOGI_ENGINE_CACHE_DIR and compiled there (a fault in a kernel needs a minute for that, others none). The exit
status is 1 if a fault is not seen, 2 if the data no longer fit the source. Tests run in forks of a process that has
loaded the packages of others, so there is no Windows here.
"""

import argparse
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

import hypothesis
import pytest

from shogi_engine.common.text import table

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "tools" / "mutants.toml"
OWN = ("shogi_engine", "usi", "tools", "tests")  # packages of this repository
LOADED = ("numba", "numpy", "shogi")  # before the tests, as hypothesis and pytest
QUICK = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # no smaller example is looked for
PASSED, FAILED = 0, 1  # exit statuses of pytest
TIMED_OUT = -1


@dataclass(frozen=True)
class Fault:
    """A fault.

    Attributes:
        old: a text that is once in the file
        new: what replaces it
        tests: arguments of pytest, such as 'tests/play/test_clock.py::test_pauses'
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def put_into(self, source: str) -> str:
        """Return the source with the fault. Raises ValueError if it does not fit."""
        if (times := source.count(self.old)) != 1 or self.old == self.new:
            raise ValueError(f"{self.name}: its text is {times} times in {self.file}, not once")
        return source.replace(self.old, self.new)


def read(path: Path = FAULTS) -> list[Fault]:
    """Return the faults of a file. A fault without tests has those of the one before it."""
    faults: list[Fault] = []
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]:
        tests = tuple(row["tests"].split()) if "tests" in row else faults[-1].tests
        faults.append(Fault(row["name"], row["file"], row["old"], row["new"], tests))
    return faults


def copy_to(folder: Path) -> None:
    """Copy what git would commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def run(folder: Path, tests: Sequence[str], seconds: float) -> tuple[int, str]:
    """Run tests in a copy; return pytest's exit status and the end of its output."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if not child:
            test(folder, tests, output)
        end, ended, status = time.monotonic() + seconds, 0, 0
        while not ended and time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0.05)
        if not ended:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        output.seek(0)
        text = output.read().decode(errors="replace")[-2000:]
    return (os.waitstatus_to_exitcode(status) if ended else TIMED_OUT), text


def test(folder: Path, tests: Sequence[str], output: IO[bytes]) -> NoReturn:
    """Run tests in this process, as if it had begun in the copy, and end it."""
    status = -2
    try:
        os.setsid()
        for descriptor in (1, 2):
            os.dup2(output.fileno(), descriptor)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = sys.path[0] = str(folder)
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(folder / ".pyc")
        sys.dont_write_bytecode = False
        hypothesis.settings.register_profile("first failure", phases=QUICK, database=None)
        hypothesis.settings.load_profile("first failure")  # the tests' own profile is made from it
        for name in list(sys.modules):
            if name.partition(".")[0] in OWN:
                del sys.modules[name]
        status = int(pytest.main(["-x", "-m", "slow or not slow", "-W", "ignore", "-p", "no:cacheprovider", *tests]))
    finally:
        os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool."""
    parser = argparse.ArgumentParser("tools.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="names of faults, or how they begin (default: all)")
    parser.add_argument("--faults", type=Path, default=FAULTS, help="the file of faults")
    parser.add_argument("--list", action="store_true", help="only list them, and check that they fit the source")
    parser.add_argument("--seconds", type=float, default=900, help="the most for the tests of one fault")
    parsed = parser.parse_args(arguments)
    faults = [each for each in read(parsed.faults) if not parsed.names or each.name.startswith(tuple(parsed.names))]
    try:
        changed = {each: each.put_into((ROOT / each.file).read_text(encoding="utf-8")) for each in faults}
    except (ValueError, OSError) as fault:
        print(fault, file=sys.stderr)
        return 2
    if parsed.list or not faults:
        print(*table([[each.name, each.file, " ".join(each.tests)] for each in faults]), sep="\n")
        return 0 if faults else 2
    for name in LOADED:
        importlib.import_module(name)
    rows, unseen = [["fault", "seconds", "seen"]], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copy_to(folder)
        tests = sorted({test for each in faults for test in each.tests})
        status, output = run(folder, tests, parsed.seconds * len(tests))
        if status != PASSED:
            print(f"the tests do not pass without a fault:\n{output}", file=sys.stderr)
            return 2
        for number, each in enumerate(faults):
            place, began = folder / each.file, time.monotonic()
            whole = place.read_bytes()
            place.write_text(changed[each], encoding="utf-8", newline="")
            os.utime(place, (number, number))  # another time for each, so that no bytecode of another is taken
            status, output = run(folder, each.tests, parsed.seconds)
            place.write_bytes(whole)
            seen = status in (FAILED, TIMED_OUT)
            unseen += not seen
            rows.append([each.name, f"{time.monotonic() - began:.0f}", "yes" if seen else f"NO ({status})"])
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    print(*table(rows), sep="\n")
    print(f"{len(faults) - unseen} of {len(faults)} faults were seen")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
