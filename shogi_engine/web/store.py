"""The games of browsers, in a folder: a database, and each game's record for the terminal and other programs.

The terminal saves its games in the same folder; they are listed here too. Deleted games stay for a month, their records
in the folder `deleted`. Only one server at a time works on a folder.
"""

import contextlib
import hashlib
import json
import logging
import re
import threading
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec

from shogi_engine import records, study
from shogi_engine.common import files
from shogi_engine.common.database import Database, migrations
from shogi_engine.games import opening_names
from shogi_engine.language import LANGUAGES, InputError
from shogi_engine.records import GameRecord
from shogi_engine.records.files import KEPT_AS
from shogi_engine.tsume import NAME as PROGRESS_NAME, Progress, Solvable, with_note
from shogi_engine.web.links import Links

# ---- What the list of games is searched by: the words of a game, and those that a user types, in one form


HEADERS_MAX, WORD_MAX = 50, 200  # headers that are searched, characters of each
SEARCH_MAX = 100  # characters that a user may type
_DATES = str.maketrans("/.", "--")  # as files write dates: 2026/11/26


def plain(text: str) -> str:
    """Return a text without what does not matter to a search: width, case, how dates are separated."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_DATES)


def words_of(record: GameRecord) -> str:
    """Return what a game is found by: its kind, players and headers."""
    headers = list(record.headers.values())[:HEADERS_MAX]
    return plain("\n".join(text[:WORD_MAX] for text in (record.game, *record.names, *headers)))


def openings_of(record: GameRecord) -> str:
    """Return the names of a game's openings and castles, in all languages."""
    try:
        names = opening_names(record)
    except ValueError:  # an illegal move
        return ""
    found = [each.name for sides in (names.openings, names.castles) for side in sides for each in side] if names else []
    return plain("\n".join(name.text(language) for name in dict.fromkeys(found) for language in LANGUAGES))


def terms(text: str) -> list[str]:
    """Return the words that a game must have, each as a part of its own, to be found."""
    return plain(text[:SEARCH_MAX]).split()


DATABASE = "games.db"
LISTED_MAX = 300
CLOSED_SECONDS = 10.0  # to wait for a game that is being deleted
SEARCHED = "(words || char(10) || openings || char(10) || date(changed, 'unixepoch', 'localtime'))"
DELETED_SECONDS = 30 * 86400.0
RECORD_NAME = re.compile(r"(shogi|othello)-[0-9-]{1,40}(?:\.kifu|\.ggf)")
log = logging.getLogger(__name__)


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What the list of games says about a game."""

    game: str
    title: str = ""
    moves: int = 0
    result: str = "*"
    playing: bool = False
    hidden: bool = False
    words: str = ""  # see search.py


class Holder(Protocol):
    """Who has a game open: the `Autosave` of a session."""

    @property
    def id(self) -> str:
        """The game on its board; it may hold others, which it has left and not written yet."""
        raise NotImplementedError

    @property
    def identity(self) -> str:
        """The name of the session."""
        raise NotImplementedError

    def flush(self) -> None:
        """Write the games that were left. Raises OSError."""
        raise NotImplementedError


class Holders:
    """Who has which game open: one holder at a time. It is decided here alone; nothing slow is done under its lock."""

    def __init__(self) -> None:
        self._holders: dict[str, Holder] = {}
        self._closed: set[str] = set()  # games that no one may take at the moment
        self._changed = threading.Condition()

    def take(self, id: str, holder: Holder) -> Holder:
        """Give a game to a holder unless another has it; return who has it now. Raises ValueError if no one may.

        What is `kept_closed` is waited for.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: id not in self._closed, CLOSED_SECONDS):
                raise InputError("the game is being opened; please try again")
            return self._holders.setdefault(id, holder)

    def release(self, id: str, holder: Holder) -> None:
        """Take a game from a holder, if it has it."""
        with self._changed:
            if self._holders.get(id) is holder:
                del self._holders[id]

    def of(self, id: str) -> Holder | None:
        """Return who has a game open, None for no one."""
        return self._holders.get(id)

    @contextlib.contextmanager
    def kept_closed(self, id: str, holder: Holder | None = None) -> Iterator[bool]:
        """Let no one take a game during the block; give False, and do not, if somebody but `holder` has it open."""
        with self._changed:
            free = id not in self._closed and self._holders.get(id) in (None, holder)
            if free:
                self._closed.add(id)
        try:
            yield free
        finally:
            if free:
                with self._changed:
                    self._closed.discard(id)
                    self._changed.notify_all()


