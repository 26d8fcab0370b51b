"""Limits: connections, time, messages, pages, files, and whose turn it is at the engines."""

import asyncio
import base64
import json
import logging
import operator
import random
import socket
import threading
import time

import anyio
import pytest
import uvicorn
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.sync.client import connect

from shogi_engine.cli import serve
from shogi_engine.web import access, conversation, file_messages, hub, replies
from shogi_engine.web.access import Bucket, Guard, RateLimits, Slow, limited
from shogi_engine.web.app import application
from shogi_engine.web.file_messages import FileReader
from shogi_engine.web.messages import Message
from shogi_engine.web.pool import EnginePool, PoolClient, PoolSearch, Priority
from tests.web.fake_engine import FakeEngine, fake_hub, wait_for
from tests.web.page import Page

LOCAL, SOCKET = "http://127.0.0.1:8765", "ws://127.0.0.1:8765/ws"


# ---- connections


@pytest.fixture
def served():
    """Return a function that serves with limits, and returns the port."""
    servers = []

    def start(limits):
        made = fake_hub()
        config = uvicorn.Config(
            application(made, None, limits),
            port=0,
            log_level="error",
            http=limited(limits),
            ws_per_message_deflate=False,
        )
        server = uvicorn.Server(config)
        threading.Thread(target=server.run, daemon=True).start()
        wait_for(lambda: server.started, 60)
        servers.append((server, made))
        return server.servers[0].sockets[0].getsockname()[1]

    yield start
    for server, made in servers:
        server.should_exit = True
        made.close()


def is_closed(connection):
    """Tell whether the server closes a connection, within ten seconds."""
    connection.settimeout(10)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_a_request_without_an_end_is_closed(served, sent):
    limits = RateLimits(head_seconds=0.2)
    port = served(limits)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(sent)
        assert is_closed(connection)
    wait_for(lambda: limits._open.total() == 0 and not limits.headless)


def test_a_second_request_without_an_end_is_closed_too(served):
    limits = RateLimits(head_seconds=0.2)
    with socket.create_connection(("127.0.0.1", served(limits))) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        connection.settimeout(10)
        answer = b""
        while not answer.endswith(b"ok\n"):
            answer += connection.recv(1000)
        connection.sendall(b"GET / HTT")
        assert is_closed(connection)


def test_who_sends_no_request_makes_way_for_who_does(served):
    limits = RateLimits(connections=5)
    port = served(limits)
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        connection.settimeout(10)
        assert b"200 OK" in connection.recv(1000)
    assert is_closed(idle[0])
    for each in idle:
        each.close()
    wait_for(lambda: limits._open.total() == 0 and not limits.headless)


