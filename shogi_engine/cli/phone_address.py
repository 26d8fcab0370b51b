"""An address of this machine that a phone in the same network can open, and a QR code of it for a terminal."""

import io
import socket

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


def qr_code(text: str) -> str:
    """Return a QR code as lines of blocks, '' if segno is not installed."""
    try:
        import segno
    except ImportError:
        return ""
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
