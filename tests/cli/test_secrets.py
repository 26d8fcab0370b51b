"""Tokens and passwords are in no log, no message and no environment of another process, wherever they came from."""

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from shogi_engine.__main__ import main
from shogi_engine.cli.serve import TOKEN_VARIABLE
from shogi_engine.csa.connection import VARIABLE, Password, read_password
from tests.support.processes import ROOT

SECRET = "hunter2secret"
REQUESTS = [
    f"GET /?token={SECRET} HTTP/1.1\r\nHost: {{host}}\r\n\r\n",
    f"GET /?token={SECRET}x HTTP/1.1\r\nHost: {{host}}\r\n\r\n",
    f"GET /none?token={SECRET} HTTP/1.1\r\nHost: {{host}}\r\nOrigin: http://[\r\n\r\n",
    f"POST /?token={SECRET} HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: x\r\n\r\n{SECRET}",
    f"GET /socket?token={SECRET} HTTP/1.1\r\nHost: {{host}}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    f"GET / HTTP/1.1\r\nHost: {{host}}\r\nCookie: shogi_engine_token={SECRET}\r\n\r\n",
    f"GET /?token={SECRET}\udcff%ff%00 HTTP/9\r\n{SECRET}\r\n\r\n",
    f"LOGIN {SECRET}\r\n\r\n",
]


@pytest.mark.parametrize("way", ["argument", "file", "environment"])
def test_a_server_logs_no_token(tmp_path, way):
    file, log = tmp_path / "token", tmp_path / "log"
    file.write_text(SECRET)
    words = {"argument": ["--token", SECRET], "file": ["--token-file", str(file)], "environment": []}[way]
    command = [
        sys.executable, "-m", "shogi_engine", "serve", "--port", "0", "--engines", "1", "--log", str(log), *words,
    ]  # fmt: skip
    env = {**os.environ, TOKEN_VARIABLE: SECRET, "XDG_DATA_HOME": str(tmp_path), "PYTHONDEVMODE": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=env, text=True)
    try:
        host, port = re.search(r"//([\d.]+):(\d+)", process.stdout.readline()).groups()
        for request in REQUESTS:
            with socket.create_connection((host, int(port)), timeout=120) as peer:
                peer.sendall(request.format(host=f"{host}:{port}").encode("utf-8", "surrogateescape"))
                peer.shutdown(socket.SHUT_WR)
                answer = peer.recv(1 << 16)
                assert SECRET.encode() not in answer.partition(b"\r\n\r\n")[2], request
        process.send_signal(signal.SIGTERM)
        assert SECRET not in process.communicate(timeout=300)[1]
    finally:
        process.kill()
    assert process.returncode == 0 and SECRET not in log.read_text()


def test_child_processes_see_neither(monkeypatch, tmp_path):
    """Whatever way was chosen, the variables are gone before engines start."""
    from shogi_engine.web import access

    file = tmp_path / "secret"
    file.write_text(SECRET)
    file.chmod(0o600)

    def refuse(host, token):
        raise ValueError("enough")

    monkeypatch.setattr(access.Guard, "of", refuse)
    for words in ([], ["--token", "other"], ["--token-file", str(file)]):
        monkeypatch.setenv(TOKEN_VARIABLE, SECRET)
        assert main(["serve", *words]) == 2 and TOKEN_VARIABLE not in os.environ
    for path in ("", str(file)):
        monkeypatch.setenv(VARIABLE, SECRET)
        assert read_password(path) == SECRET and VARIABLE not in os.environ


@pytest.mark.parametrize("text", [f"{SECRET} {SECRET}", f"{SECRET}é", f"{SECRET}\n"])
def test_a_password_that_cannot_be_sent_is_not_shown(text):
    with pytest.raises(ValueError, match="printable") as caught:
        Password(text)
    assert SECRET not in str(caught.value) and SECRET not in repr(Password(SECRET))


def test_doctor_shows_none_of_the_whole_environment(capsys, monkeypatch):
    from shogi_engine.cli import doctor

    monkeypatch.setattr(doctor, "examine_engine", lambda *_: (_ for _ in ()).throw(OSError("no engine")))
    for name in [*os.environ, VARIABLE, TOKEN_VARIABLE, "SHOGI_ENGINE_NEW", "HTTPS_PROXY", "NUMBA_KEY"]:
        if name not in (*doctor.SHOWN_VARIABLES, "PATH", "HOME", "PYTHONPATH") and not name.startswith("XDG"):
            monkeypatch.setenv(name, f"http://user:{SECRET}@host")
    for words in (["doctor"], ["doctor", "--json"]):
        assert main(words) == 1
        shown = capsys.readouterr()
        assert SECRET not in shown.out + shown.err and "no engine" in shown.out
