"""A program that talks by lines, as a process: lines in, lines out with the time each came."""

import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from typing import Self

from tests.support import forks

ROOT = Path(__file__).resolve().parents[2]


class Process:
    """`with Process(command) as program:`, a command of `forks`; it is killed at the end if it has not gone."""

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        self.lines: queue.Queue[tuple[float, str | None]] = queue.Queue()
        self.seen: list[str] = []
        self.sent = self.came = 0.0  # when lines were last sent, and when the last line came
        self.process = forks.start(command, os.environ | environment, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for raw in self.stdout:
            self.lines.put((time.monotonic(), raw.decode()))
        self.lines.put((time.monotonic(), None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            stream.close()

    def send(self, *lines: str) -> None:
        self.sent = time.monotonic()
        self.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        self.stdin.flush()

    def line(self, timeout: float = 60.0) -> str | None:
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

    def until(self, start: str | tuple[str, ...], timeout: float = 60.0) -> list[str]:
        """Return the lines up to the first that begins with `start`, that one the last."""
        end = time.monotonic() + timeout
        lines: list[str] = []
        while True:
            line = self.line(max(0.001, end - time.monotonic()))
            assert line is not None, f"the process ended before {start!r}; so far {self.seen}"
            lines.append(line)
            if line.startswith(start):
                return lines

    def silent(self, seconds: float) -> list[str]:
        """Return the lines that come in `seconds`."""
        end = time.monotonic() + seconds
        lines: list[str] = []
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

    def cpu_seconds(self) -> float:
        """Return the CPU time the process has used; 0 where the system does not tell."""
        return time.clock_gettime((~self.process.pid << 3) | 2) if sys.platform == "linux" else 0.0

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Fail if the process uses more CPU time in the block: a bound on time that a busy machine keeps."""
        before = self.cpu_seconds()
        yield
        used = self.cpu_seconds() - before
        assert used < seconds, f"{used:.3f} s of CPU time, {seconds} s at most"

    def ended(self, timeout: float = 60.0) -> tuple[int, bytes]:
        """Return the exit status and what was written to stderr; AssertionError if it does not end."""
        try:
            status = self.process.wait(timeout)
        except TimeoutExpired:
            raise AssertionError(f"still running after {timeout} s") from None
        return status, self.stderr.read()
