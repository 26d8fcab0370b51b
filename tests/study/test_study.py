"""Problems made of mistakes: which ones, the store and its clock, files, and solving them in the terminal."""

import contextlib
import datetime
import io
import itertools
import json
import sqlite3
from dataclasses import asdict, replace

import pytest
from fsrs import Rating

from shogi_engine import records, study
from shogi_engine.__main__ import main
from shogi_engine.analysis import Hint, judge
from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.cli.study import Round, side_of
from shogi_engine.cli.terminal import Desk
from shogi_engine.common.database import migrations
from shogi_engine.games.shogi.board import Board
from shogi_engine.records import GameRecord
from shogi_engine.study.problems import clear
from shogi_engine.types.results import Score
from tests.support.typed_lines import typed

MATE_IN_3 = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"
LINES = {0: ("7g7f", 0), 1: ("3c3d", 0), 2: ("2g2f", 50), 3: ("2b5e", 800), 4: ("2g2f", -800)}
NOW = datetime.datetime(2030, 1, 1, 12, tzinfo=datetime.UTC)


class Sole(study.Examined):
    """Every best move is clearly best."""

    def __init__(self):
        pass

    def answers(self, position, move):
        return (move.best,)


@pytest.fixture(scope="module")
def blunder():
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "8h5e", "2b5e"])
    record.names = ["mine", "yours"]
    return judge(record, {ply: PositionResult(move, Score(value), (move,)) for ply, (move, value) in LINES.items()})


@pytest.fixture
def problem(blunder):
    return next(study.problems_of(blunder, "black", Sole()))


@pytest.fixture
def store(tmp_path):
    with study.Store(tmp_path / "study.db") as store:
        yield store


def test_mistakes_become_problems(blunder):
    (made,) = study.problems_of(blunder, "", Sole())
    assert list(study.problems_of(blunder, "white", Sole())) == []
    assert (made.kind, made.answers, made.played, made.refutation) == ("piece", ("2g2f",), "8h5e", ("2b5e",))
    assert made.where("ja") == "mine - yours、3手目" and replace(made, source="7").where("en") == "move 7"
    assert replace(made, source="A - shogi_engine level 3, 8").where("ja") == "A - エンジン（レベル 3）、8手目"
    unnamed = replace(made, source=" - shogi_engine level 3, 7")
    assert [unnamed.where(each) for each in ("en", "ja")] == [
        "You - engine (level 3), move 7",
        "あなた - エンジン（レベル 3）、7手目",
    ]
    half = replace(made, source=" - B, 7")
    assert [half.where(each) for each in ("en", "ja")] == ["black - B, move 7", "先手 - B、7手目"]
    assert replace(half, game="othello").where("ja").startswith("黒 - ")
    assert made.position == blunder.record.board(2).sfen() and made.source == "mine - yours, 3"
    assert dict(made.why)["en"][0].startswith("It leaves a bishop on 5e")

    class Unclear(Sole):
        def answers(self, position, move):
            return ()

    assert list(study.problems_of(blunder, "", Unclear())) == []


def hint(move, value):
    return Hint(move, Score(value), Score(value).chance(), 5, False, (move,))


@pytest.mark.parametrize(
    ("found", "answers"),
    [
        ([("a", 300), ("b", 100)], ()),  # 0.62 and 0.54
        ([("a", 300), ("b", 0)], ("a",)),
        ([("b", 300), ("a", 0)], ()),  # the second search prefers another one
        ([("b", 300), ("a", 290), ("c", 0)], ("a", "b")),
        ([("a", 300), ("b", 290), ("c", 280), ("d", 0)], ("a", "b", "c")),
        ([("a", 300), ("b", 290), ("c", 280), ("d", 270)], ()),  # there may be a fifth one
        ([("a", 300), ("b", 100), ("c", 0)], ()),  # b is neither as good nor clearly worse
        ([("a", 300)], ()),  # the only legal move
        ([], ()),
    ],
)
def test_few_moves_must_be_clearly_best(found, answers):
    assert clear([hint(*each) for each in found], "a") == answers


def test_all_first_moves_of_mates_solve_a_missed_mate():
    record = GameRecord.from_moves("shogi", ["1e1d"], start=MATE_IN_3)
    line = ("5c5d+", "6d7e", "9i6f")
    game = judge(
        record, {0: PositionResult(line[0], Score.mate_in(3), line, 3, 0, True, 3), 1: PositionResult("9c9d", Score(0))}
    )
    (made,) = study.problems_of(game)
    assert made.kind == "mate" and made.answers[0] == "5c5d+" and len(made.answers) > 1
    for move in made.answers:
        board = made.board()
        board.push_usi(move)
        assert board.is_check()


