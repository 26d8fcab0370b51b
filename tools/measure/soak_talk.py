"""A front end as a process for soak.py: lines, timeouts, and the process's resources."""

import os
import queue
import subprocess
import threading
import time
from pathlib import Path

PATIENCE = 120.0  # timeout in seconds for an answer that is due (the mate solver may have to be compiled)
LATE = 0.125  # share of the timeout by which a move may be late, as machines are busy
KEPT = 12  # number of last lines sent, for a report


class FaultError(Exception):
    """A fault of the front end, described by its text."""


class Conversation:
    """The process and its output.

    Args:
        patience: timeout in seconds for an answer that is due; after it the process counts as hanging
    """

    def __init__(self, command: list[str], patience: float = PATIENCE) -> None:
        self.patience = patience
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.pid = self._process.pid
        self.sent: list[str] = []

    def _read(self) -> None:
        for raw in self._process.stdout or ():
            self._lines.put(raw.decode("utf-8", "replace").rstrip("\n"))
        self._lines.put(None)

    def send(self, *lines: str) -> None:
        """Send lines."""
        self.sent = [*self.sent, *lines[-KEPT:]][-KEPT:]
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()
        except OSError:
            raise FaultError(f"the process is gone after {self.sent}") from None

    def until(self, *starts: str) -> list[str]:
        """Return the lines up to and including the first that begins with one of `starts`."""
        lines: list[str] = []
        end = time.monotonic() + self.patience
        while True:
            try:
                line = self._lines.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                raise FaultError(f"no {starts} after {self.sent}; the last lines were {lines[-3:]}") from None
            if line is None:
                raise FaultError(f"the process ended ({self._process.wait()}) after {self.sent}")
            if "internal error" in line:
                raise FaultError(f"{line} after {self.sent}")
            lines.append(line)
            if line.startswith(starts):
                return lines

    def usage(self) -> dict[str, float]:
        """Return the process's kB, files, threads and CPU seconds; zeros if the system does not provide them."""
        folder = Path(f"/proc/{self.pid}")
        try:
            status = (folder / "status").read_text()
            ticks = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
            files = len(list((folder / "fd").iterdir()))
        except OSError:
            return {"kb": 0, "files": 0, "threads": 0, "cpu": 0.0}
        numbers = [int(status.partition(name)[2].split()[0]) for name in ("VmRSS:", "Threads:")]
        return {"kb": numbers[0], "files": files, "threads": numbers[1],
                "cpu": round(sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), 2)}  # fmt: skip

    def is_late(self, seconds: float) -> bool:
        """Tell whether an answer this many seconds over its time is too late."""
        return seconds > LATE * self.patience

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Send quit and check that the process ends."""
        self.send("quit")
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise FaultError("it does not end") from None
