"""NBoard and GTP: the commands of a script are answered before its end, also after a command that stops searches."""

import time
from types import SimpleNamespace

import pytest

from shogi_engine.frontends import core
from shogi_engine.frontends.core import Output
from shogi_engine.frontends.othello import Gtp, NBoard


def converse(front_end, lines, seconds):
    """Return what a front end says to a script if its engine, which refuses every move, takes `seconds` to come."""
    written = []

    def push(move):
        raise ValueError("no move is legal")

    def load():
        time.sleep(seconds)
        return SimpleNamespace(diagram=lambda: "a board", push=push, moves=[], position=SimpleNamespace(side=0))

    output = Output(written.append, lambda: None)
    front_end(output, load=load, leave=lambda status: None).run(line.encode() for line in lines)
    return b"".join(written).decode().split("\n")


@pytest.mark.parametrize("end", [["quit"], []])
def test_the_end_waits_for_what_was_asked(monkeypatch, end):
    monkeypatch.setattr(core, "LAST_WORDS", 0.05)
    said = converse(NBoard, ["set depth 3", "move F5", "ping 1", *end], 0.3)
    assert said[-2] == "pong 1" and said[-3].startswith("status error: no move")  # in order
    said = converse(Gtp, ["1 showboard", "2 fly", "# interrupt", *end], 0.3)
    assert said[:5] == ["=1 ", "a board", "", "?2 unknown command", ""]
    assert said[5:] == (["=", "", ""] if end else [""])
