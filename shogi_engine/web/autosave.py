"""Saves a session's game: written soon after a change, closed when another game begins, opened again later."""

import logging
import threading
import time
from typing import Any

from shogi_engine import records
from shogi_engine.analysis.annotation import copied
from shogi_engine.language import mark, translate
from shogi_engine.records import GameRecord
from shogi_engine.web import saved_game
from shogi_engine.web.parts import Parts
from shogi_engine.web.store import Store

PAUSE_SECONDS = 1.0  # minimum time between two writes of a game
SHARE = 20.0  # and at least this many times the duration of the last write
PAUSE_MAX_SECONDS = 5.0  # but never more than this
RETRY_SECONDS = 30.0  # after a failed write
RECORD_SECONDS = 2.0  # after the last change; then the record is written too
log = logging.getLogger(__name__)


class OpenElsewhere(Exception):  # noqa: N818  (not an error: the page goes there)
    """The game is open in another session.

    Args:
        identity: that session's name
    """

    def __init__(self, identity: str) -> None:
        super().__init__("this game is open in another session")
        self.identity = identity


class Autosave:
    """A session's game in a Store.

    Attributes:
        name: the name of the game, '' while there is nothing to save
        changed: whether it must be written
    """

    def __init__(self, session: Parts, store: Store) -> None:
        self._session, self.store = session, store
        self.name = ""
        self.changed = False
        self._due = 0.0
        self._record_is_old = False
        self._writing = threading.Lock()  # taken with the session's lock, held while the file is written

    @property
    def worth_keeping(self) -> bool:
        """Whether there is more to save than an empty board."""
        record = self._session.tree.record
        empty = record == GameRecord(record.game)
        return not empty or self._session.playing.on

    def tick(self, now: float) -> None:
        """Write the game if it has changed and a write is due, its record after a pause; call this often."""
        if self.changed and now >= self._due:
            self.write()
        elif self._record_is_old and not self.changed and now >= self._due + RECORD_SECONDS:
            self.write(whole=True)

    def write(self, whole: bool = False) -> None:
        """Write the game if it has changed; if `whole`, its record too. Errors are reported to the pages.

        Moves are answered while the file is written; only the game's content is read with the session's lock.
        """
        session = self._session
        with session.lock:
            began = time.monotonic()  # waiting for the lock is not part of the work
            content = self._content()
            name, record = self.name, None
            if whole and self._record_is_old and session.tsume is None:
                record, self._record_is_old = copied(session.tree.record), False
            self._writing.acquire()
        try:
            if content is not None:
                self.store.write(*content)
                took = time.monotonic() - began
                self._due = began + took + min(PAUSE_MAX_SECONDS, max(PAUSE_SECONDS, SHARE * took))
            if record is not None:
                self.store.write_record(name, record)
            return
        except OSError as error:
            log.error("a game is not saved: %s", error)
            reason = error.strerror
        finally:
            self._writing.release()
        with session.lock:
            self.changed, self._due = True, began + RETRY_SECONDS
            fault = mark(f"this game cannot be saved: {reason}")
            for viewer in session.viewers:
                viewer.send({"kind": "error", "text": translate(fault, viewer.language)})

    def _content(self) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
        """Return the arguments of `Store.write`, None if there is nothing to write."""
        session = self._session
        if not self.changed or not (self.worth_keeping or self.name):
            self.changed = False
            return None
        if not self.name:
            self._take(self.store.new_name(session.tree.game))
        content = self.name, saved_game.head_of(session), saved_game.dump(session)
        self._record_is_old, self.changed = True, False
        return content

    def leave(self) -> str:
        """Close the game before another begins; return its name, '' if nothing was saved."""
        if self._session.tsume is not None:
            self.changed = False
        self.write(whole=True)
        left, hidden = self.name, self._session.tsume is not None
        self._take("")
        if hidden and left:
            self.store.delete(left)
        return "" if hidden or self.store.folder is None else left

    def _take(self, name: str) -> None:
        self.store.holders.pop(self.name, None)
        self.name, self._due, self._record_is_old = name, 0.0, False
        if name:
            self.store.holders[name] = self._session.identity

    def close(self) -> None:
        """Write the game if need be; another session may then open it."""
        self.write(whole=True)
        self.store.holders.pop(self.name, None)

    # ---- games of the store

    def open(self, name: str, owner: str) -> str:
        """Continue a saved game; return the name of the game that was left, '' if there was none.

        Raises OpenElsewhere, OSError, and ValueError if there is no such game.
        """
        if not self.store.may_see(name, owner):
            raise ValueError("this game no longer exists")
        if name == self.name:
            return ""
        if holder := self.store.holders.get(name):
            raise OpenElsewhere(holder)
        path = self.store.record_file(name)
        if path is not None:
            left = self._session.open_record(next(iter(records.iterate(path))))
            self._take(self.store.adopt(name))  # continued in place: there is no second game in the list
            return left
        saved = saved_game.SavedGame.parse(self.store.read(name))
        left = self.leave()
        saved.put_into(self._session)
        self._take(name)
        self.changed = True  # it now belongs to this session
        return left

    def delete(self, name: str, owner: str) -> None:
        """Delete a game. Raises OSError, and ValueError if there is none or another session has it open."""
        if not self.store.may_see(name, owner):
            raise ValueError("this game no longer exists")
        if name == self.name:
            self.write()
            self._take("")
        elif self.store.holders.get(name):
            raise ValueError("this game is open in another tab")
        self.store.delete(name)

    def games(self, owner: str) -> list[dict[str, Any]]:
        """Return the rows of an owner's list of games."""
        self.store.find_games()
        for name, path in self.store.undescribed():
            head: dict[str, Any] = {"title": ""}
            try:
                head = saved_game.record_head(records.load(path)[0])
            except (OSError, ValueError) as fault:
                log.warning("%s cannot be read: %s", name, fault)
            self.store.describe(name, head)
        return [{**each, "here": each["id"] == self.name} for each in self.store.games(owner)]
