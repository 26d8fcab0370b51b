"""The opening explorer of a page: the book, the user's games, the server's index, and who may ask."""

import threading

import pytest

from shogi_engine import books, records
from shogi_engine.explorer import Explorer, book_of
from shogi_engine.web.saving import Collections
from shogi_engine.web.session import Session
from tests.web.fake_engine import fake_hub
from tests.web.page import Page


def explored(page, source, node=None):
    """Return what the page gets for the position after a node, by default the current one."""
    return page.do("explore", node=page.state["node"] if node is None else node, source=source).last("explored")


def moves(found):
    return [(row["move"], row["games"]) for row in found["rows"]]


def test_the_moves_of_the_book_have_values_and_the_pages_notation(hub):
    page = Page.of(hub, language="ja")
    found = explored(page, "book")
    known = book_of("shogi").known(page.state["position"])
    assert [(row["move"], row["value"]) for row in found["rows"]] == [(each.move, each.value) for each in known]
    assert all(row["text"].startswith("▲") and row["games"] == 0 for row in found["rows"])
    assert found["sources"] == ["book", "mine"] and found["games"] == []
    page.do("game", game="othello").do("move", move="f5")
    row = explored(page, "book")["rows"][0]
    assert row["value"] == round(
        book_of("othello").known(page.state["position"])[0].value / books.load("othello").unit, 1
    )


def test_the_openings_of_the_line_are_named(hub):
    page = Page.of(hub, language="ja")
    assert explored(page, "book")["names"] == ["", ""]
    for move in ("7g7f", "3c3d", "6g6f", "8c8d", "2h6h"):
        page.do("move", move=move)
    assert explored(page, "book")["names"][0].startswith("四間飛車") and explored(page, "book", 0)["names"] == ["", ""]
    page.do("game", game="othello")
    for move in ("f5", "d6", "c5", "f4"):
        page.do("move", move=move)
    assert explored(page, "book")["names"] == ["兎定石", "兎定石"]
    page.do("hello", language="en")
    assert explored(page, "book")["names"] == ["Rabbit", "Rabbit"]


def test_the_users_games_are_counted_as_they_change(hub):
    page = Page.of(hub)
    page.do("move", move="7g7f").do("game", game="shogi").do("move", move="2g2f")
    assert moves(explored(page, "mine", 0)) == [("2g2f", 1), ("7g7f", 1)]
    page.do("game", game="othello").do("move", move="d3")
    assert moves(explored(page, "mine", 0)) == [("d3", 1)]
    page.do("game", game="shogi").do("move", move="7g7f")
    found = explored(page, "mine", 0)
    assert moves(found) == [("7g7f", 2), ("2g2f", 1)] and len(found["games"]) == 3
    page.session.autosave.write()
    page.do("forget", id=page.games()[0]["id"])
    page.do("game", game="shogi")
    assert moves(explored(page, "mine", 0)) == [("2g2f", 1), ("7g7f", 1)]


def test_positions_without_moves_do_not_hide_the_others(hub):
    page = Page.of(hub)
    page.do("move", move="7g7f").do("setup", on=True).do("put", square="5a", piece="").do("setup", on=False)
    page.session.autosave.write()
    assert [each["moves"] for each in page.games()] == [0, 1]
    assert moves(explored(page, "mine")) == []
    page.do("game", game="shogi")
    assert moves(explored(page, "mine")) == [("7g7f", 1)]


def test_other_users_games_are_not_seen(tmp_path):
    hub = fake_hub(tmp_path / "games", shared=False)
    first, second = Page.of(hub, owner="one"), Page.of(hub, owner="two")
    first.do("move", move="7g7f")
    second.do("move", move="2g2f")
    for page, move in ((first, "7g7f"), (second, "2g2f"), (first, "7g7f")):
        assert moves(explored(page, "mine", 0)) == [(move, 1)]
    hub.store.close()
    hub.pool.close()


