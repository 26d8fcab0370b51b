"""Othello: hint lists, games with exact values, and the command as it has always been."""

import json

import pytest

from shogi_engine import analysis
from shogi_engine.__main__ import main
from shogi_engine.games.othello.board import Board
from shogi_engine.records import GameRecord, save
from tests.support.text_engine import TextEngine


def naive_score(board):
    """Return the exact score of a board for the side to move, by plain negamax."""
    moves = list(board.legal_moves)
    if not moves:
        score = board.outcome().score
        return score if board.turn == 0 else -score
    best = -64
    for move in moves:
        board.push(move)
        best = max(best, -naive_score(board))
        board.pop()
    return best


@pytest.fixture(scope="module")
def engine():
    with TextEngine("othello", hash_mb=16) as engine:
        engine.warmup()
        yield engine


@pytest.fixture(scope="module")
def played(engine):
    """The moves of a whole game, the engine's at depth 1 but for one that is as bad as can be."""
    engine.set_position()
    while engine.legal_moves():
        found = engine.search(depth=1, multipv=40)
        engine.push(found.lines[-1 if len(engine.moves) == 45 else 0].pv[0])
    return engine.move_texts


def test_hints_near_the_end_are_exact(engine, played):
    engine.set_position("", played[:-6])
    board = Board()
    for move in played[:-6]:
        board.push_text(move)
    found = analysis.hints(engine, engine.here, level=10)
    assert sorted(hint.move for hint in found) == sorted(str(move) for move in board.legal_moves)
    for hint in found:
        board.push_text(hint.move)
        assert hint.exact and hint.value == -naive_score(board)
        board.pop()
    assert all(hint.exact for hint in analysis.hints(engine, engine.here, depth=20))  # no level says so
    assert [hint.value for hint in found] == sorted((hint.value for hint in found), reverse=True)
    engine.set_position("", played)
    assert analysis.hints(engine, engine.here, level=10) == [] and analysis.hint_table([]) == "the game is over"
    engine.set_position()
    early = analysis.hints(engine, engine.here, 2, level=4)
    assert len(early) == 2 and not early[0].exact and early[0].depth == 4


def test_a_score_graph(played):
    game = analysis.analyse(GameRecord.from_moves("othello", played), level=6)
    points = game.moves
    assert [point.move for point in points] == [move for move in played if move != "pass"]
    assert not points[0].exact and points[-1].exact
    board = Board()
    for move in played:
        board.push_text(move)
    last = points[-1]
    assert sign(last) * discs(last.played_score) == board.outcome().score
    for before, after in zip(points, points[1:], strict=False):  # what is proven stays so
        if before.exact and after.exact:
            assert sign(before) * (discs(before.score) - before.given) == sign(after) * discs(after.score)
    assert max(move.loss for move in game.moves) == max(point.loss for point in points) > 0 and game.unit == "discs"
    text = analysis.game_table(game)
    assert "better:" in text and len(text.splitlines()) > len(points)


def sign(point):
    return 1 if point.side == "black" else -1


def discs(score):
    assert score.unit == "discs"
    return score.value


def test_the_command(capsys, tmp_path, played):
    file = tmp_path / "game.ggf"
    record = GameRecord.from_moves("othello", played)
    record.names[0] = "one"
    save(record, file)
    assert main(["analyse", "othello", str(file), "--level", "1", "--json"]) == 0
    values = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert len(values["games"][0]["moves"]) == len([move for move in played if move != "pass"])
    assert main(["analyse", "othello", "--moves", "f5", "--level", "2", "--json"]) == 0
    assert {h["move"] for h in json.loads(capsys.readouterr().out)["hints"]} == {"d6", "f6", "f4"}
    (tmp_path / "bad.txt").write_text("f5f5")
    (tmp_path / "empty.txt").write_text("")
    for wrong in (
        [],
        [str(tmp_path / "bad.txt")],
        [str(tmp_path / "empty.txt")],
        [str(tmp_path / "none")],
        [str(file), "--number", "2"],
        [str(file), "--moves", "f5"],
        [str(file), "--level", "40"],
        ["--moves", "f5", "--html", "x.html"],
    ):
        assert main(["analyse", "othello", *wrong]) == 2
        output = capsys.readouterr()
        assert output.out == "" and output.err.count("\n") == 1, wrong
