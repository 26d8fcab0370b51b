"""Checks of an installed engine on its own system: `python -m tools.platforms.checks`.

The engine is used as GUIs and people use it: over pipes of the system, from files, with redirected output, over HTTP,
from a folder with a Japanese name and blanks, and first with an empty cache. This file needs only the standard
library, and it starts the engine only as a program. So the Python under test can run it as a script, and so can
another one, if the one under test is emulated. The status is 1 if a check fails.
"""

import argparse
import json
import os
import queue
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

COMPILED = 150.0  # seconds within which the engine must be compiled; what takes longer hangs
ANSWERED = 30.0  # seconds within which anything else must be answered
MOMENTS = 5  # of loading, at which the engine is told to quit
PLIES = 20
PERFT = {"shogi": (4, 719731), "othello": (7, 55092)}  # depth and leaves
GAME = """手合割：平手
先手：山田 太郎
後手：shogi_engine
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:01/00:00:01)
   3 ２二角成(88) ( 0:01/00:00:02)
   4 同　銀(31)   ( 0:01/00:00:02)
   5 投了
"""
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


class CheckError(Exception):
    """A check has failed; the message says why."""


@dataclass
class Engine:
    """The installation under test.

    Args:
        usi: the command that starts the USI engine
        tool: the command that stands for `shogi-engine`
        folder: the folder for all files of the checks
        bench: the nodes that `shogi-engine bench` must visit, 0 if unknown
        time_factor: multiplies all limits of time, for a busy or emulated machine
    """

    usi: list[str]
    tool: list[str]
    folder: Path
    bench: int = 0
    time_factor: float = 1.0
    starts: list[tuple[float, float]] = field(default_factory=list)  # seconds to usiok and readyok, empty cache first

    @property
    def compiled(self) -> float:
        """The seconds within which the engine must be compiled."""
        return COMPILED * self.time_factor

    @property
    def answered(self) -> float:
        """The seconds within which anything else must be answered."""
        return ANSWERED * self.time_factor

    def environment(self, cache: str = "cache", **variables: str) -> dict[str, str]:
        """Return the environment of the engine's process, with one of the caches of the checks."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHONIO"))}
        return clean | {"SHOGI_ENGINE_CACHE_DIR": str(self.folder / cache)} | variables

    def run(self, *words: str, encoding: str = "utf-8") -> str:
        """Run `shogi-engine` with its output redirected to a file in `encoding`; return the output."""
        out, log = self.folder / "out.txt", self.folder / "errors.txt"
        with out.open("wb") as stream, log.open("wb") as errors:
            result = subprocess.run(
                [*self.tool, *words],
                env=self.environment(PYTHONIOENCODING=encoding),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=errors,
                timeout=self.compiled,
            )
        if result.returncode:
            complaint = log.read_bytes().decode("utf-8", "replace").strip()[-400:]
            raise CheckError(f"{' '.join(words)} ended with status {result.returncode}: {complaint}")
        return out.read_bytes().decode(encoding)


class Talk:
    """A conversation with a program over pipes. Nothing is sent before the last answer has come."""

    def __init__(self, command: list[str], engine: Engine, cache: str) -> None:
        self.began = time.monotonic()
        self._engine = engine
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.process = subprocess.Popen(
            command,
            env=engine.environment(cache),
            cwd=engine.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        self._lines.put(None)

    def send(self, text: str) -> None:
        """Send lines."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()

    def until(self, start: str, seconds: float | None = None) -> str:
        """Return the first line from now on that begins with `start`."""
        seconds = seconds or self._engine.answered
        end, line = time.monotonic() + seconds, "nothing"
        while True:
            try:
                read = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise CheckError(f"no {start!r} within {seconds:.0f} s; the last line was {line!r}") from None
            if read is None:
                raise CheckError(f"ended before {start!r}; the last line was {line!r}")
            line = read
            if line.startswith(start):
                return line

    def ask(self, text: str, start: str, seconds: float | None = None) -> str:
        """Send lines and return the first line of the answer that begins with `start`."""
        self.send(text)
        return self.until(start, seconds)

    def seconds(self) -> float:
        """Return how long ago the program was started."""
        return time.monotonic() - self.began

    def end(self, text: str = "quit") -> None:
        """Send `text`, whereupon the program must end well."""
        self.send(text)
        try:
            status = self.process.wait(self._engine.answered)
        except subprocess.TimeoutExpired:
            raise CheckError(f"still running {self._engine.answered:.0f} s after {text!r}") from None
        if status:
            raise CheckError(f"ended with status {status}")


