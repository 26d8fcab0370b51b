"""Who has a game open, when two ask at one instant: one is stopped at each step of the way while the other acts."""

import threading

import pytest

from shogi_engine.web.hub import Full
from shogi_engine.web.saving import SavedGame
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore
from tests.web.page import Page

MOVES = ("7g7f", "3c3d", "2g2f")


def at_one_instant(monkeypatch, place, name, first, second):
    """Stop `first` in its first call of `place.name` until `second` is done, or waits; return what both returned."""
    reached, go, returned = threading.Event(), threading.Event(), {}
    whole, stopped = getattr(place, name), []

    def stopping(*arguments, **options):
        found = whole(*arguments, **options)
        if threading.current_thread().name == "first" and not stopped:
            stopped.append(name)
            reached.set()
            assert go.wait(30)
        return found

    def run(work):
        try:
            returned[work] = work()
        except Exception as fault:
            returned[work] = fault

    monkeypatch.setattr(place, name, stopping)
    threads = [
        threading.Thread(target=run, args=(work,), name=title) for work, title in ((first, "first"), (second, "second"))
    ]
    threads[0].start()
    assert reached.wait(30), f"{name} was not called"
    threads[1].start()
    threads[1].join(0.5)
    go.set()
    for thread in threads:
        thread.join(30)
    return returned[first], returned[second]


OPENING = [(GameStore, "exists"), (GameStore, "read"), (SavedGame, "tree"), (Session, "_restore")]
RETURNING = [(GameStore, "of_session"), *OPENING]


def game_of(hub):
    """Save a game in a session that is closed again; return its name, and that of the session."""
    page = Page.of(hub)
    for move in MOVES:
        page.do("move", move=move)
    page.session.detach(page.viewer)
    page.session.close()
    del hub.sessions[page.session.identity]
    return page.session.autosave.id, page.session.identity


def is_open_once(hub, id):
    """Tell whether one session has the game, with all its moves, and may write it."""
    (has,) = [each for each in hub.sessions.values() if each.autosave.id == id]
    assert (len(has.tree.main()), hub.store.holders.of(id)) == (1 + len(MOVES), has.autosave)
    return True


@pytest.mark.parametrize("step", OPENING, ids=lambda step: step[1])
def test_two_sessions_continue_one_game(open_hub, monkeypatch, step):
    hub = open_hub()
    id, _ = game_of(hub)
    one, two = Page.of(hub), Page.of(hub)
    one.do("move", move="2g2f"), two.do("move", move="2g2f")
    faults = at_one_instant(monkeypatch, *step, lambda: one.do("continue", id=id), lambda: two.do("continue", id=id))
    assert not [fault for fault in faults if isinstance(fault, Exception)]
    assert is_open_once(hub, id)
    (joins,) = [page for page in (one, two) if page.last("join")]
    has = two if joins is one else one
    assert joins.last("join")["session"] == has.session.identity
    assert joins.session.autosave.id not in ("", id) and len(joins.session.tree.main()) == 2


@pytest.mark.parametrize("step", OPENING, ids=lambda step: step[1])
def test_two_pages_of_one_session_continue_one_game(open_hub, monkeypatch, step):
    hub = open_hub()
    id, _ = game_of(hub)
    one = Page.of(hub)
    two = Page(one.session)

    def open_and_move():
        two.do("continue", id=id)
        two.do("move", move="8c8d")

    _, moved = at_one_instant(monkeypatch, *step, lambda: one.do("continue", id=id), open_and_move)
    assert [each.autosave.id for each in hub.sessions.values()] == [id]
    one.session.autosave.write()  # on a slow machine it is written later
    count = 4 if isinstance(moved, ValueError) else 5
    assert len(one.session.tree.main()) == len(SavedGame.parse(hub.store.content(id)).game["nodes"]) == count


@pytest.mark.parametrize("step", OPENING, ids=lambda step: step[1])
def test_a_game_is_deleted_while_another_session_opens_it(open_hub, monkeypatch, step):
    hub = open_hub()
    id, _ = game_of(hub)
    one, two = Page.of(hub), Page.of(hub)
    opened, deleted = at_one_instant(
        monkeypatch, *step, lambda: one.do("continue", id=id), lambda: two.do("forget", id=id)
    )
    if isinstance(deleted, Exception):
        assert "another tab" in str(deleted) and is_open_once(hub, id) and hub.store.exists(id, "me")
    else:
        assert isinstance(opened, ValueError) and not hub.store.exists(id, "me") and one.session.autosave.id == ""


@pytest.mark.parametrize(
    "step", [(GameStore, "exists"), (GameStore, "_mark"), (GameStore, "_put")], ids=lambda step: step[1]
)
def test_a_game_is_opened_while_another_session_deletes_it(open_hub, monkeypatch, step):
    hub = open_hub()
    id, _ = game_of(hub)
    one, two = Page.of(hub), Page.of(hub)
    deleted, opened = at_one_instant(
        monkeypatch, *step, lambda: one.do("forget", id=id), lambda: two.do("continue", id=id)
    )
    is_there = hub.store.exists(id, "me")
    assert is_there == isinstance(deleted, ValueError) != isinstance(opened, ValueError)
    assert is_there == (two.session.autosave.id == id) == (hub.store.holders.of(id) is not None)


