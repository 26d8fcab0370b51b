"""In a browser: headers are edited, my games are searched, diagrams and pages to print are downloaded."""

import re

import pytest

from tests.support.printed import shogi_position
from tests.web.visitor import CHROMIUM, Visitor, until

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"), pytest.mark.slow]


def download(page, button):
    """Click a button; return the file's name and content."""
    with page.expect_download() as waiting:
        page.click(button)
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def test_headers_are_edited_and_games_searched(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    for title, name in (('Final of "<Spring>"', "甲野"), ("Another", "Smith")):
        visitor.new_game("both")
        visitor.move("7g", "7f")
        visitor.wait_ply(1)
        page.click("#resign")
        page.click("#confirm")
        page.click("#notes summary")
        page.click("#about")
        assert visitor.axe() == []
        page.fill("#about-0", name)
        page.fill("#about-title", title)
        page.fill("#about-started", "2026/11/26")
        page.click("#about-save")
        until(page, "!document.querySelector('#dialog').open")
        until(page, f"document.querySelector('#near').textContent.includes('{name}')")
        page.click("#about")
        assert (page.input_value("#about-title"), page.input_value("#about-0")) == (title, name)
        page.keyboard.press("Escape")
        page.click("#notes summary")
    page.click("#kept")
    page.wait_for_selector("#kept-games li")
    assert visitor.axe() == []
    page.fill("#kept-search input", "spring 甲野 2026-11")
    until(page, "document.querySelectorAll('#kept-games li').length === 1")
    assert 'Final of "<Spring>"' in page.inner_text("#kept-games") and page.locator("#kept-games spring").count() == 0
    page.select_option("#kept-search select", "0-1")
    until(page, "document.querySelectorAll('#kept-games li').length === 0")
    assert page.inner_text("#kept-games") == "No game has all of this."
    page.select_option("#kept-search select", "1-0")
    until(page, "document.querySelectorAll('#kept-games li').length === 1")
    page.click("#kept-games [data-forget]")
    page.wait_for_selector("#recall")
    until(page, "document.querySelectorAll('#kept-games li').length === 0")  # still only those searched for
    assert page.input_value("#kept-search input") == "spring 甲野 2026-11"
    visitor.close()


def test_openings_of_my_games_with_their_results(browser, fake_address):
    visitor = Visitor(browser, fake_address)
    page = visitor.page
    visitor.choose_game("othello")  # the other tests' games are of Shogi
    for resigns in (1, 1, 2):  # the number of plies; black wins, black, white
        visitor.new_game("both")
        for ply, square in enumerate(("f5", "d6")[:resigns], 1):
            visitor.tap(square)
            visitor.wait_ply(ply)
        page.click("#resign")
        page.click("#confirm")
        page.wait_for_selector("#resign", state="hidden")
    page.keyboard.press("Home")
    page.click("#explorer summary")
    page.select_option("#source", "mine")
    page.wait_for_selector("#played .results")
    assert page.get_attribute("#played .results", "aria-label").endswith("1") and visitor.axe() == []
    assert page.locator("#played .results span").all_inner_texts() == ["67%", "33%"]
    black, white = (page.locator(f"#played .results .{each}").bounding_box()["width"] for each in ("black", "white"))
    assert black / white == pytest.approx(2, rel=0.05)
    assert page.locator("#examples li").count() == 3
    assert visitor.faults == []  # the console's, the content policy's among them
    visitor.close()


def test_diagrams_and_a_sheet_are_downloaded(browser, fake_address):
    visitor = Visitor(browser, fake_address)
    page = visitor.page
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    files = {}
    for which in ("book svg", "book png", "colour png"):
        page.click("#save")
        page.wait_for_selector("[data-diagram]")
        assert visitor.axe() == []
        name, files[which] = download(page, f'[data-diagram="{which}"]')
        assert re.fullmatch(rf"shogi-\d{{8}}-\d{{4}}\.{which[-3:]}", name)
        until(page, "!document.querySelector('#dialog').open")
    assert shogi_position(files["book svg"].decode()) == tuple(page.input_value("#position").split()[:3])
    for which in ("book png", "colour png"):
        picture = files[which]
        size = [int.from_bytes(picture[at : at + 4], "big") for at in (16, 20)]
        assert picture.startswith(b"\x89PNG") and size == [3 * 638, 3 * 498]
    assert files["book png"] != files["colour png"] and len(files["book png"]) > 10_000
    page.click("#tsume")
    page.wait_for_selector("[data-sheet]")
    name, sheet = download(page, "[data-sheet]")
    assert name.endswith(".html") and sheet.count(b"<svg") == 206
    visitor.close()
