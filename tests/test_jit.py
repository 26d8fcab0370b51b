"""The numba policy: each trap of compiling and caching that jit.py is built around, set off on purpose.

What depends on the cache runs in processes of its own, with a cache of their own, on copies of the package.
"""

import json
import os
import pickle
import random
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from processes import PERFT, PERFT_5, QUICK, QUICK_ANSWER, REPORT, ROOT, TESTS, endgame_solve, environment, run, start

from shogi_engine import jit
from shogi_engine.game import provides
from shogi_engine.jit import load_u64, njit, record_dtype

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")
needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows keeps users apart by other means")


def copy_package(folder: Path) -> Path:
    """Copy the package's sources below `folder` and return `folder`."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "shogi_engine", folder / "shogi_engine", ignore=ignored)
    return folder


def edit(file: Path, old: str, new: str) -> None:
    """Replace `old`, which must be there once, by `new`."""
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


# ---- an edited rule ----------------------------------------------------------------------------------------------

# Nim with one heap, as small as a game can be; {limit} says where the kernel `limit` comes from.
NIM = """
import numpy as np
from shogi_engine.game import Game, provides
from shogi_engine.jit import new_record, njit, record_dtype
{limit}
POSITION = record_dtype([("stones", np.int64)])
UNDO = record_dtype([("unused", np.uint8)])

@provides(POSITION)
def generate_moves(ctx, start):
    count = min(ctx.pos.stones, limit())
    for taken in range(count):
        ctx.moves[start + taken] = taken + 1
    return count

@provides(POSITION)
def do_move(pos, move, undo):
    pos.stones -= move

@provides(POSITION)
def undo_move(pos, move, undo):
    pos.stones += move

def parse_position(text):
    pos = new_record(POSITION)
    pos.stones = int(text)
    return pos

GAME = Game("nim", POSITION, UNDO, 9, "20", parse_position, lambda pos: str(pos.stones), lambda pos, text: int(text),
            lambda pos, move: str(move), UNDO, lambda: new_record(UNDO))
"""
LIMIT = """
from shogi_engine.jit import njit

@njit
def limit():
    return 2
