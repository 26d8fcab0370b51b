"""What surrounds the server: proxies, disks that are full, locked, slow or full of oddities, and signals."""

import os
import re
import signal
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from shogi_engine import records
from shogi_engine.common.files import remove_leftovers
from shogi_engine.records import files
from shogi_engine.web import app as web_app
from shogi_engine.web.access import COOKIE, LINK_COOKIE, Guard, RateLimits
from shogi_engine.web.app import application
from shogi_engine.web.links import Links
from shogi_engine.web.store import GameStore
from tests.support import forks
from tests.support.processes import ROOT
from tests.web.fake_engine import wait_for
from tests.web.page import Page

VISITOR = "198.51.100.7"


# ---- behind a proxy


def nginx(**visitor):
    """Return the headers that the documented block of nginx sends for those of a visitor."""
    page = (ROOT / "docs" / "behind-a-proxy.md").read_text("utf-8")
    given = re.findall(r"proxy_set_header (\S+) \"?([^\";]+)\"?;", page)
    values = {"$host": "board.example", "$remote_addr": VISITOR, "$scheme": "https", "$http_upgrade": ""}
    return visitor | {name: values.get(value, value) for name, value in given}


class Behind:
    """A server behind that proxy. addresses : of those who came in"""

    def __init__(self, hub, monkeypatch, guard):
        self.addresses, allowed = [], RateLimits()
        entered = allowed.enter
        monkeypatch.setattr(allowed, "enter", lambda address: self.addresses.append(address) or entered(address))
        served = ProxyHeadersMiddleware(application(hub, guard, allowed), trusted_hosts="127.0.0.1")
        self.client = TestClient(served, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 50000))


def test_the_documented_proxy_tells_who_the_visitor_is(hub, monkeypatch):
    behind = Behind(hub, monkeypatch, Guard("127.0.0.1", "secret"))
    with behind.client as client:
        headers = nginx(**{"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http"})  # what a visitor may pretend
        answer = client.get("/?token=secret", headers=headers, follow_redirects=False)
        assert answer.status_code == 303
        own = {**headers, "cookie": f"{COOKIE}=secret", "origin": "https://board.example"}
        own = {name: value for name, value in own.items() if name.lower() not in ("upgrade", "connection")}
        with client.websocket_connect("/ws", headers=own) as socket:
            socket.send_json({"do": "hello", "session": ""})
            assert socket.receive_json()["kind"] == "state"
    assert behind.addresses == [VISITOR]


@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
def test_a_cookie_works_from_a_mail_and_is_secure_where_the_page_is(hub, monkeypatch, scheme, secure):
    page = Page.of(hub)
    page.do("move", move="7g7f").do("invite", to="watch")
    token = page.last("links")["links"][0]["token"]
    behind = Behind(hub, monkeypatch, Guard("127.0.0.1", "secret"))
    with behind.client as client:
        for path, name in (("/?token=secret", COOKIE), (f"/join/{token}", LINK_COOKIE)):
            headers = nginx() | {"X-Forwarded-Proto": scheme}
            cookie = client.get(path, headers=headers, follow_redirects=False).headers["set-cookie"].lower()
            assert cookie.startswith(name) and "samesite=lax" in cookie and "httponly" in cookie
            assert ("; secure" in cookie) == secure


# ---- the folder of games


