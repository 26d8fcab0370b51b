"""Sessions of the front ends as users have them: from an empty home, with the compiled module, without numba.

No file of kernels is written, and nothing is said about compiling. A module must belong to these sources, in the
package's folder or named by SHOGI_ENGINE_KERNELS; `python -m tools.build_kernels` makes one.
"""

import asyncio
import json
import os
import re
import subprocess
import sys

import pytest

from shogi_engine.csa.connection import VARIABLE
from shogi_engine.jit.policy import MODULE_VARIABLE, compiled_module
from shogi_engine.jit.sources import CACHE_VARIABLE, cache_folder
from tests.csa.scripted import SECRET, ScriptedServer
from tests.support.conversation import Process
from tests.support.processes import ROOT, environment, needs_workshop
from tests.support.sizes import sized

pytestmark = pytest.mark.skipif(  # a module that is named must be of these sources
    bool(compiled_module().state) and len(os.environ.get(MODULE_VARIABLE, "")) < 2,
    reason="no compiled module of these sources (python -m tools.build_kernels)",
)

USI, ENGINE = ["-m", "usi"], ["-m", "shogi_engine"]
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
USI_LINES = f"""usi
setoption name MultiPV value 3
isready
usinewgame
position startpos moves 7g7f
go nodes 3000
setoption name MultiPV value 1
position startpos moves 7g7f 3c3d
go ponder btime 1000 wtime 1000 byoyomi 100
ponderhit
position sfen {MATE}
go mate 5000
position startpos
go perft 2
bench
quit
"""
BATCHES = """
from shogi_engine.batch import Batch, positions_of, random_games, self_play
for game, layout in (("shogi", "dlshogi"), ("othello", "squares+pass")):
    batch = Batch(game)
    positions = positions_of(batch, random_games(batch, 3, seed=1)).positions
    labels, counts = batch.legal_moves(positions, layout)
    after = batch.apply(positions, labels[:, 0], layout)
    print(game, (batch.legal_masks(positions, layout).sum(1) == counts).all(), batch.outcomes(after).over.shape)
    print(batch.search(positions[:2], nodes=200), batch.features(positions, batch.feature_names.popitem()[0]).shape)
    print(len(self_play(batch, 1, nodes=50, seed=1).moves))
"""
GAME = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ５八玉(59)\n   4 ８八角成(22)\n   5 投了\n"
SESSIONS = {  # the command, what it reads, what it prints
    "usi": (USI, USI_LINES, r"bestmove (?s:.)*bestmove (?s:.)*checkmate G\*5b(?s:.)*Bench: \d"),
    "nboard": ([*ENGINE, "nboard"], "nboard 2\nset depth 6\ngo\nhint 2\nping 1\nquit\n", r"=== \w\d(?s:.)*pong 1"),
    "gtp": ([*ENGINE, "gtp"], "1 set_level 2\n2 genmove b\n3 genmove w\nquit\n", r"=2 \w\d\s+=3 \w\d"),
    "play": ([*ENGINE, "play", "shogi", "--level", "3"], "7g7f\nhint\n2g2f\nresign\n", "the game is saved"),
    "play othello": ([*ENGINE, "play", "othello", "--level", "3"], "f5\nhint\nresign\n", "the game is saved"),
    "analyse": ([*ENGINE, "analyse", "game.kif", "--nodes", "2000"], "", "7g7f"),
    "study": ([*ENGINE, "study", "game.kif", "--nodes", "2000"], "", ""),
    "solve": ([*ENGINE, "solve", MATE], "", r"G\*5b"),
    "match": ([*ENGINE, "match", "shogi", "shogi", "--games", "2", "--limit", "nodes=300"], "", "Elo"),
    "batch": (["-c", BATCHES], "", r"shogi True(?s:.)*othello True"),
}


@pytest.fixture
def home(tmp_path):
    """Return an empty home, in which nothing about kernels may be left at the end."""
    (tmp_path / "game.kif").write_text(GAME, encoding="utf-8")
    yield tmp_path
    assert [file for file in tmp_path.rglob("*") if "kernel" in file.name] == []