class GameStore:
    """The saved games.

    Args:
        folder: None saves nothing
        shared: every user sees all games, not only their own

    Attributes:
        holders: who has games open
        links: to games

    Raises:
        InUseError: another server uses the folder
        OSError: the folder cannot be written, or the database cannot be read
    """

    def __init__(self, folder: Path | None = None, shared: bool = True) -> None:
        self.folder, self.shared = folder, shared
        self.holders = Holders()
        self._folder_lock: files.Lock | None = None
        self._study: study.Store | None = None
        self._opening = threading.Lock()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._folder_lock = files.Lock(folder / DATABASE)
        try:
            self.database = Database(folder and folder / DATABASE, migrations("shogi_engine.web"))
            self.links = Links(self.database)
            if folder is not None:
                self._tidy(folder)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files; another server may then use the folder."""
        if hasattr(self, "database"):
            self.database.close()
        if self._study is not None:
            self._study.close()
        if self._folder_lock is not None:
            self._folder_lock.release()

    def is_open(self) -> bool:
        """Tell whether games can be read."""
        try:
            return bool(self.database.rows("PRAGMA user_version"))
        except OSError:
            return False

    # ---- records in the folder

    def _tidy(self, folder: Path) -> None:
        """Erase games that were deleted long ago, and put records where a killed server should have put them.

        Its temporary files go.
        """
        files.remove_leftovers(folder)
        for row in self.database.rows("SELECT id, file, recorded, deleted FROM games WHERE deleted IS NOT NULL"):
            there, aside = ((place / row["file"]).is_file() for place in (folder, folder / "deleted"))
            if time.time() - row["deleted"] > DELETED_SECONDS:
                self.database.execute("DELETE FROM games WHERE id = ?", (row["id"],))
                with contextlib.suppress(OSError):
                    (folder / "deleted" / row["file"]).unlink()
            elif there and not aside and row["recorded"]:
                self._put(row["id"], aside=True)
        for row in self.database.rows("SELECT id, file FROM games WHERE deleted IS NULL"):
            if (folder / "deleted" / row["file"]).is_file() and not (folder / row["file"]).is_file():
                self._put(row["id"], aside=False)

    def _put(self, id: str, *, aside: bool) -> None:
        """Move a game's record into the folder of deleted games or back, to a name that is free there."""
        (row,) = self.database.rows("SELECT game, file FROM games WHERE id = :id", id=id)
        if self.folder is None:
            return
        source, target = (self.folder, self.folder / "deleted")[:: 1 if aside else -1]
        if not (source / row["file"]).is_file():
            return
        target.mkdir(exist_ok=True)
        ending = KEPT_AS[row["game"]]
        name = (
            files.free_name(row["file"].removesuffix(ending), lambda stem: (target / f"{stem}{ending}").exists())
            + ending
        )
        with self.database.transaction() as database:
            database.execute("UPDATE games SET file = ? WHERE id = ?", (name, id))
            files.replace(source / row["file"], target / name)

    def find_records(self) -> list[tuple[str, Path]]:
        """Add the terminal's new games; return the latest of which only the names are known, and their files."""
        if self.folder is None:
            return []
        names = [path for path in self.folder.iterdir() if RECORD_NAME.fullmatch(path.name)]
        there = {path.name: status.st_mtime for path in names if (status := files.status_of_file(path)) is not None}
        with self.database.transaction() as database:
            query = "SELECT id, file, content IS NULL AS theirs, changed FROM games WHERE deleted IS NULL"
            known = {row["file"]: row for row in self.database.rows(query)}
            for name, changed in there.items():
                row, stem = known.get(name), name.partition(".")[0]
                if row is None:
                    values = (files.free_name(stem, self._is_id), stem.partition("-")[0], changed, changed, name)
                    query = "INSERT INTO games (id, owner, game, changed, recorded, file) VALUES (?, '', ?, ?, ?, ?)"
                    database.execute(query, values)
                elif row["theirs"] and row["changed"] != changed:
                    database.execute("UPDATE games SET title = NULL, changed = ? WHERE id = ?", (changed, row["id"]))
            for name, row in known.items():
                if row["theirs"] and name not in there:
                    database.execute("DELETE FROM games WHERE id = ?", (row["id"],))
        query = "SELECT id, file FROM games WHERE title IS NULL AND deleted IS NULL ORDER BY changed DESC LIMIT :most"
        return [(row["id"], self.folder / row["file"]) for row in self.database.rows(query, most=LISTED_MAX)]

    def describe(self, id: str, head: Head, openings: str = "") -> None:
        """Note what a record of the terminal says about its game."""
        query = (
            "UPDATE games SET title = ?, moves = ?, result = ?, words = ?, openings = ? "
            "WHERE id = ? AND content IS NULL"
        )
        self.database.execute(query, (head.title, head.moves, head.result, head.words, openings, id))

    def without_record(self) -> list[str]:
        """Return the names of games whose records are missing or old, because a server was killed."""
        if self.folder is None:
            return []
        query = (
            "SELECT id, file, recorded < changed AS old FROM games "
            "WHERE content IS NOT NULL AND NOT hidden AND deleted IS NULL"
        )
        return [
            row["id"] for row in self.database.rows(query) if row["old"] or not (self.folder / row["file"]).is_file()
        ]

    def write_record(self, id: str, record: GameRecord) -> None:
        """Write a game's record into the folder, for the terminal and other programs. Raises OSError."""
        if self.folder is None:
            return
        rows = self.database.rows("SELECT file, recorded FROM games WHERE id = :id AND deleted IS NULL", id=id)
        if not rows:
            return
        ending, written = KEPT_AS[record.game], time.time()
        format, encoding = records.format_for(f"game{ending}", record.game), records.encoding_for(f"game{ending}")
        try:
            content = records.dumps(record, format.name, encoding)
        except ValueError as fault:  # the format cannot hold it
            log.warning("%s has no record: %s", id, fault)
            return
        path = self.folder / rows[0]["file"]
        if rows[0]["recorded"]:
            files.write_whole(path, content)
        else:  # the terminal may have begun a game of this name meanwhile
            path = files.write_free(self.folder, path.name.removesuffix(ending), ending, content)
        query = "UPDATE games SET file = ?, recorded = ?, openings = ? WHERE id = ?"
        self.database.execute(query, (path.name, written, openings_of(record), id))

    # ---- writing

    def _is_id(self, id: str) -> bool:
        """Tell whether a game, even a deleted one, has this name."""
        return bool(self.database.rows("SELECT 1 FROM games WHERE id = :id", id=id))

    def _is_taken(self, id: str) -> bool:
        """Tell whether a game or a file has this name."""
        return self._is_id(id) or (self.folder is not None and any(self.folder.glob(f"{id}.*")))

    def write(self, id: str, head: Head, owner: str, session: str, content: bytes, holder: Holder | None = None) -> str:
        """Save a game, and return its name. Raises OSError.

        Args:
            id: '' for a new game
            owner: that of a new game, and of one that had none
            session: the session that has it open
            content: JSON
            holder: who has it open; it is given a new game before others can see it
        """
        values = msgspec.structs.asdict(head) | {"owner": owner, "session": session, "content": content}
        with self.database.transaction() as database:
            if not id or not self._is_id(id):
                id = files.free_name(f"{head.game}-{time.strftime('%Y%m%d-%H%M%S')}", self._is_taken)
                if holder is not None:
                    self.holders.take(id, holder)
                query = "INSERT INTO games (id, owner, game, changed, file) VALUES (?, ?, ?, 0, ?)"
                database.execute(query, (id, owner, head.game, f"{id}{KEPT_AS[head.game]}"))
            query = (
                "UPDATE games SET title = :title, moves = :moves, result = :result, playing = :playing, "
                "hidden = :hidden, words = :words, session = :session, content = :content, changed = :now, "
                "owner = CASE owner WHEN '' THEN :owner ELSE owner END WHERE id = :id"
            )
            database.execute(query, {**values, "id": id, "now": time.time()})
        return id

    def erase(self, id: str) -> None:
        """Delete a problem that was left; it does not come back."""
        self.database.execute("DELETE FROM games WHERE id = ? AND hidden", (id,))

    def delete(self, id: str, owner: str) -> None:
        """Delete a game; `restore` brings it back. Raises OSError, and ValueError if there is none."""
        self._mark(id, owner, deleted=False)
        self._put(id, aside=True)

    def restore(self, id: str, owner: str) -> None:
        """Bring a deleted game back. Raises OSError, and ValueError if there is none."""
        self._mark(id, owner, deleted=True)
        self._put(id, aside=False)

    def _mark(self, id: str, owner: str, *, deleted: bool) -> None:
        """Mark a game as deleted, or a deleted one as there."""
        query = f"UPDATE games SET deleted = :new WHERE id = :id AND (deleted IS NOT NULL) = :old AND {self._mine}"
        if not self.database.execute(query, self._key(id, owner, old=deleted, new=None if deleted else time.time())):
            raise InputError("this game no longer exists")

    # ---- reading

    @property
    def _mine(self) -> str:
        """The condition that a game is a user's."""
        return "1" if self.shared else "owner = :owner AND owner <> ''"

    @staticmethod
    def _key(id: str, owner: str, **values: Any) -> dict[str, Any]:
        return {"id": id, "owner": owner, **values}

    def games(self, owner: str, text: str = "", result: str = "") -> list[dict[str, Any]]:
        """Return the list of an owner's games, the latest first, without secrets.

        Args:
            text: words that a game must have: of its title, players, headers, openings, or the day of its last change
            result: '1-0', '0-1', '1/2-1/2' or '*'; '' for any
        """
        wanted = {f"term{number}": term for number, term in enumerate(terms(text))}
        found = "".join(f" AND instr({SEARCHED}, :{name})" for name in wanted)
        query = (
            'SELECT id, game, title, moves, result, playing AS "on", changed AS time FROM games '
            f"WHERE deleted IS NULL AND NOT hidden AND {self._mine} AND :result IN ('', result){found} "
            f"ORDER BY changed DESC, id DESC LIMIT {LISTED_MAX}"
        )
        rows = self.database.rows(query, owner=owner, result=result, **wanted)
        return [{**dict(row), "title": row["title"] or "", "on": bool(row["on"])} for row in rows]

    def of_session(self, identity: str, owner: str) -> str:
        """Return the name of the game that a session had open last, '' if none is saved."""
        query = (
            f"SELECT id FROM games WHERE session = :session AND session <> '' AND deleted IS NULL AND {self._mine} "
            "ORDER BY changed DESC LIMIT 1"
        )
        return next((row["id"] for row in self.database.rows(query, session=identity, owner=owner)), "")

    def exists(self, id: str, owner: str) -> bool:
        """Tell whether an owner has this game."""
        query = f"SELECT 1 FROM games WHERE id = :id AND deleted IS NULL AND {self._mine}"
        return bool(self.database.rows(query, **self._key(id, owner)))

    def read(self, id: str, owner: str) -> bytes | GameRecord:
        """Return a game: the content that was written, or the record if it is the terminal's.

        Raises OSError, and ValueError if there is none.
        """
        query = f"SELECT content, file FROM games WHERE id = :id AND deleted IS NULL AND {self._mine}"
        rows = self.database.rows(query, **self._key(id, owner))
        if not rows or self.folder is None and rows[0]["content"] is None:
            raise InputError("this game no longer exists")
        if rows[0]["content"] is None:
            path = (self.folder or Path()) / rows[0]["file"]
            if files.status_of_file(path) is None:
                raise InputError("this game no longer exists")
            return next(iter(records.iterate(path)))
        content: bytes = rows[0]["content"]
        return content

    def content(self, id: str) -> bytes:
        """Return the content of a game, of any owner. Raises OSError, and ValueError if there is none."""
        rows = self.database.rows("SELECT content FROM games WHERE id = :id", id=id)
        if not rows:
            raise InputError("this game no longer exists")
        content: bytes = rows[0]["content"]
        return content

    # ---- problems

    def progress(self, owner: str) -> Progress | None:
        """Return the problems and lessons that an owner has solved; None if nothing is saved.

        If all games are shared, the terminal's progress is too.
        """
        if self.folder is None:
            return None
        if self.shared:
            return Progress(self.folder.parent / PROGRESS_NAME)
        return _StoredProgress(self, owner) if owner else None

    def mistakes(self, owner: str, game: str) -> study.Store:
        """Return the problems made of an owner's mistakes in a game. If all games are shared, they are the terminal's.

        Raises OSError, and ValueError if nothing is saved.
        """
        if self.folder is None or not (self.shared or owner):
            raise InputError("nothing is saved here")
        with self._opening:
            if self._study is None:
                self._study = study.Store(self.folder.parent / study.NAME)
        return self._study.of("" if self.shared else solver_of(owner), game)

    def solutions(self, solver: str) -> dict[str, dict[str, Any]]:
        """Return the rows of a solver's progress."""
        query = "SELECT sfen, row FROM solutions WHERE solver = :solver"
        return {row["sfen"]: json.loads(row["row"]) for row in self.database.rows(query, solver=solver)}

    def note_solution(self, solver: str, problem: Solvable, solution: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Note a solution or a wrong move, and return all rows. Raises OSError."""
        with self.database.transaction() as database:
            rows = with_note(self.solutions(solver), problem.key, solution)
            values = (solver, problem.key, json.dumps(rows[problem.key]))
            database.execute("INSERT OR REPLACE INTO solutions VALUES (?, ?, ?)", values)
        return rows


def solver_of(owner: str) -> str:
    """Return the name of an owner's progress."""
    return hashlib.sha256(owner.encode()).hexdigest()[:24]


class _StoredProgress(Progress):
    """The problems that an owner has solved, in the store."""

    def __init__(self, store: GameStore, owner: str) -> None:
        self._store, self._solver = store, solver_of(owner)
        self._rows = store.solutions(self._solver)

    def _note(self, problem: Solvable, solution: dict[str, Any]) -> None:
        try:
            self._rows = self._store.note_solution(self._solver, problem, solution)
        except OSError:
            self._rows = with_note(self._rows, problem.key, solution)
            raise