@contextmanager
def talk(command: list[str], engine: Engine, cache: str = "cache") -> Iterator[Talk]:
    """Start a program and kill it at the end if it still runs."""
    conversation = Talk(command, engine, cache)
    try:
        yield conversation
    finally:
        conversation.process.kill()
        conversation.process.wait()


def make_ready(conversation: Talk, engine: Engine) -> None:
    """Ask a USI engine to get ready, and note how long it took."""
    conversation.ask("usi", "usiok")
    answered = conversation.seconds()
    conversation.ask("isready", "readyok", engine.compiled)
    engine.starts.append((answered, conversation.seconds()))


def kernels(engine: Engine) -> int:
    """Return the number of files in the cache."""
    return len(list((engine.folder / "cache").rglob("*.kernel")))


# ---- the checks; each returns what it has found -------------------------------------------------------------------


def first_start(engine: Engine) -> str:
    """Two GUIs start the engine at the same time, and its cache is empty."""
    with talk(engine.usi, engine) as one, talk(engine.usi, engine) as two:
        for conversation in (one, two):
            conversation.ask("usi", "usiok")
        for conversation in (one, two):
            conversation.send("isready")
        for conversation in (one, two):
            conversation.until("readyok", engine.compiled)
        found = f"readyok after {one.seconds():.1f} s, {kernels(engine)} files in the cache"
        for conversation in (one, two):
            conversation.ask("position startpos\ngo nodes 1000", "bestmove")
            conversation.end()
    return found


def later_start(engine: Engine) -> str:
    """Nothing is compiled again; a search is stopped; a game is played."""
    before = kernels(engine)
    with talk(engine.usi, engine) as conversation:
        make_ready(conversation, engine)
        conversation.send("position startpos\ngo infinite")
        conversation.until("info")
        conversation.ask("stop", "bestmove")
        conversation.ask("usinewgame\nisready", "readyok")
        moves: list[str] = []
        for _ in range(PLIES):
            answer = conversation.ask(" ".join(["position startpos moves", *moves]) + "\ngo nodes 2000", "bestmove")
            moves.append(answer.split()[1])
        conversation.end()
        found = f"readyok after {engine.starts[-1][1]:.1f} s, {PLIES} moves: {' '.join(moves[:4])} ..."
    if kernels(engine) != before:
        raise CheckError(f"{kernels(engine) - before} kernels were compiled again")
    return found


def quit_early(engine: Engine) -> str:
    """`quit` ends the engine while it is loading and while it searches."""
    for moment in range(MOMENTS):
        with talk(engine.usi, engine) as conversation:
            conversation.ask("usi", "usiok")
            time.sleep(0.4 * moment)  # while another library is being loaded
            conversation.end("isready\nquit")
    with talk(engine.usi, engine) as conversation:
        conversation.ask("isready", "readyok")
        conversation.send("position startpos\ngo infinite")
        conversation.until("info")
        conversation.end()
    return ""


