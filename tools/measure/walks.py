"""Count the files and functions that five tasks pass through: `python -m tools.measure.walks [WALK ...]`.

browser: a player's move over the WebSocket, saved, and the engine's move, saved
usi:     `position` and `go` with half a second, until `bestmove`
match:   a game of eight plies in a running match
analyse: `shogi-engine analyse game.kif --html`, four moves
csa:     a server's line with the opponent's move, until this engine's move

A task is run as its users run it, in a process of its own and an empty folder, so the figures of two versions can be
compared. What counts are calls of Python functions of this checkout, in all threads. "Outer" leaves out the rules, the
search and what they stand on. A crossing is a call from another file. The number of files is the same in each run, that
of functions varies by up to five with what a thread happens to see, and crossings vary more.

`tools/budgets.toml` has the most files and functions of each walk; the status is 1 if there are more.
"""

import argparse
import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import platformdirs

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = ROOT / "tools" / "budgets.toml"
INNER = tuple(f"shogi_engine/{name}/" for name in ("games", "interface", "jit", "search"))
NO_STATIONS = ("<module>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>")
TIMEOUT = 600  # seconds; the first walk may compile the engine


class Call(NamedTuple):
    """A call: when, the function and its file, the file that called ("" outside the checkout)."""

    time: float
    file: str
    function: str
    caller: str


class Recorder:
    """All calls of the process while `on`, without those that run when a module is imported."""

    def __init__(self) -> None:
        self.on = False
        self.calls: list[Call] = []
        self.files: dict[str, str] = {}
        threading.setprofile(self._see)
        sys.setprofile(self._see)

    def _file(self, code: CodeType) -> str:
        """Return the path of a function's file in the checkout; "" if it is not one of its packages."""
        name = code.co_filename
        if name not in self.files:
            inside = name.removeprefix(f"{ROOT}{os.sep}").replace(os.sep, "/")
            self.files[name] = inside if inside.startswith(("shogi_engine/", "usi/")) else ""
        return self.files[name]

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        if not self.on or event != "call":
            return
        file, function = self._file(frame.f_code), frame.f_code.co_qualname
        if not file or function.endswith(NO_STATIONS):
            return
        caller, outer = "", frame.f_back
        while outer is not None:
            outer_file = self._file(outer.f_code)
            if outer_file and outer.f_code.co_name == "<module>":
                return
            caller = caller or outer_file
            outer = outer.f_back
        self.calls.append(Call(time.perf_counter(), file, function, caller))

    def between(self, begin: float, end: float) -> list[Call]:
        """Return the calls from one time of `time.perf_counter` until another."""
        return [call for call in self.calls if begin <= call.time < end]


def finish(calls: Iterable[Call]) -> None:
    """Write what a walk has passed through and end its process."""
    Path(os.environ["WALK_FILE"]).write_text(json.dumps(list(calls)), encoding="utf-8")
    os._exit(0)


def background(function: Callable[[], None]) -> None:
    """Run a function in a thread; an error in it ends the process."""

    def run() -> None:
        try:
            function()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)

    threading.Thread(target=run, daemon=True).start()


def script(name: str) -> Callable[..., object]:
    """Return the function that one of the package's scripts calls."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, function = scripts[name].partition(":")
    found: Callable[..., object] = getattr(importlib.import_module(module), function)
    return found


def browser(recorder: Recorder) -> None:
    """My move, saved; the engine's move, saved."""
    from websockets.sync.client import connect
    from websockets.typing import Origin

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def visit() -> None:
        for _ in range(1000):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        address, origin = f"ws://127.0.0.1:{port}/ws", Origin(f"http://127.0.0.1:{port}")
        with connect(address, origin=origin, ping_interval=None) as page:  # compiling keeps the server from answering

            def do(**message: object) -> None:
                page.send(json.dumps(message))

            def until_my_turn() -> None:
                """Read until both moves are on the board and nothing has come for a second."""
                changes, last = 0, time.monotonic()
                while changes < 2 or time.monotonic() - last < 1:
                    try:
                        reply = json.loads(page.recv(timeout=0.2))
                    except TimeoutError:
                        if time.monotonic() - last > TIMEOUT:
                            raise
                        continue
                    last = time.monotonic()
                    changes += reply.get("kind") in ("delta", "state")

            do(do="hello", owner="me")
            do(do="new", game="shogi", players=[None, 1])
            until_my_turn()
            do(do="move", move="7g7f", re=1)
            until_my_turn()
            time.sleep(2)
            recorder.on = True
            do(do="move", move="2g2f", re=2)
            until_my_turn()
            recorder.on = False
        finish(recorder.calls)

    background(visit)
    # Each engine is made when it is first used: with two, one of them perhaps by the move that is walked.
    script("shogi-engine")(["serve", "--port", str(port), "--engines", "1"])


def usi(recorder: Recorder) -> None:
    """From `position` and `go` to `bestmove`."""
    (commands, to_engine), (from_engine, answers) = os.pipe(), os.pipe()
    os.dup2(commands, 0), os.dup2(answers, 1)
    lines = os.fdopen(from_engine, encoding="utf-8")

    def ask(*commands: str, until: str) -> None:
        os.write(to_engine, ("\n".join(commands) + "\n").encode())
        while until not in lines.readline():
            pass

    def gui() -> None:
        ask("usi", "setoption name USI_OwnBook value false", "isready", until="readyok")
        ask("usinewgame", "position startpos moves 7g7f", "go nodes 2000", until="bestmove")
        time.sleep(0.5)
        recorder.on = True
        ask("position startpos moves 7g7f 3c3d 2g2f", "go btime 0 wtime 0 byoyomi 500", until="bestmove")
        time.sleep(0.1)
        recorder.on = False
        finish(recorder.calls)

    background(gui)
    script("shogi-usi")()


