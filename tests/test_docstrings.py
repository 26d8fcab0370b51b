"""What programs import: the examples in the docstrings do what they say, and the package itself is there at once."""

import doctest
import importlib
import inspect
import pkgutil
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import shogi_engine.interface.game
import usi
from tests.support.processes import ROOT


def modules_with_examples():
    """Return the names of all modules of the packages with an example (`>>>`) in them."""
    files = [path for package in ("shogi_engine", "usi") for path in sorted((ROOT / package).rglob("*.py"))]
    with_examples = [path for path in files if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in with_examples]


def test_examples_are_found():
    assert {f"shogi_engine.games.{game}.board.board" for game in ("shogi", "othello")} < set(modules_with_examples())


@pytest.mark.parametrize("name", modules_with_examples())
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


def modules():
    """Return the names of all modules a user may import; what is private or runs when imported is left out."""
    packages = (shogi_engine, usi)
    found = [
        each.name for package in packages for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [name for name in found if not any(part.startswith("_") for part in name.split("."))]


def undocumented(module):
    """Return the public functions, classes and methods of `module` without a word of what they are.

    A game's rules are described where the protocol names them, in game.py; a default given by a lambda, next to it.
    """
    for name, thing in vars(module).items():
        function = getattr(thing, "py_func", thing)
        if name.startswith("_") or getattr(function, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            if not thing.__doc__ or thing.__doc__.startswith(f"{name}("):  # a dataclass writes its own
                yield name
            for inner, method in vars(thing).items():
                plain = getattr(method, "fget", None) or getattr(method, "__func__", method)
                if inner.startswith("_") or not inspect.isfunction(plain) or plain.__name__ == "<lambda>":
                    continue
                if not plain.__doc__:
                    yield f"{name}.{inner}"
        elif inspect.isfunction(function) and not function.__doc__ and not hasattr(shogi_engine.interface.game, name):
            yield name


@pytest.mark.parametrize("name", modules())
def test_every_public_name_is_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__ or not Path(module.__file__).read_text(encoding="utf-8").strip()
    assert list(undocumented(module)) == []


def test_help_reads_well():
    """The name, what it is and an example come first; nothing is left without a word."""
    for name, base in (("shogi", "BaseBoard"), ("othello", None)):
        text = pydoc.plain(pydoc.render_doc(importlib.import_module(f"shogi_engine.games.{name}.board").Board))
        head = text.splitlines()[:12]
        assert any("A game: a position and the moves that led to it." in line for line in head)
        assert any(">>> board = Board()" in line for line in head)
        assert base is None or f"Methods inherited from shogi_engine.games.{name}.board.base_board.{base}" in text
