"""Limits against visitors who ask for too much: connections, time, messages."""

import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import anyio
import anyio.to_thread

from shogi_engine.web.guard import is_loopback

PER_ADDRESS_MAX = 100  # many people may share one: a school, a provider
HEAD_SECONDS = 10.0  # for the head of a request
HELLO_SECONDS = 20.0  # for the first message of a page
RATE, BURST = 20.0, 100.0  # messages of a page: a second, and at once
SESSION_RATE, SESSION_BURST = 40.0, 200.0  # of all pages of a session
WORKERS = 8  # threads that handle messages
REFUSED_MAX = 200  # messages of a page that are none; then it is disconnected


class Slow(Enum):
    """What takes long, and is done in threads of its own."""

    WORK = 1  # threads: work for the processor, which more threads would not do sooner
    DISK = 4  # work that waits for the disk, or is slow if that is


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
        handling: how many messages are handled at the same time
        slow: how many of those that are slow
        headless: connections without the head of a request, the oldest first, and the functions that close them
    """

    connections: int = 1000
    per_address: int = PER_ADDRESS_MAX
    head_seconds: float = HEAD_SECONDS
    handling: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(WORKERS))
    slow: dict[Slow, anyio.CapacityLimiter] = field(
        default_factory=lambda: {each: anyio.CapacityLimiter(each.value) for each in Slow}
    )
    _open: Counter[str] = field(default_factory=Counter)
    headless: dict[Any, Callable[[], None]] = field(default_factory=dict)
    _locks: "weakref.WeakValueDictionary[tuple[Slow, str], anyio.Lock]" = field(
        default_factory=weakref.WeakValueDictionary
    )

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

    async def do_slowly(self, kind: Slow, address: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do slow work in a thread and return its result; an address's works are done one after another."""
        async with self._locks.setdefault((kind, address), anyio.Lock()):
            return await anyio.to_thread.run_sync(work, *arguments, limiter=self.slow[kind])
