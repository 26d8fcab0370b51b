"""Every file that the program writes: the old one or the new one, whatever happens; and no other place writes files."""

import ast
import contextlib
import errno
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from filelock import FileLock

import shogi_engine
import usi
from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.analysis import SavedAnalysis
from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.batch import games
from shogi_engine.books import RunFile
from shogi_engine.cli import compare, csa, doctor
from shogi_engine.common import files
from shogi_engine.common.files import Lock
from shogi_engine.csa.session import GameSaver
from shogi_engine.frontends.core import Output
from shogi_engine.match.runner import GameLog
from shogi_engine.records import GameRecord, files as keeping
from shogi_engine.training import pipeline
from shogi_engine.training.data import save_checkpoint
from shogi_engine.training.shogi.recipe import DataOptions
from shogi_engine.types.results import Score
from shogi_engine.web.store import GameStore, Head
from tests.support.processes import environment
from tests.writing.test_whole_files import holder_of, names

MOVES = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"]
F5D6 = ["f5", "d6", "c3", "d3", "c4", "f4"]

# ---- no other place writes files ---------------------------------------------------------------------------------

CALLS = {
    "write_text", "write_bytes", "savefig", "savez", "savez_compressed", "tofile", "memmap", "touch", "copy", "copy2",
    "copyfile", "copytree", "move", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "truncate", "ftruncate",
}  # fmt: skip
MODULES = {"shutil", "os", "np", "tempfile", "sqlite3"}  # of `copy`, `replace` ... that mean files
ALLOWED = {  # module, call -> why
    "shogi_engine/common/files.py": "the writers, and the file of a lock, which stays empty",
    "shogi_engine/cli/common.py": "the null device",
    "shogi_engine/common/system.py": "the null device",
    "shogi_engine/cli/compare.py": "matplotlib draws into memory",
    "shogi_engine/cli/prompt.py": "the history of typed lines, which prompt_toolkit appends",
    "shogi_engine/frontends/core.py": "the crash log: the descriptor of standard error, which only the system writes",
    "shogi_engine/batch/games.py": "maps records; 'r+' is the caller's wish to change them in place",
    "shogi_engine/training/data.py": "weights in a temporary folder of its own; into memory",
    "shogi_engine/common/database.py": "databases, which SQLite writes",
    "shogi_engine/batch/hcpe3.py": "maps records, read only",
    "shogi_engine/jit/sources.py": "tries whether a folder can be written",
    "shogi_engine/training/othello/recipe.py": "into memory",
    "shogi_engine/games/shogi/evaluation/king_piece.py": "into memory",
    "shogi_engine/jobs.py": "the lock of a machine's processes",
}


