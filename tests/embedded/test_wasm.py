"""The engine in WebAssembly, in node: equal to the one here, search by search.

`python -m tools.build_kernels --out build --only wasm32` makes the modules; SHOGI_ENGINE_WASM names another folder.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from shogi_engine import games
from shogi_engine.games.shogi.board import Board
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from shogi_engine.suites import POSITIONS, bench
from tests.support.games import game_of
from tests.support.shogi_cases import MICROCOSMOS

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(os.environ.get("SHOGI_ENGINE_WASM", ROOT / "build" / "wasm32"))
pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(not (FOLDER / "shogi.wasm").is_file(), reason=f"no modules in {FOLDER}"),
]
PERFT = {"shogi": {3: 25470, 4: 719731}, "othello": {8: 390216, 9: 3005288}}
EACH_GAME = pytest.mark.parametrize("name", games.NAMES)


class Host:
    """A conversation with the engine in node."""

    def __init__(self, game, *more):
        command = ["node", str(Path(__file__).with_name("host.mjs")), str(FOLDER), game, *more]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def until(self, *words):
        """Return the lines up to one that begins with a word of `words`."""
        lines = []
        while not lines or lines[-1].split(" ")[0] not in words:
            line = self.process.stdout.readline()
            assert line, lines
            lines.append(line.rstrip("\n"))
        return lines

    def ask(self, line, word):
        self.send(line)
        return self.until(word)[-1].removeprefix(word).strip()

    def search(self, position, go):
        """Return (nodes, score, best move) of a search."""
        self.send(f"position {position}", f"go {go}")
        lines = self.until("bestmove")
        words = [line for line in lines if line.startswith("info depth")][-1].split()
        return int(words[words.index("nodes") + 1]), int(words[words.index("score") + 2]), lines[-1].split()[1]


@pytest.fixture
def host(request, name):
    host = Host(name)
    yield host
    host.process.kill()
    host.process.communicate()


def placed(text, moves):
    start = f"sfen {text}" if text else "startpos"
    return f"{start} moves {' '.join(moves)}" if moves else start


@EACH_GAME
def test_bench(host, name):
    depth, positions = POSITIONS[name]
    nodes = 0
    for text, moves in positions:
        host.send("usinewgame", "isready")
        nodes += host.search(placed(text, moves.split()), f"depth {depth}")[0]
    assert nodes == bench(name).nodes


@EACH_GAME
def test_perft(host, name):
    host.send("position startpos")
    for depth, leaves in PERFT[name].items():
        assert host.ask(f"go perft {depth}", "perft") == f"{depth}: {leaves} nodes"


@EACH_GAME
@pytest.mark.parametrize("multipv", [1, 3])
def test_a_whole_game_search_by_search(host, name, multipv):
    """With one table for all of it: 1000 nodes for each move, so that searches are cut off anywhere."""
    searcher, moves, encoded = Searcher(game_of(name), hash_mb=16), [], []
    game = searcher.game
    position = game.parse_position(game.start)
    host.send(f"setoption name MultiPV value {multipv}", "isready")
    limits = Limits(nodes=1000, multipv=multipv)
    while len(moves) < 150 and searcher.root_moves(position, encoded):
        found = host.search(placed("", moves), "nodes 1000")
        result = searcher.search(position, encoded, limits)
        with searcher.rules_at(position, encoded) as ctx:
            text = game.format_move(ctx.pos, result.bestmove)
        assert (result.nodes, text) == (found[0], found[2])
        if multipv == 1:
            assert result.score == found[1] or abs(result.score) > 30000
        moves.append(text)
        encoded.append(result.bestmove)
    assert len(moves) > 50


@pytest.mark.parametrize("games", [5, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["shogi"])
def test_names_of_moves(host, games):
    rng = random.Random(games)
    for _ in range(games):
        board, usi, expected = Board(), [], {"japanese": [], "kif": [], "western": []}
        while len(usi) < 150 and not board.is_game_over():
            move = rng.choice(list(board.legal_moves))
            for style, names in expected.items():
                names.append(board.text(move, style))
            usi.append(move.usi())
            board.push(move)
        host.send("position startpos")
        for style, names in expected.items():
            assert host.ask(f"names {style} {' '.join(usi)}", "names").split(" ") == names
        host.send(f"position startpos moves {' '.join(usi)}")
        host.send("d")
        assert host.until(board.sfen().split(" ")[0])[-1] == board.sfen()


@pytest.mark.parametrize("name", ["shogi"])
def test_names_of_more_moves_than_are_named_at_once(host, name):
    moves = ["2h3h", "8b7b", "3h2h", "7b8b"] * 300
    host.send("position startpos")
    names = host.ask(f"names kif {' '.join(moves)}", "names").split(" ")
    assert len(names) == 1200 and names[-4:] == names[4:8]
    assert len(host.ask(f"names kif {' '.join([*moves, '2h3h', '1a1a'])}", "names").split(" ")) == 1201
    host.send(f"position startpos moves {' '.join(moves * 11)}", "d")
    lines = host.until("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL")
    assert lines[0] == "info string a text is longer than 65535 bytes" and lines[1].endswith(" b - 1")


@pytest.mark.parametrize("name", ["shogi"])
def test_mates(host, name):
    host.send("isready", "position sfen 8k/9/8P/9/9/9/9/9/9 b G 1")
    assert host.ask("go mate 5000", "checkmate") == "G*1b"
    host.send("position sfen 9/3S2+R1l/P1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87")
    assert len(host.ask("go mate infinite", "checkmate").split()) == 3
    host.send("position startpos")
    assert host.ask("go mate 5000", "checkmate") == "nomate"


@EACH_GAME
def test_stop_and_movetime(host, name):
    """Within a depth: the search has hours to go."""
    host.send("isready", "position startpos", "go infinite")
    while len(host.until("info")[-1].split(" pv ")[-1].split()) < 8:
        pass
    host.send("stop")
    deepest = [line for line in host.until("bestmove") if line.startswith("info depth")]
    assert int(deepest[-1].split()[2]) < 40
    host.send("go movetime 300")
    assert host.until("bestmove")


@EACH_GAME
def test_what_is_wrong_is_said(host, name):
    host.send("isready", "position startpos moves z9z9", "position sfen rubbish", "setoption name MultiPV value x")
    host.send("jump", "go depth 2 nodes many")
    lines = host.until("bestmove")
    assert [line for line in lines if not line.startswith("info depth")][:-1] == [
        "readyok", "info string position: move 1 is illegal", "info string position: it cannot be read",
        "info string setoption: MultiPV is a number, not 'x'", "info string unknown command: jump",
        "info string go: nodes 'many' is not a whole number",
    ]  # fmt: skip
    assert lines[-1] != "bestmove resign"


@EACH_GAME
def test_every_search_that_is_asked_for_is_answered_once(host, name):
    """All lines at once: a `stop` is for the search before it, a `go` ends one that waits."""
    host.send("isready", "position startpos", "go infinite", "stop", "go ponder movetime 100", "ponderhit")
    host.send("go infinite", "go depth 3", "isready")
    for _ in range(4):
        *_, told, best = host.until("bestmove")
        assert told.startswith("info depth ") and best.split()[1] in told.split()
    host.send("go infinite", "stop", "isready")
    assert not [line for line in host.until("bestmove")[:-1] if not line.startswith(("info", "readyok"))]


MATES = {  # positions and the mates in one
    "8k/9/8P/9/9/9/9/9/9 b G 1": "G*1b", "k8/9/P8/9/9/9/9/9/9 b G 1": "G*9b", "4k4/9/4P4/9/9/9/9/9/9 b G 1": "G*5b",
}  # fmt: skip


@pytest.fixture(params=["memory to share", "alone"])
def either(request):
    """Shogi's engine in a page that may share memory, and in one that may not, where `stop` ends the Worker."""
    host = Host("shogi", *["alone"][: request.param == "alone"])
    yield host
    host.process.kill()
    host.process.communicate()


