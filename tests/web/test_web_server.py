"""The server of the board in the browser: what it serves, whom it lets in, and that nothing sent to it ends it."""

import asyncio
import gc
import ipaddress
import random
import socket
import sys
import weakref
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from shogi_engine.__main__ import main
from shogi_engine.cli.serve import _address, _listener
from shogi_engine.common.threads import start_thread
from shogi_engine.explorer import Explorer
from shogi_engine.web import game_messages, replies
from shogi_engine.web.access import Guard, qr_code, reachable_host
from shogi_engine.web.app import application, static_files
from shogi_engine.web.conversation import SendQueue
from tests.web.fake_engine import fake_hub, wait_for
from tests.web.visitor import serve
from tools.measure.web_load import Page

LOCAL = "http://127.0.0.1:8765"
SOCKET = "ws://127.0.0.1:8765/ws"


@pytest.fixture
def hub():
    hub = fake_hub()
    yield hub
    hub.close()


def client_of(hub, guard=None):
    """Return a client that talks to the server as a browser on this machine."""
    return TestClient(application(hub, guard), base_url=LOCAL)


pages = weakref.WeakKeyDictionary()


def receive(socket, kind):
    """Return the next message of a kind; for a change of the state, the whole."""
    page = pages.setdefault(socket, Page())
    while (message := page.receive(socket.receive_json()))["kind"] != kind:
        pass
    return message


def test_a_finished_state_is_not_followed_by_older_progress():
    """A page that got the state first would show the bar of a judgement that has ended."""

    async def taken():
        outbox = SendQueue(asyncio.get_running_loop())
        outbox.put(replies.Progress(share=1.0, node=1, chance=0.5))
        outbox.put(after := replies.Delta(seq=2, base=1, fields={"judging": None}))
        return await outbox.take() == [after]

    assert asyncio.run(taken())


def test_the_page_and_its_files(hub):
    with client_of(hub) as client:
        page = client.get("/")
        assert page.status_code == 200 and "<main>" in page.text
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        for name, (content, kind, _) in static_files().items():
            answer = client.get(f"/static/{name}")
            assert (answer.content, answer.headers["content-type"]) == (content, kind)
            again = client.get(f"/static/{name}", headers={"if-none-match": answer.headers["etag"]})
            assert again.status_code == 304 and again.headers["x-content-type-options"] == "nosniff"


def test_the_page_asks_no_other_host():
    for name, (content, _, _) in static_files().items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert not any(word in text for word in ("http://", "https://", "//cdn", "@import", "url(", "eval(")), name


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/%2e%2e%2f%2e%2e%2fengine.py",
     "/static//etc/passwd", "/static/....//app.py", "/static/app.py", "/static/", "/etc/passwd", "/..%5c..%5cx",
     "/static/index.html%00.js", "/ws", "/static/" + "a" * 5000],
)  # fmt: skip
def test_nothing_else_is_served(hub, path):
    with client_of(hub) as client:
        assert client.get(path).status_code == 404


def test_names_of_other_hosts_and_pages_are_refused(hub):
    with client_of(hub) as client:
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}):
            with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET, headers=headers):
                pass
        assert client.post("/").status_code == 405


def test_a_token(hub):
    with client_of(hub, Guard("0.0.0.0", "secret")) as client:
        assert client.get("/").status_code == 401 and client.get("/static/app.js").status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET):
            pass
        assert "<main>" in client.get("/?token=secret").text  # through a cookie
        with client.websocket_connect(SOCKET, headers={"cookie": "shogi_engine_token=secret"}) as socket:
            socket.send_json({"do": "hello"})
            assert receive(socket, "state")["game"] == "shogi"


@pytest.mark.parametrize("token", ['a+b c;é"%', "将棋"])
def test_any_token_opens_the_page_by_the_address_that_is_printed(hub, token):
    with client_of(hub, Guard("0.0.0.0", token)) as client:
        assert (
            "<main>" in client.get(urlsplit(_address("host", 80, token))._replace(scheme="", netloc="").geturl()).text
        )
        assert client.get("/static/app.js").status_code == 200
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"do": "hello"})
            assert receive(socket, "state")["game"] == "shogi"


