"""Two people who play each other by a link: their names, and what one asks of the other.

What one may not do alone, to take back a move or to end in a draw, is done when the other says yes to exactly that
request. A request ends with the next move, with its answer, and while no page of who asked is there.
"""

from typing import ClassVar

from shogi_engine.language import InputError
from shogi_engine.records.tree import one_line
from shogi_engine.web.links import Page
from shogi_engine.web.messages import Action, Number, PersonName, Who
from shogi_engine.web.replies import Asked, Wish
from shogi_engine.web.session import Session


class Call(Action, tag="name"):
    """Tell the others who sits at this page."""

    who: ClassVar[Who] = Who.WATCHER
    name: PersonName

    def _obey(self, session: Session, page: Page) -> None:
        page.name = one_line(self.name)
        session.name_players()


class Ask(Action):
    """Ask the other player. Two who ask for a draw at the same instant have agreed."""

    who: ClassVar[Who] = Who.PLAYER
    what: Wish

    def _obey(self, session: Session, page: Page) -> None:
        side, now = the_side(session, page), session.asked
        if now is not None and now.side != side:
            if now.what != "draw" or self.what != "draw":
                raise InputError("answer first what the other player asks")
            session.grant(now)
            return
        if self.what == "undo":
            session.playing.count_back(side)
        session.request = Asked(self.what, side, session.playing.live)


class Consent(Action, tag="answer_to"):
    """Say yes or no to what the other player asks, of the game's move `node`; who asked can only say no."""

    who: ClassVar[Who] = Who.PLAYER
    what: Wish
    node: Number
    yes: bool

    def _obey(self, session: Session, page: Page) -> None:
        side, now = the_side(session, page), session.asked
        if now is None or (now.what, now.node) != (self.what, self.node):
            raise InputError("the other player does not ask for that any more")
        if self.yes and now.side == side:
            raise InputError("the other player must agree")
        session.request = None
        if self.yes:
            session.grant(now)


def the_side(session: Session, page: Page) -> int:
    """Return the side that a page plays against another person's. Raises ValueError if it plays none."""
    side = session.side_of(page)
    if side is None or session.playing.players != [None, None]:
        raise InputError("two people must be playing for that")
    return side
