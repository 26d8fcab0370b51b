"""The messages of browsers: what all kinds share. The kinds are in `game_messages`, `study_messages`, `file_messages`.

A message is a JSON object whose field `do` names its kind; if it has a number in `re`, the answer has the same. Each
kind is a class: its fields are checked before anything uses them, and it says who may send it, when, and what a session
does for it (`_obey`).
"""

import contextlib
from collections.abc import Iterator
from enum import IntEnum
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from shogi_engine.games.shogi.board.drawing import SETS
from shogi_engine.language import LANGUAGES, InputError
from shogi_engine.web.access import Slow
from shogi_engine.web.links import Page
from shogi_engine.web.replies import Reply, Role, one_of
from shogi_engine.web.session import Session
from shogi_engine.web.view import FILE_MAX

MESSAGE_MAX = 3 * FILE_MAX // 2  # bytes: a file in base64, and the other fields
TEXT_MAX = 200_000  # characters of a pasted record
LEVEL_MAX = 30
LINE_MAX = 200  # moves of a line


class MessageError(ValueError):
    """A message is malformed or not allowed."""


Language = Annotated[str, one_of(LANGUAGES)]
PieceSet = Annotated[str, one_of(SETS)]
Number = Annotated[int, Meta(ge=0, le=1 << 30)]  # of a move in the game's tree, or of a question
HEADER_MAX = 1000  # characters
HeaderText = Annotated[str, Meta(max_length=HEADER_MAX)]
GameNumber = Annotated[int, Meta(ge=0, le=100_000)]  # in a file
Name = Annotated[str, Meta(max_length=64)]  # of a game, a session, an owner
MoveText = Annotated[str, Meta(max_length=12)]
PersonName = Annotated[str, Meta(max_length=40)]
Moves = Annotated[list[MoveText], Meta(min_length=1, max_length=LINE_MAX)]


class Who(IntEnum):
    """Who may send a message: the lowest of the ranks that may."""

    WATCHER = 0
    PLAYER = 1
    OWNER = 2


class Message(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag=str.lower):
    """A message of a browser.

    Attributes:
        who: the lowest rank that may send it
        helps: whether the engine would help the sender: refused while two people play, and before a problem is solved
        setting_up: whether it is allowed while a position is being set up
        slow: it is not obeyed in the threads that answer moves, but in those for long work or for the disk, one of an
            address after another. `_obey` is then called without the session's lock, and takes it itself after the work
    """

    who: ClassVar[Who] = Who.OWNER
    helps: ClassVar[bool] = False
    setting_up: ClassVar[bool] = True
    slow: ClassVar[Slow | None] = None

    re: Number | None = None

    def obey(self, session: Session, page: Page) -> None:
        """Do what a page asks for. Raises ValueError for what cannot be done; nothing has changed then."""
        with self.permitted(session, page):
            if self.slow is None:
                self._answer(session, page)
                return
        self._answer(session, page)

    @contextlib.contextmanager
    def permitted(self, session: Session, page: Page) -> Iterator[None]:
        """Hold the session's lock during the block. Raises ValueError if the page may not ask for this now."""
        with session.lock:
            role = session.role_of(page) if page in session.viewers else None
            if role is None:
                raise InputError("this page no longer shows the game")
            self._permit(session, role)
            yield

    def _permit(self, session: Session, role: Role) -> None:
        """Raise ValueError if a page of this role may not ask for this now."""
        if not role.owner and role.side is None and self.who > Who.WATCHER:
            raise InputError("you are watching this game")
        if not role.owner and self.who > Who.PLAYER:
            raise InputError("only the game's owner can do that")
        if self.helps and session.tsume is not None and session.tsume.barred:
            raise InputError("solve the problem first, or ask for the answer")
        if self.helps:
            session.check_alone()
        self._permit_now(session, role)
        if not self.setting_up and session.setup is not None:
            raise InputError("a position is being set up")

    def _permit_now(self, session: Session, role: Role) -> None:
        """Raise ValueError if this kind of message is not allowed at the moment, beyond what all kinds are asked."""

    def _answer(self, session: Session, page: Page) -> None:
        """Obey, and send the answer."""
        if (reply := self._obey(session, page)) is not None:
            page.send(reply)

    def _obey(self, session: Session, page: Page) -> Reply | None:
        """Do it, and return the answer for the page that asked, None for none. Raises ValueError."""
        raise NotImplementedError


class Question(Message):
    """A message that changes nothing."""


class Action(Message):
    """A message that changes the game: all pages are sent what has changed, and then the page its answer."""

    def _answer(self, session: Session, page: Page) -> None:
        reply = self._obey(session, page)
        with session.lock:
            session.changed()
        if reply is not None:
            page.send(reply)


def must_have(session: Session, node: int) -> None:
    """Raise ValueError if the game has no such move."""
    if node not in session.tree:
        raise InputError("this move is no longer in the game")
