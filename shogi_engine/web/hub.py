"""All sessions of a server: found by name, and freed when no browser has used them for a while."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from shogi_engine.language import Message
from shogi_engine.web.links import LinkError, Page, Receiver
from shogi_engine.web.pool import EnginePool
from shogi_engine.web.replies import Reply
from shogi_engine.web.saving import OpenElsewhere, SavedGame
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore

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
        make: `make(pool, store=, owner=, identity=)` returns a Session
        store: where games are saved
        closing: called at the end
    """

    def __init__(
        self,
        pool: EnginePool,
        idle_seconds: float = IDLE_SECONDS,
        most: int = SESSIONS_MAX,
        make: Callable[..., Session] = Session,
        store: GameStore | None = None,
        closing: Callable[[], None] = lambda: None,
    ) -> None:
        self.pool, self._closing = pool, closing
        self.store = store or GameStore()
        self._idle, self._most, self._make = idle_seconds, most, make
        self._lock = threading.Lock()
        self.sessions: dict[str, Session] = {}
        self._in_change: dict[str, threading.Event] = {}  # the names of sessions that are being opened or freed
        self._records_checked = False
        self.listeners: set[Receiver] = set()  # of all browsers, with or without a session

    def find(self, identity: str = "", owner: str = "") -> Session:
        """Return the session of this name, restored from its saved game if need be, or a new session.

        Raises Full, and OSError: the disk does not give the game, and the session is not begun without it.

        Args:
            owner: the user, who owns the games of a new session
        """
        while True:
            if (found := self._there(identity)) is not None:
                return found
            name = self.store.of_session(identity, owner) if identity else ""
            made = self._new(owner, identity if name else "")
            if made is None:
                continue
            with self._changing(made):
                try:
                    if name:
                        made.open_saved(name)
                except OpenElsewhere as elsewhere:  # a guest came before
                    identity = elsewhere.identity
                    with self._lock:
                        del self.sessions[made.identity]
                    continue
                except OSError:
                    with self._lock:
                        del self.sessions[made.identity]
                    raise
                except ValueError as fault:
                    log.warning("the game of a session cannot be read: %s", fault)
            return made

    def is_quick(self, identity: str) -> bool:
        """Tell whether `find` needs nothing of the disk: the session is open, or is a new one that is allowed."""
        with self._lock:
            is_open = identity in self.sessions and identity not in self._in_change
            return is_open or not identity and len(self.sessions) < self._most

    def _there(self, identity: str) -> Session | None:
        """Return the session of this name, None if there is none; one that is being opened or freed is waited for."""
        while True:
            with self._lock:
                changed = self._in_change.get(identity)
                if changed is None:
                    return self.sessions.get(identity)
            changed.wait()

    def _new(self, owner: str, identity: str) -> Session | None:
        """Return a new session, `_in_change`: its name is taken before its game is read; None if the name was taken.

        Abandoned sessions are freed if there are too many. Raises Full if all are used.
        """
        made = self._make(self.pool, store=self.store, owner=owner, identity=identity)
        tried: set[str] = set()
        while True:
            with self._lock:
                if made.identity in self.sessions or made.identity in self._in_change:
                    return None
                if len(self.sessions) < self._most:
                    self.sessions[made.identity] = made
                    self._in_change[made.identity] = threading.Event()
                    return made
                left = [each for each in self._abandoned() if each.identity not in tried]
            if not left:
                raise Full(Message("the server is full ({0} users); please try again later", self._most))
            oldest = min(left, key=lambda session: session.seen)
            tried.add(oldest.identity)
            self._free(oldest)

    @contextlib.contextmanager
    def _changing(self, session: Session) -> Iterator[None]:
        """Let others wait for a session while it is opened or freed in the block; it is `_in_change` before."""
        try:
            yield
        finally:
            with self._lock:
                self._in_change.pop(session.identity).set()

    def _abandoned(self) -> list[Session]:
        """Return the sessions that no page shows."""
        return [each for each in self.sessions.values() if not each.viewers and each.identity not in self._in_change]

    def attach(self, identity: str, owner: str, send: Receiver, token: str = "", **look: Any) -> tuple[Session, Page]:
        """Let a page show the session of this name, or a new one; by a link, what that leads to.

        Args:
            token: of the link, '' for none
            look: as for `Session.attach`, with the name of the person

        Raises:
            Full: the server, or the session, cannot take it
            LinkError: the link is not valid
        """
        while True:
            session = self._of_link(token, identity) if token else self.find(identity, owner)
            with session.lock:
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
        while True:
            self._there(link.session)  # its owner may be returning
            if (holder := self.store.holders.of(link.game)) is not None:
                found = self._there(holder.identity)
                if found is not None and found.autosave.id == link.game:
                    return found
            with self._lock:
                if link.session in self._in_change:
                    continue
                is_free = link.session not in self.sessions
            # The owner, who returns after the guest, comes to the same session.
            theirs = is_free and self.store.of_session(link.session, link.owner) == link.game
            made = self._new(link.owner, link.session if theirs else "")
            if made is None:
                continue
            with self._changing(made):
                try:
                    made.open_saved(link.game)
                    return made
                except (OpenElsewhere, OSError, ValueError) as fault:
                    with self._lock:
                        del self.sessions[made.identity]
                    if isinstance(fault, ValueError):
                        raise LinkError(str(fault)) from None
                    if not isinstance(fault, OpenElsewhere):
                        raise
            if self.store.holders.of(link.game) is holder:  # its session has left the game, and could not write it
                raise Full(Message("the game is being opened; please try again"))

    def _free(self, session: Session) -> None:
        """Close a session that no page shows. One that cannot be saved stays, and is closed later."""
        with self._lock:
            if session not in self._abandoned():
                return
            del self.sessions[session.identity]
            self._in_change[session.identity] = threading.Event()
        with self._changing(session):
            if not session.close():
                session.seen = time.monotonic()
                with self._lock:
                    self.sessions[session.identity] = session

    def tick(self) -> None:
        """Check clocks, share the engines. Call this a few times a second."""
        with self._lock:
            there = list(self.sessions.values())
        for session in there:
            with logged("a clock could not be checked"):
                session.tick()
        self.pool.tick()

    def save(self, now: float | None = None) -> None:
        """Write changed games to disk, and free abandoned sessions.

        Call this regularly, from a thread of its own: disks may be slow.
        """
        now = time.monotonic() if now is None else now
        if not self._records_checked:
            self._records_checked = True
            self._write_missing_records()
        with self._lock:
            there = list(self.sessions.values())
        for session in there:
            with logged("a game could not be saved"):
                session.autosave.tick(now)
        with self._lock:
            idle = [each for each in self._abandoned() if now - each.seen > self._idle]
        for session in idle:
            with logged("a session could not be closed"):
                self._free(session)

    def _write_missing_records(self) -> None:
        """Write the records that a killed server did not write, so that the terminal lists all games."""
        for name in self.store.without_record():
            with logged("a record could not be written"), self.store.holders.kept_closed(name) as free:
                if free:  # otherwise its session will
                    self.store.write_record(name, SavedGame.parse(self.store.content(name)).record())

    def fault(self) -> str:
        """Return what is wrong with the server, '' if nothing is."""
        with self._lock:
            unsaved = sum(bool(session.autosave.fault) for session in self.sessions.values())
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
            there = list(self.sessions.values())
        for session in there:
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
