"""The conversation, through a real process and pipes, with an engine that only pretends to think (usi_fake.py)."""

import os
import random
import time

import pytest
import shogi

from tests.support import forks
from tests.support.usi_driver import FAKE, LATE, TIMES, Process, answers
from tests.support.usi_lines import mutated

# ---- start-up ----------------------------------------------------------------------------------------------------


def test_usi_is_answered_before_the_engine_is_loaded():
    with Process(FAKE, FAKE_LOAD="600") as engine:
        engine.send("usi")
        lines = engine.until("usiok")
        assert lines[0].startswith("id name ") and lines[1].startswith("id author ") and lines[-1] == "usiok"
        for line in lines[2:-1]:
            words = line.split(" ")
            assert words[:2] == ["option", "name"] and words[3] == "type"
        assert {"USI_Hash", "USI_Ponder", "Threads", "MultiPV"} <= {line.split(" ")[2] for line in lines[2:-1]}


@pytest.mark.parametrize("end", ["quit", "end of input"])
@pytest.mark.parametrize("when", ["at once", "loading", "searching"])
def test_the_process_ends_at_once(when, end):
    with Process(FAKE, FAKE_LOAD="600" if when == "loading" else "0") as engine:
        if when == "loading":
            engine.send("usi", "isready", "position startpos", "go infinite")
            engine.until("usiok")
        elif when == "searching":
            engine.ready().send("position startpos", "go infinite")
            time.sleep(0.1)
        if end == "quit":
            engine.send("quit")
        else:
            engine.process.stdin.close()
        assert engine.ended() == (0, b"")  # less than FAKE_LOAD


def test_a_search_answers_at_the_end_of_input():
    with Process(FAKE) as engine:
        engine.ready().send("position startpos", "go infinite")
        engine.process.stdin.close()
        assert engine.until("bestmove")


def test_a_gui_that_is_gone_ends_the_process():
    reading, writing = os.pipe()
    command = forks.start(FAKE, stdin=forks.PIPE, stdout=writing)
    os.close(writing)
    os.close(reading)
    command.stdin.write(b"position startpos\ngo infinite\nisready\n")
    command.stdin.flush()
    assert command.wait(60) == 0
    command.stdin.close()


def test_isready_has_a_heartbeat_while_loading():
    with Process(FAKE, FAKE_LOAD="5.5") as engine:
        engine.send("usi", "isready")
        engine.until("usiok")
        beats = engine.until("readyok")[:-1]
        assert beats and all(line.startswith("info string loading ... ") for line in beats)  # nothing is compiled


def test_an_engine_that_can_not_load_says_so_and_goes():
    with Process(FAKE, FAKE_FAULT="load") as engine:
        engine.send("usi", "isready")
        assert "no numba here" in engine.until("info string the engine cannot start")[-1]
        assert engine.ended() == (1, b"")


def test_isready_before_every_game_and_lines_sent_in_one_go(engine):
    for _ in range(3):
        engine.send("gameover draw", "isready", "usinewgame", "position startpos", "go depth 2", "isready")
        lines = engine.until("bestmove")
        assert lines[0] == "readyok"
        if lines.count("readyok") < 2:
            assert engine.line() == "readyok"


def test_isready_during_a_search_is_answered_and_the_search_goes_on(engine):
    engine.send("position startpos", "go infinite")
    engine.until("info depth 2")
    engine.send("isready")
    lines = engine.until("readyok")
    assert not answers(lines)
    assert not answers(engine.silent(0.2))
    engine.send("stop")
    engine.until("bestmove")


@pytest.mark.process("those who write pages are told")
def test_unknown_lines_and_words_are_skipped(engine):
    engine.send("", "   ", "xyzzy", "uci", "register later", "joho isready")
    assert engine.line() == "readyok"


def test_commands_before_isready_and_usi():
    with Process(FAKE) as engine:
        engine.send("position startpos moves 7g7f", "go depth 1")
        assert engine.until("bestmove")


# ---- options -----------------------------------------------------------------------------------------------------


def test_unknown_options_are_taken_silently_and_bad_values_named(engine):
    engine.send("setoption name BookFile value no_book", "setoption name Stochastic_Ponder value false", "isready")
    assert engine.line() == "readyok"
    engine.send("setoption name MultiPV value many", "setoption", "isready")
    assert engine.until("readyok") == [
        "info string setoption: MultiPV is a number, not 'many'",
        "info string setoption: 'name' and a name expected",
        "readyok",
    ] or engine.seen[-3:-1] == [  # the reader's complaint may come first
        "info string setoption: 'name' and a name expected",
        "info string setoption: MultiPV is a number, not 'many'",
    ]


