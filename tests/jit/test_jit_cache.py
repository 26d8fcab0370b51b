"""The cache: edited rules, what the key holds, processes and threads at once, processes killed, files damaged.

What depends on the cache runs in processes of its own, with a cache of their own, on copies of the package.
"""

import pickle
import random
import shutil
import time
from pathlib import Path

import pytest
from numba.core.caching import NullCache

from shogi_engine import jit
from shogi_engine.jit import njit
from shogi_engine.jit.workshop import LEAN
from tests.support.processes import (
    PERFT,
    PERFT_5,
    QUICK,
    QUICK_ANSWER,
    REPORT,
    ROOT,
    copy_package,
    edit,
    environment,
    finish,
    kernel_files,
    run,
    start,
)

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="with JIT off nothing is compiled")


# ---- an edited rule ----------------------------------------------------------------------------------------------

# Nim with one heap, as small as a game can be; {limit} says where the kernel `limit` comes from.
NIM = """
import numpy as np
from shogi_engine.interface.game import Game, provides
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
from shogi_engine.jit.workshop import LEAN

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
    assert cold["answer"] == 2**4 and cold["misses"] > 0
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


def test_kernels_survive_an_edit_that_does_not_concern_them(tmp_path):
    """A constant of a module without kernels is part of what they are made of; a module never imported is not."""
    package = copy_package(tmp_path) / "shogi_engine"
    constant = "from shogi_engine.types import nim_rules\n@njit\ndef limit():\n    return nim_rules.LIMIT\n"
    (package / "games" / "nim.py").write_text(NIM.format(limit=constant))
    (package / "types" / "nim_rules.py").write_text("from shogi_engine.types.nim_limit import LIMIT as LIMIT\n")
    (package / "types" / "nim_limit.py").write_text("def limit():\n    return 2\nLIMIT = limit()\n")
    env = environment(tmp_path / "cache", tmp_path)
    source = PERFT_OF_NIM.format(module="shogi_engine.games.nim")
    check_edit(source, env, package / "types" / "nim_limit.py")
    for file in "web/app.py", "cli/bench.py", "play/players.py", "batch/puct.py":
        (package / file).write_text("# another comment\n" + (package / file).read_text())
    (package / "web" / "new.py").write_text("")
    again = run(source, env)
    assert (again["answer"], again["misses"]) == (2**4, 0)


THROUGH = "@njit\ndef limit():\n    return other.helper.limit()\n"
OUTSIDE = {  # how a game outside of the package may be laid out: where its kernel `limit` comes from, and its files
    "one file": (LIMIT, "nim.py", "nim.py"),
    "one folder": ("from helper import limit", "nim.py", "helper.py"),
    "one package": ("from game.rules.helper import limit", "game/nim.py", "game/rules/helper.py"),
    "two packages": ("from other.helper import limit", "game/nim.py", "other/helper.py"),
    "a module elsewhere": (f"import other.helper\n{THROUGH}", "game/nim.py", "other/helper.py"),
}


BY_DAY = ("one package", "a module elsewhere", "cut", "flipped", "another kernel")


def rarely(names):
    """Return parameters, most of them for the night."""
    return [pytest.param(name, marks=() if name in BY_DAY else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("layout", rarely(OUTSIDE))
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
    late = (
        f"import shogi_engine.interface.game, pathlib\nfile = pathlib.Path({str(rules)!r})\ntext = file.read_text()\n"
    )
    late += "file.write_text(text.replace('return 2', 'return 3'))\n"
    assert run(late + source, env)["answer"] == 3**4
    edit(rules, "return 3", "return 2")
    assert run(source, env)["answer"] == 2**4


def test_a_kernel_without_a_source_file_is_not_cached():
    names: dict = {"njit": njit, "__name__": "typed_in"}
    exec("@njit\ndef one():\n    return 1\n", names)
    assert names["one"]() == 1
    assert isinstance(names["one"].dispatcher._cache, NullCache)


def test_a_closure_is_refused():
    step = 2

    def add(x):
        return x + step

    with pytest.raises(TypeError, match=r"add closes over step"):
        njit(add)


# ---- what the cache's key holds ----------------------------------------------------------------------------------

READER = """
from shogi_engine.jit import njit
from shogi_engine.jit.workshop import LEAN

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
from tests.support.games.tictactoe import GAME
from reader import read, read_field
from shogi_engine.perft import perft_context

