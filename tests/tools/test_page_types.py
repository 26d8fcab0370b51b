"""The types that the page's scripts are checked with are those of the classes that make and check the messages."""

import json
import re

import msgspec
import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from shogi_engine.web import replies
from shogi_engine.web.conversation import KINDS
from tests.web.fake_engine import fake_hub
from tests.web.page import Page
from tools import generate


@pytest.mark.parametrize(
    ("python", "page"),
    [
        (replies.Game, '"shogi" | "othello"'),
        (replies.Side | None, "0 | 1 | null"),
        (list[replies.Side | None], "(0 | 1 | null)[]"),
        (list[tuple[int, str]], "[number, string][]"),
        (dict[str, list[float]], "Record<string, number[]>"),
        (replies.Line, "Line"),
    ],
)
def test_a_type_is_that_of_typescript(python, page):
    assert generate.type_text(msgspec.inspect.type_info(python)) == page


def test_every_message_and_every_field_is_there():
    text = generate.PAGE_TYPES.read_text(encoding="utf-8")
    assert all(re.search(rf"^  {kind}: {{", text, re.MULTILINE) for kind in KINDS)
    (state,) = re.findall(r"^  state: {\n(.*?)\n  };", text, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^    (\w+)\??:", state, re.MULTILINE) == list(replies.State.__struct_fields__)


def test_what_is_sent_is_of_its_type():
    """The JSON of a state is what its type says; msgspec checks the type of nothing that it encodes."""
    hub = fake_hub()
    page, sent = Page.of(hub), []
    session = page.session
    session.attach(sent.append)
    page.do("new", game="othello", players=[None, None], clock="5m+10").do("move", move="f5").do("move", move="d6")
    page.do("step", to="back").do("move", move="f4").do("setup", on=True).do("setup", on=False, keep=False)
    page.do("paste", text="4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1").do("tsume", on=True)
    for reply in sent:
        again = msgspec.json.decode(msgspec.json.encode(reply), type=type(reply))
        assert json.loads(msgspec.json.encode(again)) == json.loads(msgspec.json.encode(reply))
    hub.close()
    assert {type(reply) for reply in sent} >= {replies.State, replies.Delta}
