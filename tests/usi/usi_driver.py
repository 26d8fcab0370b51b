"""A USI engine as a process."""

import sys
from pathlib import Path

import conversation
from conversation import ROOT

FAKE = [sys.executable, str(Path(__file__).with_name("usi_fake.py"))]
REAL = [sys.executable, "-m", "usi"]

__all__ = ["FAKE", "REAL", "ROOT", "Process"]


class Process(conversation.Process):
    """`with Process(FAKE) as engine:`; the process is killed at the end if it has not gone."""

    def ready(self, *options):
        self.send("usi", *options, "isready")
        self.until("readyok", 300)
        return self