def test_problems_come_back_later_and_later_and_at_once_after_a_failure(store, problem):
    assert store.add([problem]) == 1 and store.add([problem]) == 0
    assert store.due(NOW) == [problem] == store.all()
    times = [NOW]
    for _ in range(4):
        times.append(due := store.review(problem, Rating.Good, times[-1]))
        assert store.due(due - datetime.timedelta(seconds=1)) == [] and store.due(due) == [problem]
    waits = [(due - when).days for when, due in itertools.pairwise(times)]
    assert waits == sorted(waits) and waits[0] >= 1 and waits[-1] > 20
    again = store.review(problem, Rating.Again, times[-1])
    assert again == store.next_due() == times[-1] + datetime.timedelta(days=1)
    assert store.reviews(problem) == list(zip(times, [Rating.Good] * 4 + [Rating.Again], strict=True))
    with pytest.raises(KeyError):
        store.review(replace(problem, game="othello"), Rating.Good)


def test_the_longest_overdue_problem_comes_first(store, problem):
    other = replace(problem, position=problem.position.replace(" b ", " w "))
    assert store.add([problem, other]) == 2
    late, early = (
        store.review(each, Rating.Good, NOW + datetime.timedelta(hours=hours))
        for each, hours in ((problem, 1), (other, 0))
    )
    assert early < late and store.due(early) == [other] and store.due(late) == [other, problem]
    assert store.next_due() == early and store.all() == [problem, other]
    assert store.schedule() == [(other, early), (problem, late)]


def test_a_schedule_is_whole_while_another_process_writes(store, problem, monkeypatch):
    """What is added or solved between two queries belongs to neither."""
    other = replace(problem, position=problem.position.replace(" b ", " w "))
    store.add([problem])
    (before,) = store.schedule()
    rows = store._rows

    def slow(*asked, **values):
        found = rows(*asked, **values)
        store.add([other])
        return found

    monkeypatch.setattr(store, "_rows", slow)
    assert store.schedule() == [before]


def test_the_same_position_of_another_game_is_the_same_problem(store, problem):
    later = replace(problem, position=problem.position[:-1] + "9", source="another")
    assert store.add([problem, later]) == 1
    assert store.add([replace(problem, position=later.position.replace(" b ", " w "))]) == 1


def test_two_processes_can_use_the_store(store, problem):
    with study.Store(store.file) as other:
        assert store.add([problem]) == 1
        assert other.all() == [problem] and other.add([problem]) == 0


def test_each_owner_has_problems_of_their_own(store, problem):
    mine, yours = store.of("me"), store.of("you")
    assert mine.add([problem]) == 1 and yours.all() == [] == store.all() and yours.next_due() is None
    assert yours.add([problem]) == 1
    mine.review(problem, Rating.Good, NOW)
    assert mine.due(NOW) == [] and yours.due(NOW) == [problem] and yours.reviews(problem) == []
    assert store.of("me", "shogi").all() == [problem] and store.of("me", "othello").all() == []


def test_a_store_of_the_first_version_is_read(tmp_path, problem):
    with study.Store(tmp_path / "old.db") as store:
        store.add([problem])
        card, due = store._database.rows("SELECT card, due FROM problems")[0]
    (tmp_path / "old.db").unlink()
    content = json.dumps(asdict(problem))
    with contextlib.closing(sqlite3.connect(tmp_path / "old.db")) as database:
        for statement in migrations("shogi_engine.study")[0]:
            database.execute(statement)
        database.execute("INSERT INTO problems VALUES (?, ?, ?, ?)", (problem.id, content, card, due))
        database.execute("INSERT INTO reviews VALUES (?, ?, 3)", (problem.id, NOW.timestamp()))
        database.execute("PRAGMA user_version = 1")
        database.commit()
    with study.Store(tmp_path / "old.db") as store:
        assert store.due(NOW) == [problem] and store.reviews(problem) == [(NOW, Rating.Good)]
        assert store.review(problem, Rating.Good, NOW) > NOW


def test_a_store_that_cannot_be_used(tmp_path, problem):
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(OSError, match="cannot be used"):
        study.Store(tmp_path / "text")
    assert (tmp_path / "text").read_text().startswith("no database")
    with study.Store(tmp_path / "damaged.db") as store:
        store.add([problem])
        store._database.execute("UPDATE problems SET content = '[]'", ())
        with pytest.raises(OSError, match="cannot be used"):
            store.all()
    with study.Store(tmp_path / "card.db") as store:
        store.add([problem])
        for card in ("[]", "{}", "{"):
            store._database.execute("UPDATE problems SET card = ?", (card,))
            with pytest.raises(OSError, match="cannot be used"):
                store.review(problem, Rating.Good)
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(OSError, match="newer version"):
        study.Store(newer)
    with study.Store(tmp_path / "full.db") as store:
        store._database.execute("PRAGMA max_page_count = 1", ())
        with pytest.raises(OSError, match="full"):
            store.add([replace(problem, source="x" * 100_000)])
        assert store.all() == []


