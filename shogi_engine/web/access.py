"""Access control: host names against DNS rebinding, origins of WebSockets, a token, and response headers.

A server on loopback is only for its own pages, but other pages in the same browser can send requests to it too. The
headers Host and Origin, which pages cannot set, distinguish them.
"""

import asyncio
import hmac
import io
import ipaddress
import secrets
import socket
import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# ---- Addresses that a phone in the same network can open, and QR codes of them, for a terminal and for the page


WILDCARDS = ("0.0.0.0", "::")  # noqa: S104
ELSEWHERE = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}  # noqa: S104


def reachable_host(host: str) -> str:
    """Return the address at which others reach a server that listens on `host`; `host` itself if unknown.

    For a wildcard it is the address from which this machine would send to other networks. Nothing is sent: the
    addresses in ELSEWHERE are reserved for documentation, and UDP sockets connect without sending a packet.
    """
    if host not in WILDCARDS:
        return host
    family, elsewhere = ELSEWHERE[host]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return host


def _qr_code(text: str) -> Any:
    """Return a QR code, None if segno is not installed."""
    try:
        import segno
    except ImportError:
        return None
    return segno.make(text, error="l", micro=False)


def qr_code(text: str) -> str:
    """Return a QR code as lines of blocks, '' if segno is not installed."""
    if (code := _qr_code(text)) is None:
        return ""
    drawn = io.StringIO()
    code.terminal(drawn, compact=True)
    return drawn.getvalue()


def qr_picture(text: str) -> str:
    """Return a QR code as SVG, '' if segno is not installed."""
    code = _qr_code(text)
    return code.svg_inline(light="#fff", omitsize=True) if code is not None else ""


HEALTH = "/healthz"
SERVED_BY = "X-Served-By", "shogi_engine"  # on the answer to HEALTH, which other servers give too
COOKIE = "shogi_engine_token"
LINK_COOKIE = "shogi_engine_link"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}
# Browsers obey this one only on pages that cannot have been changed on their way, and complain on others.
TRUSTED_HEADERS = HEADERS | {"Cross-Origin-Opener-Policy": "same-origin"}


def is_loopback(host: str) -> bool:
    """Tell whether a server on `host` can be reached only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_and_port(authority: str) -> tuple[str, int | None]:
    """Return the host and the port of 'host:port' or '[::1]:port', '' and None if it is neither."""
    try:
        parts = urlsplit(f"//{authority}")
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


def host_name(authority: str) -> str:
    """Return the host of 'host:port' or '[::1]:port', '' if it is neither."""
    return host_and_port(authority)[0]


@dataclass(frozen=True)
class Guard:
    """The access rules of a server on `host`.

    Attributes:
        token: '' for none
    """

    host: str = "127.0.0.1"
    token: str = field(default="", repr=False)

    @classmethod
    def of(cls, host: str, token: str = "") -> "Guard":
        """Return the guard of a server on `host`, with a token unless only this machine can reach it."""
        return cls(host, token or ("" if is_loopback(host) else secrets.token_urlsafe(18)))

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request names this server. With a token any name does: a rebinding page has no token."""
        name = host_name(headers.get("host", ""))
        return bool(name) and (bool(self.token) or name in (*LOOPBACK_NAMES, self.host))

    def is_own_page(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a WebSocket comes from this server's own page, or not from a page at all."""
        host = headers.get("host", "")
        return headers.get("origin") in (None, f"http://{host}", f"https://{host}")

    def address(self, headers: Mapping[str, str], *, secure: bool) -> str:
        """Return the server's address for other devices. `headers` are those of a page, `secure` says it uses TLS."""
        authority = headers.get("host", "")
        host, port = host_and_port(authority)
        if is_loopback(host) and not is_loopback(self.host):
            host = reachable_host(self.host)
            authority = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        return f"{'https' if secure else 'http'}://{authority}/"

    def answer_headers(self, headers: Mapping[str, str], *, secure: bool) -> Mapping[str, str]:
        """Return the headers of the responses to a request."""
        return TRUSTED_HEADERS if secure or is_loopback(host_name(headers.get("host", ""))) else HEADERS

    def is_token(self, text: str) -> bool:
        """Tell whether `text` is the token; without a token any text is accepted."""
        return not self.token or hmac.compare_digest(text.encode(), self.token.encode())


# ---- Limits against visitors who ask for too much: connections, time, messages


PER_ADDRESS_MAX = 100  # many people may share one: a school, a provider
HEAD_SECONDS = 10.0  # for the head of a request
HELLO_SECONDS = 20.0  # for the first message of a page
RATE, BURST = 20.0, 100.0  # messages of a page: a second, and at once
SESSION_RATE, SESSION_BURST = 40.0, 200.0  # of all pages of a session
WORKERS = 8  # threads that handle messages
PATIENCE_SECONDS = 1.0  # for a quick write, with the lock of a session: a disk may hang
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
class RateLimits:
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
    _locks: "weakref.WeakValueDictionary[tuple[Slow | None, str], anyio.Lock]" = field(
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

    async def do_quickly(self, session: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do work in a thread and return its result; what waits for the lock of a session keeps one thread at most."""
        async with self._locks.setdefault((None, session), anyio.Lock()):
            return await anyio.to_thread.run_sync(work, *arguments, limiter=self.handling)

    async def do_slowly(self, kind: Slow, address: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do slow work in a thread and return its result; an address's works are done one after another."""
        async with self._locks.setdefault((kind, address), anyio.Lock()):
            return await anyio.to_thread.run_sync(work, *arguments, limiter=self.slow[kind])


# ---- HTTP with limits, for uvicorn: it limits neither connections by address nor the time for the head of a request


UNREAD_MS = 60_000  # in which a peer must take something of what is sent


def limited(limits: RateLimits) -> type[H11Protocol]:
    """Return the protocol of a uvicorn server with these limits."""
    return type("Protocol", (LimitedProtocol,), {"limits": limits})


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits on connections, and on the time for the head of a request, which uvicorn does not limit."""

    limits: RateLimits
    _counted = False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many connections."""
        super().connection_made(transport)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux; else a peer that does not read keeps what it was sent here
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS)
        self._address = self.client[0] if self.client else ""
        self._counted = self.limits.enter(self._address)
        if self._counted:
            self._await_head()
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on; the clock stands while a request is complete."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._has_head()
        elif self._timer is None and not self.transport.is_closing():
            self._await_head()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the connection to the WebSocket, which the application counts."""
        self._end()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._end()
        super().connection_lost(exc)

    def _drop(self) -> None:
        """Close the connection at once."""
        self._end()
        self.transport.abort()

    def _await_head(self) -> None:
        self._timer = self.loop.call_later(self.limits.head_seconds, self._drop)
        self.limits.headless[self] = self._drop

    def _has_head(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.limits.headless.pop(self, None)

    def _end(self) -> None:
        self._has_head()
        if self._counted:
            self._counted = False
            self.limits.leave(self._address)
