"""One's own mistakes as problems in the browser: made of a judged game, solved, and given again; with fake engines."""

import dataclasses
import datetime

import pytest

from shogi_engine import study
from shogi_engine.games.shogi.board import Board
from shogi_engine.study.problems import Examined
from shogi_engine.tsume import daily, problems
from shogi_engine.types.results import Score
from shogi_engine.web import exercises
from shogi_engine.web.app import hub_of_engines
from shogi_engine.web.conversation import parse
from shogi_engine.web.messages import MessageError
from shogi_engine.web.pool import PoolClient, PoolSearch, Priority
from shogi_engine.web.store import GameStore
from tests.web.fake_engine import FakeEngine, fake_hub, wait_for
from tests.web.page import Page

GAME, PLAYED, BEST = "startpos moves 7g7f 3c3d 2g2f 8c8d", "2g2f", "1g1f"  # as FakeExaminer judges it
DAY = datetime.timedelta(days=1)


class Clock:
    """The time of the store."""

    def __init__(self):
        self.now = datetime.datetime(2030, 1, 1, 12, tzinfo=datetime.UTC)

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("shogi_engine.study.store.now", clock)
    return clock


@pytest.fixture(autouse=True)
def every_best_move_is_clearly_best(monkeypatch):
    monkeypatch.setattr(Examined, "answers", lambda self, position, move: (move.best,))


@pytest.fixture
def hub(tmp_path, clock):
    hub = fake_hub(tmp_path / "games")
    yield hub
    hub.close()


@pytest.fixture
def page(hub):
    return judged(Page.of(hub))


def judged(page, text=GAME, seconds=10):
    """Open a game and judge it."""
    page.do("paste", text=text).do("judge", on=True)
    wait_for(lambda: page.state["judging"] is None and page.state["learn"] == "ready", seconds)
    return page


def learned(page, side=0, seconds=10):
    """Make problems of a side's mistakes; return how many are new."""
    page.do("learn", side=side)
    wait_for(lambda: page.state["learn"] == "ready", seconds)
    return page.last("lessons")["new"]


def counted(page):
    """Return how many problems are due, and how many there are."""
    told = page.do("lessons").last("lessons")
    return told["due"], told["total"]


def status_of(page):
    return page.state["tsume"]["status"]


def test_mistakes_become_problems_that_come_back(page, clock):
    assert (learned(page), learned(page)) == (1, 0) and counted(page) == (1, 1)
    game, line = page.named(), page.state["line"]
    page.do("go", node=page.state["line"][-1]["node"])
    page.do("lesson", on=True)
    lesson = page.state["tsume"]["lesson"]
    assert (status_of(page), lesson["due"], lesson["solution"], lesson["why"]) == ("yours", 1, None, [])
    assert lesson["task"] in study.KINDS.values() and page.state["ply"] == 0 and page.state["turn"] == 0

    page.do("move", move="9g9f")  # the engine has to find an answer
    wait_for(lambda: status_of(page) == "wrong")
    refutation = page.state["tsume"]["lesson"]["refutation"]
    assert page.state["ply"] == 2 and page.state["last"] == refutation["moves"][0] and refutation["texts"]
    page.do("undo").do("move", move=PLAYED)
    shown = page.state["tsume"]["lesson"]
    assert status_of(page) == "wrong" and shown["played"] == "P-2f" and shown["solution"] is None
    page.do("undo").do("move", move=BEST)
    shown = page.state["tsume"]["lesson"]
    assert status_of(page) == "done" and shown["solution"]["moves"][0] == BEST and shown["played"] == "P-2f"
    assert shown["back"] == (clock.now + DAY).timestamp()  # as a wrong move was tried
    page.do("move", move="8c8d")  # moves are free now
    assert status_of(page) == "done"

    page.do("lesson", on=True)  # no other one is due: the game comes back
    assert page.state["tsume"] is None and page.last("lessons")["due"] == 0 and counted(page) == (0, 1)
    assert page.session.autosave.id == game and page.state["line"] == line and page.state["ply"] == 4
    assert [each["id"] for each in page.games()] == [game]

    clock.now += DAY
    assert counted(page) == (1, 1)
    page.do("lesson", on=True).do("move", move=BEST)
    assert status_of(page) == "done" and page.state["tsume"]["lesson"]["back"] > (clock.now + DAY).timestamp()
    page.do("lesson", on=False)
    assert page.session.autosave.id == game and page.state["line"] == line


