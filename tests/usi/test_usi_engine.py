"""`shogi-usi` as GUIs start it, with the real engine."""

import os
import re
import subprocess
import sys
import time

import pytest
import shogi

from shogi_engine import jit
from shogi_engine.games.shogi.names import flip_sfen
from tests.support.usi_driver import REAL, ROOT, Process

LARGE = {
    "argparse", "asyncio", "concurrent", "email", "http", "json", "logging", "multiprocessing",
    "socket", "sqlite3", "ssl", "subprocess", "tempfile", "unittest", "zipfile",
}  # fmt: skip
ENGINE = ("shogi_engine.engine", "shogi_engine.jit", "shogi_engine.interface.game", "shogi_engine.games.shogi.position")
COMMAND = REAL
DECLARED = "+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b 2P 1"


def seconds_of(code):
    """Return the CPU seconds that a fresh Python takes for `code`: how fast this machine is."""
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_usi_is_answered_before_anything_large_is_imported():
    """The engine is loaded after `usiok`; before, there is only the front end: no other package, no kernels."""
    code = "import sys; before = set(sys.modules); import usi.loop; print(*(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert {name.partition(".")[0] for name in found} <= {*sys.stdlib_module_names, "shogi_engine", "usi"}
    assert not {name.partition(".")[0] for name in found} & LARGE
    assert not {name for name in found if name.startswith(ENGINE)} and len(found) <= 100  # 84 with Python 3.11


def test_isready_is_answered_with_a_second_of_work_from_a_warm_cache():
    most = max(1.0, 2.5 * seconds_of("import numba" if jit.HAS_WORKSHOP else "import numpy"))
    with Process(REAL) as engine:
        engine.ready()
    for attempt in range(3):  # what else runs on a core adds to the work, so the least of three starts counts
        try:
            with Process(REAL) as engine, engine.within(most):
                engine.ready()
            break
        except AssertionError:
            if attempt == 2:
                raise


def test_a_long_game_is_followed_quickly(engine):
    cycle = ["2h3h", "8b7b", "3h2h", "7b8b"]
    moves = cycle * 60
    engine.send(f"position startpos moves {' '.join(moves)}", "isready")
    engine.until("readyok")
    with engine.within(5 * 0.03):
        for _ in range(5):
            moves[-1] = "7b6b" if moves[-1] == "7b8b" else "7b8b"  # the opponent has not played the ponder move
            engine.send(f"position startpos moves {' '.join(moves)}", "isready")
            engine.until("readyok")


def test_quit_and_end_of_input_while_numba_compiles(tmp_path):
    for end in ("quit", "end"):
        with Process(REAL, SHOGI_ENGINE_CACHE_DIR=str(tmp_path / end)) as engine:
            engine.send("usi", "isready", "position startpos", "go movetime 100")
            engine.until("usiok")
            time.sleep(2.5)
            if end == "quit":
                engine.send("quit")
            else:
                engine.process.stdin.close()
            assert engine.ended() == (0, b"")


def test_stop_is_answered_at_once(engine):
    for _ in range(5):
        engine.send("position startpos moves 7g7f 3c3d", "go infinite")
        time.sleep(0.3)
        with engine.within(0.1):
            engine.send("stop")
            engine.until("bestmove")


@pytest.mark.parametrize("go", ["movetime 50", "btime 0 wtime 0 byoyomi 100", "btime 300 wtime 300 binc 60 winc 60"])
def test_no_time_loss_and_only_legal_moves(engine, go):
    """The time is CPU time of the search's one thread, so that a busy machine loses no game."""
    allowed = {"movetime": 0.05, "btime": 0.1 if "byoyomi" in go else 0.3}[go.split()[0]]
    board, moves, used = shogi.Board(), [], []
    for _ in range(12):
        before = engine.cpu_seconds()
        engine.send(f"position startpos moves {' '.join(moves)}", f"go {go}")
        lines = engine.until("bestmove")
        used.append(engine.cpu_seconds() - before)
        move = lines[-1].split()[1]
        line = board.sfen()
        for played in lines[-2].partition(" pv ")[2].split():
            assert played in {legal.usi() for legal in board.legal_moves}, lines[-2]
            board.push_usi(played)
        board = shogi.Board(line)
        board.push_usi(move)
        moves.append(move)
    assert sorted(used)[-2] <= allowed + 0.02, used  # one for a machine with other work


