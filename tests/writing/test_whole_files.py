"""common/files, common/appending and common/locks: the old file or the new one, one process at a time."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys
import time

import pytest

from shogi_engine.common import files
from shogi_engine.common.files import (
    AppendFile,
    InUseError,
    LineFile,
    Lock,
    WholeFile,
    is_same_file,
    locked,
    write_free,
    write_whole,
)
from tests.support.processes import environment

posix = pytest.mark.skipif(os.name == "nt", reason="modes, links and kill -9 of POSIX")


def names(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith((".lock", ".holder")))


@posix
def test_permissions_and_links_stay(tmp_path):
    target, link = tmp_path / "file", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to("file")
    write_whole(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    (tmp_path / "dangling").symlink_to("missing")
    write_whole(tmp_path / "dangling", b"made")
    assert (tmp_path / "missing").read_bytes() == b"made"
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "fresh", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640
    assert names(tmp_path) == ["dangling", "file", "fresh", "link", "missing"]


@posix
def test_the_owner_stays(tmp_path, monkeypatch):
    """Only root may give a file away; any process asks for it."""
    asked, path = [], tmp_path / "file"
    path.write_bytes(b"old")
    own = os.stat(path)
    monkeypatch.setattr(os, "chown", lambda _path, user, group: asked.append((user, group)))
    for owner in ((own.st_uid, own.st_gid), (12345, 54321)):
        files._copy_permissions(os.stat_result((*own[:4], *owner, *own[6:])), str(path))
    assert asked == [(12345, 54321)]


@posix
@pytest.mark.parametrize("kind", ["folder", "link to a folder", "no folder", "loop", "read-only"])
def test_what_cannot_be_replaced_is_named_and_stays(tmp_path, kind, monkeypatch):
    path = tmp_path / "it"
    if kind == "folder":
        path.mkdir()
    elif kind == "link to a folder":
        (tmp_path / "there").mkdir()
        path.symlink_to("there")
    elif kind == "no folder":
        path = tmp_path / "none" / "it"
    elif kind == "loop":
        path.symlink_to("it")
    else:
        path.write_bytes(b"mine")
        path.chmod(0o400)
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    before = names(tmp_path)
    with pytest.raises(OSError) as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path) and names(tmp_path) == before
    assert kind != "read-only" or path.read_bytes() == b"mine"


@posix
def test_devices_and_pipes_are_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_whole(pipe, b"through")
    assert reader.communicate(timeout=30)[0] == b"through" and stat.S_ISFIFO(pipe.stat().st_mode)
    write_whole(os.devnull, b"away")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    code = "from shogi_engine.common.files import write_whole; write_whole('/dev/stdout', b'out')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(None))
    assert (done.stdout, done.stderr) == (b"out", b"")


def test_an_exception_discards_the_new_content(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), WholeFile(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and names(tmp_path) == ["file"]


def test_a_file_held_open_is_replaced_later_or_named(tmp_path, monkeypatch):
    path, refusals, rename = tmp_path / "file", iter(range(3)), os.replace

    def busy(source, target):
        if next(refusals, None) is not None:
            raise PermissionError(errno.EACCES, "in use", source, None, target)
        rename(source, target)

    monkeypatch.setattr(files, "PAUSE", 0)
    monkeypatch.setattr(os, "replace", busy)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    refusals = iter(range(1000))
    with pytest.raises(PermissionError) as caught:
        write_whole(path, b"newer")
    assert caught.value.filename == str(path) and path.read_bytes() == b"new" and names(tmp_path) == ["file"]


def test_a_new_file_never_replaces_one(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_whole(path, b"new", new=True)
    assert write_free(tmp_path, "file", "", b"second") == tmp_path / "file-2"
    other = tmp_path / "other"
    with pytest.raises(FileExistsError), WholeFile(other, new=True) as file:  # another process is faster
        file.write(b"late")
        other.write_bytes(b"early")
    assert [each.read_bytes() for each in (path, other)] == [b"old", b"early"]

    def refuse(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    write_whole(tmp_path / "third", b"3", new=True)
    with pytest.raises(FileExistsError), WholeFile(tmp_path / "fourth", new=True):
        (tmp_path / "fourth").write_bytes(b"early")
    assert names(tmp_path) == ["file", "file-2", "fourth", "other", "third"]


def test_the_same_file_by_other_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "b").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    same = [("a", "a"), ("a", "./a"), ("a", tmp_path / "a"), ("a", "folder/../a"), ("no", tmp_path / "no")]
    if os.name != "nt":
        (tmp_path / "link").symlink_to("a")
        (tmp_path / "dangling").symlink_to("no")
        same += [("a", "link"), ("no", "dangling")]
    assert all(is_same_file(*pair) and is_same_file(*pair[::-1]) for pair in same)
    assert not any(is_same_file(*pair) for pair in (("a", "b"), ("a", "no"), ("no", "none")))


KILLED = """
import sys
from shogi_engine.common.files import write_whole
contents = [bytes([65 + number]) * 3_000_000 for number in (0, 1)]
write_whole(sys.argv[1], contents[0], durable=False)
print("begun", flush=True)
number = 0
while True:
    number += 1
    write_whole(sys.argv[1], contents[number % 2], durable=False)