def test_a_game_that_is_being_played_goes_on_after_a_problem(page):
    learned(page)
    page.do("new", game="shogi", players=[None, None], clock="10m").do("move", move="7g7f")
    game, line = page.named(), page.state["line"]
    page.do("lesson", on=True).do("move", move=BEST).do("undo").do("lesson", on=False)
    assert page.state["playing"]["on"] and page.session.autosave.id == game and page.state["line"] == line
    page.do("move", move="3c3d")
    assert page.state["ply"] == 2


def test_a_hint_and_the_answer(page, clock):
    learned(page)
    page.do("lesson", on=True).do("hint")
    assert page.last("hint")["move"] == BEST
    page.do("move", move=BEST)
    (problem,) = page.session.store.mistakes("me", "shogi").all()
    clock.now += 30 * DAY
    page.do("lesson", on=False).do("lesson", on=True).do("answer")
    assert status_of(page) == "answered" and page.state["last"] == BEST
    assert page.state["tsume"]["lesson"]["back"] == (clock.now + DAY).timestamp()
    ratings = [rating for _, rating in page.session.store.mistakes("me", "shogi").reviews(problem)]
    assert ratings == [study.Rating.Hard, study.Rating.Again]
    with pytest.raises(ValueError, match="no problem"):
        page.do("answer")


def test_next_leaves_a_problem_due(page):
    learned(page)
    page.do("lesson", on=True).do("lesson", on=True)
    assert page.state["tsume"] is None and counted(page) == (1, 1)


def test_a_mate_is_finished(page):
    """After the first move the engine defends, and a move that lets the king escape counts as wrong."""
    tsume = next(each for each in problems(3))
    mistakes = page.session.store.mistakes("me", "shogi")
    wrong = next(str(move) for move in Board(tsume.sfen).legal_moves if str(move) != tsume.moves[0])
    mistakes.add([study.Problem("shogi", tsume.sfen, "mate", tsume.moves[:1], tsume.moves, wrong)])
    page.do("lesson", on=True).do("move", move=tsume.moves[0])
    wait_for(lambda: status_of(page) == "right")
    assert page.state["ply"] == 2 and page.state["tsume"]["left"] == 1
    with pytest.raises(ValueError, match="gives no check"):
        page.do("move", move=quiet(page))
    found = FakeEngine("shogi").mate(Board(page.state["position"]))
    page.do("move", move=str(found.moves[0]))
    assert status_of(page) == "solved" and page.state["tsume"]["lesson"]["back"]
    assert [rating for _, rating in mistakes.reviews(mistakes.all()[0])] == [study.Rating.Good]


def quiet(page):
    """Return a move that gives no check."""
    board = page.session.tree.board
    return next(str(move) for move in board.legal_moves if not board.gives_check(move))


def test_othello(hub):
    page = Page.of(hub)
    page.do("game", game="othello")
    judged(page, "f5d6c4d3")
    assert learned(page) == 1
    page.do("lesson", on=True)
    (problem,) = page.session.store.mistakes("me", "othello").due()
    wrong = next(move for targets in page.state["targets"].values() for move in targets if move not in problem.answers)
    page.do("move", move=wrong)
    wait_for(lambda: status_of(page) == "wrong")
    page.do("undo").do("move", move=problem.answers[0])
    assert status_of(page) == "done" and counted(page) == (0, 1)
    page.do("lesson", on=False).do("game", game="shogi")
    assert counted(page) == (0, 0)


def test_another_owner_sees_nothing(tmp_path, clock):
    hub = fake_hub(tmp_path / "games", shared=False)
    mine, yours = judged(Page.of(hub, owner="me")), Page.of(hub, owner="you")
    assert learned(mine) == 1 and counted(mine) == (1, 1) and counted(yours) == (0, 0)
    yours.do("lesson", on=True)
    assert yours.state["tsume"] is None and yours.last("lessons")["due"] == 0
    with study.Store(tmp_path / study.NAME) as terminal:
        assert terminal.all() == []
    with pytest.raises(ValueError, match="nothing is saved"):
        Page.of(hub, owner="").do("lessons")
    hub.close()


def test_alone_the_problems_are_the_terminals(page, tmp_path):
    learned(page)
    with study.Store(tmp_path / study.NAME) as terminal:
        assert len(terminal.due()) == 1
        terminal.review(terminal.due()[0], study.Rating.Good)
    assert counted(page) == (0, 1)


