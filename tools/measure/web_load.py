"""Load-test `shogi-engine serve`: many visitors play and analyse at once; then send garbage. Linux only.

    python -m tools.measure.web_load --sessions 50 --seconds 300

A server with its engines is started on any free port. Each visitor makes random moves in Shogi or Othello with live
analysis on. Then all leave while the engines are searching for them, and the searches must end. At last, --frames
garbage frames and as many requests are sent, and another visitor must still be served.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import websockets

from shogi_engine.web.conversation import KINDS

# ---- What a page makes of the messages of `shogi-engine serve`, as its script does, for programs that visit a server


def patched(state: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """Return the state after a delta. Raises ValueError if the page has missed one before."""
    if state["seq"] != delta["base"]:
        raise ValueError("a change was missed")
    labels = {name: text for name, text in (state["labels"] | delta.get("labels", {})).items() if text is not None}
    made = state | delta["fields"] | {"seq": delta["seq"], "labels": labels}
    made["line"] = _spliced(state["line"], delta.get("line", []))
    made["svg"] = "\n".join(_spliced(state["svg"].split("\n"), delta.get("svg", [])))
    return made


def _spliced(items: Sequence[Any], splices: Sequence[tuple[int, int, list[Any]]]) -> list[Any]:
    made = list(items)
    for start, count, added in splices:
        made[start : start + count] = added
    return made


class Page:
    """What a page knows.

    Attributes:
        state: the state after the last message, empty before the first
    """

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}

    def receive(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message, the whole state for a delta."""
        if message["kind"] == "delta":
            message = patched(self.state, message)
        if message["kind"] == "state":
            self.state = message
        return message


STEP_SECONDS = 0.2  # between a visitor's moves: far faster than people play
GAME_MOVES = 60  # after which a visitor starts a new game
TIMEOUT = 60.0  # seconds allowed for an answer
SAMPLE_SECONDS = 5.0
MINUTES = 24  # samples in two minutes
IDLE = 0.1  # of a core: below this no search is running
PATHS = ("/static/../app.py", "/static/%2e%2e/app.py", "/../../etc/passwd", "/static/..%2f..%2f..%2fetc%2fpasswd",
         "//etc/passwd", "/static/%00", "/static/" + "a" * 3000, "/ws", "/", "/static/app.js")  # fmt: skip


async def connect(address: str) -> Any:
    """Return a WebSocket to a server at ws://..."""
    return await websockets.connect(address, max_size=None, compression=None, open_timeout=TIMEOUT)


async def next_of(socket: Any, kind: str, page: Page) -> dict[str, Any]:
    """Return the next message of a kind. Raises AssertionError if the server reports an error."""
    while True:
        message = page.receive(json.loads(await asyncio.wait_for(socket.recv(), TIMEOUT)))
        assert message["kind"] != "error", message
        if message["kind"] == kind:
            return message


async def ask(socket: Any, page: Page, message: dict[str, Any]) -> list[dict[str, Any]]:
    """Send a message; return what came until it was answered, by `done` or an error."""
    await socket.send(json.dumps({**message, "re": 1}))
    came: list[dict[str, Any]] = []
    while not came or came[-1].get("re") != 1:
        came.append(page.receive(json.loads(await asyncio.wait_for(socket.recv(), TIMEOUT))))
    return came


async def visit(address: str, rng: random.Random, end: float, pause: float) -> list[float]:
    """Play random moves with live analysis until the time `end`, and leave during the game.

    Returns the time of each answer in seconds.
    """
    taken: list[float] = []
    page = Page()
    async with await connect(address) as socket:
        await socket.send('{"do": "hello"}')
        await next_of(socket, "state", page)
        await socket.send('{"do": "analyse", "on": true, "multipv": 2}')
        state = await next_of(socket, "state", page)
        while time.monotonic() < end:
            moves = [move for targets in state["targets"].values() for each in targets.values() for move in each]
            if moves and (len(taken) + 1) % GAME_MOVES:
                message = {"do": "move", "move": rng.choice(moves)}
            else:
                message = {"do": "game", "game": rng.choice(("shogi", "othello"))}
            asked = time.monotonic()
            await socket.send(json.dumps(message))
            state = await next_of(socket, "state", page)
            taken.append(time.monotonic() - asked)
            await asyncio.sleep(pause * rng.uniform(0.5, 1.5))
    return taken


async def crowd(address: str, sessions: int, seconds: float, pause: float = STEP_SECONDS) -> list[float]:
    """Run this many visitors at once; return the times of their answers in seconds."""
    end = time.monotonic() + seconds
    visits = await asyncio.gather(*(visit(address, random.Random(number), end, pause) for number in range(sessions)))
    return [taken for each in visits for taken in each]


