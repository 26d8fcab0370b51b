"""What programs import: the examples in the docstrings do what they say, and the package itself is there at once."""

import doctest
import importlib
import pydoc
import subprocess
import sys

import pytest
from processes import ROOT

MODULES = [
    "shogi_engine.games.shogi.board",
    "shogi_engine.games.shogi.base_board",
    "shogi_engine.games.shogi.pieces",
    "shogi_engine.games.shogi.packed",
    "shogi_engine.games.othello.board",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0 and results.failed == 0


def test_the_package_loads_nothing_before_it_is_asked_to():
    code = """
import sys, shogi_engine, shogi_engine.games.shogi, shogi_engine.games.othello, usi.loop
print(sorted({"numba", "numpy", "llvmlite"} & set(sys.modules)))
print(shogi_engine.Engine.__name__, "numba" in sys.modules, "Engine" in shogi_engine.__all__)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "Engine True True"], "")


def test_help_reads_well():
    """The name, what it is and an example come first; nothing is left without a word."""
    for name, base in (("shogi", "BaseBoard"), ("othello", None)):
        text = pydoc.plain(pydoc.render_doc(importlib.import_module(f"shogi_engine.games.{name}.board").Board))
        head = text.splitlines()[:12]
        assert any("A game: a position and the moves that led to it." in line for line in head)
        assert any(">>> board = Board()" in line for line in head)
        assert base is None or f"Methods inherited from shogi_engine.games.{name}.base_board.{base}" in text
