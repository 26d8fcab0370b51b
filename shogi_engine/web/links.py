"""Links by which others join a game: as a player, as a watcher, or as its owner on another device.

A link's address holds a token that cannot be guessed. Who has it may do what the link allows until it is revoked.
"""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec

from shogi_engine.common.database import Database
from shogi_engine.language import InputError, mark, translate
from shogi_engine.types.outcomes import DAN
from shogi_engine.web.replies import Error, Reply, Role

LINKS_MAX = 20  # of an owner
Kind = Literal["own", "play", "watch"]


WATCHER = Role(owner=False)


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link to a game.

    Attributes:
        side: that is played by a link of kind "play"
        game: the game's name, '' for one of kind "own", which shows what its owner's session shows
        session: the session from which it was made
    """

    token: str
    kind: Kind
    side: int | None
    game: str
    owner: str
    session: str

    @property
    def role(self) -> Role:
        """What pages that came by this link may do."""
        return Role(self.kind == "own", self.side)


class LinkError(InputError):
    """A link leads nowhere: it was revoked, or its game deleted."""


class Links:
    """The links of all games.

    They are in memory, so that a visitor without one costs no query.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        database.execute("DELETE FROM links WHERE game <> '' AND game NOT IN (SELECT id FROM games)")
        self._links = {row["token"]: Link(**dict(row)) for row in database.rows("SELECT * FROM links")}

    def make(self, kind: Kind, side: int | None, game: str, owner: str, session: str) -> Link:
        """Return a link, the one that there is or a new one, which is written first.

        Raises OSError, and ValueError if there are too many.
        """
        link = Link(token=secrets.token_urlsafe(24), kind=kind, side=side, game=game, owner=owner, session=session)
        with self._lock:
            for known in self._links.values():
                if (known.kind, known.side, known.game, known.owner) == (kind, side, game, owner):
                    return known
            if sum(each.owner == owner for each in self._links.values()) >= LINKS_MAX:
                raise InputError("there are too many links; please revoke some")
            query = "INSERT INTO links (token, kind, side, game, owner, session) VALUES (?, ?, ?, ?, ?, ?)"
            self._database.execute(query, msgspec.structs.astuple(link))
            self._links[link.token] = link
        return link

    def revoke(self, token: str, owner: str) -> None:
        """End a link. Raises OSError, and ValueError if the owner has none of this name."""
        with self._lock:
            if (link := self._links.get(token)) is None or link.owner != owner:
                raise InputError("there is no such link")
            self._database.execute("DELETE FROM links WHERE token = ?", (token,))
            del self._links[token]

    def get(self, token: str) -> Link | None:
        """Return a link, None if it was revoked."""
        return self._links.get(token)

    def find(self, token: str) -> Link:
        """Return a link. Raises LinkError if it was revoked."""
        link = self.get(token)
        if link is None:
            raise LinkError(mark("this link is no longer valid"))
        return link

    def of(self, owner: str, game: str) -> list[Link]:
        """Return an owner's links to a game and to the sessions of the owner."""
        return [link for link in list(self._links.values()) if link.owner == owner and link.game in ("", game)]

    def sides(self, game: str) -> set[int]:
        """Return the sides of a game that guests play."""
        return {
            link.side for link in list(self._links.values()) if game and link.game == game and link.side is not None
        }

    def move(self, old: str, new: str, *, swapped: bool) -> None:
        """Let the links to a game lead to the one that follows it. Raises OSError.

        Args:
            swapped: the players change sides
        """
        with self._lock:
            moved = [
                msgspec.structs.replace(
                    link, game=new, side=1 - link.side if swapped and link.side is not None else link.side
                )
                for link in self._links.values()
                if old and link.game == old
            ]
            with self._database.transaction() as database:
                query = "UPDATE links SET game = ?, side = ? WHERE token = ?"
                database.executemany(query, [(link.game, link.side, link.token) for link in moved])
            self._links.update({link.token: link for link in moved})


# ---- Page: one page that shows a session, in its own look. Several pages may show the same session


Receiver = Callable[[Reply], None]


class ViewOptions(NamedTuple):
    """How a page shows a board. Pages of the same look are sent the same.

    Attributes:
        flipped: shown from white's side
        narrow: hands above and below the board
        pieces: the set of Shogi pieces
        words: whom reasons are told, one of `types.outcomes.WORDS_FOR`
    """

    language: str = "en"
    flipped: bool = False
    narrow: bool = False
    pieces: str = "kanji"
    words: str = DAN

    def picture(self, game: str) -> dict[str, Any]:
        """Return the drawing options of boards and of the arrows over them."""
        return {"flipped": self.flipped, "stacked": self.narrow} if game == "shogi" else {"flipped": self.flipped}


@dataclass(eq=False)
class Page:
    """A page.

    Attributes:
        send: `send(reply)`, may be called from any thread
        token: of the link by which it came, '' for none
        address: of the server, as the page reached it
        name: of the person there, '' for none
        viewed: the earlier move that a page without a say sees, and the board's then; None for the board's
        shown: the look, the role and the number of the state that it was sent last
    """

    send: Receiver
    look: ViewOptions = field(default_factory=ViewOptions)
    token: str = ""
    address: str = ""
    name: str = ""
    viewed: tuple[int, int] | None = None
    shown: tuple[ViewOptions, Role, int] | None = None

    @property
    def language(self) -> str:
        """The page's language."""
        return self.look.language


class Viewers(list[Page]):
    """The pages that show a session."""

    def send(self, made: Callable[[ViewOptions], Reply]) -> None:
        """Send each page `made(its look)`, which is called once for all pages of a look."""
        replies: dict[ViewOptions, Reply] = {}
        for viewer in list(self):
            if viewer.look not in replies:
                replies[viewer.look] = made(viewer.look)
            viewer.send(replies[viewer.look])

    def tell(self, text: str) -> None:
        """Send an error to all pages, each in its language."""
        self.send(lambda look: Error(text=translate(text, look.language)))
