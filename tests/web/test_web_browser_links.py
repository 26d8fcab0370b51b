"""Two browsers at one game, by a link, on an address of the local network."""

import pytest

from tests.web.fake_engine import fake_hub
from tests.web.visitor import CHROMIUM, DESKTOP, PHONE, Visitor, serve, until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")]


@pytest.fixture
def lan(tmp_path):
    """The address of a server that others in the network can reach, without its token."""
    server, address = serve(fake_hub(tmp_path, shared=False), "0.0.0.0", "secret")  # noqa: S104
    yield address
    server.should_exit = True


def invited(visitor, to):
    """Make a link in the dialog and return its address."""
    visitor.page.click("#share")
    visitor.page.click(f'[data-invite="{to}"]')
    row = f'.links [data-kind="{to.rstrip("01")}"]'
    visitor.page.wait_for_selector(f"{row} .qr svg")
    assert visitor.axe() == []
    visitor.shot(f"invite-{to}")
    address = visitor.page.input_value(f"{row} input")
    visitor.page.keyboard.press("Escape")
    return address


def test_two_phones_play_each_other_and_a_third_watches(browser, lan):
    one = Visitor(browser, f"{lan}?token=secret", PHONE, "ja", "dark")
    link = invited(one, "play1")
    assert link.startswith(f"{lan}join/")
    two, third = Visitor(browser, link, PHONE), Visitor(browser, invited(one, "watch"), DESKTOP)
    assert two.page.locator("#new").is_hidden() and third.page.locator("#resign").is_hidden()
    two.status("Black to move")
    one.move("7g", "7f")
    two.status("Your move")
    assert two.page.locator("#board rect[data-square]").count() and two.axe() == []
    two.shot("guest")
    two.move("3c", "3d")
    for visitor in (one, third):
        visitor.wait_ply(2)
    third.status("watching")
    assert third.axe() == []
    one.page.fill("#own-name", "大山")
    one.page.press("#own-name", "Enter")
    until(third.page, "document.querySelector('#near').innerText.includes('大山')")
    third.page.click('[data-step="back"]')  # alone
    until(third.page, "!document.querySelector('#board .piece[data-square=\"3d\"]')")
    two.page.click("#undo")
    one.page.wait_for_selector("#asked-yes")
    assert one.ply() == 2 and one.axe() == [] and "後手が待った" in one.page.inner_text("#people")
    one.shot("asked")
    one.page.click("#asked-yes")
    two.status("Your move")
    two.move("3c", "3d")
    one.wait_ply(2)
    one.move("2g", "2f")
    two.wait_ply(3)
    assert third.page.locator('#board .piece[data-square="3d"]').count()  # a new move brings it back
    two.page.reload()
    two.wait_ply(3)
    two.move("8c", "8d")
    one.wait_ply(4)
    two.page.click("#resign")
    two.page.click("#confirm")
    one.status("先手の勝ち")
    one.page.click("#rematch")
    two.status("Your move")  # the players have changed sides
    two.move("7g", "7f")
    for visitor in (one, third):
        until(visitor.page, "document.querySelectorAll('#moves li:not(.result)').length === 2")
    for visitor in (one, two, third):
        visitor.close()


def test_the_phone_goes_on_with_the_laptops_game(browser, lan):
    laptop = Visitor(browser, f"{lan}?token=secret")
    laptop.new_game("both")
    laptop.move("7g", "7f")
    phone = Visitor(browser, invited(laptop, "own"), PHONE)
    phone.wait_ply(1)
    phone.move("3c", "3d")
    laptop.wait_ply(2)
    phone.page.click("#kept")
    phone.page.wait_for_selector(".games li")
    phone.page.keyboard.press("Escape")
    phone.close()
    laptop.close()


def test_a_revoked_link_shows_nothing_more(browser, lan):
    host = Visitor(browser, f"{lan}?token=secret")
    address = invited(host, "watch")
    guest = Visitor(browser, address)
    host.page.click("#share")
    host.page.click("[data-revoke]")
    until(guest.page, "document.querySelector('#toast').textContent === 'This link is not valid any more.'")
    host.page.keyboard.press("Escape")
    host.move("7g", "7f")
    host.wait_ply(1)
    assert guest.ply() == 0
    stranger = browser.new_page()
    assert [stranger.goto(page).status for page in (address, lan, f"{lan}static/app.js")] == [404, 401, 401]
    assert stranger.locator("#board").count() == 0
    stranger.close()
    host.close()
    guest.context.close()
