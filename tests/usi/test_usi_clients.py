"""Other people's USI clients play whole games with the engine: cshogi's Engine, and the match runner cshogi.cli."""

import os
import shlex
import subprocess
import sys

import pytest

from shogi_engine.records import load
from tests.support.usi_driver import ROOT

cshogi = pytest.importorskip("cshogi")
client = pytest.importorskip("cshogi.usi.Engine")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the launcher is a shell script")


@pytest.fixture
def launcher(tmp_path):
    """A file that starts the engine, as GUIs want one; it needs no shell and no arguments."""
    path = tmp_path / "engine"
    path.write_text(f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m usi\n")
    path.chmod(0o755)
    return path


def test_cshogi_engine_plays_a_game(launcher):
    engine = client.Engine(str(launcher), connect=True)
    engine.setoption("USI_Hash", 16)
    engine.setoption("USI_OwnBook", "false")
    engine.setoption("NodesLimit", 2000)
    engine.setoption("MaxMovesToDraw", 80)
    engine.isready()
    engine.usinewgame()
    board, moves = cshogi.Board(), []
    while not board.is_game_over() and len(moves) < 80:
        engine.position(moves)
        info = client.InfoListener()
        best, ponder = engine.go(btime=60_000, wtime=60_000, byoyomi=1000, listener=info.listen())
        if best in ("resign", "win"):
            break
        assert board.is_legal(board.move_from_usi(best)) and info.pv[0] == best and "depth" in info.info
        moves.append(best)
        board.push_usi(best)
        if ponder:
            assert board.is_legal(board.move_from_usi(ponder))
    assert len(moves) > 20
    engine.gameover("draw")
    engine.quit()


def test_cshogi_cli_plays_a_match(launcher, tmp_path):
    pytest.importorskip("matplotlib")
    options = "USI_Hash:16,USI_OwnBook:false,NodesLimit:1500,ResignValue:3000"
    done = subprocess.run(
        [sys.executable, "-m", "cshogi.cli", str(launcher), str(launcher), "--options1", options, "--options2", options,
         "--games", "2", "--byoyomi", "1000", "--draw", "120", "--csa", str(tmp_path / "games.csa"), "--multi-csa"],
        cwd=tmp_path, env=dict(os.environ, MPLBACKEND="Agg"), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    games = load(tmp_path / "games.csa")
    assert len(games) == 2
    for game in games:
        assert len(game.moves) >= 20 and game.ending in ("resignation", "declaration", "repetition", "impasse", "draw")