def test_an_address_has_only_its_share():
    limits = RateLimits(connections=5, per_address=2)
    assert [limits.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert [limits.enter("127.0.0.1") for _ in range(4)] == [True, True, True, False]  # a proxy's; then all are taken
    limits.leave("192.0.2.1")
    assert limits.enter("192.0.2.2")


@pytest.fixture
def client():
    made = fake_hub()
    with TestClient(
        application(made, None, RateLimits(per_address=2)), base_url=LOCAL, client=("192.0.2.1", 1)
    ) as client:
        yield client
    made.close()


def test_sockets_of_an_address_are_limited(client):
    with client.websocket_connect(SOCKET), client.websocket_connect(SOCKET):
        with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect(SOCKET):
            pass
        assert closed.value.code == 1013
    with client.websocket_connect(SOCKET):
        pass


def test_garbage_does_not_keep_a_connection_open_without_hello(client, monkeypatch):
    monkeypatch.setattr(conversation, "HELLO_SECONDS", 0.5)
    with client.websocket_connect(SOCKET) as connection, pytest.raises(WebSocketDisconnect):
        while True:
            connection.send_text("garbage")
            connection.receive_json()


def test_who_sends_only_garbage_is_disconnected(client, monkeypatch):
    monkeypatch.setattr(conversation, "REFUSED_MAX", 5)
    with client.websocket_connect(SOCKET) as connection:
        connection.send_json({"do": "hello"})
        for _ in range(5):
            connection.send_text("garbage")
        with pytest.raises(WebSocketDisconnect):
            while True:
                connection.receive_json()


@pytest.fixture
def unread(served, monkeypatch):
    """Return a connection that asks for files and reads nothing, how many were made for it, and the limits."""
    made, limits = [], RateLimits()

    def give(message, session, page):
        made.append(message.re)
        page.send(replies.File(name="a", data="A" * (1 << 20), lost=[]))

    monkeypatch.setattr(Message, "obey", give)
    with connect(f"ws://127.0.0.1:{served(limits)}/ws", max_size=None, max_queue=1) as connection:
        connection.send('{"do": "hello"}')
        for number in range(60):
            connection.send(json.dumps({"do": "save", "format": "kif", "re": number}))
        yield connection, made, limits


def test_who_reads_no_replies_is_not_heard(unread):
    connection, made, _ = unread
    wait_for(lambda: made, 60)
    counts = [0, len(made)]
    while counts[-1] != counts[-2]:
        time.sleep(1)
        counts.append(len(made))
    assert counts[-1] < 20  # the other messages wait in the sockets
    answered = []
    while len(answered) < 60:
        if (message := json.loads(connection.recv(60)))["kind"] == "done":
            answered.append(message["re"])
    assert answered == made == list(range(60))


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux ends such connections")
def test_a_connection_that_reads_nothing_is_ended(monkeypatch, request):
    monkeypatch.setattr(access, "UNREAD_MS", 500)
    _, _, limits = request.getfixturevalue("unread")
    wait_for(lambda: limits._open.total() == 0, 60)


def test_a_session_has_a_limited_number_of_pages(monkeypatch):
    monkeypatch.setattr(hub, "VIEWERS_MAX", 2)
    made = fake_hub()
    session, _ = made.attach("", "me", print)
    made.attach(session.identity, "me", print)
    with pytest.raises(hub.Full, match="too many pages"):
        made.attach(session.identity, "me", print)
    made.close()


def test_a_bucket_is_emptied_at_once_and_filled_slowly():
    bucket = Bucket(rate=10, burst=3)
    now = bucket._last
    assert [bucket.take(now) for _ in range(3)] == [0, 0, 0]
    assert bucket.take(now) == pytest.approx(0.1) and bucket.take(now) == pytest.approx(0.2)
    assert bucket.take(now + 10) == 0


# ---- files


@pytest.fixture(scope="module")
def process():
    made = FileReader()
    yield made
    made.close()


def test_files_are_read_in_another_process(process):
    chosen, titles = process.read(b"startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n", "", 1)
    assert chosen.moves == ["2g2f", "8c8d"] and len(titles) == 2
    with pytest.raises(ValueError, match="no such game"):
        process.read(b"startpos moves 7g7f", "", 3)
    record, _ = process.read("手合割：平手\n   1 ７六歩(77)\n   2 ７五歩(77)\n".encode(), "a.kif", 0)
    assert record.moves == ["7g7f"] and "7" in str(record.fault)


def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_read(process, monkeypatch):
    process.start()
    monkeypatch.setattr(process, "_seconds", 0.0)
    with pytest.raises(ValueError, match="too long"):
        process.read(b"startpos moves 7g7f\n" * 100_000, "", 99_999)  # takes a second and more
    monkeypatch.undo()
    assert process.read(b"startpos moves 7g7f", "", 0)[0].moves == ["7g7f"]


def test_a_reader_that_dies_is_replaced(process):
    process.start()
    process._process.kill()
    process._process.join()
    assert process.read(b"startpos moves 7g7f", "", 0)[0].moves == ["7g7f"]


def test_a_reader_is_ended_after_as_many_files_as_it_may_read(process):
    process.start()
    process._files = file_messages.FILES_MAX - 2
    for ended in (False, True):
        assert process.read(b"startpos moves 7g7f", "", 0)[0].moves == ["7g7f"]
        assert (process._process is None) == ended


@pytest.mark.parametrize("what", ["process", "pipe"])
def test_a_reader_that_cannot_start_is_started_for_the_next_file(monkeypatch, what):
    process = FileReader()

    def fail(*_):
        raise OSError("no process, or too many open files")

    context = file_messages.multiprocessing.get_context("spawn")
    monkeypatch.setattr(*((context.Process, "start") if what == "process" else (context, "Pipe")), fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="could not be read"):
            process.read(b"startpos moves 7g7f", "", 0)
    monkeypatch.undo()
    assert process.read(b"startpos moves 7g7f", "", 0)[0].moves == ["7g7f"]
    process.close()


def test_a_reader_is_closed_at_once_even_while_it_starts(monkeypatch):
    """On a busy machine it starts for a long time; a server that is asked to end does not wait for that."""
    process = FileReader()
    monkeypatch.setattr(file_messages, "serve", operator.methodcaller("recv"))  # which never says that it is ready
    starting = threading.Thread(target=process.start, daemon=True)
    starting.start()
    wait_for(lambda: process._process is not None, 60)
    closing = threading.Thread(target=process.close, daemon=True)
    closing.start()
    for thread in (closing, starting):
        thread.join(60)
        assert not thread.is_alive()
    with pytest.raises(ValueError, match="could not be read"):
        process.read(b"startpos moves 7g7f", "", 0)


def test_a_fault_of_the_reader_is_no_fault_of_the_session(monkeypatch):
    sent = []

    class Pipe:
        asked = [(b"", "", 0)]

        def recv(self):
            if not self.asked:
                raise EOFError
            return self.asked.pop()

        send = staticmethod(sent.append)

    def fail(*_):
        if sent:
            raise KeyError("x")

    monkeypatch.setattr(file_messages, "chosen_game", fail)
    monkeypatch.setattr(file_messages.os, "nice", lambda steps: 0)
    monkeypatch.setattr(file_messages.signal, "signal", lambda *_: None)
    file_messages.serve(Pipe())
    assert isinstance(sent[1], RuntimeError)


def test_others_are_served_while_a_file_is_read():
    made = fake_hub()
    page = Page.of(made)
    reading, finish = threading.Event(), threading.Event()
    read = page.session.read

    def slow(*given):
        reading.set()
        finish.wait(10)
        return read(*given)

    page.session.read = slow
    data = base64.b64encode(b"startpos moves 7g7f 3c3d").decode()
    thread = threading.Thread(target=page.do, args=("open",), kwargs={"name": "a.txt", "data": data})
    thread.start()
    assert reading.wait(10)
    Page(page.session).do("move", move="2g2f")  # the lock is free
    finish.set()
    thread.join()
    assert page.session.tree.record.moves == ["7g7f", "3c3d"]
    made.close()


def test_the_files_of_an_address_are_read_one_after_another():
    async def order():
        limits, running = RateLimits(), []

        def work(address):
            running.append(address)
            assert running.count(address) == 1
            time.sleep(0.01)
            running.remove(address)

        async def one(address):
            await limits.do_slowly(Slow.DISK, address, work, address)

        async with anyio.create_task_group() as group:
            for address in ("a", "a", "b", "a"):
                group.start_soon(one, address)
        return len(limits._locks)

    assert asyncio.run(order()) == 0  # none is left behind


# ---- engines


class Queue:
    """A pool with one engine, and what ran."""

    def __init__(self):
        self.pool, self.ran = EnginePool(1, FakeEngine), []
        self._go = threading.Event()

    def submit(self, name, client, priority, ends=True):
        def work(engine, search):
            self.ran.append(name)
            while not ends and not search.stopped:
                time.sleep(0.01)

        return self.pool.submit(PoolSearch("shogi", work, lambda *_: None, client, priority))

    def hold(self):
        """Let the engine wait until `release`."""

        def work(engine, search):
            self._go.wait(10)

        self.pool.submit(PoolSearch("shogi", work, lambda *_: None, PoolClient(), Priority.GAME))
        wait_for(lambda: self.pool.load == (1, 0))

    def release(self, count):
        self._go.set()
        wait_for(lambda: len(self.ran) == count)
        return self.ran


@pytest.fixture
def queue():
    made = Queue()
    yield made
    made.pool.close()


def test_games_come_before_problems_and_these_before_analyses(queue):
    queue.hold()
    clients = [PoolClient() for _ in range(3)]
    queue.submit("analysis", clients[0], Priority.ANALYSIS)
    queue.submit("mate", clients[1], Priority.SEARCH)
    queue.submit("move", clients[2], Priority.GAME)
    assert queue.release(3) == ["move", "mate", "analysis"]


def test_sessions_take_turns(queue):
    queue.hold()
    greedy, modest = PoolClient(), PoolClient()
    for number in range(3):
        queue.submit(f"greedy {number}", greedy, Priority.SEARCH)
    queue.submit("modest", modest, Priority.SEARCH)
    assert queue.release(4) == ["greedy 0", "modest", "greedy 1", "greedy 2"]


def test_a_mate_search_gives_way_to_a_move_and_begins_again(queue):
    queue.submit("mate", PoolClient(), Priority.SEARCH, ends=False)
    wait_for(lambda: queue.ran == ["mate"])
    queue.submit("move", PoolClient(), Priority.GAME)
    wait_for(lambda: queue.ran == ["mate", "move", "mate"])


def test_a_mate_search_is_not_interrupted_by_another(queue):
    queue.submit("mate", PoolClient(), Priority.SEARCH, ends=False)
    wait_for(lambda: queue.ran == ["mate"])
    queue.submit("another", PoolClient(), Priority.SEARCH)
    queue.submit("analysis", PoolClient(), Priority.ANALYSIS)
    queue.pool.tick(time.monotonic() + 100)
    assert queue.ran == ["mate"] and queue.pool.load == (1, 2)


def test_a_move_is_never_interrupted(queue):
    queue.submit("move", PoolClient(), Priority.GAME, ends=False)
    wait_for(lambda: queue.ran == ["move"])
    queue.submit("another", PoolClient(), Priority.GAME)
    queue.pool.tick(time.monotonic() + 100)
    assert queue.ran == ["move"]


def test_searches_cancelled_at_any_time_leave_nothing_behind():
    pool, rng, told = EnginePool(2, FakeEngine), random.Random(1), []

    def work(engine, search):
        end = time.monotonic() + rng.random() / 100
        while not search.stopped and time.monotonic() < end:
            time.sleep(0.001)

    searches = []
    for _ in range(80):
        search = PoolSearch("shogi", work, told.append, PoolClient(), rng.choice(list(Priority)))
        searches.append(pool.submit(search))
        pool.tick(time.monotonic() + rng.choice([0, 100]))
        if rng.random() < 0.3:
            pool.cancel(rng.choice(searches))
    wait_for(lambda: pool.load == (0, 0))
    pool.close()
    for thread in pool.threads:
        thread.join(10)
    assert len(told) == len(set(told)) and all(search.cancelled or search in told for search in searches)


# ---- running a server


def test_health(client):
    assert (client.get("/healthz").status_code, client.get("/healthz").text) == (200, "ok\n")
    assert client.get("/healthz", headers={"host": "probe.example"}).status_code == 200


def test_health_needs_no_token_and_says_what_is_wrong(tmp_path):
    made = fake_hub(tmp_path)
    with TestClient(application(made, Guard("0.0.0.0", "secret")), base_url=LOCAL) as client:
        assert client.get("/healthz").status_code == 200 and client.get("/").status_code == 401
        made.store.close()
        assert client.get("/healthz").status_code == 503


def test_the_token_can_come_from_a_file(tmp_path):
    file = tmp_path / "token"
    parser = __import__("argparse").Namespace(token_file=str(file), token="other")
    file.write_text("hunter2secret\nmore\n", encoding="utf-8")
    assert serve._token(parser) == "hunter2secret"
    file.write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no token"):
        serve._token(parser)
    file.unlink()
    with pytest.raises(OSError):
        serve._token(parser)


def test_the_log_is_rotated(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "LOG_BYTES", 1000)
    loggers = [logging.getLogger(name) for name in ("shogi_engine", "uvicorn.error")]
    before = [(each, list(each.handlers), each.level) for each in loggers]
    try:
        finish = serve._log_to(str(tmp_path / "log"))
        for number in range(200):
            logging.getLogger("shogi_engine.web").warning("line %d", number)
        finish()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1", "log.2", "log.3", "log.4"]
        assert "line 199" in (tmp_path / "log").read_text(encoding="utf-8")
        assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    finally:
        for each, handlers, level in before:
            for handler in set(each.handlers) - set(handlers):
                handler.close()
            each.handlers[:], each.level = handlers, level


def test_a_lone_surrogate_of_a_file_is_replaced():
    made = fake_hub()
    page = Page.of(made)
    move = {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "color": 0, "piece": "FU"}
    text = json.dumps({"header": {"棋戦": "\udfff"}, "moves": [{"comments": ["a\ud800b"]}, {"move": move}]})
    data = base64.b64encode(text.encode()).decode()
    page.do("open", name="a.jkf", data=data)
    assert page.session.tree.record.moves == ["7g7f"] and "\ud800" not in page.session.tree.record.root.comment
    page.session.autosave.write()
    assert not page.session.autosave.unsaved
    made.close()
