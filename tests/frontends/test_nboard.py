"""`shogi-engine nboard` as a process."""

import random
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from shogi_engine.frontends.othello import NBoard
from shogi_engine.games.othello.board import Board
from shogi_engine.types.limits import Clock
from tests.support.console_driver import Process
from tests.support.conversation import ROOT

HEADER = "set game (;GM[Othello]PC[test]PB[a]PW[b]RE[?]{clock}TY[8]BO[8 {board} *]{moves};)"
START = "---------------------------O*------*O---------------------------"
LEGAL = {"D3", "C4", "F5", "E6"}


def game(*moves, clock=""):
    """Return the command that sets a game after `moves`, F5 and so on."""
    played = "".join(f"{'BW'[number % 2]}[{move}]" for number, move in enumerate(moves))
    return HEADER.format(clock=clock, board=START, moves=played)


@pytest.fixture(scope="module")
def engine():
    with Process("nboard") as process:
        process.send("nboard 2", "set depth 4", game(), "go")
        process.until("===", 300)
        yield process


def test_each_side_has_its_own_clock():
    class Session(NBoard):
        engine = SimpleNamespace(board=lambda start, moves: Board(start))

    session = Session(None, None)
    for clock, seconds in (("TI[9:00]TB[1:00]TW[5:00]", (60, 300)), ("TI[9:00]TW[5:00]", (540, 300))):
        session._set_game(game(clock=clock).removeprefix("set game "))
        assert session._clock.settings == tuple(map(Clock.from_seconds, seconds))


def settle(engine):
    """Wait until all is answered, and return the lines that came."""
    settle.number = getattr(settle, "number", 0) + 1
    engine.send(f"ping {settle.number}")
    return engine.until(f"pong {settle.number}")


def go(engine):
    """Return the words of the answer to `go`."""
    engine.send("go")
    return engine.until("===", 60)[-1].removeprefix("===").strip().split("/")


def test_a_game_by_moves_and_passes(engine):
    rng = random.Random(3)
    engine.send("set depth 1", game(clock="TI[5:00]"))
    board, asked = Board(), 0
    while board.legal_moves:
        if board.must_pass():
            assert go(engine)[0] == "PA"
            board.push_text("pass")
            engine.send("move PA")
            continue
        if rng.random() < 0.3:
            move, *numbers = go(engine)
            assert abs(float(numbers[0])) <= 64 and float(numbers[1]) >= 0
            asked += 1
        else:
            move = str(rng.choice(list(board.legal_moves))).upper()
        board.push_text(move)
        engine.send(f"move {move}{rng.choice(('', '//0.2', '/1.5/0.1'))}")
    assert not any("error" in line for line in settle(engine)) and asked
    engine.send("go")
    assert "game is over" in engine.until("status error")[-1]


def test_go_does_not_play_the_move(engine):
    engine.send(game("F5"))
    assert go(engine) and go(engine)
    engine.send("move F6")
    assert not any("error" in line for line in settle(engine))


def test_hints(engine):
    engine.send("set depth 5", game(), "hint 4")
    lines = engine.until("nodestats")
    found = [line.split() for line in lines if line.startswith("search")]
    assert {words[1][:2] for words in found[-4:]} == LEGAL
    assert all(len(words) == 5 and words[3] == "0" and words[4][0].isdecimal() for words in found)
    assert found[-1][4] == "5" and float(found[-4][2]) >= float(found[-1][2])
    ending = "XXOOOOOOXXOXXXOOXXOOXXOOXXOXOXOOXXXOXXOOXOXXXXXOXXXXXXX-XOOOO--- X"
    board, side = ending.replace("X", "*").split()
    engine.send("set depth 10", f"set game (;GM[Othello]BO[8 {board} {side.replace('X', '*')}];)", "hint 1")
    lines = engine.until("nodestats")
    assert [line for line in lines if line.startswith("search")][-1].endswith(" 0 100%")


def test_ping_stops_a_search_at_once(engine):
    engine.send("set depth 21", game("F5", "F6", "E6", "F4", "G5", "E7"))
    for wanted in ("hint 5", "go", "hint 1") * 3:
        engine.send(wanted)
        engine.until("status")
        time.sleep(0.15)
        with engine.within(0.3):
            lines = settle(engine)
        assert not any(line.startswith("===") for line in lines)
    engine.send("set depth 3")
    assert go(engine)[0]


@pytest.mark.parametrize(("clock", "most"), [("TI[0/1]", 1.3), ("TB[0:10]TW[9:00]", 2.5), ("TI[0:00]", 0.5)])
def test_the_clock_of_the_header(engine, clock, most):
    engine.send("set depth 21", game(clock=clock))
    with engine.within(most):
        assert go(engine)[0] in LEGAL


def test_learn_analyze_and_version_1_moves(engine):
    engine.send("set depth 2", game("F5"), "D6", "learn", "analyze")
    assert engine.until("learned")
    found = [line.split() for line in engine.until("analysis 0") if line.startswith("analysis")]
    assert [int(words[1]) for words in found] == [2, 1, 0]
    engine.send("move C3")  # the game is where it was
    assert not any("error" in line for line in settle(engine))


@pytest.mark.parametrize(
    "wrong",
    ["fly", "set", "set depth", "set depth x", "set wings 2", "set game", "set game (;GM[Chess];)",
     "set game (;GM[Othello]BO[8 xyz];)", game("A1"), game(clock="TI[x]"), "move", "move A1", "move F5//x",
     "hint x", "nboard x", "\ud83d\ude00", "set game (;GM[Othello]PB[a"],
)  # fmt: skip
def test_one_error_for_a_wrong_line_and_the_next_works(engine, wrong):
    engine.send("set depth 2", game())
    settle(engine)
    engine.send(wrong.encode("utf-16", "surrogatepass").decode("utf-16"))
    lines = settle(engine)
    assert len([line for line in lines if line.startswith("status error: ")]) == 1, lines
    assert go(engine)[0] in LEGAL


def test_random_lines(engine):
    rng = random.Random(8)
    words = ("set", "depth", "game", "move", "hint", "go", "ping", "F5", "F6", "PA", "2", "-1", "x", "learn", "analyze",
             game("F5")[9:], "nboard", "contempt", "(;", "///", "\u00e9", "99999999999999999999")  # fmt: skip
    engine.send("set depth 1")
    for _ in range(15):
        lines = [" ".join(rng.choice(words) for _ in range(rng.randrange(1, 5))) for _ in range(20)]
        engine.send(*lines)
        engine.send("set depth 1", game(), "ping 777777")
        engine.until("pong 777777", 30)
        assert go(engine)[0] in LEGAL


@pytest.mark.parametrize("last", [["quit"], []])
def test_it_ends_at_once_even_while_compiling(tmp_path, last):
    with Process("nboard", SHOGI_ENGINE_CACHE_DIR=str(tmp_path)) as fresh:
        fresh.send("nboard 2", "ping 1")
        fresh.until("pong 1")
        fresh.send(game(), "go", *last)
        fresh.process.stdin.close()
        assert fresh.ended() == (0, b"")


def test_a_script_is_answered_to_its_end(engine):
    script = f"nboard 2\nset depth 5\n{game('F5')}\ngo\nmove D6\ngo\nquit\n"
    command = [sys.executable, "-m", "shogi_engine", "nboard"]
    done = subprocess.run(command, input=script.encode(), capture_output=True, timeout=300, cwd=ROOT)
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert len([line for line in lines if line.startswith("===")]) == 2, lines