def test_a_single_move_does_not_use_up_its_byoyomi(engine):
    with engine.within(0.6):
        engine.send("position sfen 4k4/9/9/9/9/9/9/4r4/3NKN3 b - 1", "go btime 0 wtime 0 byoyomi 5000")
        assert engine.until("bestmove")[-1].split()[1] == "5i5h"
    engine.send("go ponder btime 0 wtime 0 byoyomi 5000")
    assert not [line for line in engine.silent(0.3) if line.startswith("bestmove")]
    with engine.within(0.6):
        engine.send("ponderhit")
        engine.until("bestmove")


def test_mates_in_plies_with_signs(engine):
    engine.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "go depth 4")
    lines = engine.until("bestmove")
    assert " score mate 1 " in lines[-2] and lines[-1] == "bestmove G*5b"
    engine.send("go mate 100000")
    assert engine.until("checkmate", 120)[-1] == "checkmate G*5b"  # it may have to be compiled
    engine.send("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "go depth 4")
    assert engine.until("bestmove")[-2:] == ["info depth 0 score mate -0", "bestmove resign"]


@pytest.mark.process("its options are the table, lines and a level")
def test_declaration_by_the_rule_that_is_set(engine):
    engine.send(f"position sfen {DECLARED}", "go movetime 200")
    assert engine.until("bestmove")[-1] == "bestmove win"
    engine.send("setoption name EnteringKingRule value NoEnteringKing", "go movetime 200")
    assert engine.until("bestmove")[-1] not in ("bestmove win", "bestmove resign")


def test_repetition_is_seen_over_the_whole_game(engine):
    cycle = "2h3h 8b7b 3h2h 7b8b"
    engine.send(f"position startpos moves {cycle} {cycle} {cycle}", "go depth 3")
    assert engine.until("bestmove")[-1].split()[1] in {move.usi() for move in shogi.Board().legal_moves}


@pytest.mark.process("of the console it has d and moves")
def test_console_extras(engine):
    engine.send("position startpos moves 7g7f", "d", "moves", "eval", "position startpos", "go perft 3", "isready")
    lines = engine.until("readyok")
    board = shogi.Board()
    board.push_usi("7g7f")
    assert any("white to move" in line for line in lines)
    assert any(sorted(line.split()) == sorted(move.usi() for move in board.legal_moves) for line in lines)
    assert any(re.fullmatch(r"static value: -?\d+ \(side to move\)", line) for line in lines)
    table = lines.index("value of each piece, for its own side:") + 1
    assert lines[table].split() == list("987654321") and re.match(r"( +P -?\d+){2} +\. +P ", lines[table + 7])
    assert any(line.startswith("perft 3: 25470 ") for line in lines)


@pytest.mark.process("of the console it has d and moves")
def test_flip_bench_and_a_perft_that_is_stopped(engine):
    engine.send(
        "position startpos moves 7g7f", "flip", "d", "moves", "position startpos", "go perft 6", "stop", "go depth 1"
    )
    lines = engine.until("bestmove")
    assert any("black to move" in line for line in lines) and any(len(line.split()) == 30 for line in lines)
    assert any(line.startswith("info string perft 6: stopped after ") for line in lines)
    engine.send("bench")
    assert int(engine.until("Bench: ", 120)[-1].split()[1]) > 1000


@pytest.mark.process("it counts to the end")
def test_a_count_of_any_depth_is_stopped_at_once(engine):
    for depth in (99, 9):
        engine.send("position startpos", f"go perft {depth}")
        assert not engine.silent(0.5)
        with engine.within(0.5):
            engine.send("stop", "isready")
            lines = engine.until("readyok")
        assert lines[0].startswith(f"info string perft {depth}: stopped after ")


def test_a_script_is_answered_to_its_end():
    script = "isready\nposition startpos\ngo depth 9\ngo perft 3\nquit\n"
    done = subprocess.run(REAL, input=script.encode(), capture_output=True, timeout=120, cwd=ROOT)
    lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("info string loading")]
    assert (done.returncode, done.stderr) == (0, b"") and lines[0] == "readyok"
    assert any(line.startswith("info depth 9 ") for line in lines) and lines[-1].startswith("perft 3: 25470 nodes")


