"""The functions that obey the messages of pages, by kind of message, and what several of them ask first."""

from collections.abc import Callable
from typing import Any, TypeVar

from shogi_engine.language import InputError
from shogi_engine.web.messages import Message
from shogi_engine.web.session import Session
from shogi_engine.web.viewer import Viewer

M = TypeVar("M", bound=Message)
HANDLERS: dict[type[Message], Callable[[Session, Viewer, Any], None]] = {}
UNLOCKED: set[type[Message]] = set()  # those whose functions take the lock themselves, after slow work


def handles(
    kind: type[M], *, locked: bool = True
) -> Callable[[Callable[[Session, Viewer, M], None]], Callable[[Session, Viewer, M], None]]:
    """Make a function the handler of a kind of message."""

    def register(handler: Callable[[Session, Viewer, M], None]) -> Callable[[Session, Viewer, M], None]:
        HANDLERS[kind] = handler
        if not locked:
            UNLOCKED.add(kind)
        return handler

    return register


def must_not_set_up(session: Session) -> None:
    """Raise ValueError while a position is being set up."""
    if session.setup is not None:
        raise InputError("a position is being set up")
