"""A game of another package: what commands say that need more than it has. Those that take it: test_own_games.py."""

import os
import shutil
import subprocess
import sys

import pytest

from shogi_engine import games
from tests.support.processes import ROOT

METADATA = "Metadata-Version: 2.1\nName: own-games\nVersion: 1.0\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the environment of a process that sees a package with tic-tac-toe installed."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "tests/support/games/tictactoe.py", folder / "own_tictactoe.py")
    (folder / "own_evaluation.py").write_text("EVALUATION = 'mine'\n")
    info = folder / "own_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(
        "[shogi_engine.games]\ntictactoe = own_tictactoe\nbroken = no_such_module\nmisnamed = own_tictactoe\n"
        "[shogi_engine.evaluations.shogi]\nmine = own_evaluation\n"
    )
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


def run(environment, *words):
    return subprocess.run(
        [sys.executable, "-m", "shogi_engine", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "tictactoe", "folder"], "the game 'tictactoe' has no recipe"),
        (["bench", "tictactoe"], "no bench for 'tictactoe'"),
        (["search", "chess"], "no game 'chess'; there are shogi, othello, tictactoe"),
        (["search", "broken"], "'broken' cannot be loaded: No module named 'no_such_module'"),
        (["search", "misnamed"], "own_tictactoe is called 'tictactoe', not 'misnamed'"),
    ],
)
def test_what_is_missing_is_said_in_one_line(installed, words, said):
    done = run(installed, *words)
    assert done.returncode == 2
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_evaluations_of_other_packages_are_listed(installed):
    code = "from shogi_engine.games.shogi.names import EVALUATIONS as known; print(*known, known.load('mine'))"
    done = subprocess.run([sys.executable, "-c", code], env=installed, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["material", "king-piece", "network", "nnue", "mine", "mine"]


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match=r"game 'shogi': shogi_engine\.games\.shogi defines it already"):
        games.register("shogi", "another.module")
    assert games.has("othello", "batch") and not games.has("othello", "mate") and not games.has("chess", "board")
