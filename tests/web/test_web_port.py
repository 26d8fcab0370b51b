"""The port of `shogi-engine serve`."""

import socket

import pytest

from shogi_engine.cli.serve import _listener


def test_two_servers_do_not_share_a_port():
    with _listener("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port}"):
            _listener("127.0.0.1", port)


def test_on_windows_the_port_is_claimed_for_one(monkeypatch):
    """SO_REUSEADDR would share it there."""
    exclusive, asked = -5, []

    class Socket(socket.socket):
        def setsockopt(self, level, option, value):
            asked.append(option)

    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", exclusive, raising=False)
    monkeypatch.setattr(socket, "socket", Socket)
    _listener("127.0.0.1", 0).close()
    assert asked == [exclusive]