@pytest.mark.parametrize("step", RETURNING, ids=lambda step: step[1])
def test_two_tabs_return_at_once(open_hub, monkeypatch, step):
    id, identity = game_of(open_hub())
    hub = open_hub()
    one, two = at_one_instant(monkeypatch, *step, lambda: hub.find(identity, "me"), lambda: hub.find(identity, "me"))
    assert one is two and list(hub.sessions.values()) == [one] and is_open_once(hub, id)


@pytest.mark.parametrize("step", RETURNING, ids=lambda step: step[1])
@pytest.mark.parametrize("owner_first", [True, False])
def test_a_guest_and_the_owner_return_at_once(open_hub, monkeypatch, step, owner_first):
    page = Page.of(open_hub())
    for move in MOVES:
        page.do("move", move=move)
    page.do("invite", to="watch").session.autosave.write()
    (token,) = [link["token"] for link in page.last("links")["links"]]
    hub = open_hub()
    visits = [lambda: hub.find(page.session.identity, "me"), lambda: Page.by_link(hub, token).session]
    one, two = at_one_instant(monkeypatch, *step, *(visits if owner_first else visits[::-1]))
    assert one is two and list(hub.sessions.values()) == [one] and is_open_once(hub, page.session.autosave.id)


@pytest.mark.parametrize("step", [(GameStore, "write_record"), (GameStore, "write")], ids=lambda step: step[1])
def test_a_page_returns_while_its_session_is_freed(open_hub, monkeypatch, step):
    hub = open_hub()
    page = Page.of(hub)
    for move in MOVES:
        page.do("move", move=move)
    page.session.viewers.clear()
    page.session.autosave._change += 1  # something is left to write
    _, session = at_one_instant(
        monkeypatch, *step, lambda: hub._free(page.session), lambda: hub.find(page.session.identity, "me")
    )
    assert list(hub.sessions.values()) == [session] and is_open_once(hub, page.session.autosave.id)


def test_a_new_game_belongs_to_its_session_before_others_see_it(open_hub, monkeypatch):
    hub = open_hub()
    one, two = Page.of(hub), Page.of(hub)

    def save():
        one.session.autosave._took = 1.0  # not a quick write, which has a thread of its own
        one.do("move", move="7g7f").session.autosave.write()

    def open_it():
        (game,) = two.games()
        two.do("continue", id=game["id"])

    at_one_instant(monkeypatch, GameStore, "write", save, open_it)
    assert two.last("join")["session"] == one.session.identity and two.session.autosave.id == ""


def test_a_record_that_is_written_at_the_start_is_not_older_than_the_game(open_hub, monkeypatch):
    id, identity = game_of(hub := open_hub())
    (path,) = hub.store.folder.glob("*.kifu")
    path.unlink()
    hub = open_hub()

    def play():
        page = Page.of(hub, identity)
        page.do("move", move="8c8d")
        page.session.autosave.write(whole=True)

    at_one_instant(monkeypatch, GameStore, "content", hub._write_missing_records, play)
    assert path.read_text("utf-8").count("８四歩") == 1


def test_a_game_that_was_left_unsaved_is_opened_by_nobody_else(open_hub, monkeypatch):
    hub = open_hub()
    id, _ = game_of(hub)
    one, two = Page.of(hub), Page.of(hub)
    one.do("continue", id=id)
    with monkeypatch.context() as full:
        full.setattr(GameStore, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        one.do("move", move="8c8d").do("game", game="shogi")
        two.do("continue", id=id)
        assert two.last("join")["session"] == one.session.identity
        with pytest.raises(ValueError, match="No space"):
            one.do("continue", id=id)
        with pytest.raises(ValueError, match="another tab"):
            two.do("forget", id=id)
    one.do("continue", id=id)
    assert len(one.session.tree.main()) == 5 and len(SavedGame.parse(hub.store.content(id)).game["nodes"]) == 5
    one.do("game", game="shogi")
    two.do("continue", id=id)
    assert len(two.session.tree.main()) == 5


def test_a_large_game_that_is_left_is_written_later_and_by_whoever_opens_it(open_hub, monkeypatch):
    """Writing it takes long, so that the page that begins another game does not wait for it."""
    hub = open_hub()
    id, _ = game_of(hub)
    one, two = Page.of(hub), Page.of(hub)
    one.do("continue", id=id)
    one.session.autosave._took = 1.0  # as of a large game
    one.do("move", move="8c8d")
    writing = threading.current_thread().name
    monkeypatch.setattr(GameStore, "write_record", lambda self, *_: written.append(threading.current_thread().name))
    written = []
    one.do("game", game="shogi")
    assert not written and one.last("left")["id"] == id and hub.store.holders.of(id) is one.session.autosave
    two.do("continue", id=id)
    assert (
        written == [writing] and len(two.session.tree.main()) == 5 and hub.store.holders.of(id) is two.session.autosave
    )


def test_the_last_place_at_a_board_is_taken_once(open_hub, monkeypatch):
    hub = open_hub()
    monkeypatch.setattr("shogi_engine.web.hub.GUESTS_MAX", 1)
    page = Page.of(hub)
    page.do("move", move="7g7f")
    link = hub.store.links.make("watch", None, page.named(), "me", page.session.identity)

    def come():
        return hub.attach("", "", lambda reply: None, link.token)

    both = at_one_instant(monkeypatch, Session, "guests", come, lambda: come())
    assert len(page.session.guests()) == 1 and sum(isinstance(each, Full) for each in both) == 1
