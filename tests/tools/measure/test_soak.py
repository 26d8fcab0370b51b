"""The soak: what counts as an answer, that faults are found, and that a run continues where it stopped."""

import json
import random
import sys

import pytest

from tools.measure import soak
from tools.measure.soak_fuzz import GtpFuzz, NboardFuzz, UsiFuzz
from tools.measure.soak_games import shogi_legal
from tools.measure.soak_talk import Conversation, FaultError

# A front end that answers `go` as often as its argument says, and knows nothing else.
WAYWARD = """
import sys
for line in sys.stdin:
    word = line.split()[:1]
    if word == ["go"]:
        for _ in range(int(sys.argv[1])):
            print("bestmove 7g7f", flush=True)
    elif word == ["isready"]:
        print("readyok", flush=True)
    elif line.endswith("value soak\\n"):
        print("info string setoption: MultiPV is a number, not 'soak'", flush=True)
    elif word == ["quit"]:
        break
"""

# One that answers pings, and every go by the same move.
PINGS = """
import sys
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "quit":
        break
    print({"ping": f"pong {rest}", "go": "=== C4"}.get(word, "status"), flush=True)
"""


class OneGo(UsiFuzz):
    """A batch of three lines, one of which expects an answer."""

    def play(self):
        self.requests = 3
        self.settle(["position startpos", "go depth 1", "isready"])


@pytest.mark.parametrize(
    ("kind", "line", "answer"),
    [
        (UsiFuzz, "go depth 1", "go"),
        (UsiFuzz, "\ufeffxyz go depth 1", "go"),
        (UsiFuzz, "go perft 1", ""),
        (UsiFuzz, "go perft x", ""),
        (UsiFuzz, "position startpos go", ""),
        (UsiFuzz, "isready go", "readyok"),
        (UsiFuzz, "", ""),
        (GtpFuzz, "7 fly", "=7"),
        (GtpFuzz, "play b d3 # 1", "="),
        (GtpFuzz, "# interrupt", ""),
        (GtpFuzz, "12", ""),
    ],
)
def test_how_many_answers_a_line_wants(kind, line, answer):
    assert kind.wants(line) == answer


@pytest.mark.parametrize("kind", [UsiFuzz, GtpFuzz, NboardFuzz])
def test_no_batch_ends_the_conversation_or_asks_for_the_impossible(kind, monkeypatch):
    sent = []
    monkeypatch.setattr(kind, "settle", lambda self, batch: sent.extend(batch))
    for number in range(5):
        kind(None, random.Random(number)).play()
    assert len(sent) == 5000 and len(set(sent)) > 1000
    assert not [line for line in sent if "quit" in line.split() or "\n" in line]
    assert not [line for line in sent if "level 21" in line or "Threads" in line]


def test_a_move_that_is_not_legal_is_a_fault():
    assert len(shogi_legal("startpos", ["7g7f", "3c3d"])) > 30
    with pytest.raises(FaultError, match="8h2b\\+ is not legal"):
        shogi_legal("startpos", ["8h2b+"])


class Pings(NboardFuzz):
    """A batch whose second line begins with the digits of many a number."""

    def play(self):
        self.requests = 3
        self.settle(["ping 7", "ping 777777777", "fly"])


def test_no_ping_of_a_batch_is_taken_for_the_end_of_it():
    talk = Conversation([sys.executable, "-c", PINGS])
    Pings(talk, random.Random(1)).play()
    talk.close()


@pytest.fixture
def wayward(monkeypatch):
    """Return a function that has the soak talk to WAYWARD, which gives that many answers to a go."""
    monkeypatch.setitem(soak.GAMES, "fuzz-usi", OneGo)
    return lambda answers: monkeypatch.setitem(soak.COMMANDS, "usi", [sys.executable, "-c", WAYWARD, str(answers)])


@pytest.mark.parametrize("answers", [0, 2])
def test_a_missing_or_a_second_answer_is_a_fault(answers, wayward):
    wayward(answers)
    talk = Conversation(soak.COMMANDS["usi"], patience=5.0)
    row = soak.play_one(talk, "fuzz-usi", 5, 0)
    talk.kill()
    assert row["fault"].startswith("answers due: {'go': 1")


def test_one_process_plays_a_run(wayward, tmp_path):
    wayward(1)
    path = tmp_path / "log"
    soak.run("fuzz-usi", [0, 1], 5, path, 1000)
    rows = soak.read_log(path, "fuzz-usi", 5)
    assert [row["fault"] for row in rows] == ["", ""] and rows[0]["run"] == rows[1]["run"]
    assert soak.summary(rows).startswith("2 games, 6 requests, 0 faults")


def test_a_line_of_the_log_that_was_cut_off_is_played_again(tmp_path):
    path = tmp_path / "log"
    row = {"protocol": "usi", "seed": 1, "game": 0, "fault": "", "requests": 1}
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | {"seed": 2}) + "\n" + json.dumps(row)[:20])
    assert soak.read_log(path, "usi", 1) == [row]


def test_growth_is_that_of_one_process():
    rows = [
        {"game": game, "run": "a", "requests": 2, "fault": "", "seconds": 1.0, "kb": 1024 * (100 + game), "files": 4,
         "threads": 3 + game // 6, "cpu": 0.5 * (game + 1)} for game in range(8)
    ]  # fmt: skip
    assert soak.summary(rows).splitlines() == [
        "8 games, 16 requests, 0 faults, 8 s",
        "8 games in one process: +4.0 MB, +0 files, +1 threads, 0.50 s of CPU each",
    ]


def test_who_has_more_patience_takes_later_answers():
    talk = Conversation([sys.executable, "-c", ""], patience=800)
    assert talk.is_late(101) and not talk.is_late(99)
    with pytest.raises(FaultError, match="ended"):
        talk.until("bestmove")
