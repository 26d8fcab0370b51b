"""The messages about records, diagrams, pages to print, headers, and links to a game."""

import base64
import binascii
import contextlib
import multiprocessing
import os
import signal
import threading
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from shogi_engine import study, tsume
from shogi_engine.language import InputError, translate
from shogi_engine.play.words import names_shown
from shogi_engine.records.tree import one_line
from shogi_engine.web import replies, view
from shogi_engine.web.access import Slow, is_loopback, qr_picture
from shogi_engine.web.game_messages import left
from shogi_engine.web.links import Page
from shogi_engine.web.messages import TEXT_MAX, Action, GameNumber, HeaderText, Name, Question, Who
from shogi_engine.web.replies import Reply, Side
from shogi_engine.web.session import Session
from shogi_engine.web.study_messages import mistakes_of
from shogi_engine.web.view import FILE_MAX, Chosen, chosen_game, dated, file_of

NOTES_MAX = 3  # of an opened game


class _Reading(Question, kw_only=True):
    slow: ClassVar[Slow] = Slow.WORK
    number: GameNumber = 0

    def _content(self) -> tuple[bytes, str]:
        """Return the content and the name of a file."""
        raise NotImplementedError

    def _obey(self, session: Session, page: Page) -> None:
        content, name = self._content()
        chosen, titles = session.read(content, name, self.number)
        with session.lock:
            before = session.open_record(chosen)
            session.file = PurePath(name).stem if len(titles) == 1 else ""
            session.changed()
            if answer := left(before):
                page.send(answer)
            if said := chosen.notes[:NOTES_MAX] + [str(each) for each in [chosen.fault] if each is not None]:
                page.send(replies.Error(text="; ".join(translate(each, page.language) for each in said)))
            if len(titles) > 1:
                shown = [names_shown(each, page.language) for each in titles]
                page.send(replies.Games(titles=shown, number=self.number))


