"""Limits against visitors who ask for too much: connections, time, messages."""

import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio

from shogi_engine.web.guard import is_loopback

PER_ADDRESS_MAX = 100  # many people may share one: a school, a provider
HEAD_SECONDS = 10.0  # for the head of a request
HELLO_SECONDS = 20.0  # for the first message of a page
RATE, BURST = 20.0, 100.0  # messages of a page: a second, and at once
SESSION_RATE, SESSION_BURST = 40.0, 200.0  # of all pages of a session
WORKERS = 8  # threads that handle messages
REFUSED_MAX = 200  # messages of a page that are none; then it is disconnected


class Bucket:
    """A token bucket: `burst` messages at once, and `rate` a second in the long run."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._last = burst, time.monotonic()

    def take(self, now: float | None = None) -> float:
        """Take a token; return how many seconds to wait before the message is handled."""
        now = time.monotonic() if now is None else now
        self._tokens = min(self._burst, self._tokens + (now - self._last) * self._rate) - 1
        self._last = now
        return max(0.0, -self._tokens / self._rate)


def address_of(scope: Mapping[str, Any]) -> str:
    """Return the address of a connection, as a proxy gives it if there is one."""
    return scope["client"][0] if scope.get("client") else ""


@dataclass
class Limits:
    """What all visitors of a server together, and those of one address, may take.

    A server behind a proxy knows its visitors' addresses from the proxy's headers, but all its connections come from
    the proxy, so there is no limit for this machine's own address.

    Attributes:
        handling, uploading: how many messages are handled, and files read, at the same time
        headless: connections without the head of a request, the oldest first, and the functions that close them
    """

    connections: int = 1000
    per_address: int = PER_ADDRESS_MAX
    head_seconds: float = HEAD_SECONDS
    handling: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(WORKERS))
    uploading: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    _open: Counter[str] = field(default_factory=Counter)
    headless: dict[Any, Callable[[], None]] = field(default_factory=dict)
    _locks: "weakref.WeakValueDictionary[str, anyio.Lock]" = field(default_factory=weakref.WeakValueDictionary)

    def enter(self, address: str) -> bool:
        """Count a connection; False if there are too many. If all are taken, the oldest without a request is closed."""
        if self._open.total() >= self.connections:
            if not self.headless:
                return False
            next(iter(self.headless.values()))()
        if self._open[address] >= self.per_address and not is_loopback(address):
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection no longer."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def upload_lock(self, address: str) -> anyio.Lock:
        """Return the lock of an address's uploads, which are read one after another."""
        return self._locks.setdefault(address, anyio.Lock())
