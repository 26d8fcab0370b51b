"""Access control: host names against DNS rebinding, origins of WebSockets, a token, and response headers.

A server on loopback is only for its own pages, but other pages in the same browser can send requests to it too. The
headers Host and Origin, which pages cannot set, distinguish them.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from shogi_engine.web.addresses import reachable_host

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
