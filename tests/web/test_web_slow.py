"""What takes long: no one else waits for it, in the same session or another."""

import contextlib
import json
import sqlite3
import threading
import time

import pytest
from starlette.testclient import TestClient

from shogi_engine import study
from shogi_engine.tsume import Progress
from shogi_engine.web import exercises, file_messages, saving, session
from shogi_engine.web.access import WORKERS
from shogi_engine.web.app import application
from shogi_engine.web.links import Links
from shogi_engine.web.saving import Collections, SavedGame
from shogi_engine.web.store import DATABASE, GameStore
from tests.web.fake_engine import wait_for
from tests.web.page import Page

SLOW = [
    ("save", {"format": "ki2"}, file_messages, "file_of"),
    ("sheet", {"length": 3}, study, "sheet"),
    ("kept", {}, GameStore, "games"),
    ("kept", {}, GameStore, "find_records"),
    ("continue", {"id": "ID"}, GameStore, "read"),
    ("forget", {"id": "ID"}, GameStore, "delete"),
    ("explore", {"node": 0, "source": "mine"}, Collections, "of"),
    ("problems", {}, GameStore, "progress"),
    ("lessons", {}, GameStore, "mistakes"),
    ("lesson", {"on": True}, GameStore, "mistakes"),
    ("lesson", {"on": True}, study.Store, "due"),
    ("take", {"game": "shogi"}, GameStore, "progress"),
    ("tsume", {"on": True, "problem": 1}, GameStore, "progress"),
    ("invite", {"to": "watch"}, GameStore, "write"),
    ("invite", {"to": "own"}, Links, "make"),
    ("revoke", {"token": "TOKEN"}, Links, "revoke"),
]


class Held:
    """Calls of a function that do not return until `go`."""

    def __init__(self, monkeypatch, place, name):
        self.count, self._go, self._whole = 0, threading.Event(), getattr(place, name)
        monkeypatch.setattr(place, name, self._wait)
        self._monkeypatch, self._place, self._name = monkeypatch, place, name
        if isinstance(place, type):
            monkeypatch.setattr(place, name, lambda *each, **options: self._wait(*each, **options))

    def _wait(self, *arguments, **options):
        self.count += 1
        assert self._go.wait(60)
        return self._whole(*arguments, **options)

    def go(self):
        self._go.set()


def saved_game(hub):
    """Save a game, which no session has open; return its name."""
    page = Page.of(hub)
    page.do("move", move="7g7f").session.detach(page.viewer)
    page.session.close()
    del hub.sessions[page.session.identity]
    return page.session.autosave.id


@contextlib.contextmanager
def sockets_of(hub, count, held):
    """Give WebSockets of a server; at the end, `held` continues."""
    with TestClient(application(hub), base_url="http://127.0.0.1:8765") as client, contextlib.ExitStack() as stack:
        made = [stack.enter_context(client.websocket_connect("ws://127.0.0.1:8765/ws")) for _ in range(count)]
        try:
            yield made
        finally:
            held.go()


