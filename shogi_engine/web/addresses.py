"""Addresses that a phone in the same network can open, and QR codes of them, for a terminal and for the page."""

import io
import socket
from typing import Any

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