def garbage(rng: random.Random) -> str | bytes:
    """Return a frame that is almost a message, or pure garbage."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(300))
    name, message = rng.choice(list(KINDS.items()))
    values: list[Any] = [None, True, 0, -1, 2, "", "7g7f", "shogi", [None, 1], {}, 1e300]
    fields: dict[str, Any] = {field: rng.choice(values) for field in message.__struct_fields__}
    if name == "save":
        fields = {"format": rng.choice(["kif", "../x", ""])}
    text = json.dumps({"do": name, **fields})
    if kind == 1:
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice('{}[]",:\\\u0000é') + text[place + 1 :]
    return text


async def throw(address: str, frames: int, rng: random.Random) -> None:
    """Send garbage frames over ten connections; then check that the server still answers."""
    for _ in range(10):
        async with await connect(address) as socket:
            await socket.send('{"do": "hello"}')
            for _ in range(frames // 10):
                await socket.send(garbage(rng))
    async with await connect(address) as socket:
        await socket.send('{"do": "hello"}')
        await next_of(socket, "state", Page())


async def request(host: str, port: int, content: bytes) -> bytes:
    """Send bytes as a request; return the beginning of the response."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(content)
        await writer.drain()
        writer.write_eof()
        return await asyncio.wait_for(reader.read(), TIMEOUT)
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def throw_requests(port: int, count: int, rng: random.Random) -> tuple[dict[str, int], bool]:
    """Send requests, some of them damaged; return the count of each status, and whether a private file was sent."""
    statuses: dict[str, int] = {}
    leaked = False
    for _ in range(count):
        path = rng.choice(PATHS)
        method = rng.choice(("GET", "GET", "POST", "HEAD", "BREW"))
        content = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
        if rng.random() < 0.5:
            place = rng.randrange(len(content))
            content = content[:place] + rng.randbytes(rng.randrange(1, 4)) + content[place + 1 :]
        answer = await request("127.0.0.1", port, content)
        status = answer[9:12].decode("latin-1") or "closed"
        statuses[status] = statuses.get(status, 0) + 1
        leaked |= b"root:" in answer or b"import asyncio" in answer
    return dict(sorted(statuses.items())), leaked


class Server:
    """A server in its own process, which ends with the `with` block.

    Attributes:
        port: the port on which it listens
        process: its process
    """

    def __init__(self, engines: int) -> None:
        self._engines, self.port = engines, 0
        self._folder = tempfile.TemporaryDirectory(prefix="web_load")  # for the games that the server keeps
        self.start()

    def start(self) -> None:
        """Start it, the second time at the same port and on the same games."""
        serve = ["serve", "--port", str(self.port), "--engines", str(self._engines)]
        environment = {**os.environ, "XDG_DATA_HOME": self._folder.name}
        command = [sys.executable, "-m", "shogi_engine", *serve]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        found = None
        while found is None:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server did not start")
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
        self.port = int(found[1])

    @property
    def address(self) -> str:
        """The address of its WebSockets."""
        return f"ws://127.0.0.1:{self.port}/ws"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)

    def kill(self) -> None:
        """Kill it, as kill -9 does."""
        self.process.kill()
        self.process.wait()

    def megabytes(self) -> int:
        """Return its memory use."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20

    def cpu_seconds(self) -> float:
        """Return its CPU time."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def seconds_until_idle(self, limit: float = 60.0) -> float:
        """Return when it became idle; `limit` if it did not."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) < limit:
            before = self.cpu_seconds()
            time.sleep(0.5)
            if self.cpu_seconds() - before < 0.5 * IDLE:
                return waited
        return limit


async def sample(server: Server, found: list[int]) -> None:
    """Record the server's memory at intervals, until cancelled."""
    while True:
        await asyncio.sleep(SAMPLE_SECONDS)
        found.append(server.megabytes())


async def measure(server: Server, args: argparse.Namespace) -> bool:
    """Run the test and print the results; return whether it passed."""
    address = server.address
    await crowd(address, args.sessions, min(20.0, args.seconds))  # engines are ready, tables are filled
    memory: list[int] = [server.megabytes()]
    sampling = asyncio.create_task(sample(server, memory))
    cpu = server.cpu_seconds()
    taken = sorted(await crowd(address, args.sessions, args.seconds, args.pause))
    cpu = server.cpu_seconds() - cpu
    sampling.cancel()
    idle = await asyncio.to_thread(server.seconds_until_idle)
    print(f"{args.sessions} sessions, {args.seconds:g} s: {len(taken)} moves and no error")
    median, most, rarely = (1000 * taken[len(taken) * share // 100] for share in (50, 95, 99))
    print(f"answers: median {median:.0f} ms, 95 % {most:.0f} ms, 99 % {rarely:.0f} ms")
    third = max(len(memory) // 3, 1)
    print(f"memory: {memory[0]} MB, {max(memory[:third])} in the first third, {max(memory[-third:])} in the last")
    print(f"memory every two minutes: {', '.join(map(str, memory[::MINUTES]))} MB")
    print(f"{cpu:.0f} s of CPU time, searches included")
    print(f"searches of those who left ended within {idle + 0.5:.1f} s")
    rng = random.Random(1)
    await throw(address, args.frames, rng)
    statuses, leaked = await throw_requests(server.port, args.frames, rng)
    print(f"{args.frames} frames of garbage; {args.frames} requests: {statuses}; files that got out: {leaked}")
    print(f"the server still answers; {server.megabytes()} MB", flush=True)
    return idle < 10 and not leaked and server.process.poll() is None


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--pause", type=float, default=STEP_SECONDS, help="between two moves, in seconds")
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--engines", type=int, default=2)
    args = parser.parse_args()
    with Server(args.engines) as server:
        return 0 if asyncio.run(measure(server, args)) else 1


if __name__ == "__main__":
    sys.exit(main())
