"""What a session does for messages about links to its game."""

from collections import Counter
from urllib.parse import urlsplit

from shogi_engine.language import InputError
from shogi_engine.web import messages, replies
from shogi_engine.web.addresses import qr_picture
from shogi_engine.web.guard import is_loopback
from shogi_engine.web.registry import handles, must_not_set_up
from shogi_engine.web.session import Session
from shogi_engine.web.viewer import Viewer


@handles(messages.Links)
def links(session: Session, page: Viewer, message: messages.Links) -> None:
    """Send the list of links to the game on the board."""
    page.send(links_reply(session, page))


@handles(messages.Invite)
def invite(session: Session, page: Viewer, message: messages.Invite) -> None:
    """Make a link to the game on the board; a game begins if somebody is invited to play and there is none."""
    must_not_set_up(session)
    if session.tsume is not None and message.to != "own":
        raise InputError("a problem is being solved")
    store, playing, side = session.store, session.playing, message.side if message.to == "play" else None
    if side is not None:
        if playing.on and playing.players[side] is not None:
            raise InputError("the engine plays this side")
        if not playing.on:
            playing.begin([None, None], None)
        session.tree.go(playing.live)
    game = "" if message.to == "own" else session.autosave.named()
    store.links.make(message.to, side, game, session.links_owner, session.identity)
    session.seat_guests()
    session.changed()
    page.send(links_reply(session, page))


@handles(messages.Revoke)
def revoke(session: Session, page: Viewer, message: messages.Revoke) -> None:
    """End a link; the pages that came by it show the game no longer."""
    session.store.links.revoke(message.token, session.links_owner)
    session.changed()
    page.send(links_reply(session, page))


def links_reply(session: Session, page: Viewer) -> replies.Links:
    """Return the list of links, with addresses as the page reaches the server and QR codes of them."""
    pages = Counter(viewer.token for viewer in session.viewers)
    rows = []
    for link in session.store.links.of(session.links_owner, session.autosave.id):
        address = f"{page.address}join/{link.token}"
        rows.append(
            {
                "token": link.token,
                "kind": link.kind,
                "side": link.side,
                "address": address,
                "qr": qr_picture(address),
                "pages": pages[link.token],
            }
        )
    return replies.Links(links=rows, local=is_loopback(urlsplit(page.address).hostname or ""))