"""


@posix
def test_kill_9_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "file"
    for pause in (0.001, 0.004, 0.009, 0.017, 0.03):
        command = [sys.executable, "-c", KILLED, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(None)) as process:
            assert process.stdout.readline() == b"begun\n"
            time.sleep(pause)
            process.kill()
        assert path.read_bytes() in (b"A" * 3_000_000, b"B" * 3_000_000)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system of its own")
def test_a_full_disk_leaves_the_old_files(tmp_path):
    code = f"""
import pathlib
from shogi_engine.common.files import write_whole
from shogi_engine.common.files import LineFile
folder = pathlib.Path({str(tmp_path)!r})
write_whole(folder / "file", b"old")
log = LineFile(folder / "log", print, b"first")
for work in (lambda: write_whole(folder / "file", bytes(200_000)), lambda: log.write_line(b"x" * 200_000)):
    try:
        work()
    except OSError as fault:
        print(fault.errno, fault.filename)
print((folder / "file").read_bytes(), (folder / "log").read_bytes(), sorted(each.name for each in folder.iterdir()))
"""
    mount = f'mount -t tmpfs -o size=64k tmpfs {tmp_path} && exec "$@"'
    command = ["unshare", "-rm", "sh", "-c", mount, "sh", sys.executable, "-c", code]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment(None))
    except FileNotFoundError:
        pytest.skip("no unshare")
    if "Traceback" not in done.stderr and done.returncode:
        pytest.skip(f"no file system of its own: {done.stderr}")
    one, two, content = done.stdout.splitlines()
    assert (one, two) == (f"{errno.ENOSPC} {tmp_path}/file", f"{errno.ENOSPC} {tmp_path}/log")
    assert content == r"b'old' b'first\n' ['.log.holder', '.log.lock', 'file', 'log']"


# ---- appending ---------------------------------------------------------------------------------------------------


def digits(number, line):
    if not line.isdigit():
        raise ValueError(f"line {number}")


@pytest.mark.parametrize(
    ("content", "kept"),
    [(b"", b"0\n"), (b"0", b"0\n"), (b"0\n12\n3", b"0\n12\n"), (b"a letter", None), (b"0\nletter\n", None)],
)
def test_only_whole_lines_of_the_kind_are_kept(tmp_path, content, kept):
    path = tmp_path / "log"
    path.write_bytes(content)
    if kept is None:
        with pytest.raises(ValueError, match="line"):
            LineFile(path, digits, b"0")
        assert path.read_bytes() == content
        return
    with LineFile(path, digits, b"0") as file:
        file.write_line(b"4")
    assert path.read_bytes() == kept + b"4\n"


def test_a_line_that_fails_is_undone(tmp_path, monkeypatch):
    path, write = tmp_path / "log", os.write

    def half(descriptor, data, fault):
        write(descriptor, data[: len(data) // 2])
        raise fault

    with LineFile(path, digits) as file:
        file.write_line(b"1234")
        for fault in (OSError(errno.ENOSPC, "full"), KeyboardInterrupt()):
            monkeypatch.setattr(os, "write", lambda descriptor, data, fault=fault: half(descriptor, data, fault))
            with pytest.raises(type(fault)) as caught:
                file.write_line(b"5678")
            assert path.read_bytes() == b"1234\n"
            assert getattr(caught.value, "filename", str(path)) == str(path)
        monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:2]))
        file.write_line(b"91011")
    assert path.read_bytes() == b"1234\n91011\n"


def test_a_shared_log_is_only_ever_appended_to(tmp_path):
    path = tmp_path / "log"
    with LineFile(path, digits, shared=True) as one, LineFile(path, digits, shared=True) as other:
        one.write_line(b"1")
        other.write_line(b"2")
        one.write_line(b"3")
    assert path.read_bytes() == b"1\n2\n3\n"


# ---- locks -------------------------------------------------------------------------------------------------------

HOLDING = """
import sys
from shogi_engine.common.files import Lock
with Lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder_of(path):
    command = [sys.executable, "-c", HOLDING, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(None))
    assert process.stdout.readline() == b"held\n"
    return process


def test_the_second_process_learns_who_is_first(tmp_path):
    path = tmp_path / "log"
    process = holder_of(path)
    try:
        for spelling in (path, tmp_path / "." / "log", os.path.relpath(path)):
            with pytest.raises(InUseError, match=f"in use by process {process.pid} on .+ since 20..-..-.. ..:..:.."):
                Lock(spelling)
        with pytest.raises(InUseError):
            AppendFile(path, lambda: 0)
        assert not path.exists()
    finally:
        process.communicate()
    with locked(path):
        pass
    assert not list(tmp_path.glob("*.holder"))


def test_a_lock_makes_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        Lock(tmp_path / "none" / "log")
    assert caught.value.filename == str(tmp_path / "none" / "log") and not list(tmp_path.iterdir())


@posix
def test_a_killed_process_holds_nothing(tmp_path):
    process = holder_of(tmp_path / "log")
    process.send_signal(signal.SIGKILL)
    process.wait()
    with locked(tmp_path / "log"), pytest.raises(InUseError, match=re.escape(f"process {os.getpid()} on")):
        Lock(tmp_path / "log")


def test_a_new_log_whose_first_line_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "old").write_bytes(b"")  # not its own
    monkeypatch.setattr(os, "write", full)
    for name in ("new", "old"):
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            LineFile(tmp_path / name, digits, b"0")
    assert [each.name for each in tmp_path.iterdir()] == ["old"]
    monkeypatch.undo()
    LineFile(tmp_path / "new", digits, b"0").close()  # it is not locked