def test_problems_as_files(problem):
    assert study.as_text([problem]) == f"{problem.position}\t2g2f\n"
    for name in ("kif", "jkf"):
        (record,) = records.loads(records.dumps(study.as_records([problem], "ja"), name, "utf-8").decode())
        assert record.board(0).sfen().split()[:3] == problem.position.split()[:3] and record.moves == ["2g2f"]
        played = record.root.children[1]
        assert played.move == "8h5e" and "ただで取られます" in played.comment and played.children[0].move == "2b5e"


def solve(store, *lines, days=0):
    """Type lines at the desk, some days after NOW; return what was shown."""
    shown = []
    Round(store, Desk(typed(lines), shown.append), lambda: NOW + datetime.timedelta(days=days)).run()
    return "\n".join(shown)


def test_solving_in_the_terminal(store, problem):
    assert "no problems yet" in solve(store)
    store.add([problem])
    text = solve(store, "9i9i", "8h5e", "hint", "2g2f")
    assert "1 problem is due." in text and "Pieces were lost" in text and "goes to 2f" in text
    assert "B-5e is not the solution." in text and "B-5e Bx5e" in text and "It leaves a bishop" in text
    assert "Right." in text and "It comes back on 2030-01-02." in text
    assert store.reviews(problem)[-1][1] == Rating.Again
    assert "the next one is on 2030-01-02" in solve(store)
    assert "Right." in solve(store, "P-2f", days=1)
    assert store.reviews(problem)[-1][1] == Rating.Good
    assert "due" in solve(store, "quit", days=1000) and len(store.reviews(problem)) == 2
    assert "P-2f" in solve(store, "answer", days=1000) and store.reviews(problem)[-1][1] == Rating.Again


def test_a_second_answer_is_as_good(store, problem):
    problem = replace(problem, answers=("2g2f", "3g3f"))
    store.add([problem])
    assert "Good: this is about as strong" in solve(store, "3g3f")
    assert store.reviews(problem)[-1][1] == Rating.Good


def test_a_mate_is_finished_in_the_terminal(store):
    """The engine defends after the first move; a move without check counts as wrong, and is taken back."""
    line = ("5c5d+", "6d7e", "9i6f")
    store.add([study.Problem("shogi", MATE_IN_3, "mate", line[:1], line, "1e1d")])
    board, shown, hinted = Board(MATE_IN_3), [], []

    def read(prompt):
        if not board.move_stack:
            board.push_usi(line[0])
            return line[0]
        if len(board.move_stack) == 1:
            board.push_text(shown[-2])  # the defence, before the diagram
            return next(str(move) for move in board.legal_moves if not board.gives_check(move))
        if not hinted:
            hinted.append(prompt)
            return "hint"
        return str(board.find_mate(shortest=True).moves[0])

    Round(store, Desk(read, shown.append), lambda: NOW).run()
    text = "\n".join(shown)
    assert text.count("is not the solution.") == text.count("Right.") == text.count("The move goes to") == 1
    assert [rating for _, rating in store.reviews(store.all()[0])] == [Rating.Again]


@pytest.mark.parametrize(
    ("player", "side", "wanted"),
    [
        (None, None, ""),
        (None, "white", "white"),
        ("mine", None, "black"),
        ("mine", "white", None),
        ("someone", None, None),
    ],
)
def test_whose_mistakes(blunder, player, side, wanted):
    assert side_of(blunder.record, player, side) == wanted


def test_the_command_makes_writes_and_gives_problems(tmp_path, capsys, monkeypatch):
    game = GameRecord.from_moves("shogi", ["1e1d", "9c9d"], start=MATE_IN_3)
    game.names = ["mine", "yours"]
    records.save([game], tmp_path / "game.kif")
    store = ["--store", str(tmp_path / "study.db")]

    def run(*arguments):
        status = main(["study", *map(str, arguments), *store])
        said = capsys.readouterr()
        return status, said.out, said.err

    add = (tmp_path / "game.kif", "--nodes", "2000", "--threads", "1")
    assert run(*add, "--player", "mine")[:2] == (0, "1 new problem\n")
    assert run(*add, "--side", "black")[:2] == (0, "0 new problems\n")
    status, out, fault = run(*add, "--player", "someone")
    assert status and not out and "study: no game of someone in these files" in fault
    assert "are for games of a FILE" in run("--player", "mine")[2]
    assert run("--out", tmp_path / "all.txt")[1] == f"{tmp_path / 'all.txt'}: 1 problem\n"
    position, answers = (tmp_path / "all.txt").read_text().rstrip("\n").split("\t")
    assert position.split()[:3] == MATE_IN_3.split()[:3] and "5c5d+" in answers.split()
    assert run("--out", tmp_path / "all.kif")[0] == 0
    assert records.load(tmp_path / "all.kif")[0].moves[0] == answers.split()[0]
    assert "would overwrite" in run(*add, "--out", tmp_path / "game.kif")[2]
    monkeypatch.setattr("sys.stdin", io.StringIO("R-5a\n5c5d+\nanswer\n"))
    status, out, fault = run()
    assert (
        (status, fault) == (0, "") and "1 problem is due." in out and "There is a mate." in out and "comes back" in out
    )
