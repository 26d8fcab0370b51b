"""HTTP with limits, for uvicorn: it limits neither connections by address nor the time for the head of a request."""

import asyncio
import socket

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from shogi_engine.web.limits import Limits

UNREAD_MS = 60_000  # in which a peer must take something of what is sent


def limited(limits: Limits) -> type[H11Protocol]:
    """Return the protocol of a uvicorn server with these limits."""
    return type("Protocol", (LimitedProtocol,), {"limits": limits})


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 with limits on connections, and on the time for the head of a request, which uvicorn does not limit."""

    limits: Limits
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