def test_multipv_changes_between_two_analyses(engine):
    engine.send("position startpos", "go depth 1")
    assert "multipv" not in engine.until("bestmove")[-2]
    engine.send("setoption name USI_MultiPV value 3", "go infinite")
    engine.until("info depth 2")
    engine.send("stop", "setoption name MultiPV value 2", "go infinite")
    lines = engine.until("bestmove")
    assert [line.split()[6] for line in lines[-4:-1]] == ["1", "2", "3"]
    time.sleep(0.1)
    engine.send("stop")
    lines = engine.until("bestmove")
    assert [line.split()[6] for line in lines[-3:-1]] == ["1", "2"]


def test_debug_log(tmp_path):
    path = tmp_path / "my log.txt"
    with Process(FAKE, FAKE_FAULT="search") as engine:
        engine.ready(f"setoption name DebugLogFile value {path}")
        engine.send("position startpos", "go depth 1")
        engine.until("bestmove")
        text = path.read_text()
    assert "> position startpos" in text and "< bestmove" in text and "ArithmeticError" in text
    with Process(FAKE) as engine:
        engine.send(f"setoption name DebugLogFile value {tmp_path}", "isready")
        assert "DebugLogFile" in engine.until("info string")[-1]


# ---- position ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    ["position startpos moves 7g7f 7g7f", "position", "position startpos 7g7f", "position here", "position sfen",
     "position sfen 9/9/9 b - 1", "position startpos moves 7g7f +", "sfen moves 7g7f"],
)  # fmt: skip
def test_a_wrong_position_is_named_and_the_last_good_one_stays(engine, line):
    engine.send("position startpos moves 7g7f 3c3d", line, "moves", "isready")
    lines = engine.until("readyok")
    assert len(lines[-2].split()) == 39
    faults = [line for line in lines if line.startswith("info string ")]
    assert len(faults) == 1 and faults[0].startswith("info string position: ")
    engine.send("go depth 1")
    engine.until("bestmove")


def test_position_forms(engine):
    for line in ("position startpos moves", "position startpos", "startpos",
                 "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
                 "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
                 "position lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves"):  # fmt: skip
        engine.send("position startpos moves 7g7f", line, "d")
        assert engine.line() == "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


# ---- go ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("go", "least", "most"),
    [
        ("btime 0 wtime 0 byoyomi 300", 0.2, 0.32),
        ("btime 0 wtime 0 byoyomi 300 binc 0", 0.2, 0.32),
        ("btime 0 wtime 0 binc 5000 winc 300", 0.1, 0.32),  # white is to move: no flag has fallen
        ("btime 9000 wtime 300 binc 0 winc 0", 0.0, 0.3),
        ("btime 60000 wtime 60000 byoyomi 200", 0.2, 7.0),
        ("movetime 300", 0.2, 0.32),
        ("movetime 60000 depth 3", 0.0, 0.5),
        ("movetime 200 depth 90", 0.1, 0.25),
        ("btime -100 wtime -100 byoyomi 0", 0.0, 0.2),
        ("nodes 500", 0.0, 0.5),
        ("depth x", 0.5, 1.1),
        ("quickly byoyomi 300 rtime 5", 0.2, 0.32),
    ],
)
def test_every_go_is_answered_in_time(engine, go, least, most):
    engine.send("position startpos moves 7g7f")
    engine.send(f"go {go}")
    lines = engine.until("bestmove")
    assert least <= engine.came - engine.sent <= most + LATE
    assert len(answers(lines)) == 1
    assert lines[-2].startswith("info depth ") and " score " in lines[-2] and " pv " in lines[-2]
    assert not engine.silent(0.05)


def test_faults_of_go_are_named(engine):
    engine.send("position startpos", "go depth 2 nodes many byoyomi")
    lines = engine.until("bestmove")
    assert lines[:2] == [
        "info string go: nodes 'many' is not a whole number",
        "info string go: expected a number after byoyomi",
    ]


def test_infinite_waits_for_stop_even_when_the_search_is_over():
    with Process(FAKE, FAKE_DEPTH="2") as engine:
        engine.ready().send("position startpos", "go infinite")
        assert not answers(engine.silent(0.5))
        with engine.within(0.1):
            engine.send("stop")
            engine.until("bestmove")
        engine.send("stop", "stop", "isready")
        assert engine.line() == "readyok"


def test_stop_is_prompt_and_answered_once(engine):
    engine.send("position startpos", "go infinite")
    time.sleep(0.2)
    with engine.within(0.1):
        engine.send("stop")
        lines = engine.until("bestmove")
    assert lines[-2].startswith("info depth")
    assert not engine.silent(0.1)


def test_stop_before_the_search_has_begun():
    with Process(FAKE, FAKE_LOAD="1") as engine:
        engine.send("position startpos", "go infinite", "stop", "go ponder", "stop", "isready")
        lines = engine.until("readyok")
        assert len(answers(lines)) == 2


