"""Saves a session's game: written at every change, closed when another game begins, opened again later.

A page is told of a change when it is on disk; only if writing is slow, as it is for thousands of moves, it is
written soon afterwards.
"""

import contextlib
import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from shogi_engine import records
from shogi_engine.analysis.annotation import copied
from shogi_engine.common.files import status_of_file
from shogi_engine.language import InputError, Message
from shogi_engine.records import GameRecord
from shogi_engine.web import saved_game, search
from shogi_engine.web.lesson import Lesson
from shogi_engine.web.store import Head, Store
from shogi_engine.web.tree import Tree

if TYPE_CHECKING:
    from shogi_engine.web.session import Session

QUICK_SECONDS = 0.01
PAUSE_SECONDS = 0.1  # minimum time between two writes of a game
SHARE = 4.0  # and at least this many times the duration of the last write
PAUSE_MAX_SECONDS = 5.0  # but never more than this
RETRY_SECONDS = 5.0  # after a failed write
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


def reason_of(fault: BaseException) -> str:
    """Return why something failed, without the name of a file, which is nothing to visitors."""
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault)


@dataclass
class Snapshot:
    """A game as it was at some moment.

    Attributes:
        id: its name in the store, '' for a new one
        change: the number of its last change
        content: None once it is saved
        record: None if it is written, or need not be yet
    """

    id: str
    change: int
    head: Head
    content: dict[str, Any] | None
    record: GameRecord | None