"""
PERFT_OF_NIM = REPORT + (
    "from {module} import GAME\n"
    "from shogi_engine.perft import perft\n"
    "report(answer=perft(GAME, GAME.parse_position(GAME.start), 4).nodes)\n"
)


def check_edit(source: str, env: dict[str, str], file: Path) -> None:
    """Check that perft of nim is cached, and that it is another one as soon as `file` lets three stones be taken."""
    cold = run(source, env)
    warm = run(source, env)
    assert (cold["answer"], warm["answer"], warm["misses"]) == (2**4, 2**4, 0)
    assert cold["misses"] > 0
    edit(file, "return 2", "return 3")
    assert run(source, env)["answer"] == 3**4
    edit(file, "return 3", "return 2")
    back = run(source, env)
    assert (back["answer"], back["misses"]) == (2**4, 0)


def test_an_edited_rule_of_the_package_changes_cached_callers(tmp_path):
    package = copy_package(tmp_path) / "shogi_engine"
    (package / "games" / "nim.py").write_text(NIM.format(limit=LIMIT))
    env = environment(tmp_path / "cache", tmp_path)
    check_edit(PERFT_OF_NIM.format(module="shogi_engine.games.nim"), env, package / "games" / "nim.py")


THROUGH = "@njit\ndef limit():\n    return other.helper.limit()\n"
OUTSIDE = {  # how a game outside of the package may be laid out: where its kernel `limit` comes from, and its files
    "one file": (LIMIT, "nim.py", "nim.py"),
    "one folder": ("from helper import limit", "nim.py", "helper.py"),
    "one package": ("from game.rules.helper import limit", "game/nim.py", "game/rules/helper.py"),
    "two packages": ("from other.helper import limit", "game/nim.py", "other/helper.py"),
    "a module elsewhere": (f"import other.helper\n{THROUGH}", "game/nim.py", "other/helper.py"),
}


@pytest.mark.parametrize("layout", OUTSIDE)
def test_an_edited_rule_outside_of_the_package_changes_cached_callers(tmp_path, layout):
    limit, game, helper = OUTSIDE[layout]
    for file, text in ((helper, LIMIT), (game, NIM.format(limit=limit))):
        path = tmp_path / "games" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for folder in ("game", "game/rules", "other"):
        if (tmp_path / "games" / folder).is_dir():
            (tmp_path / "games" / folder / "__init__.py").touch()
    env = environment(tmp_path / "cache", ROOT, tmp_path / "games")
    module = game.removesuffix(".py").replace("/", ".")
    check_edit(PERFT_OF_NIM.format(module=module), env, tmp_path / "games" / helper)


def test_code_of_sources_edited_while_a_process_runs_is_not_stored(tmp_path):
    """The process may have imported the old file or the new one: what it compiles belongs to neither stamp."""
    rules = copy_package(tmp_path) / "shogi_engine" / "games" / "nim.py"
    rules.write_text(NIM.format(limit=LIMIT))
    env = environment(tmp_path / "cache", tmp_path)
    source = PERFT_OF_NIM.format(module="shogi_engine.games.nim")
    late = f"import shogi_engine.game, pathlib\nfile = pathlib.Path({str(rules)!r})\ntext = file.read_text()\n"
    late += "file.write_text(text.replace('return 2', 'return 3'))\n"
    assert run(late + source, env)["answer"] == 3**4
    edit(rules, "return 3", "return 2")
    assert run(source, env)["answer"] == 2**4


def test_a_kernel_without_a_source_file_is_not_cached():
    names: dict = {"njit": njit, "__name__": "typed_in"}
    exec("@njit\ndef one():\n    return 1\n", names)
    assert names["one"]() == 1
    assert isinstance(names["one"]._cache, jit.NullCache)


def test_a_closure_is_refused():
    step = 2

    def add(x):
        return x + step

    with pytest.raises(TypeError, match=r"add closes over step"):
        njit(add)


# ---- what the cache's key holds ----------------------------------------------------------------------------------

READER = """
from shogi_engine.jit import njit

@njit
def read(array, index):
    return array[index]

@njit
def read_field(ctx, index):
    return ctx.moves[index]
"""
READ_BEYOND = (
    REPORT
    + """
import numpy as np
from games.tictactoe import GAME
from reader import read, read_field
from shogi_engine.perft import perft_context

def is_caught(kernel, argument, index):
    try:
        kernel(argument, index)
        return False
    except IndexError:
        return True