@pytest.mark.parametrize(
    ("name", "fields", "place", "function"), SLOW, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_session_goes_on_meanwhile(hub, monkeypatch, name, fields, place, function):
    fields = {key: saved_game(hub) if value == "ID" else value for key, value in fields.items()}
    page = Page.of(hub)
    if "token" in fields:
        fields["token"] = page.do("invite", to="own").last("links")["links"][0]["token"]
    held = Held(monkeypatch, place, function)
    thread = threading.Thread(target=page.do, args=(name,), kwargs=fields)
    thread.start()
    wait_for(lambda: held.count)
    moved = threading.Thread(target=lambda: Page(page.session).do("move", move="2g2f"))  # coming waits, too
    moved.start()
    moved.join(30)
    there = len(page.session.tree.main()) if not moved.is_alive() else 0
    held.go()
    assert there == 2
    thread.join(60)


@pytest.mark.parametrize(
    ("name", "fields", "place", "function"), [SLOW[0], SLOW[2], SLOW[6]], ids=["work", "disk", "search"]
)
def test_other_sessions_are_answered_meanwhile(hub, monkeypatch, name, fields, place, function):
    """More pages ask for it at once than there are threads that answer moves."""
    held = Held(monkeypatch, place, function)
    with sockets_of(hub, WORKERS + 3, held) as sockets:
        for socket in sockets:
            socket.send_json({"do": "hello"})
            socket.receive_json()
        for socket in sockets[:-1]:
            socket.send_text(json.dumps({"do": name, **fields}))
        wait_for(lambda: held.count)
        sockets[-1].send_json({"do": "move", "move": "7g7f", "re": 1})
        answers = [sockets[-1].receive_json()["kind"] for _ in range(2)]
        assert answers == ["delta", "done"] and held.count == 1  # of one address, one at a time


def test_pages_that_return_are_not_waited_for(hub, monkeypatch):
    """Reading their games takes long; others come in and play."""
    sessions = []
    for _ in range(WORKERS + 1):
        page = Page.of(hub, owner="")
        page.do("move", move="7g7f").session.autosave.write()
        page.session.detach(page.viewer)
        page.session.close()
        sessions.append(page.session.identity)
        del hub.sessions[page.session.identity]
    held = Held(monkeypatch, GameStore, "read")
    with sockets_of(hub, WORKERS + 2, held) as sockets:
        for socket, session in zip(sockets, sessions, strict=False):
            socket.send_json({"do": "hello", "session": session})
        wait_for(lambda: held.count)
        sockets[-1].send_json({"do": "hello"})
        assert sockets[-1].receive_json()["kind"] == "state"
        held.go()
        for socket, session in zip(sockets, sessions, strict=False):
            assert socket.receive_json()["session"] == session


def test_a_page_that_leaves_does_not_hold_its_session_while_the_game_is_written(hub, monkeypatch):
    page = Page.of(hub)
    page.do("move", move="7g7f")
    held = Held(monkeypatch, GameStore, "write_record")
    page.session.detach(page.viewer)
    closing = threading.Thread(target=hub._free, args=(page.session,))
    closing.start()
    wait_for(lambda: held.count)
    assert page.session.lock.acquire(timeout=1) and hub._lock.acquire(timeout=1)
    page.session.lock.release(), hub._lock.release()
    held.go()
    closing.join(60)
    assert not hub.sessions


def test_moves_go_on_while_the_disk_is_slow_with_the_record(hub, monkeypatch):
    """Neither the thread that saves nor the one that answers waits for the other with the session's lock held."""
    page = Page.of(hub)
    page.do("move", move="7g7f")
    held = Held(monkeypatch, GameStore, "write_record")
    saving = [threading.Thread(target=page.session.autosave.write, args=(True,)) for _ in range(2)]
    for thread in saving:
        thread.start()
    wait_for(lambda: held.count)
    moved = threading.Thread(target=page.do, args=("move",), kwargs={"move": "3c3d"})
    moved.start()
    moved.join(30)
    there = 0 if moved.is_alive() else len(page.session.tree.main())
    held.go()
    for thread in saving:
        thread.join(60)
    assert there == 3 and held.count >= 1
    page.session.autosave.write(whole=True)
    assert len(SavedGame.parse(hub.store.content(page.session.autosave.id)).game["nodes"]) == 3


def test_moves_go_on_while_the_disk_hangs_in_a_quick_write(hub, monkeypatch):
    """The write began with the session's lock, as the page is told of a move when it is on disk."""
    monkeypatch.setattr(saving, "PATIENCE_SECONDS", 0.05)
    page, answered = Page.of(hub), []
    page.do("move", move="7g7f").session.autosave._took = 0.0  # even on a busy machine
    held = Held(monkeypatch, GameStore, "write")
    for move in ("3c3d", "2g2f"):
        moved = threading.Thread(target=page.do, args=("move",), kwargs={"move": move})
        moved.start()
        moved.join(30)
        answered.append(not moved.is_alive())
    there = len(SavedGame.parse(hub.store.content(page.session.autosave.id)).game["nodes"])
    held.go()
    assert answered == [True, True] and held.count == 1 and there == 2 and page.session.autosave.unsaved
    assert page.session.autosave.write()
    assert len(SavedGame.parse(hub.store.content(page.session.autosave.id)).game["nodes"]) == 4


def test_done_is_said_when_the_change_is_on_disk(hub, monkeypatch):
    """A disk that takes 200 ms for each write: a server that is killed after `done` has lost nothing."""
    write, moves = GameStore.write, ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"]

    def slow(*arguments):
        time.sleep(0.2)
        return write(*arguments)

    def on_disk():
        """Count the moves that the next server would find."""
        with contextlib.closing(sqlite3.connect(hub.store.folder / DATABASE)) as database:
            return database.execute("SELECT max(moves) FROM games").fetchone()[0]

    monkeypatch.setattr(GameStore, "write", slow)
    with (
        TestClient(application(hub), base_url="http://127.0.0.1:8765") as client,
        client.websocket_connect("ws://127.0.0.1:8765/ws") as socket,
    ):
        socket.send_json({"do": "hello", "owner": "me"})
        socket.receive_json()
        for count, move in enumerate(moves, 1):
            socket.send_json({"do": "move", "move": move, "re": count})
            while (answer := socket.receive_json())["kind"] != "done":
                assert answer["kind"] in ("delta", "state")
            assert answer["re"] == count and on_disk() == count
        socket.send_json({"do": "move", "move": "8d8e"})
        socket.send_json({"do": "game", "game": "shogi", "re": 9})
        while socket.receive_json()["kind"] != "done":
            continue
        assert on_disk() == 6  # of a game that was left, too


def test_a_disk_that_hangs_is_shown_and_holds_no_answer(hub, monkeypatch):
    monkeypatch.setattr(saving, "PATIENCE_SECONDS", 0.05)
    page, said = Page.of(hub), []
    page.do("move", move="7g7f").session.autosave._took = 0.0  # even on a busy machine
    held = Held(monkeypatch, GameStore, "write")
    page.do("move", move="3c3d").session.autosave.when_written(lambda: said.append(page.state["unsaved"]))
    hub.tick()
    assert held.count == 1 and not said and not page.state["unsaved"]
    page.session.autosave._began -= saving.HANGS_SECONDS
    hub.tick()
    assert said == ["this game cannot be saved: the disk does not answer"] == [page.state["unsaved"]]
    held.go()
    wait_for(lambda: not page.session.autosave._writing.locked())
    page.session.autosave.write()
    assert not page.session.autosave.unsaved and not page.state["unsaved"]


def test_a_write_that_fails_late_is_shown(hub, monkeypatch):
    monkeypatch.setattr(saving, "PATIENCE_SECONDS", 0.05)
    page = Page.of(hub)
    page.do("move", move="7g7f").session.autosave._took = 0.0

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(GameStore, "write", full)
    held = Held(monkeypatch, GameStore, "write")
    page.do("move", move="3c3d")
    assert not page.session.autosave.fault
    held.go()
    wait_for(lambda: page.session.autosave.fault)
    assert "No space left" in str(page.session.autosave.fault) and page.session.autosave.unsaved


def test_a_move_is_on_the_disk_when_it_is_told_though_the_record_is_being_written(hub, monkeypatch):
    page = Page.of(hub)
    page.do("move", move="7g7f").session.autosave._took = 0.0
    held = Held(monkeypatch, GameStore, "write_record")
    writing = threading.Thread(target=page.session.autosave.write, args=(True,))
    writing.start()
    wait_for(lambda: held.count)
    page.session.autosave._began += 60
    moved = threading.Thread(target=page.do, args=("move",), kwargs={"move": "3c3d"})
    moved.start()
    moved.join(0.3)
    held.go()
    moved.join(60)
    assert not page.session.autosave.unsaved
    writing.join(60)


@pytest.mark.parametrize("function", ["write", "write_record"])
def test_another_game_does_not_wait_for_the_disk(hub, monkeypatch, function):
    """It was to be written before another began; even its name may not be known yet. None is lost, or kept twice."""
    monkeypatch.setattr(saving, "PATIENCE_SECONDS", 0.05)
    page, answered = Page.of(hub), []
    held = Held(monkeypatch, GameStore, function)
    for move in ("7g7f", "2g2f", "5g5f"):
        page.session.autosave._took = 0.0  # even on a busy machine
        for name, fields in (("move", {"move": move}), ("game", {"game": "shogi"})):
            asked = threading.Thread(target=page.do, args=(name,), kwargs=fields)
            asked.start()
            asked.join(30)
            answered.append(not asked.is_alive())
    held.go()
    assert all(answered)
    wait_for(lambda: not page.session.autosave._writing.locked() and page.session.autosave.write(whole=True))
    names = [game["id"] for game in page.games()]
    assert [len(SavedGame.parse(hub.store.content(name)).game["nodes"]) for name in names] == [2, 2, 2]
    assert all(hub.store.holders.of(name) is None for name in names)
    assert len(list(hub.store.folder.glob("*.kifu"))) == 3


@pytest.mark.parametrize(("place", "function"), [(GameStore, "write"), (Links, "move")])
def test_guests_who_come_along_to_another_game_do_not_hold_it(hub, monkeypatch, place, function):
    page = Page.of(hub).do("new", game="shogi", players=[None, None]).do("move", move="7g7f")
    page.do("invite", to="watch").do("resign")
    for module in (saving, session):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.05)
    held = Held(monkeypatch, place, function)
    asked = threading.Thread(target=page.do, args=("rematch",))
    asked.start()
    asked.join(30)
    over = not asked.is_alive() and page.state["playing"]["on"] and page.state["ply"] == 0
    held.go()
    assert over and held.count


