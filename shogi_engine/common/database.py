"""SQLite databases: versions of their tables, transactions that are made whole or not at all, faults as OSError."""

import contextlib
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from shogi_engine.language import Message

BEGIN = b"SQLite format 3\0"
KIND_END = 72  # the end of the four bytes of application_id in a file
BELONGING = ("-wal", "-shm", "-journal")  # the endings of the files that SQLite keeps with one
TIMEOUT = 5.0  # seconds to wait for another process that writes


def migrations(package: str) -> list[list[str]]:
    """Return the statements of each version in a package's `tables.sql`, where a line `-- version N` begins one."""
    text = files(package).joinpath("tables.sql").read_text(encoding="utf-8")
    versions = re.split(r"^-- version .*$", text, flags=re.MULTILINE)[1:]
    return [[each for each in version.split(";\n") if each.strip()] for version in versions]


class Database:
    """An open database. Several threads and processes can use it.

    Args:
        file: None for one in memory
        migrations: entry n has the statements that bring the tables of version n (PRAGMA user_version) to version n + 1
        kind: PRAGMA application_id of such files; others are refused. 0 is not checked.
        timeout: seconds to wait for another process that writes

    Raises:
        OSError: it cannot be used; also from its methods
    """

    def __init__(
        self, file: Path | None, migrations: Sequence[Sequence[str]], kind: int = 0, timeout: float = TIMEOUT
    ) -> None:
        self._lock, self._name = threading.RLock(), file.name if file else ""
        with _faults(str(file)):
            self._connection = sqlite3.connect(
                file or ":memory:", timeout=timeout, check_same_thread=False, isolation_level=None
            )
            try:
                if kind and self._kind() != kind:
                    with self.transaction():  # of two processes, the second finds the mark of the first
                        self._mark(file, kind)
                self._migrate(file, migrations)
            except BaseException:
                self.close()
                raise

    def _kind(self) -> int:
        (kind,) = self._connection.execute("PRAGMA application_id").fetchone()
        return int(kind)

    def _mark(self, file: Path | None, kind: int) -> None:
        """Mark a new file as one of a kind. Raises OSError for a file of another kind, which is not changed."""
        if self._kind() == kind:
            return
        if self._connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise OSError(Message("{0} is a file of another kind", file))
        self._connection.execute(f"PRAGMA application_id = {kind}")

    def _migrate(self, file: Path | None, migrations: Sequence[Sequence[str]]) -> None:
        """Bring the tables to the last version."""
        self._connection.row_factory = sqlite3.Row
        if self._version() > len(migrations):
            raise OSError(Message("{0} was written by a newer version of this program", file))
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the system may cost the last seconds
        if self._version() == len(migrations):
            return
        with self.transaction() as connection:  # of two processes, the second finds the tables of the first
            for number, statements in enumerate(migrations[self._version() :], self._version() + 1):
                for statement in statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def close(self) -> None:
        """Close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do all of the block or nothing."""
        with self._lock, _faults(self._name):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def execute(self, query: str, values: Any = ()) -> int:
        """Change rows, in the transaction that this thread has begun if there is one; return how many."""
        with self._lock, _faults(self._name):
            return self._connection.execute(query, values).rowcount

    def rows(self, query: str, **values: Any) -> list[sqlite3.Row]:
        """Return the result of a query."""
        with self._lock, _faults(self._name):
            return self._connection.execute(query, values).fetchall()


def is_database(path: Path) -> bool:
    """Tell whether a file begins like a database."""
    try:
        with path.open("rb") as file:
            return file.read(len(BEGIN)) == BEGIN
    except OSError:
        return False


def kind_of(path: str | Path) -> int:
    """Return the kind of a database by the beginning of its file, 0 if it is none or has none."""
    try:
        with open(path, "rb") as file:
            head = file.read(KIND_END)
    except OSError:
        return 0
    return int.from_bytes(head[KIND_END - 4 :], "big") if head.startswith(BEGIN) and len(head) == KIND_END else 0


@contextlib.contextmanager
def _faults(name: str) -> Iterator[None]:
    """Raise OSError for what the database `name` raises."""
    try:
        yield
    except sqlite3.Error as fault:
        raise OSError(Message("{0} cannot be used: {1}", name, fault)) from None
