"""Locks between processes: only one has it, none is lost, and no file of a lock stays."""

import os
import subprocess
import sys

import pytest
from filelock import FileLock

from shogi_engine.common.files import Lock
from tests.support.processes import environment

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
