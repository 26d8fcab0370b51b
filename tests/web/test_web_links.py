"""Links to games: who comes by one may do what it allows, and sees nothing else."""

import json
import sqlite3

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from shogi_engine.web import hub as hubs
from shogi_engine.web.access import Guard
from shogi_engine.web.app import application
from shogi_engine.web.hub import Full
from shogi_engine.web.links import LINKS_MAX, LinkError
from tests.web.fake_engine import fake_hub, wait_for
from tests.web.page import Page
from tools.measure.web_load import Page as Known

HOST = "192.168.7.7:8765"
TWO = {"game": "shogi", "players": [None, None]}


def private_hub(folder):
    """Return the hub of a server that others can reach: no one sees the games of others."""
    return fake_hub(folder, shared=False)


@pytest.fixture
def hub(tmp_path):
    hub = private_hub(tmp_path)
    yield hub
    hub.close()


@pytest.fixture
def host(hub):
    return Page.of(hub, owner="host").do("new", **TWO)


def link_to(page, to="play", side=1):
    """Make a link and return its row."""
    page.do("invite", to=to, side=side)
    return next(row for row in page.last("links")["links"] if row["kind"] == to and row["side"] in (None, side))


def guest_of(hub, link, **look):
    """Return the page of somebody who has only a link."""
    return Page.by_link(hub, link["token"], **look)


# ---- what a link allows


def test_two_people_play_by_a_link(hub, host):
    guest = guest_of(hub, link_to(host))
    assert guest.state["flipped"] and not host.state["flipped"]
    assert host.state["targets"] and not guest.state["targets"]
    host.do("move", move="7g7f")
    assert guest.texts == host.texts != []
    assert guest.state["targets"] and not host.state["targets"]
    guest.do("move", move="3c3d")
    assert host.state["ply"] == 2


def test_nobody_moves_for_the_other(hub, host):
    guest = guest_of(hub, link_to(host))
    with pytest.raises(ValueError, match="not your turn"):
        guest.do("move", move="7g7f")
    host.do("move", move="7g7f")
    with pytest.raises(ValueError, match="not your turn"):
        host.do("move", move="3c3d")
    assert guest.state["ply"] == 1


def test_a_guest_of_a_game_that_is_over_makes_no_moves(hub, host):
    guest = guest_of(hub, link_to(host))
    guest.do("resign")
    assert host.state["playing"]["over"]["winner"] == 0
    for side in (0, 1):
        with pytest.raises(ValueError, match="not your turn"):
            guest.do("move", move="7g7f")
        host.do("move", move="7g7f" if side == 0 else "3c3d")
    guest.do("step", to="first")
    assert host.state["node"] == 0


def test_a_guest_removes_no_moves_of_a_game_that_is_over(hub, host):
    guest = guest_of(hub, link_to(host))
    host.do("move", move="7g7f").do("resign")
    with pytest.raises(ValueError, match="no game is being played"):
        guest.do("undo")
    assert host.texts == ["P-7f"]
    host.do("undo")
    assert host.texts == []


def test_who_resigns_loses_whoever_is_to_move(hub, host):
    guest_of(hub, link_to(host))
    host.do("move", move="7g7f").do("resign")
    assert host.state["playing"]["over"]["winner"] == 1


def test_nobody_takes_back_alone(hub, host):
    guest = guest_of(hub, link_to(host))
    host.do("move", move="7g7f")
    for page in (host, guest):
        with pytest.raises(ValueError, match="the other player must agree"):
            page.do("undo")
    assert guest.state["ply"] == 1


def test_a_guest_who_plays_the_engine_takes_back_alone(hub):
    host = Page.of(hub, owner="host").do("new", game="shogi", players=[None, 3])
    guest = guest_of(hub, link_to(host, side=0))
    guest.do("move", move="7g7f")
    with pytest.raises(ValueError, match="must agree"):
        host.do("undo")
    wait_for(lambda: guest.state["ply"] == 2, 60)
    guest.do("undo").do("resign")
    assert host.state["playing"]["over"]["winner"] == 1


