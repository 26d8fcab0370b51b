"""tools/match.py: its log goes on, faults are found and counted, pairs are pairs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import match  # noqa: E402
from match_openings import SHIPPED, read  # noqa: E402
from match_stats import Sprt  # noqa: E402
from usi_games import Limit, parse_limit, parse_options  # noqa: E402

from shogi_engine.games.shogi.board import Board  # noqa: E402

WAYWARD = f"{sys.executable} {Path(__file__).parent / 'usi_wayward.py'}"
SHORT = ["--limit", "movetime=300", "--margin", "200", "--patience", "1.5", "--max-plies", "24"]


def run(capsys, *words):
    """Run a match; return its exit status and the summary."""
    status = match.main([*words, "--json"])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("illegal", "illegal move"),
        ("false-win", "false declaration"),
        ("hang", "no answer"),
        ("die", "crash"),
        ("late", "time"),
        ("twice", "second answer"),
    ],
)
def test_faults_lose_and_are_counted_for_who_committed_them(capsys, kind, fault):
    _, summary = run(capsys, f"{WAYWARD} {kind}", WAYWARD, "--games", "2", *SHORT)
    assert (summary["wins"], summary["losses"]) == (0, 2)
    assert summary["faults"] == {"first": {fault: 2}, "second": {}}
    _, summary = run(capsys, WAYWARD, f"{WAYWARD} {kind}", "--games", "2", *SHORT)
    assert (summary["wins"], summary["losses"]) == (2, 0)
    assert summary["faults"] == {"first": {}, "second": {fault: 2}}


def test_a_match_is_given_up_after_too_many_faults(capsys):
    status, summary = run(capsys, f"{WAYWARD} die", WAYWARD, "--games", "40", "--max-faults", "4", *SHORT)
    assert status == 1
    assert 4 <= summary["games"] < 40


def test_a_resignation_is_no_fault(capsys):
    status, summary = run(capsys, f"{WAYWARD} resign", WAYWARD, "--games", "2", *SHORT)
    assert status == 0
    assert summary["reasons"] == {"second wins: resign": 2}
    assert summary["faults"] == {"first": {}, "second": {}}


def test_a_match_that_was_killed_goes_on(capsys, tmp_path):
    log = tmp_path / "log.jsonl"
    words = [WAYWARD, WAYWARD, "--log", str(log), "--concurrency", "2", *SHORT]
    assert run(capsys, *words, "--games", "3")[1]["games"] == 3
    whole = log.read_bytes()
    log.write_bytes(whole[:-25])  # killed while it wrote the third game
    status, summary = run(capsys, *words, "--games", "6")
    assert (status, summary["games"], sum(summary["pairs"])) == (0, 6, 3)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted(line["game"] for line in lines[1:]) == list(range(6))
    before = log.read_bytes()
    assert run(capsys, *words, "--games", "6")[1]["games"] == 6
    assert log.read_bytes() == before
    assert match.main([*words, "--games", "6", "--seed", "2"]) == 2  # another match
    assert "other settings" in capsys.readouterr().err


def test_each_opening_is_played_with_both_colours(tmp_path):
    log = tmp_path / "log.jsonl"
    assert match.main([WAYWARD, WAYWARD, "--games", "4", "--log", str(log), *SHORT]) == 0
    games = {game["game"]: game for game in map(json.loads, log.read_text().splitlines()[1:])}
    assert games[0]["moves"] == games[1]["moves"] != games[2]["moves"] == games[3]["moves"]  # both play the same way
    for game in games.values():
        board = Board()
        for move in game["moves"].split():
            board.push_usi(move)
        assert len(board.move_stack) == game["plies"] <= 24


def test_pairs_count_when_both_games_are_there():
    records = {0: {"score": 1.0}, 1: {"score": 1.0}, 2: {"score": 0.5}, 3: {"score": 0.0}, 5: {"score": 1.0}}
    assert match.pentanomial(records) == [0, 1, 0, 0, 1]


def test_the_sequential_test_ends_the_match():
    log = match.Log(None, {})
    played = match.Match(
        log, 10_000, lambda: None, lambda worker, game: {"game": game, "score": float(game % 20 != 0)}, Sprt(0, 10)
    )
    done = list(played.run(2))
    assert 10 < len(done) < 1000
    assert played.decided()


@pytest.mark.parametrize(
    "words",
    [
        [WAYWARD],
        [WAYWARD, WAYWARD, "--limit", "hours=3"],
        [WAYWARD, WAYWARD, "--sprt", "10", "0"],
        [WAYWARD, WAYWARD, "--openings", "nowhere.txt"],
        ["--in-process", "--a", "no_such=3"],
        ["--in-process", "--a", "futility_margin"],
        ["--in-process", "--limit", "movetime=100"],
        ["--in-process", "--game", "chess"],
    ],
)
def test_wrong_arguments_say_why_in_one_line(capsys, words):
    assert match.main(words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_limits_and_options():
    assert parse_limit("nodes=100,depth=3") == Limit(nodes=100, depth=3)
    assert parse_limit("clock=1000+20+3") == Limit(main=1000, byoyomi=20, increment=3)
    assert parse_options("A=1, B,C=x\\,y") == (("A", "1"), ("B", None), ("C", "x,y"))
    for text in ("nodes=0", "clock=0", "clock=1+2+3+4", "depth=", "3"):
        with pytest.raises(ValueError):
            parse_limit(text)


def test_the_shipped_openings_are_legal_and_different():
    openings = read(SHIPPED)
    boards = [Board.from_usi_position(opening) for opening in openings]
    assert len({board.sfen() for board in boards}) > 0.9 * len(openings) >= 90
    assert not any(board.outcome() for board in boards)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of two commits to freeze from."""
    import freeze

    root = tmp_path / "repository"
    (root / "usi").mkdir(parents=True)
    (root / "shogi_engine").mkdir()
    (root / "shogi_engine" / "__init__.py").write_text("")
    monkeypatch.setattr(freeze, "ROOT", root)
    author = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    freeze.git("init", "-q")
    for text in ("old", "new"):
        (root / "usi" / "__main__.py").write_text(f"import os\nprint('{text}', os.environ['SHOGI_ENGINE_CACHE_DIR'])\n")
        freeze.git("add", ".")
        freeze.git(*author, "commit", "-qm", text)
    return root


@pytest.mark.skipif(sys.platform == "win32", reason="the launcher is a shell script here")
def test_a_frozen_version_stays_what_it_was(repository, tmp_path, capsys):
    import freeze

    folder = tmp_path / "with space"
    assert freeze.main([str(folder), "--commit", "HEAD~1", "--cold"]) == 0
    launcher = capsys.readouterr().out.strip()
    (repository / "usi" / "__main__.py").write_text("print('edited')\n")
    done = subprocess.run([launcher], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == f"old {folder / 'cache'}\n"
    assert freeze.main([str(folder), "--cold"]) == 2  # never over another one
    assert freeze.main([str(tmp_path / "other"), "--commit", "no-such", "--cold"]) == 2
