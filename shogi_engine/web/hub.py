"""All sessions of a server: found by name, and freed when no browser has used them for a while."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from shogi_engine.language import Message
from shogi_engine.web.autosave import OpenElsewhere
from shogi_engine.web.links import LinkError
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.replies import Reply
from shogi_engine.web.saved_game import SavedGame
from shogi_engine.web.session import Session
from shogi_engine.web.store import Store
from shogi_engine.web.viewer import Receiver, Viewer

SESSIONS_MAX = 300
VIEWERS_MAX = 50  # pages of a session
GUESTS_MAX = 30  # of these, that came by a link, so that its owner can always come
IDLE_SECONDS = 900.0  # for which a session without a browser is kept
log = logging.getLogger(__name__)


class Full(Exception):  # noqa: N818  (not an error: the server is full)
    """The server cannot take another session, or a session another page."""


class Hub:
    """The sessions of a server.

    Args:
        pool: the engines
        idle_seconds: how long a session without a browser is kept
        most: the maximum number of sessions
        make: `make(pool, store)` returns a Session
        store: where games are saved
        closing: called at the end
    """

    def __init__(
        self,
        pool: EnginePool,
        idle_seconds: float = IDLE_SECONDS,
        most: int = SESSIONS_MAX,
        make: Callable[[EnginePool, Store], Session] = lambda pool, store: Session(pool, store=store),
        store: Store | None = None,
        closing: Callable[[], None] = lambda: None,
    ) -> None:
        self.pool, self._closing = pool, closing
        self.store = store or Store()
        self._idle, self._most, self._make = idle_seconds, most, make
        self._lock = threading.Lock()
        self.sessions: dict[str, Session] = {}
        self._records_checked = False
        self.listeners: set[Receiver] = set()  # of all browsers, with or without a session

    def find(self, identity: str = "", owner: str = "") -> Session:
        """Return the session of this name, restored from its saved game if need be, or a new session. Raises Full.

        Args:
            owner: the user, who owns the games of a new session
        """
        with self._lock:
            if (found := self.sessions.get(identity)) is not None:
                return found
        made = self._make(self.pool, self.store)
        made.owner = owner
        try:
            if identity and (name := self.store.of_session(identity, owner)):
                made.identity = identity
                made.autosave.open(name, owner)
        except OpenElsewhere as elsewhere:
            log.info("the game of a session is open in another one: %s", elsewhere)
        except (OSError, ValueError) as fault:
            log.warning("the game of a session cannot be read: %s", fault)
        return self._add(made)

    def attach(self, identity: str, owner: str, send: Receiver, token: str = "", **look: Any) -> tuple[Session, Viewer]:
        """Let a page show the session of this name, or a new one; by a link, what that leads to.

        Args:
            token: of the link, '' for none
            look: as for `Session.attach`

        Raises:
            Full: the server, or the session, cannot take it
            LinkError: the link is not valid
        """
        while True:
            session = self._of_link(token, identity) if token else self.find(identity, owner)
            if len(session.viewers) >= VIEWERS_MAX or token and len(session.guests()) >= GUESTS_MAX:
                raise Full(Message("too many pages show this board"))
            viewer = session.attach(send, token, **look)
            with self._lock:
                if self.sessions.get(session.identity) is session:  # it was not freed meanwhile
                    return session, viewer
            session.detach(viewer)

    def _of_link(self, token: str, identity: str) -> Session:
        """Return the session to which a link leads: the one that has the game open, or a new one. Raises LinkError."""
        link = self.store.links.find(token)
        if link.kind == "own":
            return self.find(identity or link.session, link.owner)
        with self._lock:
            if (found := self.sessions.get(self.store.holders.get(link.game, ""))) is not None:
                return found
        made = self._make(self.pool, self.store)
        made.owner = link.owner
        if link.session not in self.sessions and self.store.of_session(link.session, link.owner) == link.game:
            made.identity = link.session  # the owner, who returns after the guest, comes to the same session
        try:
            made.autosave.open(link.game, link.owner)
        except OpenElsewhere:
            raise Full(Message("the game is being opened; please try again")) from None
        except ValueError as fault:
            raise LinkError(str(fault)) from None
        return self._add(made)

    def _add(self, made: Session) -> Session:
        """Add a session; return it, or the one of its name that is there: two pages may return at the same time."""
        with self._lock:
            if (found := self.sessions.get(made.identity)) is not None:
                return found
            try:
                self._make_room()
            except Full:
                made.close()  # the game it has opened is free again
                raise
            self.sessions[made.identity] = made
        return made

    def _make_room(self) -> None:
        """If there are too many sessions, free the one abandoned longest ago. Raises Full if none is abandoned."""
        if len(self.sessions) < self._most:
            return
        left = [session for session in self.sessions.values() if not session.attached]
        if not left:
            raise Full(Message("the server is full ({0} users); please try again later", self._most))
        self._free(min(left, key=lambda session: session.seen))

    def _free(self, session: Session) -> None:
        """Close a session. One that cannot be saved stays, and is closed later."""
        if session.close():
            del self.sessions[session.identity]
        else:
            session.seen = time.monotonic()

    def tick(self, now: float | None = None) -> None:
        """Free abandoned sessions, check clocks, share the engines. Call this a few times a second."""
        now = time.monotonic() if now is None else now
        with self._lock:
            for session in list(self.sessions.values()):
                if not session.attached and now - session.seen > self._idle:
                    with logged("a session could not be closed"):
                        self._free(session)
            there = list(self.sessions.values())
        for session in there:
            with logged("a clock could not be checked"):
                session.tick()
        self.pool.tick()

    def save(self, now: float | None = None) -> None:
        """Write changed games to disk. Call this regularly, from a thread of its own: disks may be slow."""
        now = time.monotonic() if now is None else now
        if not self._records_checked:
            self._records_checked = True
            self._write_missing_records()
        with self._lock:
            there = list(self.sessions.values())
        for session in there:
            with logged("a game could not be saved"):
                session.autosave.tick(now)

    def _write_missing_records(self) -> None:
        """Write the records that a killed server did not write, so that the terminal lists all games."""
        for name in self.store.without_record():
            if name in self.store.holders:
                continue  # its session will
            with logged("a record could not be written"):
                self.store.write_record(name, SavedGame.parse(self.store.content(name)).tree.record)

    def fault(self) -> str:
        """Return what is wrong with the server, '' if nothing is."""
        with self._lock:
            unsaved = sum(bool(session.write_fault) for session in self.sessions.values())
        if unsaved:
            return f"{unsaved} games cannot be saved"
        return "" if self.store.is_open() else "games cannot be read"

    def tell_all(self, reply: Reply) -> None:
        """Send a message to every browser."""
        for listener in list(self.listeners):
            listener(reply)

    def close(self) -> None:
        """Close everything; games are saved."""
        self.pool.close()
        self._closing()
        with self._lock:
            for session in self.sessions.values():
                with logged("a session could not be closed"):
                    session.close()
        self.store.close()


@contextlib.contextmanager
def logged(what: str) -> Iterator[None]:
    """Log an exception of the block, which concerns one session: the others are looked after all the same."""
    try:
        yield
    except Exception:
        log.exception(what)
