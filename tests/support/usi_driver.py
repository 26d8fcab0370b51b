"""A USI engine as a process."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tests.support import conversation
from tests.support.conversation import ROOT

FAKE = [sys.executable, str(Path(__file__).with_name("usi_fake.py"))]
REAL = [sys.executable, "-m", "usi"]

NO_BOOK = "setoption name USI_OwnBook value false"
LATE = 4.0  # seconds by which a busy machine may delay an answer
TIMES = "btime 60000 wtime 60000 byoyomi 1000"

__all__ = ["FAKE", "LATE", "NO_BOOK", "REAL", "ROOT", "TIMES", "Process", "answers"]


class Process(conversation.Process):
    """`with Process(FAKE) as engine:`; the process is killed at the end if it has not gone."""

    def ready(self, *options: str) -> Self:
        """Have it ready to think: without the book, unless the options say otherwise."""
        self.send("usi", NO_BOOK, *options, "isready")
        self.until("readyok", 300)
        return self


def answers(lines: Sequence[str]) -> list[str]:
    """Return those of `lines` that answer a `go`."""
    return [line for line in lines if line.startswith(("bestmove", "checkmate"))]
