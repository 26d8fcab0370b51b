"""The programs in examples/ and the ones on the page "Evaluation" run, and find what they should."""

import os
import re
import subprocess
import sys

import pytest

from shogi_engine import jit, records
from tests.support.processes import ROOT

EXAMPLES = {  # the program, its arguments, what it prints in the end (a pattern)
    "search_position": (("50",), r"^1\. +(cp|mate) -?\d+ "),
    "two_levels": (("0", "0"), r"(black|white|draw)"),
    "solve_tsume": ((), r"mate in 1: 2c1b"),
    "solve_ending": (("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X",), r"h5: discs 6, exact"),
    "count_moves": (("2",), r"perft 2: 900 leaves; published: 900"),
    "learn_othello": (("1", "1"), r"against random moves: \d\.\d\d of the points before, \d\.\d\d after"),
    "learn_with_puct": (("0.02", "4", "4"), r"^after: \d\.\d\d against random moves"),
    "learn_shogi": (("0.001", "2"), r"learn_shogi.pt after \d+ steps"),
    "learn_by_gumbel": (("connect_four", "0.001", "2", "4"), r"positions: \d\.\d\d, \d\.\d\d, \d\.\d\d of the points"),
    "save_game": (("game.kif", "3", "20"), r"3 moves in game.kif: ((\S+) ?){3}$"),
}

NEEDED = {  # what the package does not depend on, or only a wheel does not: numba, for the examples' own games
    "learn_by_gumbel": ("torch", "numba"),
    "learn_othello": ("pettingzoo", "numba"),
    "learn_shogi": ("torch",),
}


def run_program(command, folder):
    """Run Python with the kernel cache and the switches of this process; return what was printed."""
    paths = os.pathsep.join([str(folder), str(ROOT)])
    env = os.environ | {"PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_run():
    assert set(EXAMPLES) == {path.stem for path in (ROOT / "examples").glob("*.py")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path):
    arguments, expected = EXAMPLES[name]
    for package in NEEDED.get(name, ()):
        pytest.importorskip(package)
        if package == "numba" and not jit.HAS_WORKSHOP:
            pytest.skip("the tests are run as if numba were not installed")
    printed = run_program([str(ROOT / "examples" / f"{name}.py"), *arguments], tmp_path)
    assert re.search(expected, printed, re.MULTILINE), printed
    if name == "save_game":
        assert len(records.load(tmp_path / "game.kif")[0].moves) == 3


def test_the_evaluation_of_the_page_plugs_in(tmp_path, monkeypatch):
    """Without compiling: a new evaluation would have the whole search compiled for it."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    page = (ROOT / "docs/evaluation.md").read_text(encoding="utf-8").split("## Add an evaluation")[1]
    module, program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my_evaluation.py").write_text(module, encoding="utf-8")
    printed = run_program(["-c", program], tmp_path)
    assert re.match(r"20 Info\(depth=1, .* score=Score\(\'cp -?\d+\'\), ", printed), printed