def test_counting_the_games_of_an_owner_does_not_hold_up_another(tmp_path, monkeypatch):
    hub = fake_hub(tmp_path / "games", shared=False)
    first, second = Page.of(hub, owner="one"), Page.of(hub, owner="two")
    first.do("move", move="7g7f").session.autosave.write()
    second.do("move", move="2g2f").session.autosave.write()
    shared, reading, go, found = Collections(), threading.Event(), threading.Event(), []
    read = hub.store.read

    def reads_slowly(id, owner):
        if owner == "one":
            reading.set()
            assert go.wait(30)
        return read(id, owner)

    def of(owner):
        return [row.move for row in shared.of("mine", "shogi", hub.store, owner).moves(first.session.tree.board_at(0))]

    monkeypatch.setattr(hub.store, "read", reads_slowly)
    threads = [threading.Thread(target=lambda owner=owner: found.append(of(owner))) for owner in ("one", "two")]
    threads[0].start()
    assert reading.wait(30)
    threads[1].start()
    threads[1].join(30)
    assert found == [["2g2f"]]
    go.set()
    threads[0].join(30)
    assert found == [["2g2f"], ["7g7f"]]
    hub.store.close()
    hub.pool.close()


def test_a_game_that_could_not_be_read_once_is_read_the_next_time(hub, monkeypatch):
    page = Page.of(hub)
    page.do("move", move="7g7f").do("game", game="shogi").do("move", move="2g2f").session.autosave.write()
    left, read = page.games()[1]["id"], hub.store.read

    def fails(id, owner):
        if id == left:
            raise OSError("the disk is busy")
        return read(id, owner)

    monkeypatch.setattr(hub.store, "read", fails)
    assert moves(explored(page, "mine", 0)) == [("2g2f", 1)]
    monkeypatch.undo()
    assert moves(explored(page, "mine", 0)) == [("2g2f", 1), ("7g7f", 1)]


def test_nothing_is_counted_of_games_that_are_all_gone(hub, monkeypatch):
    page = Page.of(hub)
    page.do("move", move="7g7f").do("game", game="shogi").do("move", move="2g2f").session.autosave.write()
    left, read = page.games()[1]["id"], hub.store.read

    def fails(id, owner):
        if id == left:
            raise OSError("the disk is busy")
        return read(id, owner)

    monkeypatch.setattr(hub.store, "read", fails)
    assert moves(explored(page, "mine", 0)) == [("2g2f", 1)]
    for game in page.games():
        page.do("forget", id=game["id"])
    assert not page.games() and moves(explored(page, "mine", 0)) == []


def test_a_damaged_game_does_not_hide_the_others(hub):
    page = Page.of(hub)
    page.do("move", move="7g7f").do("game", game="shogi").do("move", move="2g2f")
    page.session.autosave.write()
    id = page.games()[1]["id"]
    with hub.store.database.transaction() as database:
        database.execute("UPDATE games SET content = ? WHERE id = ?", (b"{}", id))
    assert moves(explored(page, "mine", 0)) == [("2g2f", 1)]


def test_the_servers_index_is_a_source(hub):
    index = Explorer(None, "shogi")
    record = records.GameRecord.from_moves("shogi", ["7g7f"], ending="resignation")
    record.names = ["me", "you"]
    index.add_games(records.to_arrays([record]))
    page = Page(Session(hub.pool, store=hub.store, collections=Collections({"shogi": index})))
    found = explored(page, "index")
    assert found["sources"] == ["book", "mine", "index"] and found["games"] == [
        {"names": ["me", "you"], "result": "1-0"}
    ]
    (row,) = found["rows"]
    assert (row["move"], row["games"], row["black"], row["white"], row["score"]) == ("7g7f", 1, 1, 0, 1.0)
    page.do("game", game="othello")
    with pytest.raises(ValueError, match="no index of this game"):
        explored(page, "index")


def test_what_cannot_be_explored_is_refused(hub):
    page = Page.of(hub)
    with pytest.raises(ValueError, match="no longer in the game"):
        explored(page, "book", 7)
    page.do("invite", to="watch")
    watcher = Page.by_link(hub, page.last("links")["links"][0]["token"])
    with pytest.raises(ValueError, match="watching"):
        watcher.do("explore", node=0, source="book")
    page.do("invite", to="play", side=1)
    with pytest.raises(ValueError, match="the engine does not help"):
        explored(page, "book")
