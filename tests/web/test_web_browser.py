"""The page in a browser: headless Chromium plays, analyses, solves, at both widths and in both languages.

Those marked slow use the engine itself. SHOTS=folder in the environment keeps pictures of what they see.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
from shogi_engine.analysis import judge  # noqa: E402
from shogi_engine.analysis import page as analysis_page  # noqa: E402
from shogi_engine.analysis.judgement import plies_to_examine  # noqa: E402
from shogi_engine.engine import Engine  # noqa: E402
from shogi_engine.games.shogi.board import Board  # noqa: E402
from shogi_engine.records import GameRecord  # noqa: E402
from shogi_engine.web.app import application, hub_of_engines  # noqa: E402
from web.fake_engine import FakeExaminer, fake_hub, wait_for  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
DESKTOP, PHONE = {"width": 1280, "height": 820}, {"width": 360, "height": 740}
FIRST_PAINT_MS = 500
PATIENCE_MS = 120_000


def serve(hub):
    """Serve a hub in a thread on any free port; return (the server, its address)."""
    server = uvicorn.Server(uvicorn.Config(application(hub), port=0, log_level="warning", ws_per_message_deflate=False))
    threading.Thread(target=server.run, daemon=True).start()
    wait_for(lambda: server.started, 60)
    return server, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"


@pytest.fixture(scope="module")
def fake_address():
    server, address = serve(fake_hub())
    yield address
    server.should_exit = True


@pytest.fixture(scope="module")
def engine_address():
    hub = hub_of_engines(2)
    server, address = serve(hub)
    wait_for(lambda: hub.pool.ready == {"shogi", "othello"}, 900)
    yield address
    server.should_exit = True


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def until(page, expression):
    """Wait until a JavaScript expression is true; Playwright's own way is refused by the page's policy."""
    wait_for(lambda: page.evaluate(expression), PATIENCE_MS / 1000)


def serious_faults(page):
    """Return the serious faults that axe finds in a page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    return [
        (fault["id"], [node["target"] for node in fault["nodes"]][:3])
        for fault in axe.run(page).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


class Visitor:
    """Somebody at the page. faults : what the console complained about; hosts : whom the page asked"""

    def __init__(self, browser, address, size=DESKTOP, language="en", scheme="light"):
        self.context = browser.new_context(
            viewport=size, locale={"en": "en-US", "ja": "ja-JP"}[language], color_scheme=scheme, has_touch=size is PHONE
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.faults, self.hosts = [], set()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        self.page.goto(address)
        self.page.wait_for_selector("#board svg .piece")

    def _said(self, said):
        if said.type in ("error", "warning"):
            self.faults.append(said.text)

    def tap(self, square, side=""):
        sides = f'[data-side="{side}"]' if side else ":not([data-side])"
        self.page.click(f'rect.square[data-square="{square}"]{sides}')

    def move(self, source, target):
        self.tap(source)
        self.tap(target)

    def play(self, move):
        """Make a move in USI with taps, black's if it is a drop."""
        source, target = move[:2], move[2:4]
        self.tap(source, "black" if "*" in source else "")
        self.tap(target)
        if self.page.locator("#promotion[open]").count():
            self.page.click("#promotion button" + (".main" if move.endswith("+") else ":not(.main)"))

    def status(self, words):
        """Wait until the status line matches a regular expression; return what it says."""
        until(self.page, f"/{words}/.test(document.querySelector('#status').textContent)")
        return self.page.inner_text("#status")

    def ply(self):
        return self.page.locator("#moves li").count() - 1

    def wait_ply(self, ply):
        until(self.page, f"document.querySelectorAll('#moves li').length > {ply}")

    def choose_game(self, game):
        self.page.click(f'#games [data-game="{game}"]')
        self.page.wait_for_selector(f'body[data-game="{game}"]')

    def new_game(self, side, level=0, **choices):
        self.page.click("#new")
        self.page.select_option("#new-side", side)
        self.page.locator("#new-level").fill(str(level))
        for name, value in choices.items():
            self.page.select_option(f"#new-{name}", value)
        self.page.click("#new-begin")
        self.page.wait_for_selector("#resign:not([hidden])")

    def paste(self, text):
        self.page.click("#open")
        self.page.fill("#paste", text)
        self.page.click("#read")
        self.page.wait_for_selector("#dialog:not([open])", state="attached")

    def shot(self, name):
        if folder := os.environ.get("SHOTS"):
            self.page.screenshot(path=Path(folder) / f"{name}.png")

    def axe(self):
        """Return the serious faults that axe finds."""
        return serious_faults(self.page)

    def close(self):
        assert self.faults == [] and len(self.hosts) == 1
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.context.close()


def tap_somewhere(visitor, rng):
    """Make one random move with taps."""
    page = visitor.page
    pieces = page.locator("rect.movable")
    pieces.nth(rng.randrange(pieces.count())).click()
    if page.locator("body").get_attribute("data-game") == "shogi":
        targets = page.locator("rect.target")
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


def test_a_short_visit(browser, fake_address):
    desktop = Visitor(browser, fake_address)
    desktop.move("7g", "7f")
    desktop.wait_ply(1)
    desktop.page.click("#analyse")
    desktop.page.wait_for_selector("#board .arrows path")
    desktop.page.keyboard.press("Home")
    desktop.page.wait_for_selector('#moves li:first-child [aria-current="true"]')
    assert desktop.axe() == []
    desktop.close()
    phone = Visitor(browser, fake_address, PHONE, "ja", "dark")
    phone.choose_game("othello")
    phone.new_game("0")
    phone.tap("f5")
    phone.wait_ply(2)
    assert "黒" in phone.page.inner_text("#near") and phone.page.inner_text("#new") == "対局"
    assert phone.axe() == []
    phone.close()


@pytest.mark.slow
def test_keyboard_and_drag_and_promotion(browser, fake_address):
    visitor = Visitor(browser, fake_address)
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
    page.mouse.up()
    page.click("#promotion button.main")
    visitor.wait_ply(3)
    assert page.inner_text("#moves li:last-child .text") == "Bx2b+"
    visitor.move("3a", "2b")
    visitor.wait_ply(4)
    visitor.tap("B*", "black")
    visitor.tap("5e")
    visitor.wait_ply(5)
    page.click("#flip")
    page.click("#letters")
    until(page, "document.querySelector('.piece text').textContent.match(/[A-Z]/)")
    visitor.close()


@pytest.mark.slow
def test_a_set_up_that_is_given_up_leaves_the_analysis_on(browser, fake_address):
    visitor = Visitor(browser, fake_address)
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
def test_axe_finds_no_serious_fault_anywhere(browser, fake_address, size, language, scheme):
    visitor = Visitor(browser, fake_address, size, language, scheme)
    visitor.paste("startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e")
    visitor.page.click("#judge")
    visitor.page.wait_for_selector("#moves .blunder")
    visitor.page.keyboard.press("End")
    assert visitor.axe() == []
    for button in ("#new", "#open", "#save", "#tsume"):
        visitor.page.click(button)
        assert visitor.axe() == [], button
        visitor.page.keyboard.press("Escape")
    visitor.page.click("#edit")
    visitor.page.wait_for_selector("#setup-done")
    assert visitor.axe() == []
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme", "language"), [(DESKTOP, "light", "en"), (PHONE, "dark", "ja")])
def test_the_page_that_an_analysis_writes(browser, tmp_path, size, scheme, language):
    """It steps by keys and buttons, shows the better line on the board, and asks nobody for anything."""
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
    assert page.inner_html("#board") != before and page.locator("#said .blunder").count() == 1
    assert serious_faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (faults, asked) == ([], [file.as_uri()])
    page.close()


@pytest.mark.slow
def test_first_paint_is_quick(browser, fake_address):
    paints = []
    for _ in range(3):
        visitor = Visitor(browser, fake_address)
        paints.append(visitor.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        visitor.close()
    print(f"first paint: {[round(paint) for paint in paints]} ms")
    assert min(paints) < FIRST_PAINT_MS


# ---- with the engine


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_a_whole_game(browser, engine_address, game, size, language):
    visitor = Visitor(browser, engine_address, size, language)
    visitor.choose_game(game)
    visitor.new_game("0", 6)
    assert play_to_the_end(visitor, random.Random(4)) >= 10
    assert re.search("wins|Draw|勝ち|引き分け", visitor.page.inner_text("#status"))
    visitor.shot(f"{game}-{language}")
    visitor.close()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (PHONE, "ja")])
def test_a_record_is_analysed(browser, engine_address, size, language):
    visitor = Visitor(browser, engine_address, size, language)
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
def test_a_tsume_is_solved(browser, engine_address, size, language):
    """A wrong check is called wrong; taken back, the right moves mate against the engine's defence."""
    visitor = Visitor(browser, engine_address, size, language)
    page = visitor.page
    page.click("#tsume")
    page.click('[data-problem="6"]')
    visitor.status("Mate in 5|5手詰")
    board = Board(page.input_value("#position"))
    with Engine("shogi", hash_mb=16) as engine:
        visitor.play(check_that_fails(engine, board))
        visitor.status("Wrong|不正解")
        visitor.shot(f"tsume-wrong-{language}")
        page.click("#undo")
        visitor.status("Mate in 5|5手詰")
        for left in (3, 1, 0):
            engine.set_position(page.input_value("#position"))
            visitor.play(engine.find_mate(shortest=True).moves[0])
            visitor.status(f"Right! Mate in {left}|あと{left}手詰" if left else "Solved|正解です。")
            visitor.shot(f"tsume-{left}-{language}")
    page.keyboard.press("Home")
    page.click("#problem button")  # the solution, as a line to be walked
    until(page, "/Mate in 5|5手詰/.test(document.querySelector('#found').textContent)")
    assert len(page.inner_text("#found").split(": ")[1].split()) == 5
    visitor.close()


def check_that_fails(engine, board):
    """Return a check after which there is no mate."""
    for move in map(str, board.legal_moves):
        board.push_text(move)
        found = []
        for reply in map(str, board.legal_moves if board.is_check() else ()):
            engine.set_position(board.sfen(), [reply])
            found.append(engine.find_mate(max_ms=3000).result)
        board.pop()
        if "nomate" in found:
            return move
    raise AssertionError("every check mates")


# ---- nothing is lost


class KilledServer:
    """A server in a process of its own, with a folder for games; it is killed, and started again at the same port."""

    def __init__(self, folder):
        self._environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
        self.port, self.process = 0, None
        self.start()

    def start(self):
        command = [sys.executable, "-m", "shogi_engine", "serve", "--port", str(self.port), "--engines", "1"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self._environment)
        while (found := re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline())) is None:
            assert self.process.poll() is None
        self.port = int(found[1])

    def kill(self):
        self.process.kill()
        self.process.wait()


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
