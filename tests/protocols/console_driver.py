"""A front end as a process: lines in, lines out."""

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Process:
    """`with Process("gtp") as engine:`; the process is killed at the end if it has not gone."""

    def __init__(self, command, **environment):
        self.lines = queue.Queue()
        self.seen = []
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "shogi_engine", command],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for raw in self.process.stdout:
            self.lines.put((time.monotonic(), raw.decode()))
        self.lines.put((time.monotonic(), None))

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def send(self, *lines):
        self.sent = time.monotonic()
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        self.process.stdin.flush()

    def line(self, timeout=30.0):
        """Return the next line without its end; AssertionError if none comes."""
        try:
            self.came, text = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no line in {timeout} s; so far {self.seen}") from None
        assert text is not None, f"the process ended; so far {self.seen}"
        assert text.endswith("\n") and "\r" not in text, f"not a whole line: {text!r}"
        self.seen.append(text[:-1])
        return text[:-1]

    def until(self, start, timeout=30.0):
        """Return the lines up to the first that begins with `start`, that one the last."""
        lines = []
        while not lines or not lines[-1].startswith(start):
            lines.append(self.line(timeout))
        return lines

    def ask(self, command, timeout=60.0):
        """Return a GTP answer: its lines without the empty one at the end."""
        self.send(command)
        lines = [self.line(timeout)]
        while lines[-1]:
            lines.append(self.line(timeout))
        return "\n".join(lines[:-1])

    def ended(self, timeout):
        """Return the exit status and what was written to stderr; AssertionError if it does not end."""
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {timeout} s") from None
        return status, self.process.stderr.read()
