"""A front end of the shogi-engine command as a process."""

import sys

from tests.support import conversation


class Process(conversation.Process):
    """`with Process("gtp") as engine:`; the process is killed at the end if it has not gone."""

    def __init__(self, command, *options, **environment):
        super().__init__([sys.executable, "-m", "shogi_engine", command, *options], **environment)

    def ask(self, command, timeout=60.0):
        """Return a GTP answer: its lines without the empty one at the end."""
        self.send(command)
        lines = [self.line(timeout)]
        while lines[-1]:
            lines.append(self.line(timeout))
            assert lines[-1] is not None, f"the process ended; so far {self.seen}"
        return "\n".join(lines[:-1])
