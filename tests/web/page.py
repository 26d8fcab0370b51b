"""A page of a session's, without a server: what it was sent, and what it says."""

import json

import msgspec

from shogi_engine.web.conversation import parse
from tools.measure.web_load import Page as Known


class Page:
    """A page of a session. sent : the messages it got, as JSON; a delta is there as the state after it"""

    def __init__(self, session, **look):
        self.session, self.sent = session, []
        self._known = Known()
        self.deltas = 0
        self.viewer = session.attach(self.receive, **look)

    @classmethod
    def by_link(cls, hub, token, **look):
        page = cls.__new__(cls)
        page.sent, page._known, page.deltas = [], Known(), 0
        page.session, page.viewer = hub.attach("", "", page.receive, token, **look)
        return page

    @classmethod
    def of(cls, hub, identity="", owner="me", **look):
        return cls(hub.find(identity, owner), **look)

    def receive(self, reply):
        message = json.loads(msgspec.json.encode(reply))
        self.deltas += message["kind"] == "delta"
        self.sent.append(self._known.receive(message))

    def do(self, name, /, **fields):
        parse(json.dumps({"do": name, **fields})).obey(self.session, self.viewer)
        return self

    def last(self, kind):
        return next((message for message in reversed(self.sent) if message["kind"] == kind), None)

    @property
    def state(self):
        return self.last("state")

    @property
    def texts(self):
        return [move["text"] for move in self.state["line"][1:]]

    def named(self):
        saves = self.session.autosave
        return saves.named(saves.wanted_place())

    def games(self):
        return self.do("kept").last("kept")["games"]