def test_searches_asked_for_at_once_are_answered_in_order_each_for_its_position(either):
    """Bounded ones that `stop` ends, all of them, and what is asked after it."""
    either.send("isready", "setoption name MultiPV value 2")
    either.until("readyok")
    for word in ("stop", "gameover win"):
        for sfen in MATES:
            either.send(f"position sfen {sfen}", "go depth 90 nodes 900000000")
            either.send("usinewgame", "setoption name USI_Hash value 8")
        either.until("info")
        either.send(word, "isready", "d")
        answers = [line for line in either.until(sfen.split()[0]) if not line.startswith("info")]
        assert [line.split()[1] for line in answers if line.startswith("bestmove")] == list(MATES.values())
        assert answers.count("readyok") == 1


def test_a_search_ends_only_the_one_before_it(either):
    """One without a limit that waits for another: that one is completed."""
    either.send("isready", "position startpos", "go depth 5", "go infinite", "usinewgame", "go depth 2")
    whole, *_ = [either.until("bestmove") for _ in range(3)]
    assert [line for line in whole if line.startswith("info depth 5 ")]


@pytest.mark.parametrize("command", ["sfen", "position sfen"])
def test_what_is_set_up_outlives_a_worker(either, command):
    """Another Worker has the position and the options that were right, also where something wrong came after them."""
    sfen, move = list(MATES.items())[1]
    either.send("isready", "startpos", "setoption name MultiPV value 3", "setoption name multipv value 1")
    either.send("setoption name MultiPV value 2", f"{command} {sfen}", "go depth 1")
    either.until("bestmove")
    either.send("position startpos moves 1a1b", "setoption name MultiPV value x")
    for _ in range(2):
        either.send("go infinite")
        either.until("info")
        either.send("stop")
        assert either.until("bestmove")[-1].split()[1] == move
    either.send("go depth 2")
    told = [line for line in either.until("bestmove") if line.startswith("info depth 2 ")]
    assert {line.split()[6] for line in told} == {"1", "2"} and f" pv {move}" in told[0]
    either.send("d")
    assert either.until(sfen.split()[0])[-1].startswith(sfen[:-1])


@pytest.mark.parametrize("word, answer", [("mate infinite", "checkmate timeout"), ("perft 9", "perft stopped")])
def test_a_search_that_tells_no_move_is_stopped(word, answer):
    host = Host("shogi", "alone")
    host.send("isready")
    host.until("readyok")
    host.send(f"position sfen {MICROCOSMOS}", f"go {word}", "stop", "go depth 1")
    lines = [line for line in host.until("bestmove") if not line.startswith("info")]
    assert len(lines) == 2 and lines[0] == answer
    host.process.kill()
    host.process.communicate()


@EACH_GAME
def test_memory(host, name):
    host.send("isready", "position startpos")
    assert int(host.ask("memory", "memory")) < 120 << 20
    assert int(host.ask("heap", "heap")) < 4 << 20
