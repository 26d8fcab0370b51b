"""Somebody at the page in headless Chromium, and servers to visit."""

import os
import re
import shutil
import sys
import threading
from pathlib import Path

import pytest
import uvicorn

from shogi_engine.web.access import Guard, reachable_host
from shogi_engine.web.app import application
from tests.support import forks
from tests.web.fake_engine import wait_for

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DESKTOP, PHONE = {"width": 1280, "height": 820}, {"width": 360, "height": 740}
PATIENCE_MS = 120_000


def serve(hub, host="127.0.0.1", token=""):
    """Serve a hub in a thread on any free port; return (the server, its address)."""
    app = application(hub, Guard(host, token))
    config = uvicorn.Config(app, host=host, port=0, log_level="warning", ws_per_message_deflate=False)
    server = uvicorn.Server(config)
    threading.Thread(target=server.run, daemon=True).start()
    wait_for(lambda: server.started, 60)
    return server, f"http://{reachable_host(host)}:{server.servers[0].sockets[0].getsockname()[1]}/"


def until(page, expression):
    """Wait until a JavaScript expression is true; Playwright's own way is refused by the page's policy."""
    wait_for(lambda: page.evaluate(expression), PATIENCE_MS / 1000)


def axe_faults(page):
    """Return the faults that axe finds in a page, of any weight."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    return [
        (fault["id"], [node["target"] for node in fault["nodes"]][:3]) for fault in axe.run(page).response["violations"]
    ]


class Visitor:
    """Somebody at the page. faults : what the console complained about; hosts : whom the page asked"""

    def __init__(self, browser, address, size=DESKTOP, language="en", scheme="light", place="#board"):
        self.context = browser.new_context(
            viewport=size, locale={"en": "en-US", "ja": "ja-JP"}[language], color_scheme=scheme, has_touch=size is PHONE
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.faults, self.hosts = [], set()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        self.page.goto(address + place)  # without a place, a new tab begins with the choices
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
        return self.page.locator("#moves li:not(.result)").count() - 1

    def wait_ply(self, ply):
        until(self.page, f"document.querySelectorAll('#moves li:not(.result)').length > {ply}")

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
        """Return the faults that axe finds."""
        return axe_faults(self.page)

    def close(self):
        assert self.faults == []
        assert len(self.hosts) == 1
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.context.close()


class KilledServer:
    """A server in a process of its own, with a folder for games; it is killed, and started again at the same port."""

    def __init__(self, folder):
        self._environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
        self.port, self.process = 0, None
        self.start()

    def start(self):
        command = [sys.executable, "-m", "shogi_engine", "serve", "--port", str(self.port), "--engines", "1"]
        self.process = forks.start(command, self._environment, stdout=forks.PIPE, text=True)
        while (found := re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline())) is None:
            assert self.process.poll() is None
        self.port = int(found[1])

    def kill(self):
        self.process.kill()
        self.process.wait()
