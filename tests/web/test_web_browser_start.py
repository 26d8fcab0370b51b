"""In a browser: the first page of choices, the lessons of both games, and what the board says of an illegal try."""

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
from tests.web.visitor import CHROMIUM, DESKTOP, Visitor, until  # noqa: E402

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
PHONE = {"width": 390, "height": 844}
OUTSIDE = """[...document.querySelectorAll('button')].filter(each => each.offsetParent).filter(each => {
    const box = each.getBoundingClientRect();
    return box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.left < 0;
}).map(each => each.id || each.textContent)"""


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(PHONE, "ja"), (DESKTOP, "en")])
def test_from_the_first_page_to_a_drop_a_promotion_and_a_mate(browser, backend, size, language):
    visitor = Visitor(browser, backend, size, language, place="")
    page = visitor.page
    page.wait_for_selector("#dialog[open] #start-learn")
    visitor.shot(f"start-{language}")
    assert visitor.axe() == []
    page.click("#start-learn")
    page.wait_for_selector("#learn-begin")
    assert page.locator("[data-lesson]").count() == 18 and visitor.axe() == []
    for lesson, moves in (("promote", ("5d5c+", "5c4c")), ("drop", ("G*5b",)), ("mate", ("G*5b",))):
        page.click(f"[data-lesson={lesson}]")
        page.wait_for_selector("#dialog:not([open])", state="attached")
        until(page, "document.querySelector('#lesson-hint')")
        assert page.evaluate(OUTSIDE) == []
        for move in moves:
            visitor.play(move)
            visitor.status("Your move|あなたの番|Right|正解")
            until(page, f"document.querySelector('#board .piece[data-square=\"{move[2:4]}\"]')")
        visitor.status("Right|正解")
        assert visitor.axe() == [] and page.evaluate(OUTSIDE) == []
        page.click("#lesson-list")
        page.wait_for_selector("#learn-begin")
    assert page.locator("#dialog .solved").count() >= 3
    visitor.close()


@pytest.mark.slow
@pytest.mark.server("the reasons are the server's")
def test_the_board_says_why_a_move_is_not_allowed(browser, backend):
    visitor = Visitor(browser, backend, language="ja", place="")
    page = visitor.page
    page.click("#start-learn")
    page.click("[data-lesson=nifu]")
    page.wait_for_selector("#lesson-hint")
    visitor.tap("P*", "black")
    visitor.tap("5f")
    until(page, "/二歩/.test(document.querySelector('#toast').textContent)")
    assert page.inner_text("#toast") == "5筋には５七に先手の歩があります（二歩）"
    visitor.tap("P*", "black")
    visitor.tap("3f")
    visitor.status("正解")
    page.click("#lesson-leave")
    visitor.choose_game("othello")
    visitor.tap("a1")
    until(page, "/白の石を返せません/.test(document.querySelector('#toast').textContent)")
    visitor.close()


@pytest.mark.slow
def test_choices_of_the_first_page(browser, backend):
    visitor = Visitor(browser, backend, place="")
    page = visitor.page
    page.click("#start-play")
    assert page.inner_text("output") == "3 – 15 kyu"
    page.locator("#new-level").fill("13")
    assert page.inner_text("output") == "13 – 1 dan"
    page.locator("#new-level").fill("20")
    assert page.inner_text("output") == "20"
    page.locator("#new-level").fill("1")
    page.click("#new-begin")
    page.click("#hint")
    page.wait_for_selector("#board rect.hint")
    until(page, "/marked piece/.test(document.querySelector('#toast').textContent)")
    page.click("#hint")
    until(page, "/The move is/.test(document.querySelector('#toast').textContent)")
    visitor.move("7g", "7f")
    until(page, "/^2[.] /.test(document.querySelector('#heard').textContent)")
    page.reload()  # a game that is there is shown at once
    page.wait_for_selector("#board svg .piece")
    assert not page.locator("#dialog[open]").count()
    page.click("#home")
    page.click("#start-two")
    assert page.input_value("#new-side") == "both"
    page.keyboard.press("Escape")
    page.click("#home")
    page.click("#start-daily")
    visitor.status("Mate in|no mate|Your move")
    visitor.close()


@pytest.mark.server("its engine is a fake that answers at once")
def test_the_board_in_words_is_read_and_played(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    page.click("#look")
    page.check("#look-text")
    page.check("#look-spoken")  # a browser without voices stays silent
    page.keyboard.press("Escape")
    page.fill("#text input", "P-7f")
    page.keyboard.press("Enter")
    visitor.wait_ply(1)
    read = page.locator("#text").aria_snapshot()
    assert "White to move" in read and '- textbox "Move"' in read
    assert read.count('cell "black pawn"') == read.count('cell "white pawn"') == 9
    assert read.count("- columnheader") == read.count("- rowheader") == 9 and "Nothing in hand" in read
    page.fill("#text input", "5e5d")
    page.keyboard.press("Enter")
    page.wait_for_selector("#toast:not([hidden])")
    assert "5e" in page.inner_text("#toast") and visitor.ply() == 1 and visitor.axe() == []
    page.click("#help")
    page.click("#dialog summary")
    page.wait_for_selector("#dialog dd")
    assert "brinkmate" in page.inner_text("#dialog dl") and visitor.axe() == []
    page.keyboard.press("Escape")
    visitor.close()