def writes(call):
    """Tell whether a call may write a file."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = function.value.id if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) else ""
    constants = [each.value for each in [*call.args, *(word.value for word in call.keywords)]
                 if isinstance(each, ast.Constant) and isinstance(each.value, str)]  # fmt: skip
    if name == "open":
        return owner == "os" or any(set(each) <= set("rwaxbt+") and set(each) & set("wax+") for each in constants)
    if name in ("copy", "copy2", "move", "replace", "rename", "link", "symlink", "save", "connect"):
        return owner in MODULES
    return name in CALLS


def test_no_other_place_writes_files():
    found = set()
    for package in (shogi_engine, usi):
        root = Path(package.__file__).parent
        for file in root.rglob("*.py"):
            calls = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.Call)]
            if any(map(writes, calls)):
                found.add(file.relative_to(root.parent).as_posix())
    assert found - ALLOWED.keys() == set(), "write with common.files or common.appending"


def test_such_a_place_would_be_found():
    for text in ('open(a, "w")', 'path.open("ab")', 'open(a, mode="r+b")', "os.open(a, b)", "p.write_text(a)",
                 "np.save(a, b)", "sqlite3.connect(a)", "shutil.copy(a, b)", "os.replace(a, b)"):  # fmt: skip
        assert writes(ast.parse(text).body[0].value), text
    for text in ("open(a)", 'open(a, "rb")', 'a.replace("w", "x")', "engine.open(a)", "record.copy()"):
        assert not writes(ast.parse(text).body[0].value), text


# ---- the writers -------------------------------------------------------------------------------------------------
# Each writes its file in a folder, with a content that depends on the number, and returns the file.


def shogi_record(number):
    return GameRecord.from_moves("shogi", MOVES[: number + 2])


def command(*words):
    """Run a command, which fails with one line on stderr if it fails."""
    if status := main([str(word) for word in words]):
        raise OSError(status)


def saved_record(folder, number):
    records.save(shogi_record(number), folder / "game.kif")
    return folder / "game.kif"


def converted(folder, number):
    source = folder / "in.csa"
    if not source.exists() or number:
        source = folder / f"in{number}.csa"
        source.write_bytes(records.dumps(shogi_record(number), "csa"))
    command("convert", source, folder / "out.kif")
    return folder / "out.kif"


def analysed(option, name):
    def write(folder, number):
        source = folder / f"in{number}.ggf"
        source.write_bytes(records.dumps(GameRecord.from_moves("othello", F5D6[: number + 1]), "ggf"))
        command("analyse", source, "--depth", "1", "--threads", "1", option, folder / name)
        return folder / name

    return write


def saved_analysis(folder, number):
    made = SavedAnalysis(folder / "analysis.json", [shogi_record(0)], {"nodes": 1})
    made.add((0, number), PositionResult("7g7f", Score(number), ("7g7f",)))
    made.finish([{"number": number}])
    return folder / "analysis.json"


def played(option, name):
    def write(folder, number):
        words = ["engine", "engine", "--game", "othello", "--limit", "depth=1", "--games", "2", "--set", "max_plies=20"]
        command("match", *words, "--seed", number + 1, option, folder / name)
        return folder / name

    return write


def logged_game(folder, number):
    with closing(GameLog(folder / "log.jsonl", {"seed": 1})) as log:
        log.add({"game": number, "score": 1.0})
    return folder / "log.jsonl"


def run_of_a_book(folder, number):
    with closing(RunFile(folder / "run.jsonl", {"nodes": 1})) as run:
        run.add(f"position {number}", [])
    return folder / "run.jsonl"


def exported_book(folder, number):
    start = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X"
    settings = {"depth": 1, "width": 1, "margin": 4, "max_ply": 1}
    found = {"position": start, "moves": [{"move": "d3", "ponder": "", "value": 640 * number, "depth": 1}]}
    run = folder / f"run{number}.jsonl"
    run.write_text(f"{json.dumps(settings)}\n{json.dumps(found)}\n")
    command("book", "othello", "export", run, "--out", folder / "book.txt")
    return folder / "book.txt"


def server_game(folder, number, keepers={}):  # noqa: B006  (one for each folder, as one process has)
    keeper = keepers.setdefault(folder, GameSaver(folder))
    return keeper.save(shogi_record(number), "game")


def conversation(folder, number):
    with closing(csa.ConversationLog(str(folder / "log"))) as log:
        log(">", f"line {number}")
        if log._file is None:
            raise OSError
    return folder / "log"


def debug_log(folder, number):
    output = Output(lambda data: None, lambda: None)
    output.open_log(str(folder / "log"))
    output.line(f"line {number}")
    if not output.has_log:
        raise OSError
    output.open_log("")
    return folder / "log"


def checkpoint(folder, number):
    save_checkpoint(folder / "it.npz", "identity", [], {"weights": np.full(100, number)})
    return folder / "it.npz"


def solved(folder, number):
    from shogi_engine import tsume

    progress = tsume.Progress(folder / "tsume.json")
    progress.solve(tsume.problems()[number])
    return folder / "tsume.json"


def exported_weights(folder, number):
    recipe = SimpleNamespace(named_evaluator=lambda name: SimpleNamespace(describe=lambda: name))
    plan = SimpleNamespace(
        command="", training=SimpleNamespace(seed=1, text="{}"), recipe=recipe, file=lambda *_: folder / "nn.bin"
    )
    learner = SimpleNamespace(losses=[], game_count=1, weights=lambda made: bytes(100) + bytes([number]))
    pipeline.export(plan, 0, learner)
    return folder / "nn.bin"


def gate_scores(folder, number):
    player, recipe = SimpleNamespace(describe=str), SimpleNamespace(gate_openings="")
    with mock.patch.object(pipeline, "results_on_threads", lambda *_: [(0, (number / 2, 0.0))]):
        pipeline.play_match(recipe, player, player, 2, record=folder / "gate.json")
    return folder / "gate.json"


def plotted(folder, number):
    path = folder / "plot.svg"
    plt = compare.pyplot(path)
    row = {"players": ["a", "b"], "ms_per_1000_games": 1.0, "nodes_by_player": [[], []]}
    compare.plot("othello", [row | dict.fromkeys(compare.RESULTS, number)], path, plt)
    return path


def positions(append):
    def write(folder, number):
        with games.RecordWriter(folder / "it.hcpe", "hcpe", append=append) as writer:
            writer.write(np.full(3, number, dtype="u1").repeat(38).view(games.HCPE))
        return folder / "it.hcpe"

    return write


def traced(folder, number):
    command("search", "othello", "--moves", *F5D6[:number], "--tree", folder / "tree.dot")
    return folder / "tree.dot"


def mated(folder, number):
    words = ["4k4/9/4P4/9/9/9/9/9/9 b G 1", "3k5/9/3P5/9/9/9/9/9/9 b G 1", "5k3/9/5P3/9/9/9/9/9/9 b G 1"]
    command("mate", words[number], "--out", folder / "mate.kif")
    return folder / "mate.kif"


def browser_record(folder, number):
    with closing(GameStore(folder)) as store:
        there = [game["id"] for game in store.games("")]
        id = there[0] if there else store.write("", Head(game="shogi"), "", "", b"{}")
        store.write_record(id, shogi_record(number))
    return folder / f"{id}.kifu"


WRITERS = {
    "records.save": saved_record, "convert": converted, "analyse --out": analysed("--out", "out.ggf"),
    "analyse --html": analysed("--html", "out.html"), "analyse --save": saved_analysis, "match --log": logged_game,
    "match --out": played("--out", "out.ggf"), "match --html": played("--html", "out.html"),
    "book RUN": run_of_a_book, "book --out": exported_book, "csa --out": server_game, "csa --log": conversation,
    "DebugLogFile": debug_log, "train, checkpoints": checkpoint, "train, weights": exported_weights,
    "train, gate": gate_scores, "tsume": solved,
    "compare --plot": plotted,
    "RecordWriter": positions(append=False), "RecordWriter, append": positions(append=True), "search --tree": traced,
    "mate --out": mated, "serve, records": browser_record,
}  # fmt: skip
GROWING = ("match --log", "book RUN", "csa --log", "DebugLogFile", "RecordWriter, append")
LOCKED = ("match --log", "book RUN", "csa --log", "RecordWriter, append", "tsume")
ONCE = {  # files that are only ever new
    "play": lambda folder: keeping.GameFile().write(shogi_record(1)),
    "doctor --launcher": lambda folder: doctor.write_launcher(folder / "it.sh"),
    "csa --out, another process": lambda folder: GameSaver(folder).save(shogi_record(1), "game"),
}


# ---- each place that writes is one of them -----------------------------------------------------------------------

WRITTEN_BY = {  # module: its writers, or the test of those that need more than a writer here
    "analysis/analyst.py": ["analyse --save"], "batch/hcpe3.py": ["batch/test_iterated_games.py"],
    "batch/games.py": ["RecordWriter", "RecordWriter, append"],
    "books/__init__.py": ["book RUN"], "cli/analyse.py": ["analyse --html", "analyse --out"],
    "cli/book.py": ["book --out"], "cli/compare.py": ["compare --plot"], "cli/convert.py": ["convert"],
    "cli/csa.py": ["csa --log"], "cli/doctor.py": ["doctor --launcher"], "cli/match.py": ["match --html"],
    "cli/search.py": ["search --tree"], "cli/common.py": ["study/test_study.py"],
    "csa/session.py": ["csa --out", "csa --out, another process"], "frontends/core.py": ["DebugLogFile"],
    "jit/workshop/cache.py": ["jit/test_jit_cache.py"],
    "match/runner.py": ["match --log"],
    "records/files.py": ["play", "records.save", "match --out", "mate --out"],
    "training/data.py": ["train, checkpoints"],
    "training/othello/recipe.py": ["training/test_othello_training.py"],
    "training/pipeline.py": ["train, weights", "train, gate", "training/test_training_data.py"],
    "tsume/__init__.py": ["tsume"], "web/store.py": ["serve, records"],
}  # fmt: skip


def test_each_place_that_writes_is_tried():
    root = Path(shogi_engine.__file__).parent
    found = set()
    for file in [*root.rglob("*.py"), *Path(usi.__file__).parent.rglob("*.py")]:
        calls = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.Call)]
        functions = [each for call in calls for each in (call.func, *call.args)]  # one may be passed to another
        names = {getattr(function, "id", getattr(function, "attr", "")) for function in functions}
        if names & {"write_whole", "write_free", "WholeFile", "AppendFile", "LineFile"}:
            found.add(file.relative_to(root).as_posix() if file.is_relative_to(root) else f"usi/{file.name}")
    assert found - {"common/files.py"} == WRITTEN_BY.keys()
    listed = {name for names in WRITTEN_BY.values() for name in names}
    tests = {name for name in listed if name.endswith(".py")}
    assert listed - tests == WRITERS.keys() | ONCE.keys()
    assert all((Path(__file__).parents[1] / name).is_file() for name in tests)


def content_before(path):
    return path.read_bytes() if path.exists() else None


@pytest.fixture(params=["full", "limited", "killed"])
def failure(request, monkeypatch):
    """Returns a context in which writing fails; it gives the exception.

    The disk is full, files may not grow beyond a size (RLIMIT_FSIZE), or the process is killed while it writes.
    """

    @contextlib.contextmanager
    def fail(size):
        if request.param == "limited":
            resource = pytest.importorskip("resource", reason="limits of POSIX")
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
            try:
                yield OSError
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
            return
        yield patched()
        monkeypatch.undo()

    def patched():
        if request.param == "full":

            def full(*_):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

            monkeypatch.setattr(files.os, "fsync", full)  # of the new file, which is then removed
            monkeypatch.setattr(files.os, "write", full)
            return OSError

        def killed(file):
            if not file._path.endswith(".holder"):  # not yet: the lock comes first
                raise Killed
            close(file)

        def half(descriptor, data):
            write(descriptor, data[: len(data) // 2])
            raise Killed

        write, close = os.write, files.WholeFile.close
        monkeypatch.setattr(files.WholeFile, "close", killed)
        monkeypatch.setattr(files.WholeFile, "discard", lambda self: None)
        monkeypatch.setattr(files.os, "write", half)
        monkeypatch.setattr(files.AppendFile, "_shorten", lambda self: None)
        return Killed

    return fail


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("name", WRITERS)
def test_a_failure_leaves_the_old_file(tmp_path, name, failure, capsys):
    write = WRITERS[name]
    path = write(tmp_path, 0)
    before, there = path.read_bytes(), names(tmp_path)
    size = len(before) + 3 if name in GROWING else len(before) // 2  # a part of the new content, if files are limited
    with failure(size) as fault, pytest.raises(fault):
        write(tmp_path, 1)
    after = path.read_bytes()
    if name in GROWING:
        # Other processes may have appended to a shared file, so a part of a line is not removed there.
        assert after.startswith(before) and (fault is Killed or after == before or name == "DebugLogFile")
    else:
        assert after == before
    if fault is OSError:
        assert {each for each in names(tmp_path) if not each.startswith(("in", "games.db-"))} <= {*there, "run1.jsonl"}
        lines = [line for line in capsys.readouterr().err.splitlines() if "cannot hold" not in line]
        assert len(lines) <= 1
        assert all(os.strerror(errno.ENOSPC) in line or os.strerror(errno.EFBIG) in line for line in lines)
    if fault is Killed and name == "RecordWriter, append":  # part of a block: refused, as any file that is not whole
        with pytest.raises(ValueError, match="whole number"):
            write(tmp_path, 2)
        return
    assert write(tmp_path, 2) == path and path.read_bytes() != before  # the next one can write


@pytest.mark.parametrize("name", ONCE)
def test_what_is_new_replaces_nothing(tmp_path, name, failure, monkeypatch):
    for variable in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "game.kif").write_bytes(b"someone's")
    with failure(10) as fault, pytest.raises(fault):
        ONCE[name](tmp_path)
    there = [path.name for path in tmp_path.rglob("*") if path.is_file() and not path.name.endswith(".tmp")]
    assert there == ["game.kif"] and (tmp_path / "game.kif").read_bytes() == b"someone's"


@pytest.mark.parametrize("name", LOCKED)
def test_a_second_process_waits_or_says_who_is_first(tmp_path, name, monkeypatch):
    write = WRITERS[name]
    path = write(tmp_path, 0)
    before = path.read_bytes()
    if name == "tsume":
        from shogi_engine import tsume as progress

        monkeypatch.setattr(progress, "TIMEOUT", 0.1)
    process = holder_of(path)
    try:
        with pytest.raises(OSError, match=None if name == "tsume" else f"in use by process {process.pid}"):
            write(tmp_path, 1)
    finally:
        process.communicate()
    assert path.read_bytes() == before
    write(tmp_path, 1)


@pytest.mark.parametrize("content", [b"a letter", b"two lines\nof a letter", b'{"json": 1}\n', b"[" * 100_000])
@pytest.mark.parametrize("name", [*LOCKED, "DebugLogFile", "analyse --save", "train, pieces", "train, checkpoints"])
def test_files_of_others_are_refused_and_stay(tmp_path, name, content):
    def piece(folder, number):
        from shogi_engine.training.pipeline import make_data

        make_data(folder, DataOptions(nodes=50, seed=3, piece_games=1), 1)

    def checkpoint_of_a_run(folder, number):
        from shogi_engine.training.data import load_checkpoint

        load_checkpoint(folder / "it.npz", "identity")

    own = {"train, pieces": piece, "train, checkpoints": checkpoint_of_a_run}
    place = {
        "match --log": "log.jsonl", "book RUN": "run.jsonl", "csa --log": "log", "DebugLogFile": "log",
        "RecordWriter, append": "it.hcpe", "tsume": "tsume.json", "analyse --save": "analysis.json",
        "train, pieces": "piece-3-00000.npz", "train, checkpoints": "it.npz",
    }[name]  # fmt: skip
    path = tmp_path / place
    path.write_bytes(content)
    with pytest.raises((ValueError, OSError)):
        own.get(name, WRITERS.get(name))(tmp_path, 0)
    assert path.read_bytes() == content and place in names(tmp_path)


# ---- locks -------------------------------------------------------------------------------------------------------


COUNTER = """
import sys
from pathlib import Path
from shogi_engine.common.files import Lock