class Open(_Reading):
    """Open a game of a file. Others are served while it is read."""

    name: Annotated[str, Meta(max_length=200)]
    data: Annotated[str, Meta(max_length=FILE_MAX * 4 // 3 + 8)]  # base64

    def _content(self) -> tuple[bytes, str]:
        try:
            return base64.b64decode(self.data, validate=True), self.name
        except (binascii.Error, ValueError):
            raise InputError("the file is incomplete") from None


class Paste(_Reading):
    """Open a game of a text."""

    text: Annotated[str, Meta(max_length=TEXT_MAX)]

    def _content(self) -> tuple[bytes, str]:
        return self.text.encode(), ""


class Save(Question):
    """Send the game as a file. Others are served while it is made."""

    who: ClassVar[Who] = Who.WATCHER
    slow: ClassVar[Slow] = Slow.WORK
    format: Annotated[str, Meta(max_length=20)]

    def _obey(self, session: Session, page: Page) -> Reply:
        with session.lock:
            annotated, name = session.analyses.annotated(page.language), session.file
        record = annotated()
        record.names = [names_shown(each, page.language) for each in record.names]
        return file_of(record, self.format, name)


class About(Action):
    """Change the players' names and the headers of ABOUT; '' removes them. The others stay."""

    names: Annotated[list[HeaderText], Meta(min_length=2, max_length=2)]
    title: HeaderText = ""
    event: HeaderText = ""
    site: HeaderText = ""
    started: HeaderText = ""

    def _obey(self, session: Session, page: Page) -> None:
        record = session.tree.record
        record.names = [one_line(name) for name in self.names]
        given = {name: one_line(getattr(self, name)) for name in view.ABOUT}
        kept = {name: text for name, text in record.headers.items() if name not in given}
        record.headers = {name: text for name, text in given.items() if text} | kept


class Diagram(Question):
    """Send the position on the board as a picture, for a file whose name ends in `kind`."""

    who: ClassVar[Who] = Who.WATCHER
    style: Literal["colour", "book"] = "colour"
    kind: Literal["svg", "png"] = "svg"

    def _obey(self, session: Session, page: Page) -> Reply:
        game = session.tree.game
        svg = view.picture(session.board, page.look._replace(narrow=False), game, areas=False, style=self.style)
        return replies.Diagram(name=f"{dated(game)}.{self.kind}", svg=svg)


class Sheet(Question):
    """Send a page to print: all tsume of a length, or, with 0, the repertoire or the mistakes of the judged game."""

    slow: ClassVar[Slow] = Slow.WORK
    length: Annotated[int, Meta(ge=0, le=99)] = 0
    lines: bool = False

    def _obey(self, session: Session, page: Page) -> Reply:
        language = page.language
        if self.length:
            some = tsume.problems(self.length)
            if not some:
                raise InputError("there is no such problem")
            name, title, found = "tsume", tsume.heading(some, language), tsume.as_records(some, language)
        elif self.lines:
            with mistakes_of(session, lines=True) as problems:
                name, title = "openings", translate("Openings", language)
                found = study.as_records(problems.all(), language)
            if not found:
                raise InputError("the repertoire is empty")
        else:
            with session.lock:
                judged, record = session.analyses.judged_game(), session.tree.record
                name, title = record.game, names_shown(view.title(record), language) or translate("Problems", language)
            found = study.as_records(study.problems_of(judged, examined=study.Accepted()), language)
            if not found:
                raise InputError("there were no serious mistakes")
        data = base64.b64encode(study.sheet(found, title, language).encode("utf-8", "replace")).decode("ascii")
        return replies.File(name=f"{dated(name)}.html", data=data, lost=[])


class Links(Question):
    """Send the list of links to the game on the board."""

    def _obey(self, session: Session, page: Page) -> Reply:
        return links_reply(session, page)


class Invite(Action):
    """Make a link to the game on the board: to play a side, to watch, or for the user's own other devices.

    A game begins if somebody is invited to play and there is none.
    """

    slow: ClassVar[Slow] = Slow.DISK
    setting_up: ClassVar[bool] = False
    to: Literal["own", "play", "watch"]
    side: Side = 1

    def _obey(self, session: Session, page: Page) -> Reply:
        saves, side = session.autosave, self.side if self.to == "play" else None
        with self.permitted(session, page):
            if session.tsume is not None and self.to != "own":
                raise InputError("a problem is being solved")
            if side is not None:
                playing = session.playing
                if playing.on and playing.players[side] is not None:
                    raise InputError("the engine plays this side")
                if not playing.on:
                    playing.begin([None, None], None)
                session.tree.go(playing.live)
            place = saves.wanted_place() if self.to != "own" else None
        game = saves.named(place) if place else ""
        session.store.links.make(self.to, side, game, session.links_owner, session.identity)
        with session.lock:
            session.seat_guests()
            return links_reply(session, page)


class Revoke(Action):
    """End a link; the pages that came by it show the game no longer."""

    slow: ClassVar[Slow] = Slow.DISK
    token: Name

    def _obey(self, session: Session, page: Page) -> Reply:
        session.store.links.revoke(self.token, session.links_owner)
        with session.lock:
            session.dismiss_guests()
            return links_reply(session, page)


def links_reply(session: Session, page: Page) -> replies.Links:
    """Return the list of links, with addresses as the page reaches the server and QR codes of them."""
    pages = Counter(viewer.token for viewer in session.viewers)
    rows = []
    for link in session.store.links.of(session.links_owner, session.autosave.id):
        address = f"{page.address}join/{link.token}"
        rows.append(
            replies.Shared(
                token=link.token,
                kind=link.kind,
                side=link.side,
                address=address,
                qr=qr_picture(address),
                pages=pages[link.token],
            )
        )
    return replies.Links(links=rows, local=is_loopback(urlsplit(page.address).hostname or ""))


# ---- Reads uploaded files in a process of its own: hostile ones take time, and only that process's


READ_SECONDS = 10.0  # for one file
START_SECONDS = 300.0  # for the process's start, in which it compiles the rules if need be
NICE = 5
FILES_MAX = 500  # then the process is replaced, as a large file leaves it large


def serve(pipe: Connection) -> None:
    """Read files until the other end closes; the first answer says that all is loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the server ends this process
    if hasattr(os, "nice"):
        os.nice(NICE)
    for text in (b"startpos moves 7g7f", b"f5d6"):
        chosen_game(text, "", 0)
    with contextlib.suppress(EOFError, OSError):  # the server has ended, or was killed
        pipe.send(None)
        while True:
            pipe.send(_read(*pipe.recv()))


def _read(content: bytes, name: str, number: int) -> Chosen | Exception:
    """Return what `chosen_game` returns, or raises."""
    try:
        return chosen_game(content, name, number)
    except (ValueError, OverflowError) as fault:
        return ValueError(str(fault))
    except Exception as fault:
        return RuntimeError(f"{type(fault).__name__}: {fault}")


class FileReader:
    """One such process. It is started when it is needed, and again after it was killed or has died.

    Args:
        seconds: for one file; then the process is killed
    """

    def __init__(self, seconds: float = READ_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: Any = None
        self._pipe: Any = None
        self._files = 0
        self._closed = False

    def start(self) -> None:
        """Start the process, so that the first file need not wait; if it does not start, that file will say so."""
        with self._lock, contextlib.suppress(ValueError):
            self._started()

    def read(self, content: bytes, name: str, number: int) -> Chosen:
        """Return a game of a file and the titles of its games, as `chosen_game` does. Raises ValueError."""
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((content, name, number))
                if not pipe.poll(self._seconds):
                    raise InputError("the file took too long to read")
                found = pipe.recv()
            except (OSError, EOFError):  # it has died
                self._end()
                raise InputError("the file could not be read") from None
            except ValueError:
                self._end()
                raise
            self._files += 1
            if self._files >= FILES_MAX:
                self._end()
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the process at once, and start none again: what is being read or started fails."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()  # without the lock, which is held while it starts or reads
        with self._lock:
            self._end()

    def _started(self) -> Any:
        """Return the pipe to the process, started if need be. Raises ValueError if it does not start."""
        if self._process is not None and self._process.is_alive():
            return self._pipe
        self._end()
        context = multiprocessing.get_context("spawn")
        try:
            pipe, theirs = context.Pipe()
            with theirs:
                process = context.Process(target=serve, args=(theirs,), name="reader", daemon=True)
                process.start()
        except OSError:
            raise InputError("the file could not be read") from None
        self._process, self._pipe, self._files = process, pipe, 0
        try:
            if not self._closed and self._pipe.poll(START_SECONDS):
                self._pipe.recv()
                return self._pipe
        except (OSError, EOFError):
            pass
        self._end()
        raise InputError("the file could not be read")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None