def test_a_killed_server_continues_the_game_not_the_problem(page, tmp_path, hub):
    learned(page)
    line = page.state["line"]
    page.do("lesson", on=True).do("move", move=PLAYED)
    hub.store.close()
    again = Page.of(fake_hub(tmp_path / "games"), page.state["session"])
    assert again.state["tsume"] is None and again.state["line"] == line and len(again.games()) == 1
    assert counted(again) == (1, 1)
    again.session.pool.close()


def test_a_page_that_is_read_again_finds_its_problem(page):
    learned(page)
    page.do("lesson", on=True).do("move", move=PLAYED)
    again = Page(page.session, language="ja")
    assert again.state["tsume"]["status"] == "wrong" and again.state["tsume"]["lesson"]["played"] == "▲２六歩"


# ---- the turning points of the game, at once


def as_bad(*moves):
    """Return a search after which the values of these moves, the last on the board, are those of blunders."""
    usual = FakeEngine.analyse

    def analyse(self, board, limit, **named):
        found = usual(self, board, limit, **named)
        bad = board.move_stack and str(board.move_stack[-1]) in moves
        return found if named.get("multipv") else dataclasses.replace(found, score=Score(900 if bad else 0))

    return analyse


def test_the_turning_points_are_given_at_once_and_nothing_is_kept(page, monkeypatch):
    monkeypatch.setattr(FakeEngine, "analyse", as_bad("9g9f"))
    game, line = page.named(), page.state["line"]
    page.do("better", side=0)
    lesson = page.state["tsume"]["lesson"]
    assert (lesson["place"], lesson["count"], page.state["ply"], page.state["turn"]) == (1, 1, 0, 0)
    page.do("move", move="9g9f")
    wait_for(lambda: status_of(page) == "wrong")
    page.do("undo").do("move", move="3g3f")  # not the best one, but as good
    wait_for(lambda: status_of(page) == "good")
    shown = page.state["tsume"]["lesson"]
    assert shown["over"] and shown["solution"]["moves"][0] == BEST and shown["played"] == "P-2f" and not shown["back"]
    page.do("lesson", on=True)  # that was the last one
    assert page.state["tsume"] is None and page.session.autosave.id == game and page.state["line"] == line
    assert (page.last("tried")["found"], page.last("tried")["count"]) == (0, 1) and counted(page) == (0, 0)
    page.do("better", side=0).do("move", move=BEST)
    assert status_of(page) == "done"
    page.do("lesson", on=True)
    assert page.last("tried")["found"] == 1 and page.state["learn"] == "ready"


def test_one_can_go_on_from_a_turning_point_or_leave(page):
    line = page.state["line"]
    page.do("better").do("move", move=PLAYED)
    assert status_of(page) == "wrong" and page.state["tsume"]["lesson"]["count"] == 2  # of both sides
    page.do("lesson", on=True)
    assert page.state["tsume"]["lesson"]["place"] == 2 and page.state["turn"] == 1 and page.state["flipped"]
    page.do("lesson", on=False)
    assert page.state["tsume"] is None and page.state["line"] == line
    judged(page, "startpos moves 7g7f 3c3d")
    with pytest.raises(ValueError, match="no better move was missed"):
        page.do("better")
    page.do("game", game="othello")
    with pytest.raises(ValueError, match="judge the game first"):
        page.do("better")


# ---- the rules as lessons


def test_lessons_are_taken_one_after_another_and_the_game_comes_back(hub):
    page = Page.of(hub)
    page.do("move", move="7g7f")
    game = page.named()
    rows = page.do("course", game="shogi").last("course")["rows"]
    assert [row[2] for row in rows] == [0] * len(rows) and rows[0][:2] == ["pawn", "The pawn"]
    page.do("take", game="shogi", lesson="silver")
    shown = page.state["tsume"]["lesson"]
    assert (shown["title"], shown["place"], shown["count"]) == ("The silver", 4, len(rows)) and not shown["over"]
    with pytest.raises(ValueError, match="^the silver on 6h does not reach 6i$"):
        page.do("move", move="6h6i")
    page.do("move", move="6h5g")
    assert (status_of(page), page.state["ply"]) == ("yours", 2)  # the opponent has answered, without an engine
    page.do("hint")
    assert page.last("hint")["move"] == "5g4f"
    page.do("move", move="5g5f").do("move", move="5f5e")
    assert status_of(page) == "wrong" and not page.state["tsume"]["lesson"]["over"]
    page.do("undo")
    assert (status_of(page), page.state["ply"]) == ("yours", 0)
    for move in ("6h5g", "5g4f", "4f5e"):
        page.do("move", move=move)
    assert status_of(page) == "done" and page.state["tsume"]["lesson"]["over"]
    page.do("lesson", on=True)
    assert page.state["tsume"]["lesson"]["title"] == "The gold" and page.state["tsume"]["lesson"]["place"] == 5
    assert [row[0] for row in page.do("course", game="shogi").last("course")["rows"] if row[2]] == ["silver"]
    page.do("take", game="shogi", lesson="silver")  # one that was given already
    assert page.state["tsume"]["lesson"]["title"] == "The silver"
    page.do("take", game="shogi", lesson=rows[-1][0]).do("answer")
    assert status_of(page) == "answered"
    page.do("lesson", on=True)  # that was the last one: the game comes back
    assert page.state["tsume"] is None and page.session.autosave.id == game and page.texts == ["P-7f"]
    assert page.last("course")["game"] == "shogi"


