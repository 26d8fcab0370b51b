"""One TCP connection to a server: whole lines in, from a thread of their own, and lines out. Standard library only."""

import contextlib
import os
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shogi_engine.common.text import read_text
from shogi_engine.language import InputError

LINE_MAX = 8192  # bytes; the protocol has no longer lines
CHUNK = 4096
PROBE_AFTER, PROBE_EVERY, PROBES = 30, 10, 3  # TCP keep-alive: seconds, seconds, number of probes
SEND_PATIENCE = 60.0  # seconds until unacknowledged data end the connection
READER_PATIENCE = 5.0  # seconds for the reader to end once the connection is closed

Log = Callable[[str, str], None]  # called with '<' or '>' (or '=' for a note) and a line


class ConnectionLost(OSError):  # noqa: N818  (an OSError, as its siblings in the standard library)
    """The connection has ended."""


@dataclass(frozen=True)
class Received:
    """A line from the server.

    Attributes:
        at: time.monotonic()
    """

    connection: "Connection"
    line: str
    at: float


@dataclass(frozen=True)
class Closed:
    """The connection has ended.

    Attributes:
        reason: why, for the user
    """

    connection: "Connection"
    reason: str


class Connection:
    """Lines to and from a server.

    Attributes:
        deliver: called with a Received for each line and once with Closed, in the reader's thread
        heard: time.monotonic() of the last line received
        last: time.monotonic() of the last line received or sent

    Raises:
        OSError: the connection failed
    """

    def __init__(
        self, host: str, port: int, deliver: Callable[[Received | Closed], None], *, timeout: float, log: Log
    ) -> None:
        self._log = log
        self._deliver = deliver
        self._sending = threading.Lock()
        self._ended = ""  # why the connection has ended
        self._socket = socket.create_connection((host, port), timeout=timeout)
        _keep_alive(self._socket)
        self._socket.settimeout(None)
        self.last = self.heard = time.monotonic()
        self._reader = threading.Thread(target=self._read, name="csa-reader", daemon=True)
        self._reader.start()

    def send(self, line: str) -> None:
        """Send a line. Raises ConnectionLost."""
        self._log(">", line)
        try:
            with self._sending:
                self._socket.sendall(line.encode("ascii", "replace") + b"\n")
        except OSError as fault:
            raise ConnectionLost(self._ended or fault.strerror or str(fault)) from None
        self.last = time.monotonic()

    def close(self) -> None:
        """End the connection; nothing is logged or delivered afterwards."""
        self._shut()
        self._reader.join(READER_PATIENCE)

    def _shut(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._socket.close()

    def _read(self) -> None:
        reason = "the server closed the connection"
        pending = b""
        try:
            while chunk := self._socket.recv(CHUNK):
                pending += chunk
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    self._take(line)
                if len(pending) > LINE_MAX:
                    reason = f"the server sent a line of more than {LINE_MAX} bytes"
                    break
            else:
                if pending:  # a last line without its end
                    self._take(pending)
        except OSError as fault:
            reason = fault.strerror or str(fault)
        self._log("=", reason)
        self._ended = reason
        self._shut()
        self._deliver(Closed(self, reason))

    def _take(self, raw: bytes) -> None:
        self.last = self.heard = time.monotonic()
        line = raw[:LINE_MAX].decode("ascii", "backslashreplace").strip("\r\0")
        self._log("<", line)
        self._deliver(Received(self, line, self.last))


def _keep_alive(connection: socket.socket) -> None:
    """Let the system detect a dead peer, and send each line at once."""
    options: list[tuple[int, str, Any]] = [
        (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
        (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
        (socket.IPPROTO_TCP, "TCP_KEEPALIVE" if sys.platform == "darwin" else "TCP_KEEPIDLE", PROBE_AFTER),
        (socket.IPPROTO_TCP, "TCP_KEEPINTVL", PROBE_EVERY),
        (socket.IPPROTO_TCP, "TCP_KEEPCNT", PROBES),
        (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", int(SEND_PATIENCE * 1000)),
    ]
    for level, name, value in options:
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                connection.setsockopt(level, getattr(socket, name), value)


# ---- The password of a server's login: from a file or the environment, never from the command line, never in a log


VARIABLE = "SHOGI_ENGINE_CSA_PASSWORD"
HIDDEN = "*****"


class Password:
    """A password that no message shows.

    Args:
        game: shogi-server's game name, a prefix in its standard mode
    """

    def __init__(self, text: str, game: str = "") -> None:
        if not text or not text.isascii() or not text.isprintable() or " " in text:
            raise InputError("a password is printable ASCII without spaces, and not empty")
        self._text = text
        self._game = game

    def for_login(self) -> str:
        """Return the argument for LOGIN."""
        return f"{self._game},{self._text}" if self._game else self._text

    def hide(self, text: str) -> str:
        """Return `text` with every occurrence of the password masked."""
        return text.replace(self._text, HIDDEN)

    def __repr__(self) -> str:
        return f"<Password {HIDDEN}>"


def read_password(file: str = "") -> str:
    """Return the first line of `file`, or the environment's password, which child processes then no longer see.

    Raises ValueError if there is neither, or if others can read the file; OSError if it cannot be read.
    """
    inherited = os.environ.pop(VARIABLE, "")
    if not file:
        if not inherited:
            raise InputError("no password: name its file by --password-file, or set {0}", VARIABLE)
        return inherited
    path = Path(file).expanduser()
    lines = read_text(path).splitlines()
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError("{0} can be read by others: chmod 600 {0}", path)
    if not lines or not lines[0].strip():
        raise InputError("{0} is empty; its first line is the password", path)
    return lines[0].strip()
