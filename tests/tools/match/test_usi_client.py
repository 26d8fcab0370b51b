"""tools/match/usi_client.py and the games on the clock that use all of it: info lines, pondering, GUIs' ways."""

import json
import sys
from pathlib import Path

import pytest

from tools.match import timed_games
from tools.match.usi_client import MATE_SCORE, Answer, EngineError, Info, UsiEngine, parse_info

WAYWARD = f"{sys.executable} {Path(__file__).parent / 'usi_wayward.py'}"


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info depth 3 seldepth 9 score cp -12 nodes 400 nps 9000 pv 7g7f 3c3d", Info(3, 400, 9000, None, -12)),
        ("info depth 3 multipv 2 score cp 12 upperbound nodes 4", Info(3, 4, None, 2, 12, "upperbound")),
        ("info score mate -3", Info(score=-MATE_SCORE)),
        ("info score mate + nodes 5", Info(score=MATE_SCORE, nodes=5)),
        ("info string depth 7 score cp 9", Info()),
        ("info depth nodes score cp", Info()),
    ],
)
def test_info_lines(line, info):
    assert parse_info(line) == info


def test_the_last_word_is_that_of_the_best_move():
    infos = [Info(depth=5, score=10, multipv=1), Info(depth=5, score=-300, multipv=2), Info(nodes=9)]
    answer = Answer(infos=infos)
    assert [answer.last(name) for name in ("depth", "score", "nodes", "nps")] == [5, 10, 9, None]


def test_an_engine_is_started_when_needed_and_again_after_a_crash():
    engine = UsiEngine.described(f"{WAYWARD} die:Hash=16", ("USI_Ponder", "false"))
    assert engine.options == (("Hash", "16"), ("USI_Ponder", "false"))
    try:
        for _ in range(2):
            engine.new_game()
            assert engine.name == "wayward"
            answer = engine.search("position startpos", "nodes 5")
            assert (answer.move, answer.ponder, answer.last("nodes")) == ("1g1f", "", 7)
            with pytest.raises(EngineError, match="crash: exit status 3"):
                engine.search("position startpos", "nodes 5")
            engine.close()
    finally:
        engine.close()


def test_a_program_that_is_not_there_is_a_fault():
    with pytest.raises(EngineError, match="can not start"):
        UsiEngine("/no/such/engine").new_game()


def play(tmp_path, capsys, first, second, *words):
    """Play games on the clock; return the exit status and the summary."""
    command = [
        f"{WAYWARD} {first}",
        f"{WAYWARD} {second}",
        "--games",
        "2",
        "--margin",
        "2000",
        "--max-plies",
        "60",
        "--limit",
    ]
    out = ["--out", str(tmp_path / "games.jsonl"), *words]
    status = timed_games.main([*command, "clock=20000+0+100", *out])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


def test_pondering_as_guis_do_it(tmp_path, capsys):
    status, summary = play(tmp_path, capsys, "ponder", "ponder-miss", "--ponder")
    assert (status, summary["games"], summary["faults"]) == (0, 2, [])
    assert summary["hits"] > 10 and summary["misses"] > 10
    assert summary["hits"] + summary["misses"] >= summary["plies"] - 30


@pytest.mark.parametrize(
    ("kind", "fault"), [("ponder-illegal", "illegal ponder move"), ("ponder-early", "second answer")]
)
def test_faults_of_pondering(tmp_path, capsys, kind, fault):
    status, summary = play(tmp_path, capsys, kind, "ponder", "--ponder")
    assert status == 1
    assert [(each["engine"], each["fault"].split(":")[0]) for each in summary["faults"]] == [(1, fault)] * 2