def test_lessons_of_othello_in_japanese(hub):
    page = Page.of(hub, language="ja")
    page.do("take", game="othello")
    assert page.state["game"] == "othello" and page.state["tsume"]["lesson"]["title"] == "石を返す"
    with pytest.raises(ValueError, match="flips no disc"):
        page.do("move", move="a1")
    page.do("move", move="c4")
    assert status_of(page) == "done"
    with pytest.raises(ValueError, match="no such lesson"):
        page.do("take", game="othello", lesson="pawn")


def test_the_problem_of_the_day_by_its_name(hub):
    page = Page.of(hub)
    page.do("tsume", on=True, daily=True)
    assert page.state["tsume"]["number"] == daily().number


# ---- what cannot be done


def test_messages_out_of_turn_change_nothing(hub):
    page = Page.of(hub)
    page.do("paste", text=GAME)
    for name, fields in (("learn", {"side": 0}), ("lesson", {"on": False}), ("answer", {})):
        before = page.state
        with pytest.raises(ValueError, match="judge the game|no problem"):
            page.do(name, **fields)
        assert page.state == before
    page.do("setup", on=True)
    with pytest.raises(ValueError, match="set up"):
        page.do("lesson", on=True)
    for text in ('{"do": "learn", "side": 2}', '{"do": "lesson"}', '{"do": "answer", "move": "7g7f"}'):
        with pytest.raises(MessageError):
            parse(text)


def test_the_engine_does_not_solve_the_problem(page):
    learned(page)
    page.do("analyse", on=True).do("lesson", on=True)
    assert not page.state["analysis"]["on"]
    for name, fields in (("analyse", {"on": True}), ("judge", {"on": True}), ("mate", {}), ("think", {})):
        with pytest.raises(ValueError, match="solve the problem first"):
            page.do(name, **fields)
    page.do("answer").do("think")


def test_a_board_of_a_problem_is_never_a_game_of_the_list(page):
    learned(page)
    page.do("lesson", on=True).do("move", move=PLAYED).do("game", game="othello")
    assert [each["game"] for each in page.games()] == ["shogi"]


def test_a_game_that_was_deleted_meanwhile_does_not_come_back(page):
    learned(page)
    game = page.named()
    page.do("lesson", on=True).do("forget", id=game).do("lesson", on=False)
    assert page.state["tsume"] is None and page.state["ply"] == 0 and "no longer exists" in page.last("error")["text"]


def test_a_game_that_is_open_elsewhere_is_where_the_page_goes(page, hub):
    learned(page)
    page.do("lesson", on=True)
    other = Page.of(hub)
    other.do("continue", id=page.games()[0]["id"])
    page.do("lesson", on=False)
    assert page.last("join")["session"] == other.session.identity and page.state["tsume"] is None


def test_a_damaged_problem_changes_nothing(page):
    (problem,) = study.problems_of(page.session.analyses.judged_game(), "black", Examined("shogi", engine=object()))
    page.session.store.mistakes("me", "shogi").add([dataclasses.replace(problem, line=("5i1a",))])
    before = page.state
    with pytest.raises(ValueError, match="illegal move"):
        page.do("lesson", on=True)
    assert page.state == before and page.session.autosave.id


def test_problems_that_cannot_be_read(hub, tmp_path):
    (tmp_path / study.NAME).write_text("no database " * 100)
    page = judged(Page.of(hub))
    for name, fields in (("lessons", {}), ("lesson", {"on": True}), ("learn", {"side": 0})):
        with pytest.raises(ValueError, match="cannot be used"):
            page.do(name, **fields)
    assert page.state["tsume"] is None and page.state["learn"] == "ready"


