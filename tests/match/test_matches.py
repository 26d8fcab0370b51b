"""shogi_engine/match and `shogi-engine match`: the log continues, faults are found and counted, pairs are pairs."""

import json
import sys
import threading
import time

import pytest

from shogi_engine.__main__ import main
from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import go_words
from shogi_engine.common.match_statistics import Sprt
from shogi_engine.games.shogi.board import Board
from shogi_engine.match import GameLog, Match, parse_engine, parse_limit
from shogi_engine.match.plan import SHIPPED, read
from shogi_engine.match.runner import begin
from shogi_engine.play.clock import GameClock
from shogi_engine.types.limits import Clock, Limit
from tests.support.processes import TESTS

WAYWARD = f"{sys.executable} {TESTS / 'support' / 'usi_wayward.py'}"
SHORT = ["--limit", "movetime=300", "--set", "margin=200,timeout=1.5,max_plies=24"]


def run(capsys, *words):
    """Run a match; return its exit status and the summary."""
    status = main(["match", *words, "--json"])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("illegal", "illegal move"), ("false-win", "false declaration"), ("hang", "no answer"), ("die", "crash"),
        ("late", "time"), ("twice", "second answer"),
    ],
)  # fmt: skip
def test_faults_lose_and_are_counted_for_who_committed_them(capsys, kind, fault):
    _, summary = run(capsys, f"{WAYWARD} {kind}", WAYWARD, "--games", "2", *SHORT)
    assert (summary["wins"], summary["losses"]) == (0, 2)
    assert summary["faults"] == {"first": {fault: 2}, "second": {}}
    _, summary = run(capsys, WAYWARD, f"{WAYWARD} {kind}", "--games", "2", *SHORT)
    assert (summary["wins"], summary["losses"]) == (2, 0)
    assert summary["faults"] == {"first": {}, "second": {fault: 2}}


def test_a_match_is_given_up_after_too_many_faults(capsys):
    status, summary = run(capsys, f"{WAYWARD} die", WAYWARD, "--games", "40", "--set", "max_faults=4", *SHORT)
    assert status == 1
    assert 4 <= summary["games"] < 40


def test_a_resignation_is_no_fault(capsys):
    status, summary = run(capsys, f"{WAYWARD} resign", WAYWARD, "--games", "2", *SHORT)
    assert status == 0
    assert summary["reasons"] == {"second wins: resignation": 2}
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
    assert main(["match", *words, "--games", "6", "--seed", "2"]) == 2  # another match
    assert "other settings" in capsys.readouterr().err


def test_each_opening_is_played_with_both_colours(tmp_path):
    log = tmp_path / "log.jsonl"
    assert main(["match", WAYWARD, WAYWARD, "--games", "4", "--log", str(log), *SHORT]) == 0
    games = {game["game"]: game for game in map(json.loads, log.read_text().splitlines()[1:])}
    assert games[0]["moves"] == games[1]["moves"] != games[2]["moves"] == games[3]["moves"]  # both play the same way
    for game in games.values():
        board = Board()
        for move in game["moves"].split():
            board.push_usi(move)
        assert len(board.move_stack) == game["plies"] <= 24


class Starting:
    """A player that is ready after a while, or fails; `events` notes it."""

    def __init__(self, events, fault=None):
        self.events, self.fault = events, fault

    def ready(self):
        self.events.append("begins")
        time.sleep(0.05)
        self.events.append("ready")
        if self.fault:
            raise self.fault

    def close(self):
        self.events.append("closed")


