"""A front end of the shogi-engine command as a process."""

import sys

from tests.support import conversation


class Process(conversation.Process):
    """`with Process("gtp") as engine:`; the process is killed at the end if it has not gone."""

    def __init__(self, command: str, *options: str, **environment: str) -> None:
        super().__init__([sys.executable, "-m", "shogi_engine", command, *options], **environment)

    def ask(self, command: str, timeout: float = 60.0) -> str:
        """Return a GTP answer: its lines without the empty one at the end."""
        self.send(command)
        lines: list[str] = []
        while (line := self.line(timeout)) or not lines:
            assert line is not None, f"the process ended; so far {self.seen}"
            lines.append(line)
        assert line is not None, f"the process ended; so far {self.seen}"
        return "\n".join(lines)
