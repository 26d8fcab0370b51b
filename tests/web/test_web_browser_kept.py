"""In a browser nothing is lost: servers are killed, tabs are doubled, dialogs are refused, questions are asked."""

import pytest

from tests.web.visitor import CHROMIUM, PHONE, KilledServer, Visitor, until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")


@pytest.mark.slow
def test_a_server_that_is_killed_loses_no_game(browser, tmp_path):
    server = KilledServer(tmp_path)
    try:
        visitor = Visitor(browser, f"http://127.0.0.1:{server.port}/")
        visitor.new_game("both")
        for number, move in enumerate(("7g7f", "3c3d", "8h2b+"), 1):
            visitor.play(move)
            visitor.wait_ply(number)
        position = visitor.page.input_value("#position")
        visitor.page.wait_for_timeout(1000)
        server.kill()
        until(visitor.page, "!document.querySelector('#toast').hidden")
        server.start()
        until(visitor.page, "document.querySelector('#toast').hidden")
        assert (visitor.ply(), visitor.page.input_value("#position")) == (3, position)
        assert visitor.page.locator("#resign").is_visible()
        visitor.play("3a2b")
        visitor.wait_ply(4)
        visitor.page.reload()
        visitor.wait_ply(4)
        visitor.page.click("#kept")
        visitor.page.wait_for_selector(".games li")
        assert visitor.page.locator(".games li").count() == 1 and visitor.axe() == []
        visitor.context.close()  # the page complained that it lost the connection
    finally:
        server.kill()


@pytest.mark.slow
def test_both_tabs_of_a_game_follow(browser, fake_address):
    one = Visitor(browser, fake_address)
    session = one.page.evaluate("sessionStorage.getItem('session')")
    two = Visitor(browser, fake_address, PHONE, "ja", "dark")  # a duplicated tab has the same session storage
    two.page.evaluate("session => sessionStorage.setItem('session', session)", session)
    two.page.reload()
    one.move("7g", "7f")
    two.wait_ply(1)
    two.move("3c", "3d")
    one.wait_ply(2)
    assert one.page.inner_text("#moves li:last-child .text") == "P-3d"
    assert two.page.inner_text("#moves li:last-child .text") == "△３四歩"
    one.close()
    two.move("2g", "2f")
    two.wait_ply(3)
    two.close()


@pytest.mark.slow
def test_dialogs_keep_their_text_on_an_error_and_questions_come_once(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    page.click("#open")
    page.fill("#paste", "this is no game")
    page.click("#read")
    page.wait_for_selector("#dialog .fault")
    assert page.input_value("#paste") == "this is no game" and visitor.axe() == []
    page.keyboard.press("Escape")
    page.click("#new")
    page.select_option("#new-clock", "own")
    page.fill("#new-own", "never")
    page.click("#new-begin")
    page.wait_for_selector("#dialog .fault")
    page.fill("#new-own", "10m")
    page.select_option("#new-side", "both")
    page.click("#new-begin")
    page.wait_for_selector("#resign:not([hidden])")
    page.click("#resign")
    page.keyboard.press("Escape")
    assert page.locator("#resign").is_visible()
    visitor.move("7g", "7f")
    visitor.wait_ply(1)
    page.click("#resign")
    page.click("#confirm")
    visitor.status("Black wins")
    page.click("#undo")
    until(page, "document.querySelectorAll('#moves li').length === 1")
    page.click("#toast button")
    visitor.wait_ply(1)
    visitor.close()


# ---- lines, variations, the end of a game


@pytest.mark.slow
def test_a_hint_is_still_marked_after_a_phone_was_turned(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    page.click("#tsume")
    page.click('[data-length="1"]')
    page.click("#dialog .numbers button")
    page.click("#tsume-hint")
    page.wait_for_selector("#board rect.hint")
    square = page.get_attribute("#board rect.hint", "data-square")
    page.set_viewport_size(PHONE)
    page.wait_for_selector("body.narrow")
    page.wait_for_timeout(500)
    assert page.locator("#board rect.hint").count() == 1
    assert page.get_attribute("#board rect.hint", "data-square") == square
    visitor.close()


@pytest.mark.slow
def test_lines_are_played_through_previewed_and_added(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    visitor.paste("startpos moves 7g7f 3c3d 8h3c+ 2a3c")
    page.click("#judge")
    page.wait_for_selector("#moves .blunder")
    page.click("#finish .turning button")
    page.wait_for_selector("#verdict .step")
    assert page.locator("#graph .mark").count() == page.locator("#finish .turning button").count()
    page.hover("#verdict .step")
    page.wait_for_selector("#preview:not([hidden]) svg")
    page.click("#verdict .add")
    page.wait_for_selector("#moves .variation")
    assert visitor.ply() == 4 and visitor.axe() == []
    page.click("#moves .variation button")
    page.wait_for_selector('#moves li button[aria-current="true"]')
    page.click("#help")
    page.wait_for_selector(".guide figure")
    assert page.locator(".guide figure").count() == 14 and visitor.axe() == []
    visitor.close()


@pytest.mark.slow
def test_after_a_game_there_is_its_end_and_a_rematch(browser, backend):
    visitor = Visitor(browser, backend)
    page = visitor.page
    visitor.new_game("0")
    visitor.move("7g", "7f")
    visitor.wait_ply(2)
    page.click("#resign")
    page.click("#confirm")
    page.wait_for_selector("#finish:not([hidden]) #finish-judge")
    assert visitor.axe() == []
    page.click("#finish-judge")
    page.click("#finish details summary")
    page.wait_for_selector("#finish .summary")
    page.click("#rematch")
    page.wait_for_selector("#resign:not([hidden])")
    visitor.wait_ply(1)  # the engine begins now
    page.click("#toast button")  # back to the game before
    until(page, "!document.querySelector('#finish').hidden")
    visitor.close()


@pytest.mark.slow
def test_where_a_dragged_piece_is_let_go_says_whether_it_promotes(browser, backend):
    for half, text in ((0.25, "Bx2b+"), (0.75, "Bx2b=")):
        visitor = Visitor(browser, backend)
        page = visitor.page
        visitor.paste("startpos moves 7g7f 3c3d")
        page.keyboard.press("End")
        visitor.wait_ply(2)
        page.wait_for_selector("#moves li:last-child [aria-current]")
        start, end = (page.locator(f'rect[data-square="{square}"]').bounding_box() for square in ("8h", "2b"))
        page.mouse.move(start["x"] + 20, start["y"] + 20)
        page.mouse.down()
        page.mouse.move(end["x"] + 20, end["y"] + half * end["height"], steps=5)
        page.mouse.up()
        visitor.wait_ply(3)
        assert page.inner_text("#moves li:last-child .text") == text
        visitor.close()