@pytest.mark.parametrize(
    "message",
    [{"do": "think"}, {"do": "analyse", "on": True}, {"do": "judge", "on": True}, {"do": "mate"}],
)  # fmt: skip
def test_the_engine_helps_neither(hub, host, message):
    link = link_to(host)
    host.do("move", move="7g7f")
    with pytest.raises(ValueError, match="two people play"):
        host.do(message.pop("do"), **message)
    host.do("revoke", token=link["token"])
    host.do("step", to="first")


def test_the_analysis_of_a_game_ends_when_the_next_one_begins(hub, host):
    guest = guest_of(hub, link_to(host))
    host.do("resign").do("analyse", on=True)
    assert host.state["analysis"]["on"]
    host.do("rematch")
    assert not host.state["analysis"]["on"]
    wait_for(lambda: hub.pool.load == (0, 0))
    assert guest.state["playing"]["on"]


def test_moves_that_were_deleted_before_a_game_do_not_come_back_into_it(hub):
    host = Page.of(hub, owner="host").do("move", move="2g2f").do("delete").do("new", here=True, **TWO)
    guest = guest_of(hub, link_to(host))
    host.do("move", move="7g7f")
    with pytest.raises(ValueError, match="being played"):
        host.do("restore")
    guest.do("move", move="3c3d")
    assert host.state["ply"] == 2


