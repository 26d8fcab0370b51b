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


def test_set_up_by_drag_and_by_turns(visitor):
    page = visitor.page
    page.click("#edit")
    page.wait_for_selector("#setup-done")

    def drag(source, target):
        start = page.locator(f'rect.square[data-square="{source}"]').bounding_box()
        page.mouse.move(start["x"] + 20, start["y"] + 20)
        page.mouse.down()
        end = page.locator(f'rect.square[data-square="{target}"]').bounding_box() if target else {"x": -18, "y": -18}
        page.mouse.move(end["x"] + 20, end["y"] + 20, steps=4)
        page.mouse.up()

    def stands(board):
        until(page, f"document.querySelector('#position').value.startsWith({board!r})")

    stands("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/P")
    drag("7g", "7e")
    stands("lnsgkgsnl/1r5b1/ppppppppp/9/2P6/9/PP1PPPPPP/")
    drag("2b", "")  # off the board
    stands("lnsgkgsnl/1r7/ppppppppp/9/2P6/9/PP1PPPPPP/")
    page.click('[data-key="tsume"]')
    stands("4k4/9/9/")
    page.click('[data-key="pick S"]')
    for shown in ("S", "+S", "s", "+s", "S"):
        visitor.tap("5c")
        stands(f"4k4/9/4{shown}4/9/9/9/9/9/9 b")
    page.click('[data-key="swap"]')
    stands("9/9/9/9/9/9/4s4/9/4K4 w")


VOICE = """window.said = [];
Object.defineProperty(window, "speechSynthesis", {value: {speak: each => said.push(each.text), cancel() {}}});
window.SpeechSynthesisUtterance = function (text) { this.text = text; };"""


@pytest.mark.parametrize(("language", "said"), [
    ("en", ["pawn 7f. ", "pawn 3d. ", "pawn 2f. ", "pawn 9f. ", "White wins: Resignation"]),
    ("ja", ["先手７六歩. ", "後手３四歩. ", "先手２六歩. ", "先手９六歩. ", "後手の勝ち（投了）"]),
])  # fmt: skip
def test_moves_are_spoken_once_those_of_variations_too(browser, backend, language, said):
    visitor = Visitor(browser, backend, language=language)
    page = visitor.page
    page.evaluate(VOICE)
    page.click("#look")
    page.check("#look-spoken")
    page.keyboard.press("Escape")
    until(page, "document.querySelector('#dialog:not([open])')")
    for ply, (source, target) in enumerate((("7g", "7f"), ("3c", "3d"), ("2g", "2f")), 1):
        visitor.move(source, target)
        visitor.wait_ply(ply)
        until(page, f"said.length === {ply}")
    page.keyboard.press("ArrowLeft")
    until(page, "said.length === 4")
    visitor.move("9g", "9f")
    until(page, "said.length === 5")
    until(page, "/^3[.] /.test(document.querySelector('#heard').textContent)")
    spoken = page.evaluate("said")
    assert spoken[:3] + spoken[4:] == said[:4] and spoken[3] == said[1]
    visitor.new_game("both")
    page.click("#resign")
    page.click("#confirm")
    visitor.status("wins|勝ち")
    visitor.close()


def test_words_are_explained_at_a_tap(visitor):
    page = visitor.page
    page.click("#tsume")
    page.wait_for_selector("#dialog[open]")
    page.evaluate("document.querySelector('#side').append(Object.assign(document.createElement('p'), {id: 'said', "
                  "textContent: 'A fork, a fork, a brinkmate, a fork.'}))")  # fmt: skip
    page.keyboard.press("Escape")
    page.wait_for_selector("#said button.word")
    assert page.locator("#said button.word").all_inner_texts() == ["fork", "brinkmate"]
    page.click("#said button.word:last-of-type")
    until(page, "document.querySelector('#toast').textContent.startsWith('brinkmate: ')")


def test_print_has_the_whole_game_and_no_buttons(visitor):
    page = visitor.page
    visitor.paste("startpos moves " + " ".join(f"{file}g{file}f {file}c{file}d" for file in range(1, 10)))
    visitor.wait_ply(18)
    page.emulate_media(media="print")
    assert not page.locator("header").is_visible() and not page.locator("#controls").is_visible()
    inside = page.evaluate(
        "[...document.querySelectorAll('#moves li')].every(each => each.getBoundingClientRect().bottom"
        " <= document.querySelector('#game').getBoundingClientRect().bottom)"
    )
    assert inside and len(page.pdf(format="A4")) > 10_000
    page.emulate_media(media="screen")
