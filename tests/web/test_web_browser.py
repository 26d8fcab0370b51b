"""The page in a browser: headless Chromium plays, analyses, solves, at both widths and in both languages.

Those marked slow use the engine itself. SHOTS=folder in the environment keeps pictures of what they see.
"""

import random
import re
from pathlib import Path

import pytest

from shogi_engine.analysis import judge, page as analysis_page
from shogi_engine.analysis.judgement import plies_to_examine, words_of
from shogi_engine.analysis.report import given_words, said
from shogi_engine.engine import Engine
from shogi_engine.games.shogi.board import Board
from shogi_engine.records import GameRecord
from shogi_engine.types.limits import Limit
from tests.web.fake_engine import FakeExaminer
from tests.web.visitor import CHROMIUM, DESKTOP, PHONE, Visitor, axe_faults, until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")


def tap_somewhere(visitor, rng):
    """Make one random move with taps."""
    page = visitor.page
    pieces, targets = page.locator("rect.movable"), page.locator("rect.target")
    pieces.nth(rng.randrange(pieces.count())).click()
    if page.locator("body").get_attribute("data-game") == "shogi":
        while not targets.count():  # it was the engine's turn: a piece of a move to be made then
            pieces.nth(rng.randrange(pieces.count())).click()
        targets.nth(rng.randrange(targets.count())).click()
        if page.locator("#promotion[open]").count():
            page.click("#promotion button.main")


def play_to_the_end(visitor, rng):
    """Play random moves against the engine until the game is over; return the number of moves."""
    page = visitor.page
    page.wait_for_selector("#resign:not([hidden])")
    while True:
        until(
            page,
            "document.querySelector('#resign').hidden || document.querySelector('rect.movable') "
            "|| !document.querySelector('#toast').hidden",
        )
        if page.locator("#resign").is_hidden():
            return visitor.ply()
        before = visitor.ply()
        if page.locator("rect.movable").count():
            tap_somewhere(visitor, rng)
        until(
            page,
            f"document.querySelector('#resign').hidden || document.querySelectorAll('#moves li').length > {before + 1}",
        )


# ---- with engines that are fakes


def test_a_short_visit(browser, backend):
    desktop = Visitor(browser, backend)
    desktop.move("7g", "7f")
    desktop.wait_ply(1)
    desktop.page.click("#analyse")
    desktop.page.wait_for_selector("#board .arrows path")
    desktop.page.keyboard.press("Home")
    desktop.page.wait_for_selector('#moves li:first-child [aria-current="true"]')
    assert desktop.axe() == []
    desktop.close()
    phone = Visitor(browser, backend, PHONE, "ja", "dark")
    phone.choose_game("othello")
    phone.new_game("0")
    phone.tap("f5")
    phone.wait_ply(2)
    assert "黒" in phone.page.inner_text("#near") and phone.page.inner_text("#new") == "対局"
    assert phone.axe() == []
    phone.close()