def script(engine: Engine) -> str:
    """Commands in a file, with line ends of Windows, are all answered."""
    file = engine.folder / "命令 1.txt"
    file.write_bytes(b"usi\r\nisready\r\nposition startpos\r\ngo nodes 500\r\nquit\r\n")
    with file.open("rb") as stream:
        result = subprocess.run(
            engine.usi,
            env=engine.environment(),
            cwd=engine.folder,
            stdin=stream,
            stdout=subprocess.PIPE,
            timeout=engine.answered,
        )
    words = [line.split()[0] for line in result.stdout.decode().splitlines() if line]
    answers = [word for word in words if word in ("usiok", "readyok", "bestmove")]
    if result.returncode or answers != ["usiok", "readyok", "bestmove"]:
        raise CheckError(f"status {result.returncode}, answers {answers}")
    return ""


def gtp(engine: Engine) -> str:
    """A game of Othello over GTP."""
    with talk([*engine.tool, "gtp"], engine) as conversation:
        conversation.ask("name", "= ")
        conversation.ask("1 boardsize 8\n2 clear_board\n3 set_level 1\n4 genmove b", "=4 ", engine.compiled)
        move = conversation.ask("5 genmove w", "=5 ")
        conversation.end()
    return move


def nboard(engine: Engine) -> str:
    """A hint and a move over NBoard."""
    with talk([*engine.tool, "nboard"], engine) as conversation:
        conversation.ask("nboard 2\nset depth 3\nping 1", "pong 1", engine.compiled)
        move = conversation.ask("go", "===", engine.compiled)
        conversation.end()
    return move


def counts(engine: Engine) -> str:
    """Perft counts what is known; the bench visits as many nodes as elsewhere."""
    found = []
    for game, (depth, leaves) in PERFT.items():
        nodes = json.loads(engine.run("perft", game, str(depth), "--json").splitlines()[-1])["nodes"]
        found.append(f"{game} {nodes}")
        if nodes != leaves:
            raise CheckError(f"perft {game} {depth} is {nodes}, not {leaves}")
    nodes = json.loads(engine.run("bench", "--json").splitlines()[-1])["nodes"]
    if engine.bench and nodes != engine.bench:
        raise CheckError(f"bench is {nodes}, not {engine.bench}")
    return f"perft {', '.join(found)}; bench {nodes}"


def redirected(engine: Engine) -> str:
    """Output in a file, in the encodings of Japanese and Western Windows: nothing is lost, and nothing fails."""
    record = engine.folder / "棋譜 1.kif"
    record.write_bytes(GAME.encode("cp932"))
    for encoding, language in (("cp932", "ja"), ("cp1252", "ja"), ("ascii", "en")):
        text = engine.run("analyse", str(record), "--nodes", "300", "--language", language, encoding=encoding)
        if encoding == "cp932" and "７六歩" not in text:
            raise CheckError(f"the moves are not in the output: {text[:200]!r}")
        if len(text.splitlines()) < len(GAME.splitlines()) - 4:
            raise CheckError(f"the table is not whole in {encoding}: {text!r}")
    if "G*5b" not in engine.run("mate", MATE, "--diagram", "--language", "ja", "--notation", "usi", encoding="cp1252"):
        raise CheckError("the mate is not in the output")
    page = engine.folder / "解析 1.html"
    engine.run("analyse", str(record), "--nodes", "300", "--html", str(page))
    if "</html>" not in page.read_text(encoding="utf-8"):
        raise CheckError(f"{page.name} is not whole")
    return ""


def match(engine: Engine) -> str:
    """The engine plays itself, in two processes, and the games are kept."""
    quoted = subprocess.list2cmdline(engine.usi) if os.name == "nt" else shlex.join(engine.usi)
    records = engine.folder / "対局 1.csa"
    out = engine.run(
        "match", quoted, quoted, "--games", "2", "--limit", "nodes=200", "--set", "max_plies=40", "--out", str(records),
        "--json",
    )  # fmt: skip
    result = json.loads(out.splitlines()[-1])
    if result["games"] != 2 or any(result["faults"].values()):
        raise CheckError(f"{result}")
    if not records.stat().st_size:
        raise CheckError("no game was kept")
    return ""


