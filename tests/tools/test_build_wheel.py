"""tools/build_wheel.py: what the wheel holds and for what it is."""

import importlib.util
import platform
import sys
import zipfile
from pathlib import Path

import pytest

from shogi_engine import __version__, jit
from shogi_engine.jit.workshop import targets
from tests.support.processes import QUICK, QUICK_ANSWER, ROOT, environment, kernel_files, run

specification = importlib.util.spec_from_file_location("build_wheel", ROOT / "tools" / "build_wheel.py")
build_wheel = importlib.util.module_from_spec(specification)
specification.loader.exec_module(build_wheel)


@pytest.fixture
def source(tmp_path):
    """Return a folder with what a wheel is made of."""
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.split(".")[0]) < 77:
        pytest.skip("this setuptools is too old to build the package")
    pytest.importorskip("pip")
    source = tmp_path / "source"
    source.mkdir()
    build_wheel.copy_sources(source)
    return source


@pytest.mark.parametrize("prebuilt", [False, True])
def test_the_wheel_carries_the_kernels_if_there_are_any(tmp_path, source, prebuilt):
    if prebuilt:
        (source / "shogi_engine" / "_prebuilt" / "x86-64-v3").mkdir(parents=True)
        (source / "shogi_engine" / "_prebuilt" / "x86-64-v3" / "manifest.json").write_text("{}")
        (source / "shogi_engine" / "_prebuilt" / "x86-64-v3" / "search-0.kernel").write_bytes(b"1")
    wheel = build_wheel.build_wheel(source, tmp_path / "out", "linux_x86_64", isolated=False)
    assert wheel.name.startswith(f"shogi_engine-{__version__}-")
    assert wheel.name.endswith(f"-cp{sys.version_info.major}{sys.version_info.minor}-none-linux_x86_64.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"shogi_engine/jit/policy.py", "usi/loop.py", "shogi_engine/games/othello/evaluation/weights.bin"} <= names
    texts = {Path(name).suffix for name in names if "LC_MESSAGES" in name}
    assert texts == {".mo"}  # not what they are made from
    kernels = {name for name in names if name.startswith("shogi_engine/_prebuilt/")}
    place = "shogi_engine/_prebuilt/x86-64-v3"
    assert kernels == ({f"{place}/manifest.json", f"{place}/search-0.kernel"} if prebuilt else set())


@pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")
@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="not an x86-64 machine")
def test_who_installs_it_compiles_nothing(tmp_path, source):
    """The kernels of QUICK stand for all of them. Once the package is edited, they are compiled."""
    small = "from shogi_engine.games.shogi.bitboard import between, lance_attacks\n"
    small += "lance_attacks(0, 76, between(4, 76))\n"
    targets.build_kernels("x86-64-v2", source / "shogi_engine" / "_prebuilt", small)
    wheel = build_wheel.build_wheel(source, tmp_path / "out", "linux_x86_64", isolated=False)
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    env = environment(tmp_path / "cache", installed)
    result = run(QUICK, env)
    assert (result["answer"], result["misses"], result["hits"]) == (QUICK_ANSWER, 0, 2)
    assert kernel_files(tmp_path / "cache") == []
    with (installed / "shogi_engine" / "common" / "bits.py").open("a") as file:
        file.write("\n")
    result = run(QUICK, env)
    assert (result["answer"], len(kernel_files(tmp_path / "cache"))) == (QUICK_ANSWER, 2)
    assert result["misses"] >= 2  # a kernel they call may count too
