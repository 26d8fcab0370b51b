"""A game with a coach: the engine stops at the human's blunder, and the move is taken back or the game continues."""

import pytest

from tests.web.fake_engine import FakeExaminer, wait_for
from tests.web.page import Page
from tests.web.visitor import CHROMIUM, DESKTOP, PHONE, Visitor, serve

MOVES = {"shogi": ("7g7f", "2g2f"), "othello": ("f5", "c3")}


def blundered(hub, game="shogi", coach=True):
    """Return a page after black's second move, which the examiner finds bad."""
    page = Page.of(hub)
    page.do("new", game=game, players=[None, 0], coach=coach)
    first, second = MOVES[game]
    page.do("move", move=first)
    wait_for(lambda: page.state["ply"] == 2)
    return page.do("move", move=second if second in targets(page) else targets(page)[0])


def targets(page):
    return [move for moves in page.state["targets"].values() for each in moves.values() for move in each]


@pytest.mark.parametrize("game", MOVES)
def test_a_blunder_is_told_and_taken_back(hub, game):
    page = blundered(hub, game)
    wait_for(lambda: page.state["warning"])
    state = page.state
    assert state["ply"] == 3 and not state["playing"]["thinking"] and state["playing"]["on"]
    assert state["warning"]["class"] == "blunder" and state["warning"]["moves"] == []
    page.do("undo")
    assert page.state["ply"] == 2 and page.state["warning"] is None and not page.state["playing"]["thinking"]


def test_the_game_goes_on_when_the_human_wants_it(hub):
    page = blundered(hub)
    wait_for(lambda: page.state["warning"])
    page.do("think")
    wait_for(lambda: page.state["ply"] == 4)
    assert page.state["warning"] is None and page.state["playing"]["on"]


def test_without_a_coach_the_engine_answers(hub):
    page = blundered(hub, coach=False)
    wait_for(lambda: page.state["ply"] == 4)
    assert page.state["warning"] is None


def test_the_coach_waits_while_nobody_is_there_and_is_kept(hub):
    page = blundered(hub)
    wait_for(lambda: page.state["warning"])
    session = page.session
    session.detach(page.viewer)
    page = Page(session)
    wait_for(lambda: page.state["warning"])
    assert page.state["ply"] == 3
    page.do("resign")
    assert page.state["warning"] is None and page.state["playing"]["over"]["winner"] == 1
    page.do("rematch")  # with sides swapped
    assert session.playing.coach


def test_the_words_come_from_the_facts_and_hide_the_better_move(hub):
    class Hanging(FakeExaminer):
        def examine(self, record, ply):
            found = super().examine(record, ply)
            return type(found)("2b5e", found.score, ("2b5e",), 5) if ply == 3 else found

    page = Page.of(hub, language="ja")
    page.do("paste", text="startpos moves 7g7f 3c3d").do("step", to="last")
    page.session.playing._examiner = Hanging
    page.do("new", game="shogi", players=[None, 0], coach=True, here=True)
    page.do("move", move="8h5e")
    wait_for(lambda: page.state["warning"])
    assert any("角" in said and "ただ" in said for said in page.state["warning"]["why"])


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
def test_a_coach_is_asked_for_on_the_page(browser, hub, size, language):
    server, address = serve(hub)
    visitor = Visitor(browser, address, size, language)
    page = visitor.page
    page.click("#new")
    page.check("#new-coach")
    visitor.shot(f"coach-new-{language}")
    page.click("#new-begin")
    page.wait_for_selector("#resign:not([hidden])")
    visitor.move("7g", "7f")
    visitor.wait_ply(2)
    visitor.move("2g", "2f")
    page.wait_for_selector("#coach-undo")
    visitor.shot(f"coach-{language}")
    assert visitor.axe() == []
    box = page.locator("#coach-undo").bounding_box()
    assert box["y"] + box["height"] <= size["height"]  # seen without scrolling
    page.click("#coach-undo")
    page.wait_for_selector("#coach-undo", state="hidden")
    visitor.move("2g", "2f")
    page.click("#coach-go-on")
    visitor.wait_ply(4)
    assert visitor.faults == []
    server.should_exit = True