def test_a_conversation(hub):
    with client_of(hub) as client:
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"do": "hello", "language": "ja"})
            state = receive(socket, "state")
            socket.send_json({"do": "move", "move": "7g7f"})
            assert receive(socket, "state")["line"][1]["text"] == "▲７六歩"
            socket.send_json({"do": "move", "move": "7g7f"})
            assert receive(socket, "error")["text"] == "７七に駒がありません"
            socket.send_json({"do": "analyse", "on": True})
            receive(socket, "info")
        wait_for(lambda: hub.pool.load == (0, 0))  # who leaves ends the search
        with client.websocket_connect(SOCKET) as socket:
            socket.send_json({"do": "hello", "session": state["session"]})
            assert receive(socket, "state")["ply"] == 1


def test_garbage_gets_an_answer_and_ends_nothing(hub):
    rng = random.Random(2)
    with client_of(hub) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_text("nonsense")
        assert "not a message" in receive(socket, "error")["text"]
        socket.send_json({"do": "move", "move": "7g7f"})
        assert "hello" in receive(socket, "error")["text"]
        socket.send_json({"do": "hello"})
        receive(socket, "state")
        for _ in range(50):
            socket.send_bytes(rng.randbytes(rng.randrange(1, 200)))
        socket.send_json({"do": "hello"})
        socket.send_json({"do": "paste", "text": "no record"})
        socket.send_json({"do": "ping"})
        receive(socket, "pong")


def test_a_failure_within_is_told_and_ends_nothing(hub, monkeypatch):
    monkeypatch.setattr(game_messages.Ping, "_obey", lambda *_: 1 / 0)
    with client_of(hub) as client, client.websocket_connect(SOCKET) as socket:
        socket.send_json({"do": "hello"})
        socket.send_json({"do": "ping"})
        assert "could not" in receive(socket, "error")["text"]
        socket.send_json({"do": "move", "move": "7g7f"})
        receive(socket, "state")


def test_a_server_does_not_look_through_what_is_loaded_again(monkeypatch, tmp_path):
    """A full collection of garbage stops every thread for as long as that takes."""
    frozen, interval = [], sys.getswitchinterval()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("shogi_engine.web.app.hub_of_engines", lambda *_: fake_hub())
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: frozen.append(gc.get_freeze_count()))
    monkeypatch.setattr("shogi_engine.cli.serve.leave", lambda status: None)
    monkeypatch.setattr("shogi_engine.cli.serve.start_thread", lambda *_: None)  # it ends the process a while later
    try:
        main(["serve", "--port", "0"])
    finally:
        gc.unfreeze()
        sys.setswitchinterval(interval)
    assert frozen[0] > 10_000


def test_the_command_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert "pip install starlette uvicorn websockets msgspec" in capsys.readouterr().err


def test_the_address_of_a_wildcard_is_one_that_a_phone_can_open():
    assert reachable_host("192.168.1.2") == "192.168.1.2"
    found = reachable_host("0.0.0.0")
    assert ipaddress.ip_address(found).version == 4 and not ipaddress.ip_address(found).is_loopback


def test_a_qr_code_holds_the_address(monkeypatch):
    segno = pytest.importorskip("segno", reason="segno is not installed")
    address = "http://192.168.1.2:8765/?token=" + 24 * "x"
    rows = qr_code(address).splitlines()
    size = segno.make(address, error="l", micro=False).symbol_size(border=4)[0]
    assert len(rows) == (size + 1) // 2 and {len(row) for row in rows} == {size}
    monkeypatch.setitem(sys.modules, "segno", None)
    assert qr_code(address) == ""


def test_the_command_says_where_it_can_not_listen(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "cannot listen" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["serve", "--port", "70000"])


