"""Pondering, through a real process and pipes, with an engine that only pretends to think (usi_fake.py)."""

import pytest
import shogi

from tests.support.usi_driver import FAKE, LATE, TIMES, Process, answers


@pytest.mark.parametrize("depth", ["1000000", "2"])
def test_no_bestmove_while_pondering(depth):
    with Process(FAKE, FAKE_DEPTH=depth) as engine:
        engine.ready("setoption name USI_Ponder value true")
        engine.send("position startpos moves 7g7f 3c3d", f"go ponder {TIMES}")
        assert not answers(engine.silent(0.5))
        engine.send("stop")  # a miss
        assert len(answers(engine.until("bestmove"))) == 1
        assert not engine.silent(0.1)


@pytest.mark.parametrize(
    ("go", "hit"),
    [
        ("go ponder btime 0 wtime 0 byoyomi 300", "ponderhit"),
        ("go ponder btime 0 wtime 0 byoyomi 60000", "ponderhit btime 0 wtime 0 byoyomi 300"),
        ("go ponder", "ponderhit"),
    ],
)
def test_ponderhit(engine, go, hit):
    engine.send("position startpos moves 7g7f 3c3d", go)
    assert not answers(engine.silent(0.5))
    engine.send(hit)
    lines = engine.until("bestmove")
    assert engine.came - engine.sent < 30  # less than the byoyomi of the clock before
    assert lines[-2].startswith("info depth ")


def test_ponderhit_after_the_search_has_ended_and_before_it_has_begun():
    with Process(FAKE, FAKE_DEPTH="1") as engine:
        engine.ready().send("position startpos", f"go ponder {TIMES}")
        engine.silent(0.2)
        engine.send("ponderhit")
        engine.until("bestmove")
    with Process(FAKE, FAKE_LOAD="1") as engine:
        engine.send("position startpos", "go ponder", "ponderhit btime 0 wtime 0 byoyomi 200")
        engine.until("bestmove")
    with Process(FAKE) as engine:
        engine.ready().send("ponderhit", "isready")
        assert engine.line() == "readyok"


@pytest.mark.parametrize("go", ["go ponder", "go infinite", f"go ponder {TIMES}"])
def test_gameover_is_stop(engine, go):
    engine.send("position startpos", go)
    assert not answers(engine.silent(0.2))
    engine.send("gameover lose", "isready", "usinewgame", "position startpos", "go depth 1")
    lines = engine.until("bestmove")
    lines += engine.until("bestmove")
    assert "readyok" in lines


def test_the_ponder_move_is_the_second_of_the_line():
    with Process(FAKE, FAKE_PV="7g7f 3c3d 2g2f") as engine:
        engine.ready().send("position startpos", "go depth 1")
        lines = engine.until("bestmove")
        assert lines[-1] == "bestmove 7g7f ponder 3c3d"
        assert lines[-2].endswith("pv 7g7f 3c3d 2g2f")


@pytest.mark.process("its options are the table, lines and a level")
@pytest.mark.parametrize("moves", ["moves 7g7f 3c3d", "moves 7g7f", ""])
def test_stochastic_ponder_thinks_before_the_opponents_move(engine, moves):
    """The lines are the opponent's until ponderhit; every answer is a move in the position that was sent."""
    board, before = shogi.Board(), shogi.Board()
    for number, move in enumerate(moves.split()[1:], 1):
        board.push_usi(move)
        if number < len(moves.split()) - 1:
            before.push_usi(move)
    legal = {move.usi() for move in board.legal_moves}
    their_first = f" pv {next(iter(before.legal_moves)).usi()}"
    engine.send("setoption name USI_Ponder value true", "setoption name Stochastic_Ponder value true")
    for ending in (["ponderhit"], ["stop"], ["gameover win"], ["ponderhit", "stop"],
                   ["ponderhit btime 0 wtime 0 byoyomi 200"]):  # fmt: skip
        engine.send(f"position startpos {moves}", "go ponder btime 0 wtime 0 byoyomi 300")
        lines = engine.silent(0.3)
        assert not answers(lines) and lines[-1].endswith(their_first)
        engine.send(*ending)
        lines = engine.until("bestmove")
        assert lines[-1].split()[1] in legal and lines[-2].startswith("info depth ")
        assert lines[-2].split(" pv ")[1].split()[0] == lines[-1].split()[1]
        assert engine.came - engine.sent < 0.3 + LATE
        assert len(ending) > 1 or not ending[0].startswith("ponderhit") or engine.came - engine.sent > 0.1
        assert not engine.silent(0.05)


def test_stochastic_ponder_all_in_one_go():
    with Process(FAKE, FAKE_LOAD="0.5", FAKE_DEPTH="3") as engine:
        engine.send("setoption name Stochastic_Ponder value true", "position startpos moves 7g7f 3c3d")
        engine.send("go ponder", "ponderhit btime 0 wtime 0 byoyomi 200", "go ponder", "stop", "isready", "go depth 2")
        lines = []
        for _ in range(3):
            lines += engine.until("bestmove")
        assert "readyok" in lines and not engine.silent(0.1)
    with Process(FAKE, FAKE_FAULT="search") as engine:
        engine.ready("setoption name Stochastic_Ponder value true")
        engine.send("position startpos moves 7g7f", "go ponder", "ponderhit btime 0 wtime 0 byoyomi 200")
        after = shogi.Board()
        after.push_usi("7g7f")
        assert engine.until("bestmove")[-1].split()[1] in {move.usi() for move in after.legal_moves}
