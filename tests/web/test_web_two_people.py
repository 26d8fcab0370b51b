"""Two people who play each other: what one asks of the other, names, who is here, and looking back alone."""

import threading

import pytest

from tests.web.fake_engine import fake_hub
from tests.web.page import Page
from tests.web.test_web_links import TWO, guest_of, link_to


@pytest.fixture
def hub(tmp_path):
    hub = fake_hub(tmp_path, shared=False)
    yield hub
    hub.close()


@pytest.fixture
def host(hub):
    return Page.of(hub, owner="host").do("new", **TWO)


@pytest.fixture
def guest(hub, host):
    return guest_of(hub, link_to(host))


def answer(page, yes=True):
    """Answer what is asked on a page."""
    asked = page.state["asked"]
    return page.do("answer_to", what=asked["what"], node=asked["node"], yes=yes)


def test_a_move_is_taken_back_when_the_other_agrees(host, guest):
    host.do("move", move="7g7f").do("ask", what="undo")
    assert guest.state["asked"] == host.state["asked"] and guest.state["asked"]["side"] == 0
    assert host.state["ply"] == 1
    with pytest.raises(ValueError, match="the other player must agree"):
        answer(host)
    answer(guest)
    assert host.state["ply"] == guest.state["ply"] == 0 and host.state["asked"] is None


def test_who_has_the_move_takes_back_the_reply_too(host, guest):
    host.do("move", move="7g7f")
    with pytest.raises(ValueError, match="no move to take back"):
        guest.do("ask", what="undo").do("ask", what="draw") and answer(host) and guest.do("ask", what="undo")
    guest.do("move", move="3c3d")
    host.do("ask", what="undo")
    answer(guest)
    assert guest.texts == []


def test_a_refusal_changes_nothing_and_who_asked_withdraws(host, guest):
    host.do("move", move="7g7f").do("ask", what="undo")
    answer(guest, yes=False)
    assert host.state["asked"] is None and host.state["ply"] == 1
    guest.do("ask", what="draw")
    answer(guest, yes=False)
    assert host.state["asked"] is None and host.state["playing"]["on"]


def test_a_draw_is_agreed(host, guest):
    host.do("ask", what="draw")
    answer(guest)
    assert guest.state["playing"]["over"] == {"name": "draw", "winner": None}


def test_two_who_offer_a_draw_at_once_have_agreed_and_two_take_backs_wait(host, guest):
    host.do("move", move="7g7f")
    guest.do("move", move="3c3d").do("ask", what="undo")
    with pytest.raises(ValueError, match="answer first"):
        host.do("ask", what="undo")
    answer(host, yes=False)
    for page in (host, guest):
        page.do("ask", what="draw")
    assert not host.state["playing"]["on"]


def test_many_requests_at_the_same_instant_leave_one_that_is_answered_once(host, guest):
    host.do("move", move="7g7f")
    guest.do("move", move="3c3d")
    start, refused = threading.Barrier(8), []

    def ask(page):
        start.wait()
        try:
            page.do("ask", what="undo")
        except ValueError as fault:
            refused.append(str(fault))

    threads = [threading.Thread(target=ask, args=(page,)) for page in (host, guest) * 4]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(refused) == 4 and {*refused} == {"answer first what the other player asks"}
    asker, other = (host, guest) if host.state["asked"]["side"] == 0 else (guest, host)
    node = asker.state["asked"]["node"]
    answer(other)
    assert host.state["ply"] == (0 if asker is host else 1)
    with pytest.raises(ValueError, match="not ask for that any more"):
        other.do("answer_to", what="undo", node=node, yes=True)


def test_a_request_ends_with_the_next_move(host, guest):
    host.do("move", move="7g7f").do("ask", what="undo")
    late = guest.state["asked"]
    guest.do("move", move="3c3d")
    assert host.state["asked"] is None
    host.do("ask", what="undo")
    with pytest.raises(ValueError, match="any more"):
        guest.do("answer_to", what="undo", node=late["node"], yes=True)
    assert host.state["ply"] == 2


