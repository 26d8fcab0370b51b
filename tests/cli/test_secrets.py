"""Tokens and passwords are in no log, no message and no environment of another process, wherever they came from."""

import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from shogi_engine import jit
from shogi_engine.__main__ import main
from shogi_engine.cli import doctor
from shogi_engine.cli.serve import TOKEN_VARIABLE
from shogi_engine.csa.connection import VARIABLE, Password, read_password
from shogi_engine.games.shogi.evaluation import king_piece
from tests.support import nnbin
from tests.support.processes import ROOT, environment, needs_workshop

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


# ---- the doctor --------------------------------------------------------------------------------------------------


def test_a_healthy_installation(capsys):
    status = main(["doctor", "--json"])
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (status, facts["problems"]) == (0, [])
    assert facts["perft_nodes"] == 719731 and facts["nodes"] > 0 and facts["nps"] > 0
    assert facts["evaluation"].startswith("network: ") and facts["evaluation"] in doctor.report(facts)
    text = doctor.report(facts)
    assert (
        facts["cache"] == (None if doctor.has_module() else str(jit.cache_folder())) and (facts["cache"] or "") in text
    )
    if jit.HAS_WORKSHOP:
        assert facts["numba"][0].isdigit()
    assert text.splitlines()[-1] == "no problems found" and text.isascii()
    for part in (facts["numpy"], facts["system"], sys.executable):
        assert part in text


@pytest.mark.skipif(jit.JIT_DISABLED, reason="takes long without JIT")
@pytest.mark.slow  # it compiles the search for two evaluations
def test_a_network_is_named_or_what_is_wrong_with_it(tmp_path):
    file, facts, problems = nnbin.write_empty(tmp_path / "nn.bin"), {}, []
    doctor.examine_engine(facts, problems, "nnue", file)
    assert facts["evaluation"] == f"nnue: {file}, HalfKP 256x2-32-32" and facts["nodes"] > 0 and not problems
    assert (facts["eval_file_mb"], facts["fv_scale"]) == (64.2, 16)
    assert facts["worth"][1].split()[:2] == ["l", "0"]  # a network that says the same of everything
    file.write_bytes(b"short")
    doctor.examine_engine(facts, problems, "nnue", file)
    assert facts["evaluation"].startswith("network: ")
    assert [problem for problem in problems if "expected HalfKP" in problem and "found 5 bytes" in problem] == problems


def test_a_file_says_which_evaluation_it_is_for(tmp_path, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(doctor, "examine_engine", lambda facts, problems, *what: asked.append(what))
    monkeypatch.setattr(doctor, "usi_seconds", lambda: 0.1)
    nnue = nnbin.write_empty(tmp_path / "other.name", shape=nnbin.Architecture("K+P", 64, 8, 32))
    (tmp_path / "weights.bin").write_bytes(king_piece.FILE.read_bytes())
    files = {nnue: "nnue", tmp_path / "weights.bin": "king-piece", tmp_path / "missing": "network"}
    for file in files:
        main(["doctor", "--eval-file", str(file), "--json"])
    assert asked == [(name, file) for file, name in files.items()]


def test_what_is_wrong_is_named(capsys, monkeypatch):
    def broken(facts, problems, evaluation, file):
        raise ImportError("DLL load failed")

    monkeypatch.setattr(doctor, "examine_engine", broken)
    monkeypatch.setattr(doctor, "PACKAGES", (*doctor.PACKAGES, "no_such_package"))
    monkeypatch.setattr(sys, "executable", sys.executable + "-that-is-not-there")
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert re.search("^PROBLEM +no_such_package is not installed$", text, re.MULTILINE)
    assert "DLL load failed" in text and "does not answer" in text and "no problems found" not in text


@needs_workshop
def test_without_a_cache_folder(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "has_module", lambda: False)
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    assert main(["doctor"]) == 0
    assert "no folder is writable" in capsys.readouterr().out


def talk(command, cwd):
    """Return what the launcher's engine says, started in another folder and without this one's variables."""
    env = environment(None)
    del env["PYTHONPATH"]
    done = subprocess.run(command, input="usi\nquit\n", capture_output=True, text=True, timeout=60, env=env, cwd=cwd)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_shell_launcher_starts_the_engine(tmp_path, capsys):
    file = tmp_path / "my 'engine'"
    assert main(["doctor", "--launcher", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"launcher": str(file)}
    assert talk([str(file)], tmp_path)[-1] == "usiok"
    assert main(["doctor", "--launcher", str(file)]) == 2  # it is there already
    assert capsys.readouterr().err.count("\n") == 1


def test_the_batch_launcher(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "C:\\100% mine\\python.exe")
    monkeypatch.setenv("SHOGI_ENGINE_CACHE_DIR", "cache")
    doctor.write_launcher(tmp_path / "engine.BAT")
    lines = (tmp_path / "engine.BAT").read_bytes().decode().split("\r\n")
    assert lines[0] == "@echo off" and lines[-1] == ""
    assert lines[-2] == '"C:\\100%% mine\\python.exe" -P -m usi'
    assert any(line.startswith('set "SHOGI_ENGINE_CACHE_DIR=') for line in lines)


@pytest.mark.skipif(os.name != "nt", reason="a batch file")
def test_the_batch_launcher_starts_the_engine(tmp_path):
    doctor.write_launcher(tmp_path / "engine.bat")
    assert talk([str(tmp_path / "engine.bat")], tmp_path)[-1] == "usiok"