def test_faults_while_problems_are_made_and_solved_are_told(page, monkeypatch):
    def full(*_):
        raise OSError("study.db cannot be used: disk full")

    with monkeypatch.context() as patch:
        patch.setattr(study.Store, "add", full)
        page.do("learn", side=0)
        assert "disk full" in wait_for(lambda: page.last("error"))["text"]
    with monkeypatch.context() as patch:
        patch.setattr(Examined, "answers", lambda *_: 1 / 0)
        page.do("learn", side=0)
        assert wait_for(lambda: page.last("failed"))["what"] == "learn"
        wait_for(lambda: page.state["learn"] == "ready")
    assert learned(page) == 1
    page.sent.clear()
    page.do("lesson", on=True)
    with monkeypatch.context() as patch:
        patch.setattr(study.Store, "review", full)
        page.do("move", move=BEST)
    assert "disk full" in page.last("error")["text"] and status_of(page) == "done"
    assert page.state["tsume"]["lesson"]["back"] == 0


def test_a_refutation_that_fails_can_be_asked_again(page, monkeypatch):
    learned(page)
    page.do("lesson", on=True)
    with monkeypatch.context() as patch:
        patch.setattr("shogi_engine.study.problems.reply_line", lambda *_: 1 / 0)
        page.do("move", move="9g9f")
        wait_for(lambda: status_of(page) == "retry")
    page.do("undo").do("move", move="9g9f")
    wait_for(lambda: status_of(page) == "wrong")


@pytest.mark.parametrize("elsewhere", [("delete", {}), ("step", {"to": "first"})])
def test_a_problem_is_not_stuck_while_the_engine_answers(page, monkeypatch, elsewhere):
    """The wrong move is deleted, or the board shows another one, and the page is left and read again."""
    learned(page)
    monkeypatch.setattr(FakeEngine, "analyse", lambda self, *_, **__: self._stopped.wait(20) and [])
    page.do("lesson", on=True).do("move", move="9g9f")
    assert status_of(page) == "refuting"
    with pytest.raises(ValueError, match="please wait"):
        page.do("move", move="8c8d")
    page.do(elsewhere[0], **elsewhere[1])
    with pytest.raises(ValueError, match="no move to take back"):
        page.do("undo")
    page.session.detach(page.viewer)
    again = Page(page.session)
    assert status_of(again) == "yours"
    again.do("move", move=BEST)
    assert status_of(again) == "done"


def test_undo_of_a_wrong_move_goes_back_to_the_problem(page):
    learned(page)
    page.do("lesson", on=True).do("move", move=PLAYED)
    page.do("move", move=quiet(page))
    with pytest.raises(ValueError, match="no move to hint at"):
        page.do("hint")
    page.do("undo")
    assert page.state["ply"] == 0 and status_of(page) == "yours"
    page.do("hint")


def test_there_are_not_too_many_problems(page, monkeypatch):
    monkeypatch.setattr(exercises, "PROBLEMS_MAX", 1)
    assert learned(page) == 1
    with pytest.raises(ValueError, match="too many problems"):
        page.do("learn", side=1)


def test_an_interrupted_job_keeps_what_it_has_examined(page, monkeypatch):
    asked = []
    monkeypatch.setattr(Examined, "answers", lambda self, position, move: asked.append(position) or (move.best,))
    search, known = PoolSearch("shogi", None, None, PoolClient(), Priority.ANALYSIS), {}
    game = page.session.analyses.judged_game()

    def made():
        return list(study.problems_of(game, "black", exercises._Examined(search, FakeEngine("shogi"), known)))

    search.stopped = True
    assert made() == [] and known == {}
    search.stopped = False
    (found,) = made()
    assert [found.answers] == list(known.values()) and made() == [found] and len(asked) == 2


# ---- with the engine

MATE_IN_3 = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"


@pytest.mark.slow
def test_a_missed_mate_is_found_learned_and_played_to_its_end(tmp_path, clock, monkeypatch):
    monkeypatch.undo()  # the engine decides which move is clearly best
    hub = hub_of_engines(1, GameStore(tmp_path / "games"))
    page = judged(Page.of(hub), f"sfen {MATE_IN_3} moves 1e1d 9c9d", 300)
    assert learned(page, seconds=60) == 1
    page.do("lesson", on=True).do("move", move="5c5d+")
    wait_for(lambda: status_of(page) == "right", 60)
    while status_of(page) != "solved":
        mate = Board(page.state["position"]).find_mate(shortest=True).moves[0]
        page.do("move", move=str(mate))
        wait_for(lambda: status_of(page) in ("right", "solved"), 60)
    assert page.state["tsume"]["lesson"]["back"]
    hub.close()
