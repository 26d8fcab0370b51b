"""The database of the browsers' games: one file, its tables, and transactions."""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shogi_engine.language import Message

# Entry n brings a database of version n (PRAGMA user_version) to version n + 1.
MIGRATIONS = (
    """
    CREATE TABLE games (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,  -- '' of the terminal's games
        session TEXT NOT NULL DEFAULT '',  -- that had the game open last
        game TEXT NOT NULL,
        title TEXT,  -- NULL : of a record that was not read yet
        moves INTEGER NOT NULL DEFAULT 0,
        result TEXT NOT NULL DEFAULT '*',
        playing INTEGER NOT NULL DEFAULT 0,
        hidden INTEGER NOT NULL DEFAULT 0,  -- a problem: not in the list
        content BLOB,  -- JSON, see saved_game.py; NULL : only the record
        changed REAL NOT NULL,  -- Unix time, as all of these
        file TEXT NOT NULL,  -- of the record
        recorded REAL NOT NULL DEFAULT 0,  -- when the record was written
        deleted REAL
    );
    CREATE INDEX games_by_owner ON games (owner, changed);
    CREATE INDEX games_by_session ON games (session);
    CREATE TABLE solutions (
        solver TEXT NOT NULL,  -- the hash of an owner
        sfen TEXT NOT NULL,
        row TEXT NOT NULL,
        PRIMARY KEY (solver, sfen)
    );
    """,
    """
    CREATE TABLE links (
        token TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        side INTEGER,
        game TEXT NOT NULL,  -- '' for a link to whatever its owner's session shows
        owner TEXT NOT NULL,
        session TEXT NOT NULL
    );
    """,
)


class Database:
    """An open database.

    Args:
        file: None for one in memory

    Raises:
        OSError: it cannot be used
    """

    def __init__(self, file: Path | None) -> None:
        self._lock = threading.RLock()
        try:
            self._connection = sqlite3.connect(file or ":memory:", check_same_thread=False, isolation_level=None)
        except sqlite3.Error as fault:
            raise OSError(Message("{0} cannot be used: {1}", file, fault)) from None
        try:
            self._migrate(file)
        except sqlite3.Error as fault:
            self.close()
            raise OSError(Message("{0} cannot be used: {1}", file, fault)) from None
        except BaseException:
            self.close()
            raise

    def _migrate(self, file: Path | None) -> None:
        """Bring the tables to the last version."""
        connection = self._connection
        connection.row_factory = sqlite3.Row
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise OSError(Message("{0} was written by a newer version of this program", file))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the system may cost the last seconds
        for number, migration in enumerate(MIGRATIONS[version:], version + 1):
            connection.executescript(f"BEGIN IMMEDIATE; {migration} PRAGMA user_version = {number}; COMMIT;")

    def close(self) -> None:
        """Close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do all of the block or nothing. Raises OSError for what the database raises."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException as fault:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                if isinstance(fault, sqlite3.Error):
                    raise OSError(str(fault)) from None
                raise

    def execute(self, query: str, values: Any) -> None:
        """Change rows in a transaction that this thread has begun."""
        self._connection.execute(query, values)

    def rows(self, query: str, **values: Any) -> list[sqlite3.Row]:
        """Return the result of a query. Raises OSError."""
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.Error as fault:
                raise OSError(str(fault)) from None
