"""shogi_engine/clients/gtp.py and nboard_client.py, and their engines as players; the engines are stubs."""

import asyncio
import json
import re
import sys

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.clients.base import EngineError
from shogi_engine.clients.gtp import GtpClient, SimpleGtp
from shogi_engine.clients.nboard import NBoardClient, SimpleNBoard, parse_go, parse_hint
from shogi_engine.games.othello.board import Board, Move
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import Info, PlayResult, Score
from tests.support.processes import TESTS

STUB = [sys.executable, "-S", str(TESTS / "support" / "othello_stub.py")]
GTP, NBOARD = (f"{protocol}:{' '.join([*STUB, protocol])}" for protocol in ("gtp", "nboard"))


def sent(client):
    """Log what a client sends; return the lines."""
    lines = []
    client.client._line_log = lambda way, line: lines.append(line) if way == ">" else None
    return lines


def test_gtp():
    engine = SimpleGtp([*STUB, "gtp"])
    lines, board = sent(engine), Board()
    with engine:
        assert (engine.name, engine.client.version, "genmove" in engine.client.commands) == ("stub", "1", True)
        board.push_text("d3")
        del lines[:]
        found = engine.play(board, Limit(white_clock=10.4, byoyomi=1.0))
        assert found.move == Move.from_text("c3") and 0 < found.time < 5
        board.push(found.move)
        board.push_text("b3")
        assert engine.play(board, Limit(depth=3, white_clock=9.6)).move in board.legal_moves
    assert [line.split(maxsplit=1)[1] for line in lines[:-1]] == [
        *("boardsize 8", "clear_board", "time_settings 10 1 1", "play black d3", "time_left white 10 0"),
        *("genmove white", "play black b3", "time_left white 10 0", "set_level 3", "genmove white"),
    ]
    assert not engine.running
    engine.start()  # it can be had again
    engine.close()


def test_nboard():
    engine = SimpleNBoard([*STUB, "nboard"])
    lines, board = sent(engine), Board()
    with engine:
        assert engine.name == "stub"
        board.push_text("d3")
        del lines[:]
        found = engine.play(board, Limit(depth=3, white_clock=65.5, white_inc=2))
        assert (found.move, found.info.score, found.info.nodes) == (Move.from_text("c3"), Score.discs(1.5), 12)
        board.push(found.move)
        board.push_text("b3")
        assert engine.play(board, Limit(depth=4, white_clock=60, white_inc=2)).move in board.legal_moves
        assert engine.play(board, Limit(depth=4)).move in board.legal_moves  # without a clock: the game is told anew
        board = Board()
        one, two = engine.analyse(board, Limit(depth=4, time=5.0), multipv=2)
        assert (one.depth, one["score"], two["score"]) == (4, Score.discs(1.5), Score.discs(-0.5))
        assert one.pv == (Move.from_text("f5"), Move.from_text("d6")) and two.pv == (Move.from_text("d3"),)
        assert engine.analyse(board, Limit(depth=4, time=5.0)) == one
    start = f"BO[8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *]"
    head = "(;GM[Othello]PC[match]PB[black]PW[white]RE[?]"
    assert lines[:4] == [
        "set depth 3", f"set game {head}TI[1:05.50/0:02.00]TY[8]{start}B[D3];)", "ping 2", "go"
    ]  # fmt: skip
    assert lines[4] == "set depth 4" and re.fullmatch(r"move C3//0\.\d\d", lines[5]) and lines[6:8] == ["move B3", "go"]
    assert lines[8:12] == ["set depth 4", f"set game {head}TY[8]{start}B[D3]W[C3]B[B3];)", "ping 3", "go"]
    assert lines[12:15] == ["set depth 4", f"set game {head}TI[0:00.00/0:05.00]TY[8]{start};)", "ping 4"]
    assert not engine.running


@pytest.mark.parametrize("engine", [SimpleGtp([*STUB, "gtp", "illegal"]), SimpleNBoard([*STUB, "nboard", "illegal"])])
def test_an_illegal_move_is_a_fault_of_the_client_already(engine):
    board = Board.from_transcript("f5d6c3d3c4f4f6f3e6e7")
    with engine, pytest.raises(EngineError, match="illegal move"):
        engine.play(board, Limit(time=1))


@pytest.mark.parametrize("client", [GtpClient, NBoardClient])
@pytest.mark.parametrize("limit", [Limit(nodes=1), Limit(mate=3), Limit(level=1)])
def test_limits_that_a_protocol_cannot_express(client, limit):
    with pytest.raises(ValueError, match="engine can have"):
        client.check(limit)


