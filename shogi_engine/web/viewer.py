"""Viewer: one page that shows a session, in its own look. Several pages may show the same session."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from shogi_engine.web.links import Role
from shogi_engine.web.replies import Reply

Receiver = Callable[[Reply], None]


class Look(NamedTuple):
    """How a page shows a board. Pages of the same look are sent the same.

    Attributes:
        flipped: shown from white's side
        narrow: hands above and below the board
        pieces: the set of Shogi pieces
    """

    language: str = "en"
    flipped: bool = False
    narrow: bool = False
    pieces: str = "kanji"

    def picture(self, game: str) -> dict[str, Any]:
        """Return the drawing options of boards and of the arrows over them."""
        return {"flipped": self.flipped, "stacked": self.narrow} if game == "shogi" else {"flipped": self.flipped}


@dataclass(eq=False)
class Viewer:
    """A page.

    Attributes:
        send: `send(reply)`, may be called from any thread
        token: of the link by which it came, '' for none
        address: of the server, as the page reached it
        shown: the look, the role and the number of the state that it was sent last
    """

    send: Receiver
    look: Look = field(default_factory=Look)
    token: str = ""
    address: str = ""
    shown: tuple[Look, Role, int] | None = None

    @property
    def language(self) -> str:
        """The page's language."""
        return self.look.language
