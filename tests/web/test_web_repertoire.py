"""Openings learnt by repetition on the page: a line is added, asked, and explained by the book and one's own games."""

import base64

import pytest

from shogi_engine.language import InputError
from tests.web.page import Page
from tests.web.visitor import CHROMIUM, DESKTOP, PHONE, Visitor, serve

LINES = {"shogi": ("7g7f 3c3d 2g2f", "1g1f", "定跡："), "othello": ("f5 d6 c3", "d3", "定跡：")}


def learnt(hub, game):
    """Return a page after a line was added to black's repertoire."""
    page = Page.of(hub, language="ja")
    page.do("game", game=game)
    for move in LINES[game][0].split():
        page.do("move", move=move)
    return page.do("repertoire", side=0)


@pytest.mark.parametrize("game", LINES)
def test_a_line_is_learnt_asked_and_comes_back(hub, game):
    page = learnt(hub, game)
    moves, wrong, book = LINES[game]
    told = page.last("lessons")
    assert (told["new"], told["due"], told["lines"]) == (2, 2, True)
    assert page.do("repertoire", side=0).last("lessons")["new"] == 0
    assert page.do("lessons").last("lessons")["repertoire"] == [2, 2] and page.last("lessons")["total"] == 0
    page.do("lesson", on=True, lines=True)
    assert page.state["ply"] == 0 and page.state["tsume"]["lesson"]["lines"]
    if game == "shogi":
        page.do("move", move=wrong)
        lesson = page.state["tsume"]["lesson"]
        assert page.state["tsume"]["status"] == "wrong" and not lesson["over"]
        assert any(said.startswith(book) for said in lesson["why"]) and any("実戦" in said for said in lesson["why"])
        page.do("undo")
    page.do("move", move=moves.split()[0])
    lesson = page.state["tsume"]["lesson"]
    assert lesson["over"] and lesson["back"] > 0
    page.do("lesson", on=True)
    assert page.state["tsume"]["lesson"]["due"] == 1
    page.do("move", move=moves.split()[2]).do("lesson", on=True)
    assert page.last("lessons")["lines"] and page.last("lessons")["due"] == 0
    assert page.texts and page.state["tsume"] is None  # the game that was on the board is there again


def test_an_empty_repertoire_is_not_printed(hub):
    with pytest.raises(InputError, match="the repertoire is empty"):
        Page.of(hub).do("sheet", lines=True)


def test_the_repertoire_is_printed(hub):
    page = learnt(hub, "shogi").do("sheet", lines=True)
    file = page.last("file")
    assert file["name"].startswith("openings") and base64.b64decode(file["data"]).decode().count("<svg") == 2


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
def test_a_line_is_learnt_on_the_page(browser, hub, size, language):
    server, address = serve(hub)
    visitor = Visitor(browser, address, size, language)
    page = visitor.page
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    page.click("#explorer summary")
    page.wait_for_selector("#repertoire-0")
    page.locator("#repertoire-0").scroll_into_view_if_needed()
    visitor.shot(f"repertoire-add-{language}")
    assert visitor.axe() == []
    page.click("#repertoire-0")
    page.wait_for_selector("#toast button")
    page.click("#lessons")
    page.wait_for_selector("#repertoire-learn")
    visitor.shot(f"repertoire-list-{language}")
    assert visitor.axe() == []
    page.click("#repertoire-learn")
    page.wait_for_selector("#lesson-task")
    visitor.move("2g", "2f")
    page.wait_for_selector("#lesson-why")
    page.locator("#problem").scroll_into_view_if_needed()
    visitor.shot(f"repertoire-wrong-{language}")
    page.click("#lesson-undo")
    visitor.move("7g", "7f")
    page.wait_for_selector("#lesson-next.main")
    visitor.shot(f"repertoire-right-{language}")
    assert visitor.faults == []
    server.should_exit = True