def test_a_busy_session_keeps_neither_clocks_nor_other_sessions_waiting(hub):
    """Its pages wait for it, in one thread of those that answer moves."""

    class Busy:
        def go(self):
            session.lock.release()

    with sockets_of(hub, WORKERS + 3, Busy()) as sockets:
        sockets[0].send_json({"do": "hello"})
        identity = sockets[0].receive_json()["session"]
        for socket in sockets[1:-1]:
            socket.send_json({"do": "hello", "session": identity})
        sockets[-1].send_json({"do": "hello"})
        for socket in sockets[1:]:
            socket.receive_json()
        session = hub.sessions[identity]
        sockets[0].send_json({"do": "new", "game": "shogi", "players": [None, None], "clock": "1m", "re": 1})
        while sockets[0].receive_json()["kind"] != "done":
            continue
        session.lock.acquire()
        for socket in sockets[:-1]:
            socket.send_json({"do": "move", "move": "2g2f"})
        checked = threading.Thread(target=hub.tick)
        checked.start()
        checked.join(30)
        sockets[-1].send_json({"do": "move", "move": "7g7f", "re": 1})
        assert [sockets[-1].receive_json()["kind"] for _ in range(2)] == ["delta", "done"] and not checked.is_alive()


def test_a_lesson_goes_on_while_the_disk_hangs_and_says_what_was_not_written(hub, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shogi_engine.tsume.write_whole", full)
    page = Page.of(hub)
    page.do("take", game="othello").do("move", move="c4")
    assert page.state["tsume"]["status"] == "done"
    assert wait_for(lambda: page.last("error"))["text"] == "No space left on device"
    assert page.do("course", game="othello").last("course")["rows"][0][2] == 0
    page.sent.clear()
    monkeypatch.setattr(exercises, "PATIENCE_SECONDS", 0.05)
    held = Held(monkeypatch, Progress, "_note")
    asked = threading.Thread(target=page.do("take", game="othello").do, args=("move",), kwargs={"move": "c4"})
    asked.start()
    asked.join(30)
    assert not asked.is_alive() and held.count == 1 and page.last("error") is None
    held.go()
    assert wait_for(lambda: page.last("error"))["text"] == "No space left on device"


def test_an_engine_does_not_wait_for_the_disk_with_problems_that_were_made(hub, monkeypatch):
    monkeypatch.setattr(exercises, "PATIENCE_SECONDS", 0.05)
    page, held = Page.of(hub), Held(monkeypatch, study.Store, "add")
    made = ([], hub.store.mistakes("me", "shogi"), page.viewer)
    engine = threading.Thread(target=page.session.learning._made, args=made)
    engine.start()
    engine.join(30)
    assert not engine.is_alive() and held.count == 1 and page.last("lessons") is None
    held.go()
    assert wait_for(lambda: page.last("lessons"))["new"] == 0
