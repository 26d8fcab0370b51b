"""Once a front end is ready, its games neither compile nor load a kernel: each in a process, all kernels watched."""

import json
import subprocess
import sys

import pytest

from shogi_engine import jit
from shogi_engine.jit.policy import MODULE_VARIABLE
from tests.support.processes import ROOT, environment, needs_workshop

pytestmark = [needs_workshop, pytest.mark.skipif(jit.JIT_DISABLED, reason="compiles")]

WATCH = """
import json
from shogi_engine import games
from shogi_engine.cli.progress import Preparation
from shogi_engine.frontends.core import Output
from shogi_engine.frontends.othello import BookUse, Gtp, NBoard
from shogi_engine.jit.workshop.dispatcher import KernelDispatcher
from shogi_engine.match.plan import parse_engine
from shogi_engine.match.runner import begin
from shogi_engine.play.game import Game, Terms
from shogi_engine.play.players import EnginePlayer, play
from shogi_engine.types.limits import Limit

seen = []
usual = KernelDispatcher.compile
def compile(dispatcher, sig):
    seen.append(dispatcher.py_func.__name__)
    return usual(dispatcher, sig)
KernelDispatcher.compile = compile

def front_end(kind, lines, book=None):
    made = kind(Output(lambda data: None, lambda: None), book=book, leave=lambda status: None)
    made.engine
    seen.clear()
    made.run(line.encode() for line in lines)

def played(name, player):
    seen.clear()
    game = Game.begin(name, terms=Terms(max_plies=5))
    play(game, (player, player), "")
    game.board.parse_text(str(next(iter(game.board.legal_moves))))
"""
SESSIONS = {
    "gtp": 'front_end(Gtp, ["set_level 3", "genmove b", "genmove w", "undo", "showboard", "time_left b 5 0"])',
    "gtp, book": 'front_end(Gtp, ["genmove b", "play b f5", "genmove w"], BookUse())',
    "nboard": 'front_end(NBoard, ["nboard 2", "set depth 4", "go", "move F5//1", "hint 2", "ping 1"])',
    "match of shogi": """
player = EnginePlayer("shogi", Limit(nodes=200), hash_mb=1)
begin(parse_engine("shogi"), player)
played("shogi", player)""",
    "match of othello, by levels": """
player = EnginePlayer("othello", Limit(level=3), hash_mb=1)
begin(parse_engine("othello"), player)
played("othello", player)""",
    "csa": """
games.warm_board("shogi")
player = EnginePlayer("shogi", Limit(time=0.05), hash_mb=1, ponders=True, book=True, solver=True, resign=3000)
player.ready()
played("shogi", player)""",
    "play": """
preparation = Preparation(games.load("shogi"))
preparation._thread.join()
seen.clear()
player = EnginePlayer("shogi", Limit(level=3), hash_mb=1)
player.ready()
played("shogi", player)""",
}


@pytest.mark.parametrize("name", SESSIONS)
def test_nothing_is_loaded_once_it_is_ready(name):
    command = [sys.executable, "-P", "-c", f"{WATCH}{SESSIONS[name]}\nprint(json.dumps(seen))"]
    env = environment(jit.cache_folder().parent, ROOT, **{MODULE_VARIABLE: "0"})
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