ONLY_OWNERS = [
    ("new", TWO), ("game", {"game": "othello"}), ("rematch", {}), ("think", {}), ("stop", {}), ("kept", {}),
    ("continue", {"id": "shogi-1"}), ("forget", {"id": "shogi-1"}), ("recall", {"id": "shogi-1"}), ("links", {}),
    ("invite", {"to": "own"}), ("revoke", {"token": "x"}), ("delete", {}), ("promote", {}), ("restore", {}),
    ("comment", {"text": "x"}), ("line", {"node": 0, "moves": ["7g7f"]}), ("analyse", {"on": True}),
    ("judge", {"on": True}), ("mate", {}), ("tsume", {"on": True}), ("problems", {}), ("hint", {}),
    ("learn", {"side": 0}), ("lessons", {}), ("lesson", {"on": True}), ("answer", {}),
    ("paste", {"text": "7g7f"}), ("open", {"name": "x", "data": ""}), ("setup", {"on": True}),
    ("put", {"square": "5e", "piece": "P"}), ("level", {"side": 0, "level": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields"), ONLY_OWNERS)
def test_the_rest_is_the_owners(hub, host, name, fields):
    guest, watcher = guest_of(hub, link_to(host)), guest_of(hub, link_to(host, "watch"))
    before = host.state
    with pytest.raises(ValueError, match="only the game's owner"):
        guest.do(name, **fields)
    with pytest.raises(ValueError, match="watching"):
        watcher.do(name, **fields)
    assert host.state == before


@pytest.mark.parametrize(
    ("name", "fields"),
    [("move", {"move": "7g7f"}), ("undo", {}), ("resign", {}), ("declare", {}),
     ("ask", {"what": "undo"}), ("answer_to", {"what": "undo", "node": 0, "yes": True})],
)  # fmt: skip
def test_a_watcher_only_watches(hub, host, name, fields):
    watcher = guest_of(hub, link_to(host, "watch"))
    assert watcher.state["targets"] == {} and not watcher.state["flipped"]
    with pytest.raises(ValueError, match="watching"):
        watcher.do(name, **fields)
    watcher.do("look", language="ja", flipped=True).do("save", format="kif").do("ping")
    host.do("move", move="7g7f")
    assert watcher.texts == ["▲７六歩"]
    assert not Page.of(hub, host.session.identity).state["flipped"]  # it turned its own board


def test_a_guest_learns_no_secret_of_the_owner(hub, host):
    link, own = link_to(host), link_to(host, "own")
    told = json.dumps(guest_of(hub, link).sent)
    assert host.session.identity not in told and own["token"] not in told and '"host"' not in told


def test_the_own_phone_continues_the_laptops_game(hub, host):
    host.do("move", move="7g7f")
    phone = guest_of(hub, link_to(host, "own"))
    assert phone.session is host.session and phone.state["ply"] == 1
    phone.do("move", move="3c3d")
    assert host.state["ply"] == 2
    assert [game["id"] for game in phone.games()] == [game["id"] for game in host.games()]


# ---- where a link leads


def test_guests_go_on_when_the_owner_has_left_the_game(hub, host):
    link = link_to(host)
    guest = guest_of(hub, link)
    host.do("move", move="7g7f").do("paste", text="startpos moves 2g2f")
    assert guest.sent[-1] == {"kind": "dismissed"}  # the other game is none of its business
    with pytest.raises(ValueError, match="no longer shows"):
        guest.do("move", move="3c3d")
    guest = guest_of(hub, link)
    assert guest.texts == ["P-7f"] and guest.session is not host.session
    guest.do("move", move="3c3d")


def test_guests_come_along_to_a_rematch_and_to_the_next_game(hub, host):
    link = link_to(host)
    guest = guest_of(hub, link)
    guest.do("resign")
    host.do("rematch")
    assert guest.state["playing"]["on"] and guest.state["targets"]  # it has the first move now
    assert not guest.state["flipped"] and host.state["flipped"]
    guest.do("move", move="2g2f")
    host.do("new", **TWO)
    assert guest.texts == [] and guest_of(hub, link).session is host.session


def test_guests_who_cannot_come_along_are_told(hub, host, monkeypatch):
    """The disk is full before the game ends: that was told already, and is told again."""
    guest = guest_of(hub, link_to(host))

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hub.store, "write", fail)
    guest.do("resign")
    before = len(guest.sent)
    host.do("rematch")
    kinds = [each["kind"] for each in guest.sent[before:]]
    assert "error" in kinds and kinds[-1] == "dismissed"
    assert "No space left" in guest.last("error")["text"]


def test_a_game_begins_for_whoever_is_invited_to_play(hub):
    host = Page.of(hub, owner="host")
    guest = guest_of(hub, link_to(host, side=0))
    guest.do("move", move="7g7f")
    assert host.state["playing"]["on"] and host.state["flipped"]


def test_nobody_is_invited_to_play_for_the_engine(hub):
    host = Page.of(hub, owner="host").do("new", game="shogi", players=[None, 3])
    with pytest.raises(ValueError, match="the engine plays"):
        host.do("invite", to="play", side=1)


def test_a_link_outlives_the_server(tmp_path):
    hub = private_hub(tmp_path)
    link = link_to(Page.of(hub, owner="host").do("new", **TWO).do("move", move="7g7f"))
    hub.close()
    hub = private_hub(tmp_path)
    guest = guest_of(hub, link)
    assert guest.texts == ["P-7f"]
    guest.do("move", move="3c3d")
    hub.close()


def test_an_owner_who_returns_after_the_guest_has_the_game(tmp_path):
    hub = private_hub(tmp_path)
    host = Page.of(hub, owner="host").do("new", **TWO)
    link, session = link_to(host), host.session.identity
    host.do("move", move="7g7f")
    hub.close()
    hub = private_hub(tmp_path)
    guest = guest_of(hub, link)
    host = Page.of(hub, session, "host")
    assert host.texts == ["P-7f"] and host.session is guest.session and host.state["role"]["owner"]
    hub.close()


def test_links_to_games_that_are_gone_for_good_are_tidied_away(tmp_path):
    hub = private_hub(tmp_path)
    link = link_to(Page.of(hub, owner="host").do("new", **TWO))
    hub.close()
    with sqlite3.connect(tmp_path / "games.db") as database:
        database.execute("DELETE FROM games")
    hub = private_hub(tmp_path)
    assert hub.store.links.get(link["token"]) is None
    hub.close()


# ---- refusals


def test_a_revoked_link_ends_at_once_and_for_good(hub, host):
    link = link_to(host)
    guest = guest_of(hub, link)
    host.do("revoke", token=link["token"])
    assert guest.sent[-1] == {"kind": "dismissed"} and host.last("links")["links"] == []
    with pytest.raises(ValueError, match="no longer shows"):
        guest.do("move", move="3c3d")
    with pytest.raises(LinkError, match="no longer valid"):
        guest_of(hub, link)
    seen = len(guest.sent)
    host.do("move", move="7g7f").do("move", move="3c3d")  # both sides are the host's again
    assert len(guest.sent) == seen


def test_nobody_revokes_anothers_link(hub, host):
    link = link_to(host)
    with pytest.raises(ValueError, match="no such link"):
        Page.of(hub, owner="stranger").do("revoke", token=link["token"])
    assert guest_of(hub, link).state["ply"] == 0


def test_a_link_to_a_deleted_game_leads_nowhere_until_it_is_brought_back(hub, host):
    link = link_to(host)
    host.do("move", move="7g7f")
    guest = guest_of(hub, link)
    id = host.games()[0]["id"]
    host.do("forget", id=id)
    assert guest.sent[-1] == {"kind": "dismissed"}
    with pytest.raises(LinkError, match="no longer exists"):
        guest_of(hub, link)
    host.do("recall", id=id)
    assert guest_of(hub, link).texts == ["P-7f"]


def test_guests_leave_room_for_the_owner(hub, host, monkeypatch):
    monkeypatch.setattr(hubs, "GUESTS_MAX", 2)
    monkeypatch.setattr(hubs, "VIEWERS_MAX", 4)
    link = link_to(host, "watch")
    there = [guest_of(hub, link) for _ in range(2)]
    with pytest.raises(Full, match="too many"):
        guest_of(hub, link)
    assert Page.of(hub, host.session.identity).session is host.session and len(there) == 2


def test_pages_without_an_owner_see_no_links_of_each_other(hub):
    one, other = Page.of(hub, owner=""), Page.of(hub, owner="")
    link_to(one, "own")
    assert other.do("links").last("links")["links"] == []


def test_links_are_few_and_the_same_one_is_made_once(hub, host):
    assert link_to(host)["token"] == link_to(host)["token"]
    for _ in range(LINKS_MAX - 1):
        host.do("game", game="shogi").do("invite", to="watch")
    with pytest.raises(ValueError, match="too many links"):
        host.do("invite", to="own")


def test_a_game_that_was_opened_when_the_server_was_full_is_free_again(hub, host, monkeypatch):
    link = link_to(host)
    host.do("move", move="7g7f").do("paste", text="startpos moves 2g2f")
    monkeypatch.setattr(hub, "_most", 1)
    with pytest.raises(Full):
        guest_of(hub, link)
    monkeypatch.setattr(hub, "_most", 10)
    assert guest_of(hub, link).texts == ["P-7f"]


# ---- the server


def receive(socket, kind):
    while (message := socket.receive_json())["kind"] != kind:
        pass
    return message


@pytest.fixture
def client(hub):
    with TestClient(application(hub, Guard("0.0.0.0", "secret")), base_url=f"http://{HOST}") as client:
        yield client


def made_over_a_socket(client, **fields):
    """Begin a game as somebody who has the server's token, and return a link to it."""
    with client.websocket_connect(f"ws://{HOST}/ws", headers={"cookie": "shogi_engine_token=secret"}) as socket:
        for message in ({"do": "hello", "owner": "host"}, {"do": "new", **TWO}, {"do": "invite", **fields}):
            socket.send_json(message)
        return receive(socket, "links")["links"][0]


def test_a_guest_gets_the_page_and_the_game_without_the_servers_token(client):
    link = made_over_a_socket(client, to="play")
    assert link["address"] == f"http://{HOST}/join/{link['token']}" and len(link["token"]) == 32
    assert "<svg" in link["qr"]
    assert client.get("/static/app.js").status_code == 401
    page = client.get(f"/join/{link['token']}")
    assert "<main>" in page.text and "httponly" in page.headers["set-cookie"].lower()
    assert client.get("/static/app.js").status_code == 200
    assert client.get("/").status_code == 401
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"ws://{HOST}/ws"):
        pass
    with client.websocket_connect(f"ws://{HOST}/ws?link={link['token']}") as socket:
        socket.send_json({"do": "hello"})
        state = Known().receive(receive(socket, "state"))
        assert state["playing"]["on"] and state["role"] == {"owner": False, "side": 1}


@pytest.mark.parametrize("token", ["x", "secret", "%00", "a" * 3000])
def test_a_stranger_sees_nothing(client, token):
    made_over_a_socket(client, to="watch")
    assert client.get(f"/join/{token}").status_code == 404
    client.cookies.set("shogi_engine_link", "guess")
    assert client.get("/static/app.js").status_code == client.get("/").status_code == 401
    with client.websocket_connect(f"ws://{HOST}/ws?link={token}") as socket:
        assert socket.receive()["code"] == 1008


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"host": "", "origin": f"http://{HOST}"}])
def test_a_link_does_not_let_other_pages_in(client, headers):
    link = made_over_a_socket(client, to="play")
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"ws://{HOST}/ws?link={link['token']}", headers=headers),
    ):
        pass


