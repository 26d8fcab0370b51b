"""SIGTERM, SIGHUP and Ctrl-C end every long command alike: its status, no child left, whole files, one line at most."""

import json
import os
import re
import signal
import socket
import sys
import time

import pytest

from tests.csa.scripted import SECRET, ScriptedServer
from tests.support import forks
from tests.support.processes import environment
from tests.support.shogi_cases import MICROCOSMOS

ENGINE = """
import sys, time
open(sys.argv[1] + str(__import__("os").getpid()), "w").close()
for line in sys.stdin:
    word = line.split()[:1]
    if word == ["usi"]:
        print("usiok", flush=True)
    elif word == ["isready"]:
        print("readyok", flush=True)
    elif word == ["go"]:
        while True:  # it thinks, and hears nothing more
            time.sleep(1)
"""
BEGIN = """
from shogi_engine.cli import {command} as module

def run(args, work=module.run):
    open("begun", "w").close()
    return work(args)

module.run = run
"""
SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"]
GENEROUS = 300  # seconds, on a busy machine that compiles

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signals")


def run(words, env, cwd):
    code = "import signal, sys\nfor each in (signal.SIGTERM, signal.SIGHUP): signal.signal(each, signal.SIG_DFL)\n"
    code += "signal.signal(signal.SIGINT, signal.default_int_handler)\nfrom shogi_engine.__main__ import main\n"
    if words[0] in ("solve", "perft"):  # of the others' work there is another sign
        code += BEGIN.format(command=words[0])
    if words[0] == "serve":  # a busy machine takes long to load kernels, which is ended first
        code += f"from shogi_engine.cli import serve\nserve.END_SECONDS = {GENEROUS / 2}\n"
    command = [sys.executable, "-c", code + "sys.exit(main(sys.argv[1:]))", *map(str, words)]
    return forks.start(command, env, cwd, stdout=forks.PIPE, stderr=forks.PIPE, text=True)


def wait_until(found, process):
    end = time.monotonic() + GENEROUS
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def env(tmp_path):
    return environment(os.environ.get("SHOGI_ENGINE_CACHE_DIR")) | {"XDG_DATA_HOME": str(tmp_path / "data")}


def match(folder):
    (folder / "engine.py").write_text(ENGINE)
    engine = f"{sys.executable} {folder / 'engine.py'} {folder / 'pid-'}"
    words = ["match", engine, engine, "--limit", "movetime=1000", "--set", "timeout=1000", "--log", folder / "out"]
    return [*words, "--concurrency", "2"], lambda: len(list(folder.glob("pid-*"))) >= 4


def analyse(folder):
    (folder / "in.usi").write_text("startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e\n" * 300)
    words = ["analyse", folder / "in.usi", "--nodes", "20000", "--save", folder / "out", "--threads", "2"]
    return words, (folder / "out").exists


def train(folder):
    words = ["train", "othello", folder / "run", "--games", "100000", "--set", "nodes=20,exact=4", "--stage", "data"]
    return words, lambda: list(folder.glob("run/gen0/data/piece-*.npz"))


def book(folder):
    words = ["book", "othello", "build", folder / "out", "--positions", "5000", "--depth", "8"]
    return words, lambda: (folder / "out").exists() and len((folder / "out").read_bytes().splitlines()) > 2


def mate(folder):  # a long mate, in a solver that only stops for its flag
    return ["solve", *MICROCOSMOS.split(), "--max-ms", "600000"], (folder / "begun").exists


def perft(folder):
    return ["perft", "shogi", "9"], (folder / "begun").exists


def serve(folder):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    visitors = []  # their connections stay open

    def begun():
        try:
            visitors.append(socket.create_connection(("127.0.0.1", port)))
        except OSError:
            return False
        visitors[0].sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return visitors[0].recv(1)

    return ["serve", "--port", port, "--engines", "1"], begun


COMMANDS = {each.__name__: each for each in (match, analyse, train, book, mate, perft, serve)}


def ended(process, begun, numbers):
    """Return the status and stderr of a process that gets signals in the middle of its work."""
    try:
        wait_until(begun, process)
        for number in numbers:
            time.sleep(0.5)
            process.send_signal(number)
        _, err = process.communicate(timeout=GENEROUS)
    finally:
        process.kill()
    return process.returncode, err


def check_left(folder):
    assert not [path for path in folder.glob("pid-*") if lives(int(path.name[4:]))]
    assert not list(folder.rglob("*.tmp")) and not list(folder.rglob("*.holder"))


def rarely(command, name):
    """By day each command gets one signal, and two get all."""
    marks = () if name == "SIGTERM" or command in ("match", "serve") else pytest.mark.slow
    return pytest.param(command, name, marks=marks)


@pytest.mark.parametrize(("command", "name"), [rarely(command, name) for command in COMMANDS for name in SIGNALS])
def test_signals_end_commands_alike(tmp_path, env, command, name):
    words, begun = COMMANDS[command](tmp_path)
    number = getattr(signal, name)
    status, err = ended(run(words, env, tmp_path), begun, [number])
    # A server has no other end: it is no failure.
    assert status == (0 if command == "serve" else 128 + number) and len(err.splitlines()) <= 1, err
    check_left(tmp_path)
    if (out := tmp_path / "out").exists():  # whole: it continues
        for line in out.read_text().splitlines():
            json.loads(line)


@pytest.mark.parametrize("name", SIGNALS)
def test_a_second_signal_leaves_a_game_on_a_server(tmp_path, env, name):
    def script(peer):
        peer.begin("+")
        peer.end()  # the engine thinks until the client leaves

    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "password").write_text(SECRET)
    (tmp_path / "password").chmod(0o600)
    log, number = tmp_path / "log", getattr(signal, name)
    engine = f"{sys.executable} {tmp_path / 'engine.py'} {tmp_path / 'pid-'}"
    with ScriptedServer(script, longest=GENEROUS) as server:
        words = ["csa", f"127.0.0.1:{server.port}", "--name", "me", "--password-file", tmp_path / "password"]
        process = run([*words, "--log", log, "--out", tmp_path / "games", "--engine", engine], env, tmp_path)
        status, err = ended(process, lambda: log.exists() and "START:g1" in log.read_text(), [number, number])
    assert status == 128 + number and len(err.splitlines()) <= 1, err
    check_left(tmp_path)
    text = log.read_text()
    assert text.endswith("\n") and all(re.match(r"[0-9-]{10} [0-9:.]{12} [<>=] ", line) for line in text.splitlines())