path = Path(sys.argv[1])
for _ in range(200):
    with Lock(path, timeout=600):
        path.write_text(str(int(path.read_text()) + 1))
"""


def test_processes_take_turns(tmp_path):
    """Each increment is made by one process alone, although the lock's file is removed and made again each time."""
    path = tmp_path / "count"
    path.write_text("0")
    command = [sys.executable, "-c", COUNTER, str(path)]
    processes = [subprocess.Popen(command, env=environment(None)) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert path.read_text() == "600" and [each.name for each in tmp_path.iterdir()] == ["count"]


def test_a_lock_leaves_no_file(tmp_path):
    with Lock(tmp_path / "log"):
        assert {each.name for each in tmp_path.iterdir()} == {".log.lock", ".log.holder"}
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="Windows removes no file that is open")
@pytest.mark.parametrize("anew", [False, True])
def test_a_lock_on_a_file_that_was_removed_meanwhile_is_taken_again(tmp_path, monkeypatch, anew):
    """The process before has released and removed it; another may have made and locked a new one."""
    taken = []

    def acquire(lock, work=FileLock.acquire, **options):
        work(lock, **options)
        taken.append(lock)
        if len(taken) == 1:
            os.unlink(lock.lock_file)
            if anew:
                open(lock.lock_file, "wb").close()

    monkeypatch.setattr(FileLock, "acquire", acquire)
    with Lock(tmp_path / "log"):
        assert len(taken) == 2 and (tmp_path / ".log.lock").exists()
