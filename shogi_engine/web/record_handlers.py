"""What a session does for messages about the headers of its game, diagrams, and pages to print."""

import base64

from shogi_engine import study, tsume
from shogi_engine.language import InputError, translate
from shogi_engine.play.words import names_shown
from shogi_engine.records.headers import one_line
from shogi_engine.web import messages, replies, view
from shogi_engine.web.files import dated
from shogi_engine.web.registry import handles
from shogi_engine.web.session import Session
from shogi_engine.web.viewer import Viewer


@handles(messages.About)
def about(session: Session, page: Viewer, message: messages.About) -> None:
    """Change the players' names and the headers; the others stay."""
    record = session.tree.record
    record.names = [one_line(name) for name in message.names]
    given = {name: one_line(getattr(message, name)) for name in messages.ABOUT}
    kept = {name: text for name, text in record.headers.items() if name not in given}
    record.headers = {name: text for name, text in given.items() if text} | kept
    session.changed()


@handles(messages.Diagram)
def diagram(session: Session, page: Viewer, message: messages.Diagram) -> None:
    """Send the position on the board as a picture, with the hands at its sides."""
    game = session.tree.game
    svg = view.picture(session.board, page.look._replace(narrow=False), game, areas=False, style=message.style)
    page.send(replies.Diagram(name=f"{dated(game)}.{message.kind}", svg=svg))


@handles(messages.Sheet, locked=False)
def sheet(session: Session, page: Viewer, message: messages.Sheet) -> None:
    """Send a page to print. Others are served while it is made."""
    language = page.language
    if message.length:
        some = tsume.problems(message.length)
        if not some:
            raise InputError("there is no such problem")
        name, title, found = "tsume", tsume.heading(some, language), tsume.as_records(some, language)
    else:
        with session.lock:
            judged, record = session.analyses.judged_game(), session.tree.record
            name, title = record.game, names_shown(view.title(record), language) or translate("Problems", language)
        found = study.as_records(study.problems_of(judged, examined=study.Accepted()), language)
        if not found:
            raise InputError("there were no serious mistakes")
    data = base64.b64encode(study.sheet(found, title, language).encode("utf-8", "replace")).decode("ascii")
    page.send(replies.File(name=f"{dated(name)}.html", data=data, lost=[]))
