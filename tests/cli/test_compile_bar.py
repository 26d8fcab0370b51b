"""The bar that commands show while kernels compile: on a terminal only, and only while it is time."""

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from shogi_engine.cli.compile_bar import CompileBar, compile_bar
from shogi_engine.jit import compiling, progress
from tests.support.processes import environment


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch, tmp_path):
    """Return what can stand for a terminal at stderr; a task called "game" takes four steps."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "cache_folder", lambda: tmp_path / "kernels")
    monkeypatch.setitem(progress.ESTIMATES, "game", progress.Estimate(4, 10.0, {}))
    return Screen()


def test_a_terminal_sees_how_far_it_is(screen):
    results = io.StringIO()
    with redirect_stderr(screen), redirect_stdout(results), compile_bar(), compiling("game"):
        assert screen.getvalue() == ""  # nothing is compiled so far
        progress.note_step("a")
        print("a result")
    assert "%, kernel 1 of 4, about 1 s left" in screen.getvalue()
    assert results.getvalue() == "a result\n"
    before = screen.getvalue()
    progress.note_step("b")
    assert screen.getvalue() == before and not progress._callbacks


def test_other_progress_takes_it_away(screen):
    seen = []
    with redirect_stderr(screen), compile_bar() as bar, compiling("game"):
        progress.note_step("a")
        assert "kernel 1 of 4" in screen.getvalue()
        bar.then(lambda done, whole: seen.append((done, whole)))(1, 2)
        before = screen.getvalue()
        progress.note_step("b")
        assert screen.getvalue() == before and seen == [(1, 2)]
    assert CompileBar().then(None) is None


def test_a_pipe_sees_nothing():
    source = """
import sys
from shogi_engine.cli.compile_bar import compile_bar
from shogi_engine.jit import progress
with compile_bar():
    progress.note_step("a")
print("rich" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env=environment(None))
    assert (done.stdout, done.stderr) == ("False\n", "")
