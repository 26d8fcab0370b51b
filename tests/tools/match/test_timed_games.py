"""tools/match/timed_games.py: pondering as GUIs do it, and its faults."""

import json
import sys

import pytest
from processes import TESTS

from tools.match import timed_games

WAYWARD = f"{sys.executable} {TESTS / 'match' / 'usi_wayward.py'}"


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
    status = timed_games.main([*command, "clock=20s+0+100ms", *out])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


def test_pondering_as_guis_do_it(tmp_path, capsys):
    status, summary = play(tmp_path, capsys, "ponder", "ponder-miss", "--ponder")
    assert (status, summary["games"], summary["faults"]) == (0, 2, [])
    assert summary["hits"] > 10 and summary["misses"] > 10
    assert summary["hits"] + summary["misses"] >= summary["plies"] - 30


@pytest.mark.parametrize(
    ("kind", "other", "fault"),
    [
        ("ponder-illegal", "ponder", "illegal ponder move"),
        ("ponder-early", "late", "second answer"),  # the other thinks for long enough to be answered early
    ],
)
def test_faults_of_pondering(tmp_path, capsys, kind, other, fault):
    status, summary = play(tmp_path, capsys, kind, other, "--ponder")
    assert status == 1
    assert [(each["engine"], each["fault"].split(":")[0]) for each in summary["faults"]] == [(1, fault)] * 2
