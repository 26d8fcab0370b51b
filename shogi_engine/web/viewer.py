"""Viewer: one page that shows a session, with its display settings. Several pages may show the same session."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Receiver = Callable[[dict[str, Any]], None]


@dataclass(eq=False)
class Viewer:
    """A page.

    Attributes:
        send: `send(message)`, may be called from any thread
        flipped: shown from white's side
        narrow: hands above and below the board
        pieces: the set of Shogi pieces
    """

    send: Receiver
    language: str = "en"
    flipped: bool = False
    narrow: bool = False
    pieces: str = "kanji"

    def picture(self, game: str) -> dict[str, Any]:
        """Return the drawing options of boards and of the arrows over them."""
        return {"flipped": self.flipped, "stacked": self.narrow} if game == "shogi" else {"flipped": self.flipped}

    def set(self, **look: Any) -> None:
        """Change the display settings."""
        for name, value in look.items():
            setattr(self, name, value)
