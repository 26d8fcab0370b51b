"""A program run at a terminal of its own, typed at and read from."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

from tests.support import forks

ROWS, COLUMNS = 50, 100
CONTROL = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>()][A-Z0-9]?)")


class Terminal:
    """`python -m shogi_engine ARGUMENTS` at a pseudo-terminal. raw : all it has written, control codes too."""

    def __init__(self, arguments, env):
        self.raw = ""
        self._seen = 0
        self._bytes = b""
        env = env | {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "LC_ALL": "C.UTF-8"}
        self._fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        command = [sys.executable, "-m", "shogi_engine", *arguments]
        self._process = forks.start(command, env, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self._process.kill()
        self._process.wait()
        os.close(self._fd)

    @property
    def text(self):
        """All that was written, without control codes."""
        return CONTROL.sub("", self.raw)

    def _read(self, seconds):
        """Read what comes within some seconds; return False at the end."""
        if select.select([self._fd], [], [], seconds)[0]:
            try:
                data = os.read(self._fd, 65536)
            except OSError:  # Linux, once the other side is gone
                return False
            if not data:
                return False
            self._bytes += data
            self.raw = self._bytes.decode("utf-8", "replace")
        return True

    def expect(self, pattern, timeout=300):
        """Wait for a pattern after what was expected before; return the match."""
        end = time.monotonic() + timeout
        while True:
            found = re.compile(pattern).search(self.text, self._seen)
            if found:
                self._seen = found.end()
                return found
            assert time.monotonic() < end and self._read(0.2), f"no {pattern!r} in:\n{self.text[self._seen :]}"

    def type(self, text, key="\r"):
        """Type a line, ended by Enter or another key."""
        os.write(self._fd, (text + key).encode())

    def kill(self, number):
        """Send a signal."""
        self._process.send_signal(number)

    def hang_up(self):
        """Close the terminal, as a window is closed; return the exit status."""
        os.close(self._fd)
        self._fd = os.open(os.devnull, os.O_RDONLY)
        return self._process.wait()

    def wait(self, timeout=60):
        """Wait for the end and return the exit status."""
        end = time.monotonic() + timeout
        while self._read(0.2):
            assert time.monotonic() < end, self.text
        return self._process.wait()