def test_the_first_start_of_an_engine_is_for_one_alone():
    events, engine = [], parse_engine("an engine that starts alone")
    threads = [threading.Thread(target=begin, args=(engine, Starting(events))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
        events.append("begun")
    assert events == ["begins", "ready", "begun", "begun", "begun"]
    with pytest.raises(ValueError, match="'an engine that fails' does not start: no answer"):
        begin(parse_engine("an engine that fails"), Starting(events, EngineError("no answer")))
    assert events[5:] == ["begins", "ready", "closed"]


class Winner:
    """A worker, and its maker, whose first player loses one game in twenty."""

    def __call__(self):
        return self

    def do(self, number):
        return {"game": number, "score": float(number % 20 != 0)}

    def close(self):
        pass


def test_the_sequential_test_ends_the_match():
    played = Match(GameLog(None, {}), range(10_000), Winner(), Sprt(0, 10))
    done = list(played.run(2))
    assert 10 < len(done) < 1000
    assert played.decided()


def test_what_a_worker_raises_ends_the_match():
    class Broken(Winner):
        def do(self, number):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(Match(GameLog(None, {}), range(10), Broken()).run(2))


@pytest.mark.parametrize(
    "words",
    [
        [WAYWARD],
        [WAYWARD, WAYWARD, "--limit", "hours=3"],
        [WAYWARD, WAYWARD, "--sprt", "10", "0"],
        [WAYWARD, WAYWARD, "--openings", "nowhere.txt"],
        ["engine:no_such=3", "engine"],
        ["engine:futility_margin", "engine"],
        ["engine", "engine", "--game", "chess"],
        ["engine", "engine", "--limit", "depth=1", "--limit", "depth=2", "--limit", "depth=3"],
        ["engine", "engine", "--names", "one"],
        ["engine:futility_margin=wide", "engine"],
        ["engine:level=99", "engine"],
        ["level:3", "level:4", "--ponder"],
        ["level:3", "othello", "--game", "shogi"],
        ["engine:weights=nowhere.npz", "engine"],
        ["engine", "engine", "--set", "max_plies=100000"],
        [WAYWARD, WAYWARD, "no-such-program"],
        ["gtp:no-such-program", "gtp:no-such-program", "--limit", "depth=1"],
        [WAYWARD, WAYWARD, "--limit", "nodes=abc"],
        ["no-such-program", WAYWARD],
        [WAYWARD, f"{sys.executable} -c pass"],
        [WAYWARD, f"{WAYWARD}:NoSuchOption=1"],
    ],
)
def test_wrong_arguments_say_why_in_one_line(capsys, words, tmp_path):
    log = tmp_path / "log"
    assert main(["match", *words, "--log", str(log)]) == 2
    assert not log.exists() or len(log.read_text().splitlines()) == 1  # no game was played
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert "invalid" not in said.err
    assert not said.out


def test_levels_play_in_this_process_whatever_the_concurrency(capsys, tmp_path):
    logs = []
    for concurrency in ("1", "2"):
        log = tmp_path / concurrency
        words = ["level:0", "engine:level=12", WAYWARD, "--tournament", "ladder", "--games", "2"]
        words += ["--set", "max_plies=30", "--concurrency", concurrency, "--log", str(log)]
        assert main(["match", *words]) == 0
        games = [json.loads(line) for line in log.read_text().splitlines()[1:]]
        logs.append({each["game"]: (each["moves"], each["reason"], each["players"]) for each in games})
    assert logs[0] == logs[1] and [game[2] for _, game in sorted(logs[0].items())] == [[0, 1]] * 2 + [[1, 2]] * 2
    assert "level:0" in capsys.readouterr().out


def test_engines_in_this_process_keep_to_a_clock(capsys):
    limit = ["--limit", "clock=2s+0+50ms", "--limit", "movetime=60", "--set", "max_plies=20,margin=30000"]
    status, summary = run(capsys, "engine", "engine:evaluation=material", "--games", "2", *limit)
    assert (status, summary["faults"]) == (0, {"first": {}, "second": {}})
    assert summary["second"]["ms_per_move"] >= 40


def test_the_options_of_a_program_follow_its_command():
    for text, command, options in (
        ("engine.exe:Hash=16,Style=a b", "engine.exe", (("Hash", "16"), ("Style", "a b"))),
        ("usi:C:\\engines\\it.exe --flag:USI_Hash=16", "C:\\engines\\it.exe --flag", (("USI_Hash", "16"),)),
        ("C:\\engines\\it.exe", "C:\\engines\\it.exe", ()),
        ("shogi:SkillLevel=5", None, (("SkillLevel", "5"),)),
    ):
        found = parse_engine(text)
        assert found.options == options and command in (None, found.command)


def test_limits():
    assert parse_limit("nodes=100,depth=3") == (Limit(nodes=100, depth=3), None)
    assert parse_limit("movetime=50") == (Limit(time=0.05), None)
    assert parse_limit("clock=1000ms+20ms+3ms") == (Limit(), Clock(1000, 20, 3))
    for same in ("10:00+5", "10+5", "10m+5s"):
        assert parse_limit(f"clock={same}") == (Limit(), Clock(600_000, 5000))
    assert parse_limit("byoyomi=100,nodes=7") == (Limit(nodes=7), Clock(0, 100))
    for text in ("nodes=0", "depth=", "nodes=abc", "3", "clock=0", "clock=10:0", "clock=1+2+3+4", "clock=60000"):
        with pytest.raises(ValueError, match=r"^(a limit|invalid clock)"):
            parse_limit(text)


@pytest.mark.parametrize("option", ["--resign", "--draw"])
@pytest.mark.parametrize("text", ["abc", "1:x", "1:0", "1:2:3:4", ""])
def test_terms_that_are_no_numbers_get_one_sentence(option, text, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["match", "shogi", "shogi", option, text])
    error = capsys.readouterr().err
    assert error.endswith(f"argument {option}: expected numbers with colons between them, or never, not {text!r}\n")


def test_what_go_says():
    clock, byoyomi = Clock(800, 0, 50), Clock(0, 100)

    def words(limit, clocks, side):
        return go_words(GameClock(clocks).limited(limit, side))

    assert words(Limit(), (clock, byoyomi), 0) == "btime 800 wtime 0 binc 50 winc 0"
    assert words(Limit(), (clock, byoyomi), 1) == "btime 800 wtime 0 binc 50 winc 0 byoyomi 100"
    assert words(Limit(), (Clock(800, 100, 50), None), 0) == "btime 800 wtime 0 binc 50 winc 0 byoyomi 100"
    assert words(Limit(), (Clock(800), None), 0) == "btime 800 wtime 0 byoyomi 0"
    assert words(Limit(time=0.005, depth=2), (None, None), 1) == "movetime 5 depth 2"
    assert words(Limit(nodes=7), (None, byoyomi), 0) == "nodes 7"


def test_the_shipped_openings_are_legal_and_different():
    openings = read(SHIPPED)
    boards = [Board.from_usi_position(opening) for opening in openings]
    assert len({board.sfen() for board in boards}) > 0.9 * len(openings) >= 90
    assert not any(board.outcome() for board in boards)
