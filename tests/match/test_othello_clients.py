"""shogi_engine/clients/gtp.py and nboard_client.py, and their engines as players; the engines are stubs."""

import asyncio
import json
import sys

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.clients.base import EngineError
from shogi_engine.clients.gtp import GtpClient, SimpleGtp
from shogi_engine.clients.nboard import NBoardClient, SimpleNBoard, parse_go, parse_hint
from shogi_engine.types.info import Info, PlayResult
from shogi_engine.types.score import Score
from tests.support.processes import TESTS

STUB = [sys.executable, "-S", str(TESTS / "support" / "othello_stub.py")]
GTP, NBOARD = (f"{protocol}:{' '.join([*STUB, protocol])}" for protocol in ("gtp", "nboard"))


def test_gtp():
    with SimpleGtp([*STUB, "gtp"]) as engine:
        assert (engine.name, engine.client.version, "genmove" in engine.commands) == ("stub", "1", True)
        engine.new_game()
        engine.time_settings(10.4, 1)
        engine.play("black", "d3")
        assert engine.genmove("white", 0.1) == "c3"
        assert 0 < engine.time < 5
        engine.time_left("black", 9.6)
    assert not engine.running
    engine.start()  # it can be had again
    engine.close()


def test_nboard():
    with SimpleNBoard([*STUB, "nboard"]) as engine:
        assert engine.name == "stub"
        engine.set_depth(3)
        engine.set_game("(;GM[Othello]BO[8 x *]B[D3/0/1];)")
        found = engine.go(0.1)
        assert (found.move, found.info.score, found.info.nodes) == ("c3", Score.discs(1.5), 12)
        engine.move(found.move, "1.5", "0.1")
        assert engine.hint(2, 5.0) == [
            Info(4, score=Score.discs(1.5), pv=("f5", "d6")),
            Info(score=Score.discs(-0.5), pv=("d3",)),
        ]
        engine.ping()
    assert not engine.running


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
            await other.set_game("(;GM[Othello]BO[8 x *];)")
            return await one.genmove("black"), (await other.go()).move

    assert asyncio.run(ask()) == ("d3", "e6")


def test_faults_of_othello_engines():
    with pytest.raises(EngineError, match="no answer"), SimpleGtp([*STUB, "gtp", "silent"], timeout=0.1) as engine:
        engine.genmove("black")
    with (
        pytest.raises(EngineError, match="no answer"),
        SimpleNBoard([*STUB, "nboard", "silent"], timeout=0.1) as other,
    ):
        other.go()
    with (
        pytest.raises(EngineError, match="refusal: play black f5: never"),
        SimpleGtp([*STUB, "gtp", "refuses"]) as engine,
    ):
        engine.play("black", "f5")


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
