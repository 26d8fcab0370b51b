"""Opening lines learnt by repetition: twenty lines, asked again on the right days while the clock moves."""

import datetime
import json

import pytest
from fsrs import Rating

from shogi_engine import study
from shogi_engine.__main__ import main
from shogi_engine.cli.study import Round
from shogi_engine.cli.terminal import Desk
from shogi_engine.explorer import book_of, figures, moves_of_book
from shogi_engine.games import game_module
from shogi_engine.records import GameRecord
from shogi_engine.study.store import now
from shogi_engine.tsume import DONE, WRONG
from tests.support.typed_lines import typed

DAY = datetime.timedelta(days=1)
LINES = {"shogi": "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b", "othello": "f5 d6 c3 d3 c4 f4 f6 f3"}


def twenty_lines():
    """Return a record in which white has twenty replies to black's first move, each followed by a move of black."""
    record = GameRecord("shogi")
    first = record.root.add("7g7f")
    for move in [*map(str, record.board().legal_moves)][:20]:
        first.add(move).add("2g2f")
    return record


@pytest.fixture
def store(tmp_path):
    with study.Store(tmp_path / "study.db") as store:
        yield store.lines()


def test_twenty_lines_come_back_on_their_days(store):
    assert store.add(study.problems_of_lines(twenty_lines(), "black")) == 21  # the first move, and one after each reply
    assert store.add(study.problems_of_lines(twenty_lines(), "black")) == 0
    at, known, asked = now(), {}, []
    for _ in range(120):
        due = store.due(at)
        assert {each.id for each in due} == {each.id for each in store.all() if known.get(each.id, at) <= at}
        for number, problem in enumerate(due):
            attempt = store.attempt(problem)
            if number % 5 == 4 and not asked:  # the first day's fifths are forgotten
                assert attempt.tried(("1g1f",), None).status == WRONG
            assert attempt.tried(problem.answers, None).status == DONE
            known[problem.id] = store.review(problem, attempt.rating(helped=False), at)
        asked.append(len(due))
        at += DAY
    assert asked[0] == 21 and asked[1] >= 4  # what was forgotten comes back the next day
    assert sum(asked) < 21 * 12  # and what is known ever later
    assert {each.id for each in store.all()} == set(known)


def test_a_forgotten_move_comes_back_before_a_known_one(store):
    store.add(study.problems_of_lines(GameRecord.from_moves("shogi", LINES["shogi"].split()), "black"))
    known, forgotten = store.due()[:2]
    assert store.review(forgotten, Rating.Again) - now() <= DAY < store.review(known, Rating.Good) - now() + DAY / 2


@pytest.mark.parametrize("game", LINES)
@pytest.mark.parametrize("side", ["black", "white"])
def test_every_move_of_a_side_is_asked(store, game, side):
    moves = LINES[game].split()
    store.add(study.problems_of_lines(GameRecord.from_moves(game, moves), side, plies=6))
    assert [each.answers[0] for each in store.all()] == moves[side == "white" : 6 : 2]


def test_variations_that_begin_with_the_same_moves_are_all_learnt(store):
    """Some programs write every line from its first move."""
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f"])
    for line in (["7g7f", "8c8d", "6g6f"], ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"], ["2g2f", "3c3d", "5g5f"]):
        node = record.root
        for move in line:
            node = node.add(move)
    found = list(study.problems_of_lines(record, "black"))
    assert [each.answers for each in found] == [("7g7f",), ("2g2f",), ("2f2e",), ("6g6f",)]
    assert found[0].line == ("7g7f", "3c3d", "2g2f") and store.add(found) == 4
    white = [each.answers for each in study.problems_of_lines(record, "white")]
    assert white == [("3c3d",), ("8c8d",), ("3c3d",)]


def test_a_new_move_takes_the_place_of_the_old_one(store):
    moves = LINES["shogi"].split()
    store.add(study.problems_of_lines(GameRecord.from_moves("shogi", moves), "black"))
    for problem in store.all():
        store.review(problem, Rating.Good)
    assert store.add(study.problems_of_lines(GameRecord.from_moves("shogi", [*moves[:2], "6g6f"]), "black")) == 1
    assert [each.answers for each in store.due()] == [("6g6f",)] and store.count() == 4


def test_mistakes_and_lines_are_given_apart(tmp_path):
    with study.Store(tmp_path / "study.db") as store:
        mistake = study.Problem("shogi", GameRecord("shogi").start, "move", ("7g7f",), ("7g7f",), "1g1f")
        store.add([mistake])
        store.lines().add(study.problems_of_lines(GameRecord.from_moves("shogi", ["2g2f"]), "black"))
        assert [each.answers for each in store.all()] == [("7g7f",)]
        assert [each.answers for each in store.lines().all()] == [("2g2f",)]


@pytest.mark.parametrize("game", LINES)
def test_a_deviation_is_explained_by_the_figures_of_the_book(game):
    board = game_module(game, "board").Board()
    said = {language: figures(board, moves_of_book(board, book_of(game)), language) for language in ("en", "ja")}
    assert said["en"][0].startswith("In the book: ") and said["ja"][0].startswith("定跡")


def typing(store, lines):
    shown = []
    Round(store, Desk(typed(lines), shown.append)).run()
    return "\n".join(shown)


def test_in_the_terminal_a_deviation_is_told_and_the_move_asked_again(store):
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f"])
    said = ["In the book: P-7f (+30)."]
    store.add(study.problems_of_lines(record, "black", figures=lambda board: lambda language: said))
    text = typing(store, ["2g2f", "7g7f", "2g2f"])
    assert "In the book" in text and text.count("Right.") == 2 and text.count("It comes back on") == 2


def test_the_command_learns_lists_and_prints(tmp_path, capsys):
    file, base, page = tmp_path / "line.usi", tmp_path / "study.db", tmp_path / "sheet.html"
    file.write_text("startpos moves " + LINES["shogi"] + "\n")
    assert main(["repertoire", str(file), "--side", "black", "--store", str(base)]) == 0
    assert "4 new moves" in capsys.readouterr().out
    assert main(["repertoire", "--json", "--store", str(base)]) == 0
    rows = json.loads(capsys.readouterr().out)["moves"]
    assert [row["move"] for row in rows] == LINES["shogi"].split()[::2]
    assert main(["repertoire", "--list", "--out", str(page), "--store", str(base)]) == 0
    assert capsys.readouterr().out.count("2g2f") == 0 and page.read_text().count("<svg") == 4
    assert main(["repertoire", "--book", "othello", "--side", "white", "--plies", "6", "--store", str(base)]) == 0
    assert "3 new moves" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["line.usi"], ["--side", "black"], ["--book", "shogi"], ["--moves", "7g7f"]], ids=" ".join
)
def test_what_does_not_fit_is_refused(arguments, capsys):
    assert main(["repertoire", *arguments]) == 2
    assert "repertoire: " in capsys.readouterr().err
