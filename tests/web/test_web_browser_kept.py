"""In a browser nothing is lost: servers are killed, tabs are doubled, dialogs are refused, questions are asked."""

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
from web.visitor import CHROMIUM, PHONE, KilledServer, Visitor, until  # noqa: E402

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
def test_dialogs_keep_their_text_on_an_error_and_questions_come_once(browser, fake_address):
    visitor = Visitor(browser, fake_address)
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