@pytest.mark.parametrize(
    ("words", "token", "shared"),
    [
        ([], "", True), (["--host", "localhost"], "", True), (["--host", "::1"], "", True),
        (["--token", "secret"], "", False), ([], "secret", False), (["--token-file", "token"], "", False),
        (["--host", "localhost", "--token", "secret"], "", False), (["--host", "0.0.0.0"], "", False),
        (["--host", "0.0.0.0", "--token", "secret"], "", False),
    ],
)  # fmt: skip
def test_games_are_shared_only_without_a_token(tmp_path, monkeypatch, words, token, shared):

    class EnoughError(Exception):
        pass

    def stop(folder, shared):
        raise EnoughError(shared)

    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text("secret")
    monkeypatch.setenv("SHOGI_ENGINE_TOKEN", token)
    monkeypatch.setattr("shogi_engine.web.store.GameStore", stop)
    with pytest.raises(EnoughError) as found:
        main(["serve", "--port", "0", *words])
    assert found.value.args == (shared,)


def test_one_index_for_each_game(capsys, tmp_path):
    for name, game in (("a", "shogi"), ("b", "othello"), ("c", "shogi")):
        Explorer(tmp_path / name, game).close()
    words = [word for name in "abc" for word in ("--games", str(tmp_path / name))]
    assert main(["serve", *words]) == 2
    assert "--games has two indexes of shogi" in capsys.readouterr().err


# ---- ports -------------------------------------------------------------------------------------------------------


def test_two_servers_do_not_share_a_port():
    with _listener("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port}"):
            _listener("127.0.0.1", port)


def test_small_messages_are_sent_at_once():
    """Two in a row would else wait for the page's delayed ACK, which is 40 ms."""

    async def without_delay():
        served = asyncio.get_running_loop().create_future()

        def serve(reader, writer):
            served.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(serve, sock=_listener("127.0.0.1", 0)) as server:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.close()
            return await served

    assert asyncio.run(without_delay())


def test_on_windows_the_port_is_claimed_for_one(monkeypatch):
    """SO_REUSEADDR would share it there."""
    exclusive, asked = -5, []

    class Socket(socket.socket):
        def setsockopt(self, level, option, value):
            asked.append(option)

    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", exclusive, raising=False)
    monkeypatch.setattr(socket, "socket", Socket)
    _listener("127.0.0.1", 0).close()
    assert asked == [exclusive]


def test_a_second_start_opens_the_board_that_is_there(monkeypatch, capsys):
    opened, hub = [], fake_hub()
    monkeypatch.setattr("webbrowser.open", opened.append)
    for name, value in (("http_proxy", "http://127.0.0.1:9"), ("no_proxy", ""), ("NO_PROXY", "")):
        monkeypatch.setenv(name, value)  # a proxy that leads nowhere
    server, address = serve(hub)
    port = address.rstrip("/").rpartition(":")[2]
    assert main(["serve", "--port", port]) == 2 and opened == []  # without --open it is refused
    assert main(["serve", "--open", "--port", port]) == 0 and opened == [address]
    server.should_exit = True
    hub.close()
    with socket.create_server(("127.0.0.1", 0)) as other:  # that says nothing
        monkeypatch.setattr("shogi_engine.cli.serve.ANSWER_SECONDS", 0.1)
        assert main(["serve", "--open", "--port", str(other.getsockname()[1])]) == 2
    assert opened == [address] and "cannot listen" in capsys.readouterr().err


@pytest.mark.parametrize(
    "answer",
    (
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nno",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nLong: " + 70_000 * b"x" + b"\r\n\r\n",
        b"HTTP/1.1 500 No\r\n\r\n",
    ),
)
def test_another_program_on_the_port_is_no_board_whatever_it_answers(monkeypatch, capsys, answer):
    opened, asked = [], []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with socket.create_server(("127.0.0.1", 0)) as other:

        def reply():
            with other.accept()[0] as peer:
                asked.append(peer.recv(1000))
                peer.sendall(answer)

        start_thread(reply, "another program")
        assert main(["serve", "--open", "--token", "secret", "--port", str(other.getsockname()[1])]) == 2
    assert opened == [] and "cannot listen" in capsys.readouterr().err
    assert b"/healthz" in asked[0] and b"secret" not in asked[0]
