"""tools/build_wheel.py: what the wheel holds and for what it is."""

import importlib.util
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
specification = importlib.util.spec_from_file_location("build_wheel", ROOT / "tools" / "build_wheel.py")
build_wheel = importlib.util.module_from_spec(specification)
specification.loader.exec_module(build_wheel)


@pytest.mark.parametrize("prebuilt", [False, True])
def test_the_wheel_carries_the_kernels_if_there_are_any(tmp_path, prebuilt):
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.split(".")[0]) < 77:
        pytest.skip("this setuptools is too old to build the package")
    pytest.importorskip("pip")
    source = tmp_path / "source"
    source.mkdir()
    build_wheel.copy_sources(source)
    if prebuilt:
        (source / "shogi_engine" / "_kernels" / "x86-64-v3").mkdir(parents=True)
        (source / "shogi_engine" / "_kernels" / "x86-64-v3" / "manifest.json").write_text("{}")
        (source / "shogi_engine" / "_kernels" / "x86-64-v3" / "search-0.kernel").write_bytes(b"1")
    wheel = build_wheel.build_wheel(source, tmp_path / "out", "linux_x86_64", isolated=False)
    assert wheel.name.endswith(f"-cp{sys.version_info.major}{sys.version_info.minor}-none-linux_x86_64.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"shogi_engine/jit/policy.py", "usi/loop.py", "shogi_engine/games/othello/weights.bin"} <= names
    kernels = {name for name in names if name.startswith("shogi_engine/_kernels/")}
    place = "shogi_engine/_kernels/x86-64-v3"
    assert kernels == ({f"{place}/manifest.json", f"{place}/search-0.kernel"} if prebuilt else set())
