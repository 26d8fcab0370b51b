"""The port of `shogi-engine serve`."""

import socket

import pytest

from shogi_engine.__main__ import main
from shogi_engine.cli.serve import _listener
from tests.web.fake_engine import fake_hub
from tests.web.visitor import serve


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


def test_a_second_start_opens_the_board_that_is_there(monkeypatch, capsys):
    opened, hub = [], fake_hub()
    monkeypatch.setattr("webbrowser.open", opened.append)
    server, address = serve(hub)
    port = address.rstrip("/").rpartition(":")[2]
    assert main(["serve", "--port", port]) == 2 and opened == []  # without --open it is refused
    assert main(["serve", "--open", "--port", port]) == 0 and opened == [address]
    server.should_exit = True
    hub.close()
    with socket.create_server(("127.0.0.1", 0)) as other:  # that says nothing
        monkeypatch.setattr("shogi_engine.cli.serve.ANSWER_SECONDS", 0.1)
        assert main(["serve", "--open", "--port", str(other.getsockname()[1])]) == 2
    assert opened == [address] and "cannot listen" in capsys.readouterr().err
