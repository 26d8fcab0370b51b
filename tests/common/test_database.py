"""Databases: versions of tables, transactions, faults, several processes."""

import multiprocessing
import sqlite3
import threading

import pytest

from shogi_engine.common.database import Database

FIRST = ("CREATE TABLE notes (text TEXT NOT NULL)", "INSERT INTO notes VALUES ('of the first version')")
SECOND = ("ALTER TABLE notes ADD COLUMN times INTEGER NOT NULL DEFAULT 1",)


def texts(database):
    return [row["text"] for row in database.rows("SELECT text FROM notes ORDER BY rowid")]


def test_tables_are_brought_to_the_last_version_once(tmp_path):
    file = tmp_path / "a.db"
    for tables in ((FIRST,), (FIRST, SECOND), (FIRST, SECOND)):
        database = Database(file, tables)
        assert texts(database) == ["of the first version"]
        database.close()
    assert [tuple(row) for row in Database(None, (FIRST, SECOND)).rows("SELECT * FROM notes")] == [
        ("of the first version", 1)
    ]


def test_a_migration_is_made_whole_or_not_at_all(tmp_path):
    file = tmp_path / "a.db"
    Database(file, (FIRST,)).close()
    with pytest.raises(OSError, match="a.db cannot be used: .*nonsense"):
        Database(file, (FIRST, (*SECOND, "nonsense")))
    database = Database(file, (FIRST, SECOND))
    assert [row["times"] for row in database.rows("SELECT times FROM notes")] == [1]


def test_a_file_of_a_newer_version_stays_as_it_is(tmp_path):
    file = tmp_path / "a.db"
    Database(file, (FIRST, SECOND)).close()
    before = file.read_bytes()
    with pytest.raises(OSError, match="a.db was written by a newer version"):
        Database(file, (FIRST,))
    assert file.read_bytes() == before


def test_faults_name_the_database(tmp_path):
    database = Database(tmp_path / "a.db", (FIRST,))
    with pytest.raises(OSError, match="^a.db cannot be used: no such table: others$"):
        database.rows("SELECT * FROM others")
    with pytest.raises(OSError, match="^a.db cannot be used: NOT NULL"), database.transaction() as connection:
        connection.execute("INSERT INTO notes VALUES ('second')")
        connection.execute("INSERT INTO notes VALUES (NULL)")
    with pytest.raises(KeyError), database.transaction() as connection:
        connection.execute("INSERT INTO notes VALUES ('third')")
        raise KeyError
    assert texts(database) == ["of the first version"]
    with database.transaction():
        database.execute("INSERT INTO notes VALUES (?)", ("kept",))
    database.close()
    with pytest.raises(OSError, match="closed"):
        database.rows("SELECT * FROM notes")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / "none" / "a.db"):
        with pytest.raises(OSError, match="cannot be used: unable to open"):
            Database(path, (FIRST,))


def _note(file, number):
    """Open the database, perhaps as the first, and write to it."""
    database = Database(file, (FIRST, SECOND))
    for _ in range(20):
        with database.transaction() as connection:
            connection.execute("INSERT INTO notes (text) VALUES (?)", (f"{number}",))


def test_a_new_database_of_a_kind_is_opened_by_two_at_once(tmp_path, monkeypatch):
    file, others = tmp_path / "a.db", []

    class Connection(sqlite3.Connection):
        def execute(self, query, *values):
            if "FROM sqlite_master" in query and not others:  # the kind was read; another marks the file now
                others.append(threading.Thread(target=Database, args=(file, (FIRST,), 7)))
                others[0].start()
                others[0].join(0.2)
            return super().execute(query, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: connect(*args, **named, factory=Connection))
    assert texts(Database(file, (FIRST,), 7)) == ["of the first version"]
    others[0].join()
    with pytest.raises(OSError, match="of another kind"):
        Database(file, (FIRST,), 8)


def test_processes_that_open_a_new_database_together(tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_note, args=(tmp_path / "a.db", number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    with sqlite3.connect(tmp_path / "a.db") as connection:
        counts = connection.execute("SELECT text, count(*) FROM notes GROUP BY text ORDER BY text").fetchall()
    assert counts == [("0", 20), ("1", 20), ("2", 20), ("3", 20), ("of the first version", 1)]