@pytest.mark.process("its options are the table, lines and a level")
def test_lines_are_continued_from_the_table_for_analysis(engine):
    engine.send("setoption name ConsiderationMode value true", "setoption name MultiPV value 3")
    engine.send("position startpos moves 7g7f", "go depth 7", "go depth 7")  # the second finds all in the table
    lines = [*engine.until("bestmove"), *engine.until("bestmove")]
    for line in lines:
        board = shogi.Board()
        board.push_usi("7g7f")
        for played in line.partition(" pv ")[2].split():
            assert played in {legal.usi() for legal in board.legal_moves}, line
            board.push_usi(played)
    assert all(len(line.partition(" pv ")[2].split()) >= 3 for line in lines[-4:-1])


def test_several_best_moves_are_in_order_at_every_depth(engine):
    engine.send("setoption name MultiPV value 4", "position startpos moves 7g7f 3c3d 2g2f", "go movetime 1000")
    rows = {}
    for line in engine.until("bestmove")[:-1]:
        words = line.split()
        assert "lowerbound" not in words and "upperbound" not in words
        if words[words.index("multipv") + 1] == "1":
            rows = {"moves": [], "depths": [], "values": []}
        rows["moves"].append(words[words.index("pv") + 1])
        rows["depths"].append(int(words[2]))
        rows["values"].append(int(words[words.index("cp") + 1]))
        assert len(set(rows["moves"])) == len(rows["moves"])
        pairs = zip(rows["depths"], rows["values"], strict=True)
        for depth, value in pairs:
            same = [each for at, each in zip(rows["depths"], rows["values"], strict=True) if at == depth]
            assert same == sorted(same, reverse=True) and value in same


@pytest.mark.process("its options are the table, lines and a level")
@pytest.mark.parametrize(("side", "draw"), [("Black", 0), ("Black", 60), ("White", 60), ("White", -60)])
def test_the_search_knows_the_last_move_of_the_game_and_what_a_draw_is_worth(engine, side, draw):
    """A side with nothing is glad of a draw: by the move limit it has one at once."""
    sfen = "4k4/9/9/9/9/9/9/9/K8 b 2r2b4g 9"
    engine.send(f"setoption name DrawValue{side} value {draw}")
    engine.send(f"position sfen {sfen if side == 'Black' else flip_sfen(sfen)}", "go depth 6")
    kind, value = engine.until("bestmove")[-2].partition(" score ")[2].split()[:2]
    assert int(value) < (0 if kind == "mate" else -1000)
    for limit, drawn in ((9, True), (300, False)):
        engine.send(f"setoption name MaxMovesToDraw value {limit}", "usinewgame", "go depth 4")
        assert (f" score cp {draw} " in engine.until("bestmove")[-2]) == drawn


def test_threads_and_hash_may_change_between_searches(engine):
    for name, value in (("Threads", 2), ("USI_Hash", 1), ("USI_Hash", 64), ("Threads", 1)):
        engine.send(f"setoption name {name} value {value}", "position startpos", "go movetime 100", "usinewgame")
        assert len(engine.until("bestmove")[-1].split()) >= 2
