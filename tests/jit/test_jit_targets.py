"""Kernels compiled ahead of time: what is built, when it is loaded, and when it is not."""

import json
import platform
import shutil

import pytest

from shogi_engine import jit
from shogi_engine.jit.workshop import targets
from tests.support.processes import QUICK, QUICK_ANSWER, copy_package, edit, environment, kernel_files, run

TARGET = "x86-64-v2"  # what every machine that runs these tests can do
NEEDED = {name.removeprefix("+") for name in targets.feature_string(TARGET).split(",")}
pytestmark = [
    pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled"),
    pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="not an x86-64 machine"),
    pytest.mark.skipif(not targets.host_features() >= NEEDED, reason="this CPU is older than the target"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a copy of the package with the few kernels of QUICK prebuilt, and what was built."""
    folder = copy_package(tmp_path_factory.mktemp("installed"))
    # The build runs in a process that imports this checkout: its sources, and so its stamp, are the copy's.
    small = "from shogi_engine.games.shogi.bitboard import between, lance_attacks\n"
    small += "lance_attacks(0, 76, between(4, 76))\n"
    return folder, targets.build_kernels(TARGET, folder / "shogi_engine" / "_prebuilt", small)


@pytest.fixture
def installed(built, tmp_path):
    """Return a fresh copy of the package with prebuilt kernels, and an environment in which it is found."""
    package = tmp_path / "installed"
    shutil.copytree(built[0], package)
    return package / "shogi_engine", environment(tmp_path / "cache", package)


def manifest_of(package):
    return package / "_prebuilt" / TARGET / targets.MANIFEST


def test_what_is_built(built):
    folder, result = built
    place = folder / "shogi_engine" / "_prebuilt" / TARGET
    files = sorted(place.glob("*.kernel"))
    assert (result.target, result.folder, result.files) == (TARGET, str(place), len(files))
    assert sorted(result.kernels) == ["between", "lance_attacks"]
    assert result.bytes == sum(file.stat().st_size for file in files) > 0
    manifest = json.loads((place / targets.MANIFEST).read_text())
    assert manifest["stamp"] == jit.source_stamp() and manifest["features"] == targets.feature_string(TARGET)
    assert targets.fits(manifest)


def test_prebuilt_kernels_are_loaded(installed, tmp_path):
    result = run(QUICK, installed[1])
    assert (result["answer"], result["misses"]) == (QUICK_ANSWER, 0) and result["hits"] == 2
    assert kernel_files(tmp_path / "cache") == []


def test_prebuilt_kernels_need_no_folder_to_write_to(installed, tmp_path):
    (tmp_path / "file").touch()
    (installed[0] / "__pycache__").write_text("a file")
    nowhere = str(tmp_path / "file" / "cache")
    names = ("HOME", "XDG_CACHE_HOME", "SHOGI_ENGINE_CACHE_DIR")
    env = installed[1] | dict.fromkeys(names, nowhere)
    source = "import tempfile\ntempfile._candidate_tempdir_list = lambda: ['/dev/null/nowhere']\n" + QUICK
    result = run(source, env)
    assert (result["answer"], result["misses"], result["folder"]) == (QUICK_ANSWER, 0, "None")


def spoil_features(package):
    manifest = json.loads(manifest_of(package).read_text())
    manifest["features"] += ",+a-feature-of-tomorrow"
    manifest_of(package).write_text(json.dumps(manifest))


def spoil_kernels(package):
    for file in (package / "_prebuilt" / TARGET).glob("*.kernel"):
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def spoil_sources(package):
    with (package / "common" / "bits.py").open("a") as source:
        source.write("# another version\n")


SPOILED = {
    "a feature is missing": spoil_features,
    "other versions": lambda package: edit(manifest_of(package), jit.source_stamp(), "0" * 64),
    "another system": lambda package: edit(manifest_of(package), "linux", "hurd"),
    "other sources": spoil_sources,
    "damaged": spoil_kernels,
    "no manifest": lambda package: manifest_of(package).unlink(),
    "damaged manifest": lambda package: manifest_of(package).write_text("[1]"),
}


@pytest.mark.parametrize("fault", SPOILED)
def test_prebuilt_kernels_that_do_not_fit_are_not_used(installed, tmp_path, fault):
    SPOILED[fault](installed[0])
    result = run(QUICK, installed[1])
    assert (result["answer"], result["hits"]) == (QUICK_ANSWER, 0)
    assert len(kernel_files(tmp_path / "cache")) == 2


@pytest.mark.parametrize("setting", [{"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_CPU_NAME": "generic"}])
def test_other_settings_of_numba_compile(installed, setting):
    assert run(QUICK, installed[1] | setting)["hits"] == 0


def test_the_users_own_kernels_come_first(installed, tmp_path):
    manifest = manifest_of(installed[0])
    aside = manifest.read_text()
    manifest.unlink()
    run(QUICK, installed[1])
    manifest.write_text(aside)
    for file in manifest.parent.glob("*.kernel"):
        file.unlink()
    assert run(QUICK, installed[1])["misses"] == 0


def test_an_unknown_target_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no target 'z80'; there are x86-64-v2, x86-64-v3"):
        targets.build_kernels("z80", tmp_path, "")


def test_a_failing_compile_is_told(tmp_path):
    with pytest.raises(RuntimeError, match="no such luck"):
        targets.build_kernels(TARGET, tmp_path, "raise SystemExit('no such luck')")


@pytest.mark.parametrize("manifest", [{}, [], None, {"features": 1, "triple": "x", "stamp": "y"}])
def test_a_strange_manifest_does_not_fit(manifest):
    assert not targets.fits(manifest)
