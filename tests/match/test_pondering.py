"""Pondering engines in a match, and their faults."""

import json
import sys

import pytest

from shogi_engine.__main__ import main
from tests.support.processes import TESTS

WAYWARD = f"{sys.executable} {TESTS / 'support' / 'usi_wayward.py'}"


def play(tmp_path, capsys, first, second):
    """Play two games on the clock between pondering engines; return the summary and the games' records."""
    log, openings = tmp_path / "log", tmp_path / "openings"
    openings.write_text("startpos\n")
    words = ["--limit", "clock=20s+0+100ms", "--games", "2", "--set", "max_plies=60,margin=2000,random_plies=4"]
    files = ["--ponder", "--json", "--openings", str(openings), "--log", str(log)]
    main(["match", f"{WAYWARD} {first}", f"{WAYWARD} {second}", *words, *files])
    games = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    return json.loads(capsys.readouterr().out.splitlines()[-1]), games


def test_hits_and_misses_of_pondering_are_counted(tmp_path, capsys):
    summary, games = play(tmp_path, capsys, "ponder", "ponder-miss")
    assert summary["games"] == 2 and not any(game["fault"] for game in games)
    hits, misses = (
        sum(game[side][name] for game in games for side in ("first", "second"))
        for name in ("ponder_hits", "ponder_misses")
    )
    assert hits > 10 and misses > 10
    assert hits + misses >= sum(game["plies"] for game in games) - 30


@pytest.mark.parametrize(
    ("kind", "other", "fault"),
    [
        ("ponder-illegal", "ponder", "illegal ponder move"),
        ("ponder-early", "late", "second answer"),  # the other thinks for long enough to be answered early
    ],
)
def test_faults_of_pondering(tmp_path, capsys, kind, other, fault):
    summary, games = play(tmp_path, capsys, kind, other)
    assert [(game["score"], game["fault"].split(":")[0]) for game in games] == [(0, fault)] * 2
