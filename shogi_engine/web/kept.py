"""Where a session's game is kept: written soon after it has changed, left when another one begins, opened again."""

import logging
import time
from typing import Any

from shogi_engine import records
from shogi_engine.web import saved_game
from shogi_engine.web.parts import Parts
from shogi_engine.web.store import Store

SHARE = 20.0  # a game is written again after this many times as long as writing it took, at the earliest
RETRY_SECONDS = 30.0  # after a write that failed
log = logging.getLogger(__name__)


class OpenElsewhere(Exception):  # noqa: N818  (no error: the page goes there)
    """A game that another session has open. identity : that session's name"""

    def __init__(self, identity: str) -> None:
        super().__init__("this game is open elsewhere")
        self.identity = identity


class Kept:
    """The place of a session's game in a Store.

    name : of the game, '' while there is nothing to keep    changed : it has to be written
    """

    def __init__(self, session: Parts, store: Store) -> None:
        self._session, self.store = session, store
        self.name = ""
        self.changed = False
        self._due = 0.0

    @property
    def worth_keeping(self) -> bool:
        """Whether there is more than an empty board."""
        tree = self._session.tree
        return bool(tree.record.root.children) or self._session.playing.on

    def tick(self, now: float) -> None:
        """Write the game if it has changed; to be called often."""
        if self.changed and now >= self._due:
            self.write()

    def write(self) -> None:
        """Write the game if it has changed. What goes wrong is told to whoever looks on."""
        session = self._session
        with session.lock:
            if not self.changed:
                return
            self.changed = False
            if not self.worth_keeping and not self.name:
                return
            began = time.monotonic()
            try:
                if not self.name:
                    self._take(self.store.new_name(session.tree.game))
                self.store.write(self.name, saved_game.head_of(session), saved_game.dump(session))
                self._due = began + (1 + SHARE) * (time.monotonic() - began)
            except OSError as fault:
                log.error("a game is not kept: %s", fault)
                self.changed, self._due = True, began + RETRY_SECONDS
                session.send({"kind": "error", "text": f"this game can not be kept: {fault.strerror}"})

    def leave(self) -> str:
        """Let another game begin; return the name of the one that was there, '' if nothing of it is kept."""
        if self._session.tsume is not None:
            self.changed = False
        self.write()
        left, hidden = self.name, self._session.tsume is not None
        self._take("")
        if hidden and left:
            self.store.delete(left)
        return "" if hidden or self.store.folder is None else left

    def _take(self, name: str) -> None:
        self.store.holders.pop(self.name, None)
        self.name, self._due = name, 0.0
        if name:
            self.store.holders[name] = self._session.identity

    def close(self) -> None:
        """Write what is to be written; another session may open the game then."""
        self.write()
        self.store.holders.pop(self.name, None)

    # ---- games of the store

    def open(self, name: str, owner: str) -> str:
        """Go on with a game that is kept; return the name of the one that was left, '' if there was none.

        Raises OpenElsewhere, OSError, and ValueError if there is no such game.
        """
        if not self.store.may_see(name, owner):
            raise ValueError("this game is gone")
        if name == self.name:
            return ""
        if holder := self.store.holders.get(name):
            raise OpenElsewhere(holder)
        path = self.store.record_file(name)
        if path is not None:
            record = next(iter(records.iterate(path)))
            return self._session.open_record(record)
        saved = saved_game.SavedGame.parse(self.store.read(name))
        left = self.leave()
        saved.put_into(self._session)
        self._take(name)
        self.changed = True  # it is this session's now
        return left

    def delete(self, name: str, owner: str) -> None:
        """Delete a game. Raises OSError, and ValueError if there is none, or somebody has it open elsewhere."""
        if not self.store.may_see(name, owner):
            raise ValueError("this game is gone")
        if name == self.name:
            self.write()
            self._take("")
        elif self.store.holders.get(name):
            raise ValueError("this game is open in another tab")
        self.store.delete(name)

    def games(self, owner: str) -> list[dict[str, Any]]:
        """Return what a list of somebody's games shows."""
        return [{**each, "here": each["id"] == self.name} for each in self.store.games(owner)]
