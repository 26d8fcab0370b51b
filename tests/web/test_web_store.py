"""The store of the browser's games: owners, deletions, other servers."""

import os
import sqlite3
from contextlib import closing

import pytest

from shogi_engine import records
from shogi_engine.__main__ import main
from shogi_engine.common.files import InUseError
from shogi_engine.tsume import problems
from shogi_engine.web import store
from shogi_engine.web.store import GameStore, Head

KIFU = records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"])


@pytest.fixture
def games(tmp_path):
    """Return a store where strangers come."""
    with closing(GameStore(tmp_path / "games", shared=False)) as made:
        yield made


def written(games, owner="me", session="s", content=b"{}"):
    return games.write("", Head(game="shogi", moves=1), owner, session, content)


def test_the_owner_is_in_every_query(games):
    name = written(games)
    for refused in (lambda owner: games.read(name, owner), lambda owner: games.delete(name, owner)):
        for owner in ("them", ""):
            with pytest.raises(ValueError, match="no longer exists"):
                refused(owner)
    for owner in ("them", ""):
        assert games.games(owner) == [] and not games.exists(name, owner) and games.of_session("s", owner) == ""
    assert games.of_session("s", "me") == name and games.of_session("", "me") == ""
    games.delete(name, "me")
    for owner in ("them", ""):
        with pytest.raises(ValueError, match="no longer exists"):
            games.restore(name, owner)
    assert games.games("me") == []
    games.restore(name, "me")
    assert [game["id"] for game in games.games("me")] == [name]
    with pytest.raises(ValueError, match="no longer exists"):
        games.restore(name, "me")  # it is there already


def test_another_session_of_the_owner_does_not_become_the_owner(games):
    name = written(games)
    games.write(name, Head(game="shogi"), "them", "t", b"{}")
    assert games.exists(name, "me") and not games.exists(name, "them")


def test_the_undo_of_a_deletion_replaces_no_newer_game(tmp_path, monkeypatch):
    monkeypatch.setattr(store.time, "strftime", lambda *_: "20260101-120000")  # all in the same second
    folder = tmp_path / "games"
    with closing(GameStore(folder)) as games:
        first = written(games, content=b'{"which": 1}')
        games.write_record(first, KIFU)
        games.delete(first, "")
        second = written(games, content=b'{"which": 2}')
        records.save(KIFU, folder / f"{first}.kifu")  # and the terminal begins a game
        games.restore(first, "")
        assert games.read(first, "") == b'{"which": 1}' and games.read(second, "") == b'{"which": 2}'
        assert len(list(folder.glob("*.kifu"))) == 2 and first != second
        games.find_records()
        assert len(games.games("")) == 3
        games.delete(first, "")
        games.write_record(second, KIFU)
        games.restore(first, "")
        assert len(list(folder.glob("*.kifu"))) == 3


def test_a_second_server_is_refused_with_one_sentence(tmp_path, monkeypatch, capsys):
    for variable in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    from shogi_engine.common.files import data_folder

    with closing(GameStore(data_folder() / "games")) as games:
        with pytest.raises(InUseError, match=f"in use by process {os.getpid()}"):
            GameStore(data_folder() / "games")
        assert main(["serve", "--port", "0"]) == 2
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1 and f"in use by process {os.getpid()}" in said
        assert games.is_open()
    GameStore(data_folder() / "games").close()


@pytest.mark.parametrize("content", ["newer", "garbage"])
def test_a_database_that_cannot_be_used_is_named_and_unchanged(tmp_path, content):
    path = tmp_path / "games.db"
    if content == "garbage":
        path.write_bytes(b"a letter" * 1000)
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    for _ in range(2):  # the folder is free again after the first time
        with pytest.raises(OSError, match=r"games\.db.*(newer version|cannot be used)"):
            GameStore(tmp_path)
    assert path.read_bytes() == before


def test_a_transaction_is_made_whole_or_not_at_all(games, monkeypatch):
    name = written(games)
    with pytest.raises(RuntimeError), games.database.transaction() as database:
        database.execute("DELETE FROM games")
        raise RuntimeError
    assert games.exists(name, "me")


def test_a_record_stays_where_a_killed_server_should_have_put_it(tmp_path):
    folder = tmp_path / "games"
    with closing(GameStore(folder)) as games:
        name = written(games)
        games.write_record(name, KIFU)
        games._mark(name, "", deleted=False)  # and then the server is killed
    with closing(GameStore(folder)) as games:
        assert not (folder / f"{name}.kifu").exists() and (folder / "deleted" / f"{name}.kifu").exists()
        games._mark(name, "", deleted=True)
    with closing(GameStore(folder)) as games:
        assert (folder / f"{name}.kifu").exists() and games.without_record() == []


def test_progress_of_two_pages_is_kept_and_each_has_its_own(games):
    one, two = games.progress("me"), games.progress("me")
    one.solve(problems()[0])
    two.solve(problems()[1])
    again = games.progress("me")
    assert again.is_solved(problems()[0]) and again.is_solved(problems()[1])
    assert not games.progress("them").is_solved(problems()[0])
