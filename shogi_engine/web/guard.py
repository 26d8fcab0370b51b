"""Who may come in: names of hosts against DNS rebinding, origins of WebSockets, a token, and headers for browsers.

A server on loopback is for the pages that it serves itself. Other pages that the same browser shows may send requests
there too; they are told apart by the headers Host and Origin, which pages can not choose.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

COOKIE = "shogi_engine_token"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}


def is_loopback(host: str) -> bool:
    """Tell whether a server on `host` is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(authority: str) -> str:
    """Return the host of 'host:port' or '[::1]:port', '' if it is none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


@dataclass(frozen=True)
class Guard:
    """What a server on `host` asks of whoever comes. token : '' for none"""

    host: str = "127.0.0.1"
    token: str = ""

    @classmethod
    def of(cls, host: str, token: str = "") -> "Guard":
        """Return the guard of a server on `host`, with a token unless only this machine reaches it."""
        return cls(host, token or ("" if is_loopback(host) else secrets.token_urlsafe(18)))

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request is for a name of this server. With a token any name is: rebinding has none."""
        name = host_name(headers.get("host", ""))
        return bool(name) and (bool(self.token) or name in (*LOOPBACK_NAMES, self.host))

    def is_own_page(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a WebSocket comes from a page of this server, or from no page."""
        origin = headers.get("origin")
        if origin is None:
            return True
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc == headers.get("host", "")

    def is_token(self, text: str) -> bool:
        """Tell whether `text` is the token; without one anything is."""
        return not self.token or hmac.compare_digest(text.encode(), self.token.encode())
