"""SIGTERM, SIGHUP and Ctrl-C end every long command alike: its status, no child left, whole files, one line at most."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

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
    code += BEGIN.format(command=words[0])
    command = [sys.executable, "-c", code + "sys.exit(main(sys.argv[1:]))", *map(str, words)]
    return subprocess.Popen(command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


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
    words = ["match", engine, engine, "--limit", "movetime=1000", "--timeout", "1000", "--log", folder / "out"]
    return [*words, "--concurrency", "2"], lambda: len(list(folder.glob("pid-*"))) >= 4


def analyse(folder):
    (folder / "in.usi").write_text("startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e\n" * 3)
    words = ["analyse", folder / "in.usi", "--nodes", "1000000", "--save", folder / "out", "--threads", "2"]
    return words, (folder / "out").exists


def train(folder):
    words = ["train", "othello", folder / "run", "--games", "100000", "--set", "nodes=20", "--stage", "data"]
    return words, lambda: list(folder.glob("run/gen0/data/piece-*.npz"))


def book(folder):
    words = ["book", "othello", "build", folder / "out", "--positions", "5000", "--depth", "8"]
    return words, lambda: (folder / "out").exists() and len((folder / "out").read_bytes().splitlines()) > 2


def mate(folder):  # a long mate, in a solver that only stops for its flag
    return ["solve", *MICROCOSMOS.split(), "--max-ms", "600000"], (folder / "begun").exists


def perft(folder):
    return ["perft", "shogi", "9"], (folder / "begun").exists


COMMANDS = {"match": match, "analyse": analyse, "train": train, "book": book, "mate": mate, "perft": perft}


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("command", COMMANDS)
def test_signals_end_commands_alike(tmp_path, env, command, name):
    words, begun = COMMANDS[command](tmp_path)
    process = run(words, env, tmp_path)
    try:
        wait_until(begun, process)
        time.sleep(2)  # into the middle of the work
        number = getattr(signal, name)
        process.send_signal(number)
        _, err = process.communicate(timeout=GENEROUS)
    finally:
        process.kill()
    assert process.returncode == 128 + number and len(err.splitlines()) <= 1, err
    assert not [path for path in tmp_path.glob("pid-*") if lives(int(path.name[4:]))]
    assert not list(tmp_path.rglob("*.tmp")) and not list(tmp_path.rglob("*.holder"))
    if (out := tmp_path / "out").exists():  # whole: it continues
        for line in out.read_text().splitlines():
            json.loads(line)
