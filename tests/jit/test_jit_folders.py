"""Where the cache lies: which folders are used, which are not trusted, what is left of old ones."""

import os
import pickle
import shutil
import stat
from pathlib import Path

import pytest

from shogi_engine import jit
from shogi_engine.jit.workshop import cache
from tests.support.processes import QUICK, QUICK_ANSWER, ROOT, copy_package, environment, kernel_files, run

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")
needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps users apart by other means")

NO_TEMP = "import tempfile\ntempfile._candidate_tempdir_list = lambda: ['/dev/null/nowhere']\n"


def blocked(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Return a copy of the package and an environment that can write to no folder but the temporary one.

    Folders lie below regular files, which stops even an administrator.
    """
    package = copy_package(tmp_path / "installed")
    (package / "shogi_engine" / "__pycache__").write_text("a file")
    file = tmp_path / "file"
    file.touch()
    nowhere = str(file / "home")
    names = ("HOME", "XDG_CACHE_HOME", "USERPROFILE", "LOCALAPPDATA", "NUMBA_CACHE_DIR")
    env = environment(file / "cache", package, ROOT, **dict.fromkeys(names, nowhere))
    (tmp_path / "temp").mkdir()
    return package, env | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(tmp_path / "temp"))


def test_no_folder_but_the_temporary_one(tmp_path):
    _, env = blocked(tmp_path)
    cold = run(QUICK, env)
    assert cold["answer"] == QUICK_ANSWER and Path(cold["folder"]).parent.parent == (tmp_path / "temp").resolve()
    assert run(QUICK, env)["misses"] == 0


def test_no_folder_at_all(tmp_path):
    _, env = blocked(tmp_path)
    result = run(NO_TEMP + QUICK, env)
    assert (result["answer"], result["folder"]) == (QUICK_ANSWER, "None")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no /dev/null")
def test_home_that_is_no_folder(tmp_path):
    _, env = blocked(tmp_path)
    del env["XDG_CACHE_HOME"]
    result = run(NO_TEMP + QUICK, env | {"HOME": "/dev/null"})
    assert (result["answer"], result["folder"]) == (QUICK_ANSWER, "None")


def test_a_package_that_can_be_written_holds_the_cache_of_a_user_without_a_home(tmp_path):
    package, env = blocked(tmp_path)
    (package / "shogi_engine" / "__pycache__").unlink()
    folder = Path(run(QUICK, env)["folder"])
    assert folder.parent == (package / "shogi_engine" / "__pycache__" / "kernels").resolve()
    assert run(QUICK, env)["misses"] == 0


def test_a_relative_folder_outlives_a_change_of_folder(tmp_path):
    env = environment("cache")
    run("import os\nfrom shogi_engine.games.shogi import bitboard\nos.chdir('/')\n" + QUICK, env, cwd=tmp_path)
    assert kernel_files(tmp_path / "cache")


@pytest.mark.parametrize("fault", ["full", "removed"])
def test_a_folder_that_fails_later(tmp_path, fault):
    if fault == "full":
        source = "from shogi_engine.common import files\ndef full(self, data):\n    raise OSError(28, 'full')\n"
        source += "files.WholeFile.write = full\n" + QUICK
    else:
        source = "import shutil\nfrom shogi_engine import jit\nshutil.rmtree(jit.cache_folder())\n" + QUICK
    assert run(source, environment(tmp_path))["answer"] == QUICK_ANSWER
    assert not kernel_files(tmp_path)


def fallback(tmp_path, env):
    """Return `env` with tmp_path/first/cache as first folder for the cache, tmp_path/second as second."""
    (tmp_path / "first" / "cache").mkdir(parents=True, mode=0o755)
    (tmp_path / "second").mkdir()
    names = {"SHOGI_ENGINE_CACHE_DIR": str(tmp_path / "first" / "cache"), "NUMBA_CACHE_DIR": str(tmp_path / "second")}
    return env | names


def poison(cache_root, mark):
    """Replace all cached kernels by what makes the file `mark` when it is loaded."""
    content = pickle.dumps(Poison(str(mark)))
    for file in kernel_files(cache_root):
        file.write_bytes(cache._checksum(file, content) + content)


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """Return an environment and a copy of the cache that QUICK left; cached code is executed: poison leaves a mark."""
    folder = tmp_path_factory.mktemp("used")
    env = fallback(folder, blocked(folder)[1])
    first = folder / "first" / "cache"
    assert Path(run(QUICK, env)["folder"]).parent == first
    shutil.copytree(first, folder / "clean")
    poison(first, folder / "mark")
    run(QUICK, env)
    assert (folder / "mark").exists()
    return env, folder / "clean"


@needs_users
@pytest.mark.parametrize(
    ("place", "fault"),
    [
        ("first/cache/kernels", "open to others"), ("first", "open to others"), ("first/cache", "another user's"),
        pytest.param("first/cache", "open to others", marks=pytest.mark.slow),
        pytest.param("first/cache/kernels", "another user's", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_folder_that_others_could_write_is_not_used(tmp_path, used, place, fault):
    """Cached code is executed: here it would leave a mark."""
    if fault == "another user's" and os.getuid() != 0:
        pytest.skip("only an administrator can give a folder away")
    mark, first, env = tmp_path / "mark", tmp_path / "first" / "cache", fallback(tmp_path, used[0])
    shutil.copytree(used[1], first, dirs_exist_ok=True)
    assert kernel_files(first)
    poison(first, mark)
    victim = next(first.glob("kernels-*")) if place.endswith("kernels") else tmp_path / place
    if fault == "open to others":
        victim.chmod(0o777)
    else:
        os.chown(victim, 12345, 12345)
    result = run(QUICK, env)
    assert (result["answer"], Path(result["folder"]).parent) == (QUICK_ANSWER, tmp_path / "second")
    assert not mark.exists()


class Poison:
    """Unpickled, it makes a file."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self):
        return (open, (self.mark, "w"))


@needs_users
def test_folders_are_made_for_their_user_alone(tmp_path):
    previous = os.umask(0)
    try:
        folder = Path(run(QUICK, environment(tmp_path / "cache"))["folder"])
    finally:
        os.umask(previous)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, folder.parent)] == [0o700, 0o700]


def test_old_folders_are_removed_but_for_a_few(tmp_path):
    names = [f"kernels-{n}" for n in range(8)]
    for n, name in enumerate(names):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (n, n))
    (tmp_path / "precious").mkdir()
    folder = Path(run(QUICK, environment(tmp_path))["folder"])
    left = sorted(entry.name for entry in tmp_path.iterdir())
    assert left == sorted([folder.name, "precious", *names[-jit.KEPT_STAMPS :]])


def test_nothing_that_windows_lacks_is_needed(tmp_path):
    source = """
import os, sys, numba, platformdirs
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("getuid", "geteuid", "getgid", "chown", "fchmod", "fchown", "fork", "getpgid", "killpg", "uname"):
    delattr(os, name) if hasattr(os, name) else None
"""
    assert run(source + QUICK, environment(tmp_path))["answer"] == QUICK_ANSWER
    assert run(source + QUICK, environment(tmp_path))["misses"] == 0