def test_what_nboard_engines_write():
    assert parse_go("=== PA", 3.0) == PlayResult("pass") and parse_go("===f5/x", 3.0) == PlayResult("f5")
    scores = [parse_go(f"=== F5/{value}", 3.0).info.score for value in ("1e999", "-99", "nan")]
    assert scores == [Score.discs(64), Score.discs(-64), None]
    assert parse_hint("book F5PA 1 0 73%") == Info(score=Score.discs(1), pv=("f5", "pass"), string="73%")
    with pytest.raises(EngineError):
        parse_go("=== /1/2", 3.0)
    assert [parse_hint(line) for line in ("search F5", "search F5 x 0 3", "status", "")] == [None] * 4


def test_othello_engines_with_asyncio():
    async def ask():
        async with GtpClient([*STUB, "gtp"]) as one, NBoardClient([*STUB, "nboard", "last"]) as other:
            board = Board()
            return [(await each.play(board, Limit(time=1))).move for each in (one, other)]

    assert asyncio.run(ask()) == [Move.from_text("d3"), Move.from_text("e6")]


def test_faults_of_othello_engines():
    with pytest.raises(EngineError, match="no answer"), SimpleGtp([*STUB, "gtp", "silent"], timeout=0.1) as engine:
        engine.play(Board(), Limit(depth=1))
    with pytest.raises(EngineError, match="no answer"), SimpleNBoard([*STUB, "nboard", "silent"], timeout=0.1) as other:
        other.play(Board(), Limit(depth=1))
    with (
        pytest.raises(EngineError, match="refusal: play black f5: never"),
        SimpleGtp([*STUB, "gtp", "refuses"]) as engine,
    ):
        engine.play(Board.from_transcript("f5"), Limit(time=1))


@pytest.fixture
def play(capsys, tmp_path):
    """Return a function that plays a match from two openings; it returns the exit status and the figures."""
    openings = tmp_path / "openings"
    openings.write_text("startpos moves f5 d6\nstartpos moves f5 f6 # the other one\n")

    def play(*words):
        limits = ["--limit", "movetime=5000", "--openings", str(openings)]
        status = main(["match", *words, *limits, "--json"])
        return status, json.loads(capsys.readouterr().out.splitlines()[-1])

    return play


def test_engines_of_both_protocols_play(play, tmp_path):
    files = ["--out", str(tmp_path / "games.ggf"), "--html", str(tmp_path / "page.html")]
    words = ["--games", "4", *files, "--names", "gtp & co,", "--log", str(tmp_path / "log")]
    status, found = play(GTP, f"{NBOARD} last", *words)
    assert (status, found["games"], found["faults"]) == (0, 4, {"first": {}, "second": {}})
    games = records.load(tmp_path / "games.ggf")
    assert [game.names[0] == "gtp & co" for game in games] == [True, False, True, False]
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()[1:]]
    for game, line in zip(games, sorted(lines, key=lambda each: each["game"]), strict=True):
        assert game.moves == line["moves"].split() and game.score == line["points"]
        assert game.board().is_game_over() and game.moves[0] == "f5"
        assert Score.discs(1.5) in [node.evaluation for node in game.main_line]
    page = (tmp_path / "page.html").read_text()
    assert "gtp &amp; co" in page and page.count("<details>") == 4


@pytest.mark.parametrize(
    ("engine", "fault"), [(GTP, "illegal"), (GTP, "dies"), (NBOARD, "illegal"), (NBOARD, "dies"), (GTP, "refuses")]
)
def test_faults_lose_games_of_othello(play, engine, fault):
    status, found = play(f"{engine} {fault}", GTP, "--games", "2")
    kind = {"illegal": "illegal move", "dies": "crash", "refuses": "refusal"}[fault]
    assert (status, found["losses"], found["faults"]["first"]) == (0, 2, {kind: 2})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([GTP, "shogi"], "do not play the same game"),
        ([GTP, GTP, "--limit", "nodes=5"], "a GTP engine can have"),
        ([NBOARD, NBOARD, "--limit", "byoyomi=5"], "an NBoard engine can have"),
        (["othello:A=1", NBOARD, "--limit", "depth=5"], "have no options"),
        (["gtp:", GTP, "--limit", "depth=5"], "without a command"),
        ([GTP, GTP, "--limit", "depth=5", "--out", "x.kif"], "none of the formats of othello"),
        ([GTP, GTP, GTP, "--limit", "depth=5", "--sprt", "0", "5"], "for two players"),
        ([GTP, GTP, "--limit", "depth=5", "--html", "no/such/folder.html"], "no folder"),
    ],
)
def test_what_can_not_be_played_is_said(capsys, words, said):
    assert main(["match", *words]) == 2
    assert said in capsys.readouterr().err