class Autosave:
    """A session's game in a Store.

    Attributes:
        id: the name of the game, '' while nothing is saved
        wanted: whether the game is saved although there is nothing on its board
    """

    def __init__(self, session: "Session", store: Store) -> None:
        self._session, self.store = session, store
        self.id = ""
        self.wanted = False  # although the board is empty
        self._change = 0  # counts changes; the next two are what is on disk
        self._saved = self._recorded = 0
        self._due = self._took = 0.0  # when the next write is due, how long the last one took
        self._left: list[Snapshot] = []  # games that were left and are not written yet; they are still held
        self._opening = ""  # the game that is being opened
        self._writing = threading.Lock()  # taken with the session's lock, held while the file is written

    @property
    def worth_keeping(self) -> bool:
        """Whether there is more to save than an empty board."""
        if isinstance(self._session.tsume, Lesson):  # the game that was left comes back after it
            return False
        record = self._session.tree.record
        return bool(self.id) or self.wanted or self._session.playing.on or record != GameRecord(record.game)

    @property
    def unsaved(self) -> bool:
        """Whether there is a change that is not on disk."""
        return (self._saved < self._change and self.worth_keeping) or bool(self._left)

    def changed(self) -> None:
        """Note that the game has changed, and write it if that is quick."""
        self._change += 1
        if self._took < QUICK_SECONDS and not self._session.write_fault and not self._writing.locked():
            self.write()

    def tick(self, now: float) -> None:
        """Write the game if it has changed and a write is due, its record after a pause; call this often."""
        if now < self._due:
            return
        if self.unsaved:
            self.write()
        elif self._recorded < self._saved and now >= self._due + RECORD_SECONDS:
            self.write(whole=True)

    def write(self, whole: bool = False) -> bool:
        """Write the game if it has changed; if `whole`, its record too. Tell whether all is written.

        A failure is shown on the pages, and `tick` tries again. Moves are answered while the file is written; only the
        game's content is read with the session's lock.
        """
        try:
            self._took = took = self._write(whole)
        except Exception as fault:  # also a fault of the program must not end saving for good
            self._failed(fault)
            return False
        self._due = time.monotonic() + min(PAUSE_MAX_SECONDS, max(PAUSE_SECONDS, SHARE * took))
        if self._session.write_fault:
            self._session.write_fault = ""
            with self._session.lock:
                self._session.publish()
        return True

    def _write(self, whole: bool) -> float:
        """Write what has changed; return how long it took."""
        while True:
            with self._session.lock:
                began = time.monotonic()  # waiting for the lock is not part of the work
                if self._writing.acquire(blocking=False):
                    try:
                        now = self._snapshot(whole)
                    except BaseException:
                        self._writing.release()
                        raise
                    break
            with self._writing:  # another thread writes: it is waited for without the session's lock
                pass
        try:
            self._put_left()
            if now is not None:
                self._put(now, current=True)
            return time.monotonic() - began
        finally:
            self._writing.release()

    def _put_left(self) -> None:
        """Write the games that were left. Others may open them then."""
        while self._left:
            self._put(self._left[0])
            if (left := self._left.pop(0).id) != self.id:
                self.store.holders.release(left, self)

    def flush(self) -> None:
        """Write the games that were left, without the session's lock. Raises OSError."""
        with self._writing:
            self._put_left()

    def _snapshot(self, whole: bool) -> Snapshot | None:
        """Return what is to be written, None for nothing."""
        session = self._session
        if not self.worth_keeping:
            return None
        content = saved_game.dump(session) if self._saved < self._change else None
        record = None
        if whole and self._recorded < self._change and session.tsume is None:
            record = copied(session.tree.record)
        if content is None and record is None:
            return None
        return Snapshot(self.id, self._change, saved_game.head_of(session), content, record)

    def _put(self, snapshot: Snapshot, current: bool = False) -> None:
        """Write a game to disk, the one on the board if `current`. What is written is not written again."""
        if snapshot.content is not None:
            content, session = msgspec.json.encode(snapshot.content), self._session
            snapshot.id = self.store.write(snapshot.id, snapshot.head, session.owner, session.identity, content, self)
            snapshot.content = None
            if current:
                self._saved = snapshot.change
                if snapshot.id != self.id:
                    self.store.holders.release(self.id, self)
                    self.id = snapshot.id
        if snapshot.record is not None:
            self.store.write_record(snapshot.id, snapshot.record)
            snapshot.record = None
            if current:
                self._recorded = snapshot.change

    def _failed(self, fault: Exception) -> None:
        """Show the pages, once, that the game is not saved."""
        self._due = time.monotonic() + RETRY_SECONDS
        log.error("a game is not saved", exc_info=None if isinstance(fault, OSError) else fault)
        text = Message("this game cannot be saved: {0}", reason_of(fault))
        if text != self._session.write_fault:
            self._session.write_fault = text
            with self._session.lock:
                self._session.tell(text)
                self._session.publish()

    def leave(self) -> str:
        """Close the game before another begins; return its name, '' if nothing was saved."""
        hidden = self._session.tsume is not None
        kept = hidden or self._took < QUICK_SECONDS and self.write(whole=True)
        with self._writing:
            if not kept and (now := self._snapshot(True)) is not None:
                self._left.append(now)  # `tick` writes it; until then, nobody else may open what is on disk
            left = self.id
            self._take("")
        if hidden and left:
            self.store.erase(left)
        return "" if hidden or self.store.folder is None else left

    def named(self) -> str:
        """Return the game's name; the game is written for it if need be. Raises OSError if it cannot be."""
        if not self.id:
            self._change += 1
            self.wanted = True
            self.write()
        if not self.id:
            raise OSError(str(self._session.write_fault))
        return self.id

    def _take(self, id: str) -> None:
        """Continue with another game, which is as on disk; '' for a new one."""
        if self.id not in [each.id for each in self._left]:
            self.store.holders.release(self.id, self)
        self.id = id
        self.wanted = False
        self._saved = self._recorded = self._change
        self._due = 0.0

    def close(self) -> bool:
        """Write the game if need be; tell whether all is saved. If so, another session may open it."""
        if not self.write(whole=True):
            return False
        self.store.holders.release(self.id, self)
        return True

    # ---- games of the store

    @property
    def identity(self) -> str:
        """The name of the session."""
        return self._session.identity

    def open(self, id: str, owner: str) -> str:
        """Continue a saved game; return the name of the game that was left, '' if there was none.

        It is read without the session's lock, unless the caller holds it. Raises OpenElsewhere, OSError, and ValueError
        if there is no such game.
        """
        if not self.store.exists(id, owner):
            raise InputError("this game no longer exists")
        with self._session.lock:
            if self._opening:
                raise InputError("the game is being opened; please try again")
            if id == self.id:
                return ""
            self._opening = id
        try:
            holder = self.store.holders.take(id, self)
            if holder is not self and holder.id != id:  # it has left the game, and not written it yet
                with contextlib.suppress(OSError):
                    holder.flush()
                holder = self.store.holders.take(id, self)
            if holder is not self:
                raise OpenElsewhere(holder.identity)
            return self._open(id, owner)
        finally:
            self._opening = ""
            if id != self.id and id not in [each.id for each in self._left]:
                self.store.holders.release(id, self)

    def _open(self, id: str, owner: str) -> str:
        """Continue a game that this session holds, as `open` does."""
        if id in [each.id for each in self._left] and not self.write():  # what is on disk is older
            raise InputError(self._session.write_fault)
        found = self.store.read(id, owner)
        if isinstance(found, GameRecord):  # the terminal's: continued in place, there is no second game in the list
            saved, tree = None, Tree(found)
        else:
            saved = saved_game.SavedGame.parse(found)
            tree = saved.tree
        with self._session.lock:
            left = self.leave()
            if saved is None:
                self._session.replace(tree)
            else:
                saved.put_into(self._session)
            self._take(id)
            self.changed()  # it now belongs to this session
        return left

    def delete(self, id: str, owner: str) -> None:
        """Delete a game. Raises OSError, and ValueError if there is none or another session has it open."""
        if not self.store.exists(id, owner):
            raise InputError("this game no longer exists")
        with self.store.holders.kept_closed(id, self if id == self.id else None) as free:
            if not free:
                raise InputError("this game is open in another tab")
            if id == self.id:
                self.write()
            self.store.delete(id, owner)
            with self._session.lock:
                if id == self.id:
                    self._take("")

    def games(self, owner: str, text: str = "", result: str = "") -> list[dict[str, Any]]:
        """Return the rows of an owner's list of games, those that `Store.games` finds."""
        for id, path in self.store.find_records():
            head, names = Head(game=id.partition("-")[0]), ""
            try:
                if status_of_file(path) is None:
                    continue
                record = records.load(path)[0]
                head, names = saved_game.head_of_record(record), search.openings_of(record)
            except (OSError, ValueError) as fault:
                log.warning("%s cannot be read: %s", id, fault)
            self.store.describe(id, head, names)
        return [{**each, "here": each["id"] == self.id} for each in self.store.games(owner, text, result)]