def match(recorder: Recorder) -> None:
    """A game of a running match: of games 3 to 6 of 8, the one with the median number of calls."""
    log, ends = Path("match.jsonl"), [0.0]

    def watch() -> None:
        while True:
            lines = log.read_bytes().count(b"\n") if log.exists() else 0
            ends.extend([time.perf_counter()] * (lines + 1 - len(ends)))
            time.sleep(0.001)

    recorder.on = True
    background(watch)
    players = ["level:3", "level:4", "--limit", "nodes=200", "--set", "max_plies=8"]
    script("shogi-engine")(["match", *players, "--games", "8", "--log", str(log)])
    recorder.on = False
    games = [recorder.between(begin, end) for begin, end in zip(ends[2:6], ends[3:7], strict=True)]
    finish(sorted(games, key=len)[len(games) // 2])


def analyse(recorder: Recorder) -> None:
    """The whole command, without the imports."""
    moves = "1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 ８四歩(83)\n5 投了\n"
    Path("game.kif").write_text(f"手合割：平手\n手数----指手---------消費時間--\n{moves}", encoding="utf-8")
    main = script("shogi-engine")
    recorder.on = True
    main(["analyse", "game.kif", "--limit", "nodes=300", "--html", "game.html"])
    recorder.on = False
    finish(recorder.calls)


SUMMARY = """\
BEGIN Game_Summary
Protocol_Version:1.2
Protocol_Mode:Server
Format:Shogi 1.0
Declaration:Jishogi 1.1
Game_ID:g1
Name+:me
Name-:other
Your_Turn:+
Rematch_On_Draw:NO
To_Move:+
BEGIN Time
Time_Unit:1sec
Total_Time:300
Byoyomi:10
Least_Time_Per_Move:1
END Time
BEGIN Position
PI
+
END Position
END Game_Summary"""


def csa(recorder: Recorder) -> None:
    """From the opponent's move in a server's line to this engine's move, without pondering."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        peer = server.accept()[0].makefile("rw", encoding="utf-8", newline="\n")

        def say(text: str) -> None:
            peer.write(text + "\n")
            peer.flush()

        def expect(begin: str) -> str:
            while not (line := peer.readline()).startswith(begin):
                if not line:
                    raise EOFError(begin)
            return line.split(",")[0].strip()

        expect("LOGIN")
        say("LOGIN:me OK")
        say(SUMMARY)
        expect("AGREE")
        say("START:g1")
        say(expect("+") + ",T1")
        say("-3334FU,T1")
        say(expect("+") + ",T1")
        time.sleep(0.5)
        recorder.on = True
        say("-9394FU,T1")
        expect("+")
        time.sleep(0.05)
        recorder.on = False
        finish(recorder.calls)

    background(serve)
    address = f"127.0.0.1:{server.getsockname()[1]}"
    script("shogi-engine")(["csa", "--name", "me", "--limit", "nodes=200", "--no-ponder", address])


WALKS = {walk.__name__: walk for walk in (browser, usi, match, analyse, csa)}


def walked(name: str) -> list[Call]:
    """Run a walk in a process of its own; raise RuntimeError with what it wrote to stderr if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "calls.json")
        environment = {
            **os.environ,
            **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), folder),
            "PYTHONPATH": str(ROOT),
            "WALK_FILE": str(file),
            "SHOGI_ENGINE_CSA_PASSWORD": "secret",
            "LANGUAGE": "en",
        }
        environment.setdefault("SHOGI_ENGINE_CACHE_DIR", platformdirs.user_cache_dir("shogi_engine", appauthor=False))
        command, none = [sys.executable, __file__, "--one", name], subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=none, stdout=none, stderr=subprocess.PIPE, text=True
        )
        try:
            _, errors = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            errors = f"it took more than {TIMEOUT} seconds"
        if not file.exists():
            raise RuntimeError(f"the walk {name} failed: {errors}")
        return [Call(*call) for call in json.loads(file.read_bytes())]


def counts(calls: Iterable[Call]) -> dict[str, int]:
    """Return how many files, functions and crossings there are."""
    calls = list(calls)
    return {
        "files": len({call.file for call in calls}),
        "functions": len({(call.file, call.function) for call in calls}),
        "crossings": sum(1 for call in calls if call.caller not in ("", call.file)),
    }


def main() -> int:
    """Print the walks, and what exceeds its bound; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("walks", nargs="*", metavar="WALK", help="default: all")
    parser.add_argument("--list", action="store_true", help="also each function, with the number of its calls")
    parser.add_argument("--one", choices=WALKS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        WALKS[arguments.one](Recorder())
        return 1  # a walk ends its process itself
    if unknown := set(arguments.walks) - WALKS.keys():
        parser.error(f"no such walk: {', '.join(sorted(unknown))}")
    bounds = tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["walks"]
    faults = []
    for name in arguments.walks or WALKS:
        try:
            calls = walked(name)
        except RuntimeError as failure:
            faults.append(str(failure))
            continue
        found = counts(calls)
        outer = counts(call for call in calls if not call.file.startswith(INNER))
        for key, most in bounds[name].items():
            if found[key] > most:
                faults.append(f"{name}: {found[key]} {key}, the bound is {most}")
        against = "".join(f" {found[key]:5} of {most:4} {key}" for key, most in bounds[name].items())
        inside = f"outer {outer['files']} files, {outer['functions']} functions"
        print(f"{name:8}{against} {found['crossings']:6} crossings, {inside}", flush=True)
        if arguments.list:
            for (file, function), number in sorted(Counter((call.file, call.function) for call in calls).items()):
                print(f"{number:8} {file} {function}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