@pytest.mark.slow
def test_keyboard_and_drag_and_promotion(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    page.focus('rect[data-square="7g"]')
    for key in ("Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    visitor.wait_ply(1)
    assert page.evaluate("document.activeElement.dataset.square") == "7f"
    assert "pawn" in page.get_attribute('rect[data-square="7f"]', "aria-label")
    visitor.move("3c", "3d")
    visitor.wait_ply(2)
    start, end = (page.locator(f'rect[data-square="{square}"]').bounding_box() for square in ("8h", "2b"))
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 20, steps=5)
    page.mouse.up()  # in the upper half
    visitor.wait_ply(3)
    assert page.inner_text("#moves li:last-child .text") == "Bx2b+"
    visitor.move("3a", "2b")
    visitor.wait_ply(4)
    visitor.tap("B*", "black")
    visitor.tap("5e")
    visitor.wait_ply(5)
    page.click("#flip")
    page.click("#look")
    page.check(".option.letters input")
    page.wait_for_selector("#board .piece circle")  # the marks of how pieces move
    visitor.close()


@pytest.mark.slow
def test_a_set_up_that_is_given_up_leaves_the_analysis_on(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    visitor.move("7g", "7f")
    page.click("#analyse")
    page.wait_for_selector("#board .arrows path")
    page.click("#edit")
    page.click('[data-key="empty"]')
    until(page, "!document.querySelector('#board .piece:not(.held)')")
    page.click("#setup-cancel")
    page.wait_for_selector("#board .arrows path")
    assert page.get_attribute("#analyse", "aria-checked") == "true" and visitor.ply() == 1
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language", "scheme"), [(DESKTOP, "en", "light"), (PHONE, "ja", "dark")])
def test_axe_finds_no_fault_anywhere(browser, backend, size, language, scheme):
    visitor = Visitor(browser, backend, size, language, scheme)
    visitor.paste("startpos moves 7g7f 3c3d 8h3c+ 2a3c 2g2f")
    visitor.page.click("#judge")
    visitor.page.wait_for_selector("#moves .blunder")
    visitor.page.keyboard.press("End")
    assert visitor.axe() == []
    visitor.page.click("#notes summary")
    if visitor.page.locator("#explorer").is_visible():  # it needs a server
        visitor.page.click("#explorer summary")
    assert visitor.axe() == []
    for button in ("#home", "#new", "#open", "#save", "#tsume", "#kept", "#share", "#help", "#look", "#about"):
        visitor.page.click(button)
        visitor.page.wait_for_selector("#dialog[open]")
        assert visitor.axe() == [], button
        visitor.page.keyboard.press("Escape")
        visitor.page.wait_for_selector("#dialog:not([open])", state="attached")
    visitor.page.click("#edit")
    visitor.page.wait_for_selector("#setup-done")
    assert visitor.axe() == []
    visitor.new_game("0", clock="10m+30")
    visitor.page.click("#resign")
    visitor.page.wait_for_selector("#confirm")
    assert visitor.axe() == []
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme", "language"), [(DESKTOP, "light", "en"), (PHONE, "dark", "ja")])
def test_the_page_that_an_analysis_writes(browser, tmp_path, size, scheme, language):
    """It steps by keys and buttons, shows the better line on the board, and asks no one for anything."""
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"])
    examiner = FakeExaminer("shogi", {})
    game = judge(record, {ply: examiner.examine(record, ply) for ply in plies_to_examine(record)})
    file = tmp_path / "page.html"
    file.write_text(analysis_page([game], language), encoding="utf-8")
    page = browser.new_page(viewport=size, color_scheme=scheme)
    faults, asked = [], []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.keyboard.press("End")
    assert page.get_attribute("#graph", "aria-valuenow") == "5"
    page.keyboard.press("Home")
    page.click("#steps button:last-child")  # the next mistake
    before = page.inner_html("#board")
    page.click("#said button")
    assert page.inner_html("#board") != before
    each, words = said(game, language)[3], words_of(language)
    given = given_words(9.0, "pawns", language, words)
    head, what, *_, better = (" ".join(text.split()) for text in page.locator("#said p").all_inner_texts())
    assert head == f"3. {each.played} {each.value} {words['chance']} {each.move.black_after:.0%}"
    assert what == f"{words['blunder']} (-{each.move.loss:.0%}, {given})"
    assert better.startswith(f"{words['better']} ({each.best}): {each.line[0]}")
    assert axe_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (faults, asked) == ([], [file.as_uri()])
    page.close()


# ---- with the engine


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_a_whole_game(browser, engines, game, size, language):
    visitor = Visitor(browser, engines, size, language)
    visitor.choose_game(game)
    visitor.new_game("0", 6)
    assert play_to_the_end(visitor, random.Random(4)) >= 10
    assert re.search("wins|Draw|勝ち|引き分け", visitor.page.inner_text("#status"))
    visitor.shot(f"{game}-{language}")
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
def test_a_record_is_analysed(browser, engines, size, language):
    visitor = Visitor(browser, engines, size, language)
    moves = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b8h+ 7i8h 8f7f 5i5h"
    visitor.paste(f"startpos moves {moves}")
    visitor.page.click("#judge")
    visitor.page.wait_for_selector("#moves .blunder")
    visitor.page.select_option("#multipv", "3")
    visitor.page.click("#analyse")
    visitor.page.wait_for_selector("#lines li:nth-child(3)")
    visitor.page.keyboard.press("End")
    visitor.page.wait_for_timeout(6000)
    visitor.page.wait_for_selector("#lines li:nth-child(3)")
    visitor.shot(f"judged-{language}")
    with visitor.page.expect_download() as download:
        visitor.page.click("#save")
        visitor.page.click('[data-format="kif"]')
    assert "２六歩" in Path(download.value.path()).read_bytes().decode("cp932")
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
def test_a_tsume_is_solved(browser, engines, size, language):
    """A wrong check is called wrong; taken back, the right moves mate against the engine's defence."""
    visitor = Visitor(browser, engines, size, language)
    page = visitor.page
    page.click("#tsume")
    page.click('[data-length="5"]')
    page.click('[data-problem="210"]')  # has four checks, of which one mates
    visitor.status("Mate in 5|5手詰")
    board = Board(page.input_value("#position"))
    with Engine("shogi", hash_mb=16) as engine:
        visitor.play(check_that_fails(engine, board))
        visitor.status("Wrong|不正解")
        visitor.shot(f"tsume-wrong-{language}")
        page.click("#undo")
        visitor.status("Mate in 5|5手詰")
        for left in (3, 1, 0):
            found = engine.mate(Board(page.input_value("#position")), shortest=True)
            visitor.play(str(found.moves[0]))
            visitor.status(f"Right! Mate in {left}|あと{left}手詰" if left else "Solved|正解です。")
            visitor.shot(f"tsume-{left}-{language}")
    page.keyboard.press("Home")
    page.click("#tsume-solution")  # the solution, as a line to be walked
    until(page, "/Mate in 5|5手詰/.test(document.querySelector('#found').textContent)")
    assert page.locator("#found .step").count() == 5
    visitor.close()


def check_that_fails(engine, board):
    """Return a check after which there is no mate."""
    for move in list(board.legal_moves):
        board.push(move)
        found = []
        for reply in list(board.legal_moves) if board.is_check() else ():
            board.push(reply)
            found.append(engine.mate(board, Limit(time=3.0)).result)
            board.pop()
        board.pop()
        if "nomate" in found:
            return str(move)
    raise AssertionError("every check mates")
