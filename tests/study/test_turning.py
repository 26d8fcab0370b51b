"""The turning points of a game: the engine says which moves are about as good as the best one, in the terminal too."""

import io
import re

import pytest
from fsrs import Rating

from shogi_engine import records, study
from shogi_engine.__main__ import main
from shogi_engine.analysis import judge
from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.cli.study import Round
from shogi_engine.cli.terminal import Desk
from shogi_engine.engine import Engine
from shogi_engine.games.shogi.board import Board
from shogi_engine.records import GameRecord
from shogi_engine.tsume import DONE, GOOD, WRONG
from shogi_engine.types.results import Score
from tests.support.typed_lines import typed

MOVES = ["7g7f", "3c3d", "8h5e", "8c8d", "2g2f", "1c1d"]  # black leaves a bishop, white does not take it
VALUES = (0, 0, 50, 800, 0, 900, -900)
BEST = ("7g7f", "3c3d", "2g2f", "2b5e", "5e2b+", "2b5e", "5e2b+")
MATE_IN_3 = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"


@pytest.fixture(scope="module")
def game():
    record = GameRecord.from_moves("shogi", MOVES)
    record.names = ["mine", "yours"]
    found = zip(BEST, VALUES, strict=True)
    return judge(record, {ply: PositionResult(move, Score(value), (move,)) for ply, (move, value) in enumerate(found)})


@pytest.fixture(scope="module")
def engine():
    with Engine("shogi", hash_mb=16) as engine:
        yield engine


def test_all_mistakes_in_the_order_of_the_game(game):
    points = study.TurningPoints(game, "black")
    mistakes = [move.ply for move in game.moves if move.side == "black" and move.loss >= 0.1]
    assert points.size == len(mistakes) > 0
    assert [problem.position for problem in points.due()] == [game.record.board(ply - 1).sfen() for ply in mistakes]
    assert study.TurningPoints(game).size > points.size and points.next_due() is None
    for rating in (Rating.Again, Rating.Good, Rating.Hard):
        assert points.review(points.due()[0], rating) is None
    assert points.found == 2 and points.due()


def after(problem, move):
    """Return the position of a problem after a move."""
    board = problem.board()
    board.push_text(move)
    return board


def test_a_move_as_good_as_the_best_is_right_and_a_blunder_is_refuted(game, engine):
    (problem,) = [each for each in study.TurningPoints(game, "black").due() if each.played == "8h5e"]
    attempt, board = study.Retry(problem), Board(problem.position)
    assert attempt.tried(("2g2f",), board).status == DONE
    assert attempt.tried(("9g9f",), board) is None and not attempt.wrong
    assert attempt.reply(engine, after(problem, "9g9f")) == (GOOD, ()) and not attempt.wrong
    status, line = attempt.reply(engine, after(problem, "8h3c+"))  # a bishop for a pawn
    assert status == WRONG and line[0] in ("2b3c", "2a3c")
    assert attempt.wrong and attempt.rating(helped=False) == Rating.Again
    played = study.Retry(problem)
    assert played.tried(("8h5e",), board) == (WRONG, problem.refutation) and played.wrong


def test_only_a_mate_is_right_where_one_was_missed(engine):
    """The solver says of each move whether white has a reply after which it finds no mate."""
    start = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
    problem = study.Problem("shogi", start, "mate", ("G*5b",), ("G*5b",), "5i5h")
    moves = ["G*5b", *list(map(str, Board(start).legal_moves))[:12]]
    results = {move: study.Retry(problem).reply(engine, after(problem, move)).status == GOOD for move in moves}
    for move in (move for move, right in results.items() if right):
        board = Board(start)
        board.push_usi(move)
        for reply in list(map(str, board.legal_moves)):
            board.push_usi(reply)
            assert board.find_mate(max_ms=5000), (move, reply)
            board.pop()
    assert results["G*5b"] and not all(results.values())


def test_a_move_that_ends_the_game_is_judged_by_its_result(engine):
    mate = study.Problem("shogi", "8k/9/8P/9/9/9/9/9/8K b G 1", "move", ("G*1b",), ("G*1b",), "1i2i")
    assert study.Retry(mate).reply(engine, after(mate, "G*1b")) == (GOOD, ())
    lost = study.Problem("othello", "X" * 62 + "O- X", "move", ("h8",), ("h8",), "h8")
    assert study.Retry(lost).reply(engine, after(lost, "h8")) == (GOOD, ())


def play(game, *lines):
    shown = []
    points = study.TurningPoints(game, "black")
    Round(points, Desk(typed(lines), shown.append)).run()
    return points, "\n".join(shown)


def test_in_the_terminal(game):
    points, text = play(game, "8h5e", "9g9f", "5e2b+")
    assert "8h5e" in [each.played for each in points.due()]
    left = re.findall(r"^(\d+) positions? (?:is|are) left\.$", text, re.MULTILINE)
    assert list(map(int, left)) == list(range(points.size, 0, -1)) and "B-5e is not the solution." in text
    assert "It leaves a bishop" in text and "Good: this is about as strong" in text and "Right." in text
    assert f"Found at the first try: 1 of {points.size}." in text and "comes back" not in text


def test_the_command_keeps_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    record = GameRecord.from_moves("shogi", ["1e1d", "9c9d"], start=MATE_IN_3)
    records.save([record], tmp_path / "game.kif")
    monkeypatch.setattr("sys.stdin", io.StringIO("1e1d\nanswer\n"))
    command = ["study", str(tmp_path / "game.kif"), "--now", "--side", "black", "--nodes", "2000", "--threads", "1"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "1 position is left." in out and "is not the solution" in out and "first try: 0 of 1" in out
    with study.Store() as store:
        assert store.all() == []
    assert main(["study", "--now"]) and "are for games of a FILE" in capsys.readouterr().err
    assert main([*command, "--out", str(tmp_path / "x.kif")]) and "writes nothing" in capsys.readouterr().err
