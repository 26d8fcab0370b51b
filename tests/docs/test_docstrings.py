"""What programs import: the examples in the docstrings do what they say, and the package itself is there at once."""

import doctest
import importlib
import pydoc
import re
import subprocess
import sys

import pytest

from tests.support.processes import ROOT


def modules_with_examples():
    """Return the names of all modules of the packages with an example (`>>>`) in them."""
    files = [path for package in ("shogi_engine", "usi") for path in sorted((ROOT / package).rglob("*.py"))]
    with_examples = [path for path in files if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in with_examples]


def test_examples_are_found():
    boards = {"shogi_engine.games.shogi.board.board", "shogi_engine.games.othello.board"}
    assert boards < set(modules_with_examples())


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0 and results.failed == 0


def test_the_package_loads_nothing_before_it_is_asked_to():
    code = """
import sys, shogi_engine, shogi_engine.games.shogi, shogi_engine.games.othello, usi.loop
print(sorted({"numba", "numpy", "llvmlite"} & set(sys.modules)))
print(shogi_engine.Engine.__name__, "numpy" in sys.modules, "numba" in sys.modules, "Engine" in dir(shogi_engine))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "Engine True False True"], "")


def test_help_reads_well():
    """The name, what it is and an example come first; nothing is left without a word."""
    for name, base in (("shogi", "BaseBoard"), ("othello", None)):
        text = pydoc.plain(pydoc.render_doc(importlib.import_module(f"shogi_engine.games.{name}.board").Board))
        head = text.splitlines()[:12]
        assert any("A game: a position and the moves that led to it." in line for line in head)
        assert any(">>> board = Board()" in line for line in head)
        assert base is None or f"Methods inherited from {base}:" in text
