"""Who is there: all sessions, found again by their names, freed when they were left behind."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from shogi_engine.web.kept import OpenElsewhere
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.session import Session
from shogi_engine.web.store import Store

SESSIONS_MAX = 300
IDLE_SECONDS = 900.0  # that a session is kept for a browser that may come back
log = logging.getLogger(__name__)


class Full(Exception):  # noqa: N818  (no error: too many are there)
    """There is room for no more sessions."""


class Hub:
    """The sessions of a server.

    pool : the engines    idle_seconds : how long a session without a browser is kept    most : how many there may be
    make(pool, store) -> Session    store : where games are kept
    """

    def __init__(
        self,
        pool: EnginePool,
        idle_seconds: float = IDLE_SECONDS,
        most: int = SESSIONS_MAX,
        make: Callable[[EnginePool, Store], Session] = lambda pool, store: Session(pool, store=store),
        store: Store | None = None,
    ) -> None:
        self.pool = pool
        self.store = store or Store()
        self._idle, self._most, self._make = idle_seconds, most, make
        self._lock = threading.Lock()
        self.sessions: dict[str, Session] = {}
        self.listeners: set[Callable[[dict[str, Any]], None]] = set()  # of all browsers, those without a session too

    def find(self, identity: str = "", owner: str = "") -> Session:
        """Return the session so called, if need be with the game that was kept of it, or else a new one. Raises Full.

        owner : whoever asks; the games of a new session are theirs
        """
        with self._lock:
            if (found := self.sessions.get(identity)) is not None:
                return found
        made = self._make(self.pool, self.store)
        made.owner = owner
        if name := self.store.of_session(identity):
            made.identity = identity
            self._load(made, name, owner)
        with self._lock:
            if (found := self.sessions.get(made.identity)) is not None:  # two pages came back at once
                return found
            self._make_room()
            self.sessions[made.identity] = made
        return made

    def _load(self, session: Session, name: str, owner: str) -> None:
        """Give a new session the game it had."""
        try:
            session.kept.open(name, owner)
        except OpenElsewhere as elsewhere:
            log.info("the game of a session is open in another one: %s", elsewhere)
        except (OSError, ValueError) as fault:
            log.warning("%s can not be read: %s", name, fault)

    def _make_room(self) -> None:
        """Free the session that was left first if there are too many. Raises Full if nobody has left."""
        if len(self.sessions) < self._most:
            return
        left = [session for session in self.sessions.values() if not session.attached]
        if not left:
            raise Full(f"{self._most} people are here already; please come back later")
        self._free(min(left, key=lambda session: session.seen))

    def _free(self, session: Session) -> None:
        del self.sessions[session.identity]
        session.close()

    def tick(self, now: float | None = None) -> None:
        """Free what was left behind, look at clocks, let engines go round. To be called a few times a second."""
        now = time.monotonic() if now is None else now
        with self._lock:
            for session in list(self.sessions.values()):
                if not session.attached and now - session.seen > self._idle:
                    self._free(session)
            there = list(self.sessions.values())
        for session in there:
            session.tick(now)
        self.pool.tick()

    def tell_all(self, message: dict[str, Any]) -> None:
        """Send a message to every browser."""
        for listener in list(self.listeners):
            listener(message)

    def close(self) -> None:
        """End everything; games are kept."""
        self.pool.close()
        with self._lock:
            for session in self.sessions.values():
                session.close()
