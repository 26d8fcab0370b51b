"""`go mate` and mates found during a search, with the real engine."""

import json
import time
from pathlib import Path

import pytest
import shogi

from tests.support.processes import TESTS
from tests.support.shogi_cases import MICROCOSMOS
from tests.support.usi_driver import REAL, Process

PROBLEMS = json.loads((TESTS / "data" / "shogi_mate.json").read_text())["positions"]
DEEP = PROBLEMS[27]  # a mate in 21
COMMAND = REAL


def assert_mates(sfen, moves, by_checks=True):
    board = shogi.Board(sfen)
    for number, text in enumerate(moves):
        assert text in {legal.usi() for legal in board.legal_moves}
        board.push_usi(text)
        assert not by_checks or board.is_check() == (number % 2 == 0)
    assert board.is_checkmate() and len(moves) % 2 == 1


def test_go_mate_finds_and_disproves(engine):
    for problem in PROBLEMS:
        engine.send(f"position sfen {problem['sfen']}", "go mate 20000")
        answer = engine.until("checkmate")[-1].split()[1:]
        if problem["mate"] == 0:
            assert answer == ["nomate"]
        else:
            assert len(answer) >= problem["mate"]
            assert_mates(problem["sfen"], answer)


def test_kings_that_are_not_there(engine):
    engine.send("position sfen 7nk/9/7GP/9/9/9/9/9/9 b - 1", "go mate 1000")
    assert engine.until("checkmate")[-1] in ("checkmate 1c1b", "checkmate 2c1b")
    engine.send("position sfen 9/9/9/9/9/9/9/9/4K4 b G 1", "go mate 1000")
    assert engine.until("checkmate")[-1] == "checkmate nomate"


def test_stop_ends_a_mate_search_at_once(engine):
    for _ in range(5):
        engine.send(f"position sfen {MICROCOSMOS}", "go mate infinite")
        time.sleep(0.3)
        with engine.within(0.1):
            engine.send("stop")
            assert engine.until("checkmate")[-1] == "checkmate timeout"
    with engine.within(0.45):
        engine.send("go mate 300")
        assert engine.until("checkmate")[-1] == "checkmate timeout"
    assert engine.came - engine.sent > 0.25


def test_the_search_goes_on_after_a_mate_search(engine):
    """The mate search borrows the table's memory."""
    engine.send(f"position sfen {DEEP['sfen']}", "go mate 5000", "position startpos", "go depth 8")
    assert engine.until("bestmove")[-1].split()[1] in {move.usi() for move in shogi.Board().legal_moves}


@pytest.mark.process("one search at a time")
def test_a_mate_beside_the_search_is_played_and_shown(engine):
    engine.send("usinewgame", f"position sfen {DEEP['sfen']}")
    for _ in range(20):  # the solver is loaded in a thread
        engine.send("go movetime 1000")
        lines = engine.until("bestmove")
        if " score mate " in lines[-2]:
            break
    words = lines[-2].split()
    moves = words[words.index("pv") + 1 :]
    assert words[words.index("mate") + 1] == str(len(moves)) and lines[-1].split()[1] == moves[0]
    assert_mates(DEEP["sfen"], moves, by_checks=False)  # on a slow machine the search may be the first
    engine.send("usinewgame", "setoption name MateSearch value false")  # what the table knew is gone
    engine.send(f"position sfen {DEEP['sfen']}", "go nodes 2000")
    assert " score mate " not in engine.until("bestmove")[-2]


@pytest.mark.slow
def test_memory_stays_within_the_table_and_a_margin():
    """A minute's search for a mate of 1525 plies: 16 MB more than the process had when it was ready."""
    with Process(REAL) as engine:
        engine.ready("setoption name USI_Hash value 64")
        engine.send("position startpos", "go mate 100")
        engine.until("checkmate")
        ready = resident_kilobytes(engine)
        engine.send(f"position sfen {MICROCOSMOS}", "go mate 60000")
        most = 0
        for _ in range(59):
            time.sleep(1)
            most = max(most, resident_kilobytes(engine))
        engine.until("checkmate")
        print(f"{ready} kB when ready, {most} kB at most")
        assert most - ready < 16 << 10


def resident_kilobytes(engine):
    text = Path(f"/proc/{engine.process.pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0])