ctx = perft_context(GAME)
report(array=is_caught(read, np.arange(8)[:4], 6), field=is_caught(read_field, ctx, len(ctx.moves)))
"""
)


def test_bounds_checks_are_part_of_the_key(tmp_path):
    """Both reads stay in memory that is there, so that without checks nothing happens."""
    (tmp_path / "reader.py").write_text(READER)
    paths = (ROOT, TESTS, tmp_path)
    loose = environment(tmp_path / "cache", *paths)
    strict = environment(tmp_path / "cache", *paths, NUMBA_BOUNDSCHECK="1")
    for env, caught in ((loose, False), (strict, True)):
        cold, warm = run(READ_BEYOND, env), run(READ_BEYOND, env)
        assert (cold["array"], cold["field"], cold["hits"]) == (caught, caught, 0)
        assert (warm["array"], warm["field"], warm["misses"]) == (caught, caught, 0)


def test_the_optimisation_level_is_part_of_the_key(tmp_path):
    run(QUICK, environment(tmp_path))
    plain = run(QUICK, environment(tmp_path, NUMBA_OPT="1"))
    assert (plain["answer"], plain["hits"]) == (QUICK_ANSWER, 0)


def test_sources_digest_knows_names_contents_and_folders(tmp_path):
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "a.py").write_text("1")
    seen = [jit.sources_digest(tmp_path), jit.sources_digest(package)]
    assert seen[0] == ""  # no sources of its own, and no package
    (package / "inner" / "b.py").write_text("2")
    assert jit.sources_digest(package) == seen[1]  # no package: a folder is as far as it goes
    (package / "__init__.py").touch()
    seen.append(jit.sources_digest(package))
    (package / "inner" / "b.py").write_text("3")
    seen.append(jit.sources_digest(package))
    (package / "inner" / "b.py").rename(package / "b.py")
    seen.append(jit.sources_digest(package))
    assert len(set(seen)) == 5
    (package / ".#a.py").symlink_to("someone@editor.1")  # an editor's lock file points nowhere
    assert jit.sources_digest(package) == seen[-1]


# ---- several processes and threads -------------------------------------------------------------------------------


def kernel_files(cache: Path) -> list[Path]:
    """Return all files of cached kernels."""
    return sorted(cache.glob("kernels-*/*.kernel"))


def test_processes_that_start_cold_at_once(tmp_path):
    env = environment(tmp_path)
    for result in [endgame_solve(process) for process in [start(PERFT, env), start(PERFT, env)]]:
        assert (result["answer"], Path(result["folder"]).parent) == (PERFT_5, tmp_path)
    files = {file: file.stat().st_mtime_ns for file in kernel_files(tmp_path)}
    assert len(files) > 3
    third = run(PERFT, env)
    assert (third["answer"], third["misses"]) == (PERFT_5, 0) and third["hits"] > 0
    assert files == {file: file.stat().st_mtime_ns for file in kernel_files(tmp_path)}
    assert not list(tmp_path.glob("kernels-*/*.tmp"))


def test_threads_that_compile_at_once(tmp_path):
    source = (
        PERFT.partition("report(answer")[0]
        + """
import threading
gate, results = threading.Barrier(4), []
def work():
    gate.wait()
    results.append(perft(GAME, GAME.parse_position(GAME.start), 5).nodes)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