def test_a_yes_to_a_take_back_is_none_to_a_draw_that_is_offered_meanwhile(host, guest):
    host.do("move", move="7g7f").do("ask", what="undo")
    seen = guest.state["asked"]
    answer(host, yes=False).do("ask", what="draw")
    with pytest.raises(ValueError, match="any more"):
        guest.do("answer_to", what=seen["what"], node=seen["node"], yes=True)
    assert host.state["playing"]["on"]


def test_who_leaves_in_the_middle_of_a_request_asks_no_more(host, guest):
    host.do("move", move="7g7f").do("ask", what="undo")
    node = guest.state["asked"]["node"]
    host.session.detach(host.viewer)
    assert guest.state["asked"] is None and guest.state["ply"] == 1
    with pytest.raises(ValueError, match="any more"):
        guest.do("answer_to", what="undo", node=node, yes=True)


def test_who_leaves_before_answering_leaves_the_request_to_the_return(hub, host):
    link = link_to(host)
    guest = guest_of(hub, link)
    host.do("move", move="7g7f").do("ask", what="undo")
    guest.session.detach(guest.viewer)
    assert host.state["asked"] and host.state["ply"] == 1
    answer(guest_of(hub, link))
    assert host.state["ply"] == 0


def test_names_are_in_the_record_and_everybody_sees_who_is_here(hub, host):
    guest = guest_of(hub, link_to(host), name="  Habu\n")
    watcher = guest_of(hub, link_to(host, "watch"))
    host.do("name", name="Oyama")
    assert host.state["names"] == watcher.state["names"] == ["Oyama", "Habu"]
    assert watcher.state["people"] == [
        {"name": "Oyama", "side": 0, "owner": True},
        {"name": "Habu", "side": 1, "owner": False},
        {"name": "", "side": None, "owner": False},
    ]
    guest.session.detach(guest.viewer)
    assert len(host.state["people"]) == 2
    watcher.do("name", name="Kinoshita")
    assert host.state["names"] == ["Oyama", "Habu"] and host.state["people"][1]["name"] == "Kinoshita"


def test_names_change_sides_with_the_players(hub, host):
    guest = guest_of(hub, link_to(host), name="Habu")
    host.do("name", name="Oyama")
    guest.do("resign")
    host.do("rematch")
    assert host.state["names"] == ["Habu", "Oyama"]


def test_everybody_looks_back_alone_while_the_game_goes_on(hub, host, guest):
    watcher = guest_of(hub, link_to(host, "watch"))
    host.do("move", move="7g7f")
    guest.do("move", move="3c3d")
    first = host.state["line"][0]["node"]
    for page in (host, guest, watcher):
        page.do("step", to="back").do("step", to="back").do("step", to="back")
        assert page.last("preview")["node"] == first
    host.do("step", to="next")
    assert (
        host.last("preview")["node"] == host.state["line"][1]["node"]
        and 'data-square="7f"' in host.last("preview")["svg"]
    )
    watcher.do("go", node=watcher.state["line"][2]["node"])
    assert watcher.last("preview")["node"] == watcher.state["node"]
    assert all(page.state["ply"] == 2 for page in (host, guest, watcher))
    host.do("move", move="2g2f")
    assert guest.state["ply"] == 3
    guest.do("step", to="back")  # from the last move, not from where it looked
    assert guest.last("preview")["node"] == guest.state["line"][2]["node"]
    with pytest.raises(ValueError, match="no longer in the game"):
        watcher.do("go", node=999)


def test_what_was_asked_in_one_game_is_not_asked_in_the_next(host, guest):
    guest.do("ask", what="draw")
    host.do("resign").do("rematch")
    assert host.state["playing"]["on"] and host.state["asked"] is None


def test_the_owner_alone_on_two_devices_has_no_list(hub, host):
    assert guest_of(hub, link_to(host, "own")).state["people"] == []