def test_a_go_without_stop_ends_an_endless_one(engine):
    engine.send("position startpos", "go infinite", "position startpos moves 7g7f", "go depth 1", "isready")
    lines = []
    while len(answers(lines)) < 2:
        lines += engine.until("bestmove")


def test_searchmoves(engine):
    engine.send("position startpos", "go depth 2 searchmoves 7g7e 1g1f 2g2f")
    lines = engine.until("bestmove")
    assert lines[0] == "info string go: searchmoves '7g7e' is not legal here"
    assert lines[-1].split()[1] in ("1g1f", "2g2f")
    engine.send("go searchmoves 2g2f depth 1")
    assert engine.until("bestmove")[-1].split()[1] == "2g2f"


def test_no_legal_move_resigns(engine):
    engine.send("position sfen 8k/8G/8G/9/9/9/9/9/K8 w - 1", f"go {TIMES}")
    lines = engine.until("bestmove")
    assert lines == ["info depth 0 score mate -0", "bestmove resign"]
    engine.send(f"go ponder {TIMES}")
    assert not answers(engine.silent(0.2))
    engine.send("ponderhit")
    assert engine.until("bestmove")[-1] == "bestmove resign"


def test_declaration():
    with Process(FAKE, FAKE_SCORE="declare") as engine:
        engine.ready().send("position startpos", f"go {TIMES}")
        lines = engine.until("bestmove")
        assert lines[-2].startswith("info depth") and lines[-1] == "bestmove win"


def test_a_search_that_fails_still_plays_a_legal_move():
    with Process(FAKE, FAKE_FAULT="search") as engine:
        engine.ready().send("position startpos", f"go {TIMES}")
        lines = engine.until("bestmove")
        assert lines[0].startswith("info string internal error")
        assert lines[-1].split()[1] not in ("resign", "win")
        engine.send("isready")
        assert engine.line() == "readyok"


# ---- mates -------------------------------------------------------------------------------------------------------


def test_go_mate():
    with Process(FAKE, FAKE_SCORE="mate 3", FAKE_PV="7g7f 3c3d 2g2f") as engine:
        engine.ready().send("position startpos", "go mate 5000")
        lines = engine.until("checkmate")
        assert lines[-1] == "checkmate 7g7f 3c3d 2g2f" and len(answers(lines)) == 1
        engine.send("go mate infinite")
        assert engine.until("checkmate")[-1] == "checkmate 7g7f 3c3d 2g2f"
    with Process(FAKE) as engine:
        engine.ready().send("position startpos", "go mate 300")
        assert engine.until("checkmate")[-1] == "checkmate timeout"
        assert engine.came - engine.sent > 0.2
        engine.send("go mate infinite")
        assert not answers(engine.silent(0.3))
        engine.send("stop")
        assert engine.until("checkmate")[-1] == "checkmate timeout"
        engine.send("position sfen 8k/8G/8G/9/9/9/9/9/K8 w - 1", "go mate 100")
        assert engine.until("checkmate")[-1] == "checkmate nomate"


# ---- the console -------------------------------------------------------------------------------------------------


@pytest.mark.process("of the console it has d and moves")
def test_console_extras(engine):
    engine.send("position startpos moves 7g7f", "moves", "side", "flip", "side", "go perft 1", "isready")
    lines = engine.until("readyok")
    board = shogi.Board()
    board.push_usi("7g7f")
    assert sorted(lines[0].split()) == sorted(move.usi() for move in board.legal_moves)
    assert lines[1:3] == ["white", "black"]
    assert any(line.startswith("perft 1: 30 nodes") for line in lines)
    assert not answers(lines)
    engine.send("eval")
    assert engine.line().startswith("static value")
    engine.send("go perft x", "isready")
    lines = engine.until("readyok")
    assert "info string go: perft 'x' is not a whole number" in lines
    assert not [line for line in lines if line.startswith(("info depth", "perft"))] and not answers(lines)


@pytest.mark.process("node compiles in the background")
def test_an_idle_engine_uses_no_cpu(engine):
    with engine.within(0.011):
        time.sleep(1)


# ---- anything at all ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_no_input_keeps_it_from_answering(seed):
    rng = random.Random(seed)
    with Process(FAKE) as engine:
        engine.ready()
        for _ in range(5):
            engine.send(*(line for line in (mutated(rng) for _ in range(200)) if "quit" not in line))
            engine.send("stop", "setoption name MultiPV value begin")
            engine.until("info string setoption: MultiPV is a number, not 'begin'", 60)
            engine.send("isready", "position startpos", "go depth 1", "setoption name MultiPV value end")
            lines = engine.until("info string setoption: MultiPV is a number, not 'end'")
            assert "readyok" in lines
            (answer,) = answers(lines)
            assert answer.split()[1] in {legal.usi() for legal in shogi.Board().legal_moves}