def is_caught(kernel, argument, index):
    try:
        kernel(argument, index)
        return False
    except IndexError:
        return True

ctx = perft_context(GAME)
numbers = np.arange(8)
report(
    array=is_caught(read, numbers[:4], 6),
    negative=is_caught(read, numbers[4:], -1),
    field=is_caught(read_field, ctx, len(ctx.moves)),
)
"""
)


def test_bounds_checks_are_part_of_the_key(tmp_path):
    """All reads stay in memory that is there, so that without checks nothing happens."""
    (tmp_path / "reader.py").write_text(READER)
    paths = (ROOT, tmp_path)
    loose = environment(tmp_path / "cache", *paths)
    strict = environment(tmp_path / "cache", *paths, NUMBA_BOUNDSCHECK="1")
    for env, caught in ((loose, False), (strict, True)):
        cold, warm = run(READ_BEYOND, env), run(READ_BEYOND, env)
        assert (cold["hits"], warm["misses"]) == (0, 0)
        for result in cold, warm:
            assert (result["array"], result["field"], result["negative"]) == (caught, caught, caught and LEAN)


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


def test_processes_that_start_cold_at_once(tmp_path):
    env = environment(tmp_path)
    for result in [finish(process) for process in [start(PERFT, env), start(PERFT, env)]]:
        assert (result["answer"], Path(result["folder"]).parent) == (PERFT_5, tmp_path)
    files = {file: file.stat().st_mtime_ns for file in kernel_files(tmp_path)}
    assert len(files) > 1
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
    for delay in (0.6, 0.9, 1.2, 1.5):
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
    stuck = "import time\nfrom shogi_engine.common import files\n"
    if moment == "half written":
        stuck += "whole = files.WholeFile.write\ndef half(self, data):\n    whole(self, data[:len(data) // 2])\n"
        stuck += "    self._stream.flush()\n    time.sleep(600)\nfiles.WholeFile.write = half\n"
    else:
        stuck += "files.replace = lambda source, target: time.sleep(600)\n"
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


@pytest.fixture(scope="module")
def quick_cache(tmp_path_factory):
    """Return a folder with the cache that QUICK leaves."""
    folder = tmp_path_factory.mktemp("quick")
    run(QUICK, environment(folder))
    return folder


@pytest.mark.parametrize("damage", rarely(damages(b"12", b"")))
def test_a_damaged_file_is_compiled_again(tmp_path, quick_cache, damage):
    env = environment(tmp_path)
    shutil.copytree(quick_cache, tmp_path, dirs_exist_ok=True)
    files = kernel_files(tmp_path)
    contents = [file.read_bytes() for file in files]
    for file, content, other in zip(files, contents, contents[1:] + contents[:1], strict=True):
        file.write_bytes(damages(content, other)[damage])
    assert run(QUICK, env)["answer"] == QUICK_ANSWER
    mended = run(QUICK, env)
    assert (mended["answer"], mended["misses"]) == (QUICK_ANSWER, 0)


def test_a_large_global_is_refused(tmp_path):
    """numba would compile it anew in each process, in silence."""
    (tmp_path / "large.py").write_text(
        "import numpy as np\nfrom shogi_engine.jit import njit\nTABLE = np.zeros(1 << 17)\n"
        "@njit\ndef look(index):\n    return TABLE[index]\n"
    )
    source = REPORT + "from large import look\ntry:\n    look(1)\nexcept TypeError as e:\n    report(message=str(e))\n"
    assert "look cannot be cached" in run(source, environment(tmp_path / "cache", ROOT, tmp_path))["message"]