@pytest.fixture
def users(home):
    """Return the environment of a user without numba."""
    own = {name: str(home) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TMPDIR")}
    file = os.environ.get(MODULE_VARIABLE, "")
    return environment(None, ROOT, SHOGI_ENGINE_WORKSHOP="0", **{MODULE_VARIABLE: file}, **own)


def check(out, err=""):
    """Check what a session printed."""
    assert not re.search("compil|kernel", out + err, re.IGNORECASE), out + err
    assert not err


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session(home, users, name):
    words, typed, printed = SESSIONS[name]
    command = [sys.executable, "-P", *words]
    done = subprocess.run(command, input=typed, env=users, cwd=home, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(printed, done.stdout), done.stdout
    check(done.stdout, done.stderr)


def test_a_session_with_a_server(home, users):
    def game(peer):
        peer.begin("+")
        peer.send(peer.expect("+") + ",T1", "-3334FU,T1")
        peer.send(peer.expect("+") + ",T1")
        peer.send("%TORYO,T1", "#RESIGN", "#WIN")
        peer.logout()

    with ScriptedServer(game, longest=60) as server:
        command = [sys.executable, "-P", *ENGINE, "csa", f"127.0.0.1:{server.port}", "--name", "me"]
        done = subprocess.run(command, env=users | {VARIABLE: SECRET}, cwd=home, capture_output=True, text=True)
    assert "1 won" in done.stdout
    check(done.stdout, done.stderr)


async def visit(address):
    """Analyse, make a move and begin another game; return the last state."""
    from tools.measure.web_load import Page, connect, next_of

    page, analyse = Page(), {"do": "analyse", "on": True, "multipv": 2}
    async with await connect(address) as socket:
        for message in ({"do": "hello"}, analyse, {"do": "move", "move": "7g7f"}, {"do": "game", "game": "othello"}):
            await socket.send(json.dumps(message))
            state = await next_of(socket, "state", page)
    return state


def test_a_session_in_a_browser(home, users):
    pytest.importorskip("websockets", reason="websockets is not installed")
    with Process([sys.executable, "-P", *ENGINE, "serve", "--port", "0"], **users) as server:
        (port,) = re.findall(r":(\d+)/", server.until("the board is at")[-1])
        assert asyncio.run(visit(f"ws://127.0.0.1:{port}/ws"))["game"] == "othello"
        server.process.terminate()
        server.process.wait(60)
        check("".join(server.seen), server.stderr.read().decode())


# ---- a game of one's own, with the module ----------------------------------------------------------------------

OWN_GAME = """
import sys
from shogi_engine import Engine, Limit, games
from shogi_engine.batch import Batch, self_play
games.register("mini_shogi", "mini_shogi")
for game in ("shogi", "mini_shogi"):
    with Engine(game, hash_mb=1) as engine:
        board = games.game_module(game, "board").Board()
        nodes = engine.analyse(board, Limit(depth=3)).nodes
        print(engine.play(board, Limit(nodes=500)).move, nodes, "numba" in sys.modules)
"""
SELF_PLAY = 'print(len(self_play(Batch("mini_shogi"), 2, nodes=50, seed=1).moves))\n'


def play_own_game(users, cache, source=OWN_GAME, **variables):
    paths = os.pathsep.join([users["PYTHONPATH"], str(ROOT / "examples" / "games")])
    env = users | {"PYTHONPATH": paths, CACHE_VARIABLE: str(cache)} | variables
    return subprocess.run([sys.executable, "-P", "-c", source], env=env, capture_output=True, text=True, timeout=600)


def test_an_own_game_asks_for_the_workshop(users, tmp_path):
    done = play_own_game(users, tmp_path)
    who, how = r"(a game of your own|mini_shogi\.\w+) has to be compiled.*", r"pip install 'shogi-engine\[workshop\]'"
    assert re.fullmatch(f"InputError: {who}: {how}", done.stderr.splitlines()[-1].rpartition(".language.")[2])


@needs_workshop
def test_an_own_game_plays_with_the_workshop(users):
    """Its kernels are those of test_own_games.py, which runs in this process's cache too."""
    source = OWN_GAME + sized("", SELF_PLAY)  # which is compiled for ten seconds
    done = play_own_game(users, cache_folder().parent, source, SHOGI_ENGINE_WORKSHOP="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"\w{4} \d+ False\n\w{4} \d+ True\n" + sized("", r"\d+\n"), done.stdout)
