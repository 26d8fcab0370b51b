"""A program that talks by lines, as a process: lines in, lines out with the time each came."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Process:
    """`with Process(command) as program:`, command a list; the process is killed at the end if it has not gone."""

    def __init__(self, command, **environment):
        self.lines = queue.Queue()
        self.seen = []
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            command,
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
        """Return the next line without its end; None at the end of output; AssertionError if none comes."""
        try:
            self.came, text = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no line in {timeout} s; so far {self.seen}") from None
        if text is None:
            return None
        assert text.endswith("\n") and "\r" not in text, f"not a whole line: {text!r}"
        self.seen.append(text[:-1])
        return text[:-1]

    def until(self, start, timeout=30.0):
        """Return the lines up to the first that begins with `start`, that one the last."""
        end, lines = time.monotonic() + timeout, []
        while True:
            line = self.line(max(0.001, end - time.monotonic()))
            assert line is not None, f"the process ended before {start!r}; so far {self.seen}"
            lines.append(line)
            if line.startswith(start):
                return lines

    def silent(self, seconds):
        """Return the lines that come in `seconds`."""
        end, lines = time.monotonic() + seconds, []
        while (left := end - time.monotonic()) > 0:
            try:
                self.came, text = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if text is None:
                break
            lines.append(text[:-1])
        self.seen += lines
        return lines

    def cpu_seconds(self):
        """Return the CPU time the process has used; None where the system does not tell."""
        return time.clock_gettime((~self.process.pid << 3) | 2) if sys.platform == "linux" else None

    @contextlib.contextmanager
    def within(self, seconds):
        """Fail if the process uses more CPU time in the block: a bound on time that a busy machine keeps."""
        before = self.cpu_seconds()
        yield
        used = 0.0 if before is None else self.cpu_seconds() - before
        assert used < seconds, f"{used:.3f} s of CPU time, {seconds} s at most"

    def ended(self, timeout):
        """Return the exit status and what was written to stderr; AssertionError if it does not end."""
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {timeout} s") from None
        return status, self.process.stderr.read()