def test_who_is_connected_by_a_link_that_is_revoked_is_disconnected(client, hub):
    link = made_over_a_socket(client, to="watch")
    with client.websocket_connect(f"ws://{HOST}/ws?link={link['token']}") as socket:
        socket.send_json({"do": "hello"})
        receive(socket, "state")
        (session,) = hub.sessions.values()
        Page(session).do("revoke", token=link["token"])
        receive(socket, "dismissed")
        with pytest.raises(WebSocketDisconnect):
            receive(socket, "state")
    with client.websocket_connect(f"ws://{HOST}/ws?link={link['token']}") as socket:
        assert socket.receive()["code"] == 1008


@pytest.mark.parametrize("host", ["localhost:99999", "localhost:x", "localhost:1:2", "[::1]:x", "[::1", "localhost:-1"])
def test_a_host_that_is_none_gets_no_answer(client, host):
    headers = {"host": host, "cookie": "shogi_engine_token=secret"}
    assert client.get("/", headers=headers).status_code == 421
    for origin in (f"http://{host}", "http://[::1", "null", ""):
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(f"ws://{HOST}/ws", headers=headers | {"origin": origin}),
        ):
            pass


@pytest.mark.parametrize("origin", ["http://[::1", f"ftp://{HOST}", HOST, "null", "", f"http://{HOST}:1"])
def test_an_origin_that_is_none_is_another_page(client, origin):
    headers = {"cookie": "shogi_engine_token=secret", "origin": origin}
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"ws://{HOST}/ws", headers=headers):
        pass


def test_a_link_made_on_this_machine_has_an_address_that_others_can_open():
    guard = Guard("0.0.0.0", "secret")
    made = guard.address({"host": "localhost:8765"}, secure=False)
    assert made.startswith("http://") and made.endswith(":8765/") and "localhost" not in made
    assert guard.address({"host": "go.example"}, secure=True) == "https://go.example/"
    assert Guard().address({"host": "[::1]:80"}, secure=False) == "http://[::1]:80/"


def test_a_page_on_loopback_says_that_only_this_machine_can_use_its_links():
    hub = fake_hub()
    with (
        TestClient(application(hub), base_url="http://127.0.0.1:8765") as client,
        client.websocket_connect("ws://127.0.0.1:8765/ws") as socket,
    ):
        socket.send_json({"do": "hello"})
        socket.send_json({"do": "invite", "to": "watch"})
        assert receive(socket, "links")["local"] is True
    hub.close()
