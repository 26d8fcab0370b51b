"""What is left to be written when a program ends."""

import os
import sys

from shogi_engine.cli.common import flush_quietly


def test_what_a_closed_terminal_does_not_take_is_given_up(monkeypatch):
    reader, writer = os.pipe()
    # Closing the stream writes again, as Python does when it ends, with status 120 if that fails.
    with open(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        print("more", end="")
        os.close(reader)
        flush_quietly()


def test_closed_streams_are_left_alone(monkeypatch):
    with open(os.devnull, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
    flush_quietly()
