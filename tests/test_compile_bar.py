"""The bar that commands show while kernels compile: on a terminal only, and only while it is time."""

import io
import subprocess
import sys

import pytest
from processes import environment

from shogi_engine.cli.compile_bar import CompileBar, compile_bar
from shogi_engine.jit import compiling, progress


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch, tmp_path):
    """Return what stands for a terminal at stderr; a task called "game" takes four steps."""
    monkeypatch.setattr(sys, "stderr", Screen())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "cache_folder", lambda: tmp_path / "kernels")
    monkeypatch.setitem(progress.ESTIMATES, "game", progress.Estimate(4, 10.0, {}))
    return sys.stderr


def test_a_terminal_sees_how_far_it_is(screen, capsys):
    with compile_bar(), compiling("game"):
        assert screen.getvalue() == ""  # nothing is compiled so far
        progress.note_step("a")
        print("a result")
    assert "25%, kernel 1 of 4, about " in screen.getvalue() and " s left" in screen.getvalue()
    assert capsys.readouterr().out == "a result\n"
    before = screen.getvalue()
    progress.note_step("b")
    assert screen.getvalue() == before and not progress._callbacks


def test_other_progress_takes_it_away(screen):
    seen = []
    with compile_bar() as bar, compiling("game"):
        progress.note_step("a")
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