def serve(engine: Engine) -> str:
    """The browser's page is served; a second server does not take the same port."""
    with talk([*engine.tool, "serve", "--port", "0"], engine) as conversation:
        line = conversation.until("the board is at", engine.compiled)
        address = line.removeprefix("the board is at ").split()[0]
        with urllib.request.urlopen(address, timeout=engine.answered) as answer:
            if answer.status != 200 or b"<html" not in answer.read():
                raise CheckError(f"{address} answered with status {answer.status}")
        port = address.rstrip("/").rpartition(":")[2]
        with talk([*engine.tool, "serve", "--port", port], engine) as second:
            try:
                status = second.process.wait(engine.answered)
            except subprocess.TimeoutExpired:
                raise CheckError(f"a second server uses port {port} too") from None
            if not status:
                raise CheckError(f"a second server on port {port} ended with status 0")
    return address


CHECKS: list[Callable[[Engine], str]] = [
    first_start, later_start, quit_early, script, gtp, nboard, counts, redirected, match, serve,
]  # fmt: skip


def first_starts(engine: Engine, times: int) -> str:
    """Return the medians of the times to `usiok` and `readyok`, each start with a cache of its own that is empty."""
    engine.starts.clear()
    for number in range(times):
        with talk(engine.usi, engine, f"cache {number}") as conversation:
            make_ready(conversation, engine)
            conversation.end()
    usiok, readyok = (statistics.median(seconds) for seconds in zip(*engine.starts, strict=True))
    return f"median of {times} first starts: usiok after {usiok:.2f} s, readyok after {readyok:.2f} s"


def run_checks(engine: Engine, names: list[str]) -> int:
    """Run the named checks, all by default; return how many failed. Without a first start the others are in vain."""
    failed = 0
    for check in CHECKS:
        if names and check.__name__ not in names:
            continue
        began = time.monotonic()
        try:
            words = f"ok      {check(engine)}"
        except Exception as fault:  # whatever went wrong, the check has failed
            words = f"FAILED  {fault if isinstance(fault, CheckError) else repr(fault)}"
            failed += 1
        print(f"{check.__name__:12} {time.monotonic() - began:6.1f} s  {words.rstrip()}", flush=True)
        if failed and check is first_start:
            break
    return failed


def main() -> int:
    """Run the checks that the command line selects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=" ".join(check.__name__ for check in CHECKS))
    parser.add_argument("--python", default="", help="command of the Python under test; default: this Python")
    parser.add_argument("--portable", type=Path, metavar="DIR", help="test the programs of this folder")
    parser.add_argument("--bench", type=int, default=0, metavar="N", help="nodes that the bench must visit")
    parser.add_argument("--starts", type=int, default=0, metavar="N", help="measure N starts with an empty cache first")
    parser.add_argument("--time-factor", type=float, default=1.0, metavar="X", help="multiply all limits of time by X")
    args = parser.parse_args()
    if unknown := set(args.checks) - {check.__name__ for check in CHECKS}:
        parser.error(f"no such check: {' '.join(sorted(unknown))}")
    python = shlex.split(args.python) or [sys.executable]
    usi, tool = [*python, "-P", "-m", "usi"], [*python, "-P", "-m", "shogi_engine"]
    if args.portable:
        usi, tool = [str(args.portable / "shogi-usi.exe")], [str(args.portable / "shogi-engine.exe")]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    name = tempfile.mkdtemp()
    try:
        engine = Engine(usi, tool, Path(name) / "将棋 エンジン", args.bench, args.time_factor)
        engine.folder.mkdir()
        if args.starts:
            print(first_starts(engine, args.starts), flush=True)
        failed = run_checks(engine, args.checks)
    finally:  # TemporaryDirectory would recurse without end if a process that is ending still holds the folder
        shutil.rmtree(name, ignore_errors=True)
    print(f"{failed} checks failed" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
