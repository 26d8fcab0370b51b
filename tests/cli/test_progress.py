"""The line that commands show while kernels compile and work is done: on a terminal only, and removed afterwards."""

import io
import itertools
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from shogi_engine.cli.progress import progress_bar
from shogi_engine.jit import policy
from tests.support.processes import environment


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch):
    """Return what can stand for a terminal at stderr."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(policy, "_numbers", itertools.count(1))
    return Screen()


def test_a_terminal_sees_how_many_kernels_are_compiled(screen):
    results = io.StringIO()
    with redirect_stderr(screen), redirect_stdout(results), progress_bar():
        assert screen.getvalue() == ""  # nothing is compiled so far
        policy.note_kernel()
        print("a result")
    assert "compiling kernel 1" in screen.getvalue()
    assert results.getvalue() == "a result\n"
    before = screen.getvalue()
    policy.note_kernel()
    assert screen.getvalue() == before and not policy.watchers


def test_a_terminal_sees_how_much_is_done_and_left(screen):
    with redirect_stderr(screen), progress_bar("analysing", 3, 1) as line:
        line.advance()
        line.advance()
        line.close()
    assert "analysing" in screen.getvalue() and "2/3" in screen.getvalue() and "left 0:00" in screen.getvalue()
    with redirect_stderr(screen), progress_bar() as line:
        line.search(1234, 5.0)
        line.close()
        line.share(0.5, "half of it")
    assert "1234 nodes, 5 s" in screen.getvalue() and "half of it" in screen.getvalue()


def test_other_progress_replaces_that_of_compiling(screen):
    with redirect_stderr(screen), progress_bar("game") as line:
        policy.note_kernel()
        assert "kernel 1" in screen.getvalue()
        line.count(1, 2)
        line.close()
        before = screen.getvalue()
        policy.note_kernel()
        assert screen.getvalue() == before


def test_a_pipe_sees_nothing():
    source = """
import sys
from shogi_engine.cli.progress import progress_bar
from shogi_engine.jit import policy
with progress_bar("analysing", 3) as line:
    policy.note_kernel()
    line.advance()
print("rich" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env=environment(None))
    assert (done.stdout, done.stderr) == ("False\n", "")
