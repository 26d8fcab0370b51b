"""The problems of the package: sound, graded, one a day, and what somebody has solved of them."""

import datetime
import random

import pytest

from shogi_engine import tsume
from shogi_engine.cli.terminal import Desk
from shogi_engine.cli.tsume import give, progress_lines
from shogi_engine.engine import Engine
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.mate.solver import MateSolver
from tests.support.tsume_soundness import is_sound

UNSOUND = [
    ("7nk/9/7GP/9/9/9/9/9/9 b 2r2b3g4s3n4l17p 1", 1),  # 2c1b, 1c1b, 1c1b+
    ("4k4/9/4P4/9/9/9/9/9/9 b BG2rb3g4s4n4l17p 1", 1),  # the bishop is left over
    ("4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", 1),  # no mate
]


@pytest.fixture(scope="module")
def solver():
    return MateSolver(16)


def some(count):
    """Return problems of each length at random, the same ones each time."""
    rng = random.Random(7)
    return [
        each
        for length in range(1, 12, 2)
        for each in rng.sample(tsume.problems(length), min(count, len(tsume.problems(length))))
    ]


def test_there_are_enough_of_every_length():
    everyone = tsume.problems()
    assert len(everyone) >= 500 and len({each.sfen for each in everyone}) == len(everyone)
    assert {each.length for each in everyone} == {1, 3, 5, 7, 9, 11}
    assert [each.number for each in everyone] == list(range(1, len(everyone) + 1))
    grades = [each.grade for each in everyone]
    assert grades == sorted(grades) and set(grades) == set(range(1, 11))
    assert all(len(each.moves) == each.length for each in everyone)
    assert {each.source for each in everyone} == {"composed", "game"}


@pytest.mark.parametrize("problem", some(3), ids=lambda each: each.number)
def test_problems_are_sound(solver, problem):
    assert is_sound(solver, Board(problem.sfen)._pos, problem.length)
    board = Board(problem.sfen)
    for move in problem.moves:
        board.push_usi(move)
    assert board.is_checkmate() and not any(board.pieces_in_hand[0].values())


@pytest.mark.parametrize(("sfen", "length"), UNSOUND)
def test_what_is_not_sound_is_refused(solver, sfen, length):
    assert not is_sound(solver, Board(sfen)._pos, length)


def test_a_second_solver_agrees(solver):
    pytest.importorskip("cshogi")
    from tests.support.cshogi_oracle import Oracle

    oracle = Oracle()
    for problem in some(1)[:4]:
        assert oracle.is_sound(problem.sfen, problem.length)
        assert not oracle.is_sound(problem.sfen, problem.length + 2)
    for sfen, length in UNSOUND:
        assert not oracle.is_sound(sfen, length)


def test_each_day_has_its_problem():
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=number) for number in range(300)]
    chosen = [tsume.daily(day) for day in days]
    assert chosen[0] is tsume.daily(days[0]) and len(set(chosen)) == 300
    assert {each.length for each in chosen} <= {3, 5, 7, 9}


def test_progress_outlives_the_process_and_damage(tmp_path):
    file = tmp_path / "folder" / "tsume.json"
    first, second = tsume.problems()[:2]
    progress = tsume.Progress(file)
    progress.fail(second)
    progress.solve(first)
    again = tsume.Progress(file)
    assert again.is_solved(first) and not again.is_solved(second) and again.next_of([first, second]) is second
    assert again.count(tsume.problems()) == 1 and progress_lines(again)[0].startswith("1 ply: 1 of ")
    file.write_text("[")
    assert not tsume.Progress(file).is_solved(first)
    with pytest.raises(OSError, match="tsume.json is damaged, and nothing is written to it"):
        tsume.Progress(file).fail(first)
    assert file.read_text() == "["
    blocked = tsume.Progress(first_of_a_file(tmp_path) / "tsume.json")
    with pytest.raises(OSError, match="file"):
        blocked.solve(first)
    assert blocked.is_solved(first)


def first_of_a_file(folder):
    """Return the path of a file, below which nothing can be written."""
    path = folder / "file"
    path.write_text("")
    return path


def test_a_problem_in_the_terminal(tmp_path):
    """A person types a wrong move, asks twice for a hint, and mates against the engine's defence."""
    problem, progress, shown = tsume.problems(5)[0], tsume.Progress(tmp_path / "tsume.json"), []
    board = Board(problem.sfen)
    wrong = next(str(move) for move in board.legal_moves if str(move) != problem.moves[0])
    typed = [wrong, "hint", "hint", "x"]

    def read(prompt):
        if typed:
            return typed.pop(0)
        if board.move_stack:
            board.push_text(shown[-2])  # the defence, before the diagram
        move = board.find_mate(shortest=True).moves[0]
        board.push(move)
        return str(move)

    with Engine("shogi", hash_mb=16) as engine:
        assert give(Desk(read, shown.append), engine, problem, progress)
    text = "\n".join(shown)
    assert text.count("is not the solution.") == 1 and "The move goes to" in text and "Solved, with a hint." in text
    assert Board(problem.sfen).text(Board(problem.sfen).parse_usi(problem.moves[0]), "western") in shown
    assert board.is_checkmate() and len(board.move_stack) == problem.length
    assert progress.is_solved(problem) and progress._rows[problem.sfen]["wrong"] == 1