def oddities(folder):
    """Put into a folder what no game is, under names of games."""
    os.mkfifo(folder / "shogi-20260101-000001.kifu")
    (folder / "shogi-20260101-000002.kifu").symlink_to(folder / "nothing")
    (folder / "shogi-20260101-000003.kifu").mkdir()
    (folder / "shogi-20260101-000004.kifu").write_text("")
    (folder / "othello-20260101-000005.ggf").symlink_to("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_in_the_folder_of_games_is_passed_over(hub, tmp_path, monkeypatch):
    folder = hub.store.folder
    record = records.GameRecord.from_moves("shogi", ["7g7f"])
    records.save(record, folder / "shogi-20260101-000006.kifu")
    oddities(folder)
    page = Page.of(hub)
    listing = threading.Thread(target=page.do, args=("kept",), daemon=True)
    listing.start()
    listing.join(30)
    assert not listing.is_alive()
    there = {game["id"]: game["moves"] for game in page.last("kept")["games"]}
    assert there == {"shogi-20260101-000004": 0, "shogi-20260101-000006": 1}
    (folder / "shogi-20260101-000006.kifu").unlink()
    os.mkfifo(folder / "shogi-20260101-000006.kifu")
    with pytest.raises(ValueError, match="no longer exists"):
        page.do("continue", id="shogi-20260101-000006")
    monkeypatch.setattr(files, "data_folder", lambda: tmp_path)
    assert [path.name for path in files.kept_games("shogi")] == ["shogi-20260101-000004.kifu"]
    assert files.kept_games("othello") == []


def test_a_file_that_is_deleted_while_the_folder_is_listed_is_passed_over(hub, monkeypatch):
    folder = hub.store.folder
    for number in (1, 2):
        records.save(records.GameRecord.from_moves("shogi", ["7g7f"]), folder / f"shogi-20260101-00000{number}.kifu")
    listed = Path.iterdir

    def iterdir(path):
        for each in listed(path):
            if each.name == "shogi-20260101-000001.kifu":
                each.unlink()
            yield each

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert [game["id"] for game in Page.of(hub).games()] == ["shogi-20260101-000002"]


def test_what_killed_writers_left_is_removed_at_the_next_start(tmp_path):
    (folder := tmp_path / "games").mkdir()
    old, new = folder / ".shogi-1.kifu.0123abcd.tmp", folder / ".shogi-2.kifu.0123abcd.tmp"
    mine = [folder / ".mine.tmp", folder / "mine.0123abcd.tmp", folder / ".mine.0123abcd.tmp.kif"]
    for path in (old, new, *mine):
        path.write_text("x")
        if path != new:
            os.utime(path, (0, time.time() - 7200))
    GameStore(folder).close()
    assert not old.exists() and new.exists() and all(path.exists() for path in mine)
    remove_leftovers(folder, 0)
    assert not new.exists()


# ---- a disk that is full, locked, or does not answer


def fail(*_, **options):
    raise OSError(28, "No space left on device", "/home/somebody/games/games.db")


@pytest.mark.parametrize(
    ("place", "name", "message"),
    [
        (Links, "make", {"do": "invite", "to": "watch"}), (GameStore, "delete", {"do": "forget", "id": "ID"}),
        (GameStore, "games", {"do": "kept"}), (GameStore, "read", {"do": "continue", "id": "ID"}),
        (GameStore, "restore", {"do": "recall", "id": "ID"}), (GameStore, "progress", {"do": "problems"}),
        (Links, "revoke", {"do": "revoke", "token": "x"}),
        (GameStore, "games", {"do": "explore", "node": 0, "source": "mine"}),
    ],
)  # fmt: skip
def test_the_reason_why_the_disk_refuses_is_told(hub, monkeypatch, place, name, message):
    page = Page.of(hub)
    page.do("move", move="7g7f")
    page.session.detach(page.viewer)
    page.session.close()
    del hub.sessions[page.session.identity]
    monkeypatch.setattr(place, name, fail)
    message = {key: page.session.autosave.id if value == "ID" else value for key, value in message.items()}
    client = TestClient(application(hub), base_url="http://127.0.0.1:8765")
    with client, client.websocket_connect("ws://127.0.0.1:8765/ws") as socket:
        socket.send_json({"do": "hello", "owner": "me"})
        socket.receive_json()
        socket.send_json({**message, "re": 7})
        answers = [socket.receive_json()]
        while answers[-1]["kind"] != "error":
            answers.append(socket.receive_json())
        assert answers[-1] == {"kind": "error", "text": "No space left on device", "re": 7}


def test_a_page_that_cannot_come_in_learns_why(hub, monkeypatch):
    monkeypatch.setattr(GameStore, "of_session", fail)
    client = TestClient(application(hub), base_url="http://127.0.0.1:8765")
    with client, client.websocket_connect("ws://127.0.0.1:8765/ws") as socket:
        socket.send_json({"do": "hello", "session": "gone"})
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
    assert (closed.value.code, closed.value.reason) == (1013, "No space left on device")


def test_health_does_not_wait_for_a_disk_that_does_not_answer(hub, monkeypatch):
    go, asked = threading.Event(), []
    monkeypatch.setattr(web_app, "HEALTH_SECONDS", 0.05)
    monkeypatch.setattr(hub.store, "is_open", lambda: asked.append(1) or go.wait(60))
    with TestClient(application(hub), base_url="http://127.0.0.1:8765") as client:
        for _ in range(3):
            answer = client.get("/healthz")
            assert (answer.status_code, answer.text) == (503, "the disk does not answer\n")
        assert asked == [1]  # one thread waits, however often it is asked
        go.set()
        wait_for(lambda: client.get("/healthz").status_code == 200)


HUNG = """
import logging.handlers, signal, sys, threading
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a process started by nohup ignores it
from shogi_engine.__main__ import main
from shogi_engine.cli import serve
from shogi_engine.web import app
from shogi_engine.web.store import GameStore
serve.END_SECONDS, app.HEALTH_SECONDS = 1, 60  # for a busy machine
GameStore.close = logging.handlers.RotatingFileHandler.emit = lambda *_: threading.Event().wait()
sys.exit(main(["serve", "--port", "0", "--engines", "1", *sys.argv[1:]]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("number", "log"), [(signal.SIGTERM, []), (signal.SIGHUP, ["--log", "LOG"])] if os.name != "nt" else []
)
def test_a_signal_ends_the_server_though_the_disk_does_not_answer(tmp_path, number, log):
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    log = [word.replace("LOG", str(tmp_path / "log")) for word in log]
    with (tmp_path / "said").open("w") as said:
        process = forks.start([sys.executable, "-c", HUNG, *log], env, stdout=forks.PIPE, stderr=said, text=True)
    try:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        urllib.request.urlopen(f"{address}healthz", timeout=120).close()  # it serves
        process.send_signal(number)
        assert process.wait(120) == 1
    finally:
        process.kill()
        process.stdout.close()
    assert log or (tmp_path / "said").read_text().startswith("the server did not end in time")