report(results=results)
"""
    )
    once = run(PERFT, environment(tmp_path / "once"))
    result = run(source, environment(tmp_path / "threads"))
    assert (result["results"], result["misses"]) == ([PERFT_5] * 4, once["misses"])


def test_killed_while_compiling(tmp_path):
    env = environment(tmp_path)
    for delay in (0.4, 0.6, 0.8, 1.0, 1.2, 1.5):
        process = start(PERFT, env)
        time.sleep(delay)
        process.kill()  # SIGKILL, TerminateProcess
        process.communicate()
    assert run(PERFT, env)["answer"] == PERFT_5
    assert run(PERFT, env)["misses"] == 0


@pytest.mark.parametrize("wanted", [1, 3])
def test_killed_between_two_kernels(tmp_path, wanted):
    env = environment(tmp_path)
    process = start(PERFT, env)
    deadline = time.monotonic() + 60
    while len(kernel_files(tmp_path)) < wanted and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    result = run(PERFT, env)
    assert result["answer"] == PERFT_5 and result["hits"] > 0
    assert run(PERFT, env)["misses"] == 0


@pytest.mark.parametrize("moment", ["half written", "not renamed"])
def test_killed_while_writing(tmp_path, moment):
    env = environment(tmp_path)
    stuck = "import pathlib, time\nfrom shogi_engine import jit\n"
    if moment == "half written":
        stuck += "whole = pathlib.Path.write_bytes\ndef half(path, data):\n    whole(path, data[:len(data) // 2])\n"
        stuck += "    time.sleep(600)\npathlib.Path.write_bytes = half\n"
    else:
        stuck += "jit._replace = lambda source, target: time.sleep(600)\n"
    process = start(stuck + QUICK, env)
    deadline = time.monotonic() + 60
    while not any(file.stat().st_size for file in tmp_path.glob("kernels-*/*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert len(list(tmp_path.glob("kernels-*/*.tmp"))) == 1 and not kernel_files(tmp_path)
    assert run(QUICK, env)["answer"] == QUICK_ANSWER
    assert run(QUICK, env)["misses"] == 0


def damages(content: bytes, other: bytes) -> dict[str, bytes]:
    """Return what may have become of a file's `content`: lost, cut, overwritten, a bit flipped, another kernel's."""
    middle = len(content) // 2
    return {
        "empty": b"",
        "cut": content[:middle],
        "zeroed": bytes(len(content)),
        "noise": random.Random(1).randbytes(len(content)),
        "pickle of something else": pickle.dumps({"a": 1}),
        "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "another kernel": other,
    }


@pytest.mark.parametrize("damage", damages(b"12", b""))
def test_a_damaged_file_is_compiled_again(tmp_path, damage):
    env = environment(tmp_path)
    run(QUICK, env)
    files = kernel_files(tmp_path)
    contents = [file.read_bytes() for file in files]
    for file, content, other in zip(files, contents, contents[1:] + contents[:1], strict=True):
        file.write_bytes(damages(content, other)[damage])
    assert run(QUICK, env)["answer"] == QUICK_ANSWER
    mended = run(QUICK, env)
    assert (mended["answer"], mended["misses"]) == (QUICK_ANSWER, 0)


# ---- where the cache lies ----------------------------------------------------------------------------------------

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
    env = environment(file / "cache", package, TESTS, **dict.fromkeys(names, nowhere))
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
    run("import os\nfrom shogi_engine import bits\nos.chdir('/')\n" + QUICK, env, cwd=tmp_path)
    assert kernel_files(tmp_path / "cache")


@pytest.mark.parametrize("fault", ["full", "removed"])
def test_a_folder_that_fails_later(tmp_path, fault):
    if fault == "full":
        source = "import pathlib\ndef full(path, data):\n    raise OSError(28, 'No space left on device')\n"
        source += "pathlib.Path.write_bytes = full\n" + QUICK
    else:
        source = "import shutil\nfrom shogi_engine import jit\nshutil.rmtree(jit.cache_folder())\n" + QUICK
    assert run(source, environment(tmp_path))["answer"] == QUICK_ANSWER
    assert not kernel_files(tmp_path)


@pytest.fixture
def fallback(tmp_path):
    """Return an environment whose first folder for the cache is tmp_path/first/cache, its second tmp_path/second."""
    _, env = blocked(tmp_path)
    (tmp_path / "first" / "cache").mkdir(parents=True, mode=0o755)
    (tmp_path / "second").mkdir()
    names = {"SHOGI_ENGINE_CACHE_DIR": str(tmp_path / "first" / "cache"), "NUMBA_CACHE_DIR": str(tmp_path / "second")}
    return env | names


@needs_users
@pytest.mark.parametrize("place", ["first/cache/kernels", "first/cache", "first"])
@pytest.mark.parametrize("fault", ["open to others", "another user's"])
def test_a_folder_that_others_could_write_is_not_used(tmp_path, fallback, place, fault):
    """Cached code is executed: here it would leave a mark."""
    if fault == "another user's" and os.getuid() != 0:
        pytest.skip("only an administrator can give a folder away")
    assert Path(run(QUICK, fallback)["folder"]).parent == tmp_path / "first" / "cache"
    mark = tmp_path / "mark"
    poison = pickle.dumps(Poison(str(mark)))
    for file in kernel_files(tmp_path / "first" / "cache"):
        file.write_bytes(jit._checksum(file, poison) + poison)
    run(QUICK, fallback)
    assert mark.exists()  # the poison works
    mark.unlink()
    victim = next((tmp_path / "first" / "cache").glob("kernels-*")) if place.endswith("kernels") else tmp_path / place
    for file in kernel_files(tmp_path / "first" / "cache"):
        file.write_bytes(jit._checksum(file, poison) + poison)
    if fault == "open to others":
        victim.chmod(0o777)
    else:
        os.chown(victim, 12345, 12345)
    result = run(QUICK, fallback)
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


def test_a_large_global_is_refused(tmp_path):
    """numba would compile it anew in each process, in silence."""
    (tmp_path / "large.py").write_text(
        "import numpy as np\nfrom shogi_engine.jit import njit\nTABLE = np.zeros(1 << 17)\n"
        "@njit\ndef look(index):\n    return TABLE[index]\n"
    )
    source = REPORT + "from large import look\ntry:\n    look(1)\nexcept TypeError as e:\n    report(message=str(e))\n"
    assert "look can not be cached" in run(source, environment(tmp_path / "cache", ROOT, tmp_path))["message"]


# ---- without POSIX -----------------------------------------------------------------------------------------------


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


# ---- kernels -----------------------------------------------------------------------------------------------------


@njit
def spin(address):
    """Count until the word at `address` is not 0."""
    count = 0
    while load_u64(address) == np.uint64(0):
        count += 1
    return count


@pytest.mark.flaky(reruns=5, reruns_delay=1)  # it looks at the clock, and machines are noisy
def test_a_stop_flag_is_seen_by_a_running_kernel():
    flag = np.ones(1, np.uint64)
    address = np.uint64(flag.ctypes.data)
    spin(address)  # compiled
    delays = []
    for _ in range(5):
        flag[0] = 0
        thread = threading.Thread(target=spin, args=(address,), daemon=True)
        thread.start()
        time.sleep(0.05)
        assert thread.is_alive()
        began = time.perf_counter()
        flag[0] = 1
        thread.join(10)
        delays.append(time.perf_counter() - began)
        assert not thread.is_alive()
    assert min(delays) < 0.02


def values_of_kernels(tmp_path: Path, **variables: str) -> dict:
    """Return what kernel_values.py prints."""
    env = environment(tmp_path, **variables)
    command = [sys.executable, str(TESTS / "kernel_values.py")]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_kernels_answer_the_same_without_jit(tmp_path):
    compiled = values_of_kernels(tmp_path)
    assert len(compiled["words"]) > 200
    assert values_of_kernels(tmp_path, NUMBA_DISABLE_JIT="1") == compiled
    assert values_of_kernels(tmp_path, NUMBA_BOUNDSCHECK="1") == compiled


def test_the_tests_of_bits_pass_without_jit():
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(TESTS / "test_bits.py")]
    env = environment(None, NUMBA_DISABLE_JIT="1")
    result = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert result.returncode == 0, result.stdout


# ---- registration ------------------------------------------------------------------------------------------------


def rule(name: str, parameters: str):
    """Return a function of that name and of those parameters."""
    names: dict = {"__name__": "somewhere.rules"}
    exec(f"def {name}({parameters}):\n    return 0\n", names)
    return names[name]


def fresh_dtype(name: str) -> np.dtype:
    """Return a position dtype like no other."""
    return record_dtype([(name, np.uint64)])


@pytest.mark.parametrize("name, parameters, message", [
    ("genrate_moves", "ctx, start", r"no rule 'genrate_moves'.*generate_moves"),
    ("do_move", "position, move, undo", r"do_move\(position, move, undo\).*\(pos, move, undo\)"),
    ("do_move", "pos, undo, move", r"should have the parameters \(pos, move, undo\)"),
    ("key", "", r"key\(\) should have the parameters \(pos\)"),
])  # fmt: skip
def test_a_rule_that_does_not_fit_is_refused(name, parameters, message):
    with pytest.raises(TypeError, match=message):
        provides(fresh_dtype("misfit"))(rule(name, parameters))


def test_a_second_rule_of_the_same_name_is_refused():
    dtype = fresh_dtype("twice")
    provides(dtype)(rule("key", "pos"))
    with pytest.raises(TypeError, match="somewhere: key is provided twice"):
        provides(dtype)(rule("key", "pos"))


def test_a_dtype_that_another_game_has_is_refused():
    provides(fresh_dtype("taken"))(rule("key", "pos"))
    other = rule("do_move", "pos, move, undo")
    other.__module__ = "elsewhere.rules"
    with pytest.raises(TypeError, match="elsewhere: a position dtype equal .* belongs to somewhere already"):
        provides(fresh_dtype("taken"))(other)  # equal, though made anew


def test_a_position_with_a_field_named_pos_is_refused():
    with pytest.raises(TypeError, match="'pos'"):
        provides(record_dtype([("pos", np.uint64)]))(rule("key", "pos"))
