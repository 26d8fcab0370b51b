"""In a browser: signs for moves, the time of each, moves chosen ahead, even starts of Othello, colours of its moves."""

import re
import threading
from dataclasses import replace

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
from shogi_engine.types.results import Score  # noqa: E402
from tests.web.fake_engine import FakeEngine  # noqa: E402
from tests.web.visitor import CHROMIUM, DESKTOP, PHONE, Visitor, until  # noqa: E402

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"), pytest.mark.slow]
TIMED = """手合割：平手
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:05/00:00:05)
   2 ３四歩(33)   ( 1:20/00:01:20)
*!? new
   3 ２六歩(27)   ( 0:00/00:00:05)
   4 投了
"""


@pytest.fixture
def visitor(browser, backend):
    made = Visitor(browser, backend)
    yield made
    made.close()


def test_signs_and_times_of_moves(visitor):
    page = visitor.page
    visitor.paste(TIMED)
    visitor.wait_ply(3)
    assert page.inner_text("#moves li:nth-child(3) .sign") == "!?" and page.inner_text("#moves .said") == "new"
    tall = [float(each.get_attribute("height")) for each in page.locator("#graph .time").all()]
    assert len(tall) == 2 and tall[1] == pytest.approx(4 * tall[0])  # of 5 and of 80 seconds
    black, white = (each.bounding_box() for each in page.locator("#graph .time").all())
    assert black["y"] < white["y"]
    page.click("#moves li:nth-child(3) button")
    until(page, "document.querySelector('#graph').ariaValueText.endsWith('1:20')")
    page.click("#notes summary")
    sign = page.locator("#signs button")
    assert sign.nth(2).get_attribute("aria-pressed") == "true" and visitor.axe() == []
    sign.nth(5).click()
    until(page, "document.querySelector('#moves li:nth-child(3) .sign').textContent === '??'")
    assert page.input_value("#comment") == "?? new"
    sign.nth(5).click()
    until(page, "!document.querySelector('#moves .sign')")
    assert page.input_value("#comment") == "new"
    page.click("#moves li:nth-child(2) button")
    until(page, "document.querySelector('#comment').value === ''")
    sign.nth(1).click()
    until(page, "document.querySelector('#moves li:nth-child(2) .sign')?.textContent === '!'")
    page.reload()
    until(page, "document.querySelector('#moves li:nth-child(2) .sign')?.textContent === '!'")


@pytest.fixture
def slow(monkeypatch):
    """Let the engine move only when it is told to."""
    go, play = threading.Semaphore(0), FakeEngine.play

    def late(self, board, limit):
        go.acquire()
        return play(self, board, limit)

    monkeypatch.setattr(FakeEngine, "play", late)
    yield go
    for _ in range(9):
        go.release()


@pytest.mark.server("its engine is a fake")
def test_a_move_ahead_is_made_if_it_is_legal_then(visitor, slow):
    page = visitor.page
    visitor.new_game("0")
    visitor.move("7g", "7f")
    visitor.status("Thinking|thinking")
    visitor.move("2g", "2f")  # ahead, by taps
    assert page.locator("rect.ahead").count() == 2 and visitor.ply() == 1
    slow.release()
    visitor.wait_ply(3)
    assert page.locator("rect.ahead").count() == 0 and "2f" in page.inner_text("#moves li:nth-child(4)")
    visitor.move("2f", "5b")  # which is not legal
    slow.release()
    visitor.wait_ply(4)
    visitor.status("Your move")
    assert page.locator("rect.ahead").count() == 0 and visitor.ply() == 4
    visitor.move("1g", "1f")
    visitor.move("9g", "9f")
    visitor.tap("5e")  # takes it back
    slow.release()
    visitor.wait_ply(6)
    visitor.status("Your move")
    assert visitor.ply() == 6
    visitor.move("9g", "9f")
    start, end = (page.locator(f'rect.square[data-square="{each}"]').bounding_box() for each in ("3g", "3f"))
    page.mouse.move(start["x"] + 9, start["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] + 9, end["y"] + 9, steps=4)
    page.mouse.up()
    assert page.locator("rect.ahead").count() == 2
    page.keyboard.press("Home")  # who looks elsewhere has given it up
    until(page, "!document.querySelector('rect.ahead')")
    page.keyboard.press("End")
    slow.release()
    visitor.wait_ply(8)
    assert visitor.ply() == 8
    visitor.choose_game("othello")
    visitor.new_game("0")
    visitor.tap("f5")
    visitor.tap("c3")  # what the engine's move makes legal or not
    assert page.locator("rect.ahead").count() == 1
    slow.release()
    visitor.wait_ply(2)
    until(page, "!document.querySelector('rect.ahead')")


@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
def test_an_even_start_and_its_rematch(browser, backend, size, language):
    visitor = Visitor(browser, backend, size, language)
    page = visitor.page
    visitor.choose_game("othello")
    page.click("#new")
    page.check("#new-xot")
    assert page.locator("#new-here").is_disabled() and visitor.axe() == []
    page.select_option("#new-side", "both")
    page.click("#new-begin")
    visitor.wait_ply(8)
    moves = page.locator("#moves .text").all_inner_texts()
    assert len(moves) == 9 and page.locator("#board .piece").count() == 12
    page.click("#resign")
    page.click("#confirm")
    page.click("#rematch")
    page.wait_for_selector("#resign:not([hidden])")
    assert page.locator("#moves .text").all_inner_texts() == moves
    visitor.close()


@pytest.mark.server("its engine is a fake")
def test_the_best_and_the_second_best_move_have_colours(browser, backend, monkeypatch):
    line = FakeEngine._line

    def valued(self, move, number, count):
        return replace(line(self, move, number, count), score=Score.parse(f"discs {(3, 1, 1, -2)[number - 1]}"))

    monkeypatch.setattr(FakeEngine, "_line", valued)
    visitor = Visitor(browser, backend)
    visitor.choose_game("othello")
    visitor.page.select_option("#multipv", "60")
    visitor.page.click("#analyse")
    visitor.page.wait_for_selector("#board .arrow.other")
    drawn = re.findall('class="arrow (\\w+)"', visitor.page.inner_html("#board"))
    assert sorted(drawn) == ["best", "other", "second", "second"]
    visitor.close()
